/*
 * shorten.c - see shorten.h. A word of a script is a variable unless it follows
 * a dot, names a property in an object or a method of a class, or means
 * something to every script. One name stands for all variables of a name in a
 * function, or method, that is in no other, so scopes in it need not be known;
 * of one of the whole script it stands in all. A text that occurs often, quoted
 * or after a dot, is a constant with a short name: a.length and a['length'] are
 * the same, whosever property it is. A method that says `this` often has a
 * variable for it. Functions of the script become arrows, before all else, as
 * what is in it may call them where it is made; an `if` becomes an expression,
 * if it needs no brackets there.
 */
#include "shorten.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a brace, bracket or parenthesis encloses. */
enum inside { IN_BLOCK, IN_CLASS, IN_OBJECT, IN_KEYS_OF_OBJECT, IN_LIST };

enum kind { SIGN, WORD, METHOD, VARIABLE, SHORTHAND, TEXT, TEXT_KEY, PROPERTY };

struct token {
	const char *s;
	size_t n;
	enum kind kind;
	size_t variable; /* which of script.variable */
	size_t part;     /* the function, method or statement it is in */
	bool is_apart;   /* from the token before it */
	char name[4];    /* of the variable, there */
};

struct variable {
	const char *s;
	size_t n, uses;
	bool is_declared;
	bool is_global;
	bool is_text; /* s in quotes, not a variable of this name */
	size_t part;  /* the last one that it was named in */
	long gain;    /* of a text: how much shorter a name makes the script */
	char name[4];
};

struct script {
	struct token *token;
	size_t n_token;
	struct variable *variable;
	size_t n_variable;
};

/* What never changes of a browser has a short name, too. */
static const char constants[] =
	" Array Boolean Float64Array Infinity Map Math Math.abs Math.max "
	"Math.min "
	"Math.round NaN Number Object Object.assign RangeError Set String "
	"Uint32Array "
	"Uint8Array clearTimeout document history location matchMedia null "
	"performance "
	"setTimeout undefined ";

/* Words of the language and of browsers that are no variables of the page. */
static const char others[] =
	" async await break case catch class const constructor continue "
	"default delete do else extends false finally for function get if in "
	"instanceof let new of return set static super switch this throw "
	"true try typeof void while "
	"ArrayBuffer BigInt Blob DataView Date "
	"DecompressionStream Element Error Int16Array "
	"Int32Array Int8Array JSON Path2D Promise "
	"RegExp ResizeObserver IntersectionObserver Response "
	"TextDecoder TextEncoder URL URLSearchParams Uint16Array "
	"Uint8ClampedArray atob "
	"decodeURIComponent devicePixelRatio encodeURIComponent "
	"getComputedStyle globalThis innerHeight innerWidth "
	"localStorage queueMicrotask TypeError navigator "
	"prompt "
	"requestAnimationFrame scrollTo window ";

static void *
need(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "embed: out of memory\n");
	exit(1);
}

static bool
is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || is_one_of(c, "_$");
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Is the word in a list, in which blanks are around each? */
static bool
is_in(const char *list, const char *word, size_t n)
{
	char known[64];

	snprintf(known, sizeof(known), " %.*s ", (int)n, word);
	return strstr(list, known);
}

static bool
token_is(const struct token *t, const char *text)
{
	return t->n == strlen(text) && !memcmp(t->s, text, t->n);
}

/* --- tokens --- */

static size_t
quoted_length(const char *s)
{
	bool in_class = false;
	const char *end = s + 1;

	for (; *end && *end != '\n' && (*end != *s || in_class); end++) {
		if (*end == '\\' && end[1])
			end++;
		else if (*s == '/' && is_one_of(*end, "[]"))
			in_class = *end == '[';
	}
	if (*end == *s) {
		for (end++; *s == '/' && is_word(*end); end++)
			; /* flags of a pattern */
		return (size_t)(end - s);
	}
	fprintf(stderr, "embed: no end: %.40s\n", s);
	exit(1);
}

/* Is a slash after this token the begin of a pattern? Else it divides. */
static bool
can_begin_pattern(const struct token *before)
{
	char last = before->s[before->n - 1];

	return token_is(before, "return") ||
	       !(is_word(last) || is_one_of(last, ")]}'\""));
}

static size_t
token_length(const char *s, const struct token *before)
{
	size_t n = 1;

	if (*s == '`') {
		fprintf(stderr, "embed: blanks in a template may count\n");
		exit(1);
	}
	if (is_one_of(*s, "'\"") || (*s == '/' && can_begin_pattern(before)))
		return quoted_length(s);
	if (!strncmp(s, "...", 3))
		return 3;
	if (!strncmp(s, "=>", 2))
		return 2;
	if (is_digit(*s) || (*s == '.' && is_digit(s[1])))
		while (is_word(s[n]) || s[n] == '.')
			n++;
	else if (is_word(*s)) {
		while (is_word(s[n]))
			n++;
		if (s[n] == '.') {
			size_t after = n + 1;

			while (is_word(s[after]))
				after++;
			n = is_in(constants, s, after) ? after : n;
		}
	}
	return n;
}

/* The first character at or after s that is neither blank nor comment. */
static const char *
skip_blanks(const char *s)
{
	for (;;) {
		s += strspn(s, " \t\n");
		if (!strncmp(s, "//", 2))
			s += strcspn(s, "\n");
		else if (!strncmp(s, "/*", 2) && strstr(s, "*/"))
			s = strstr(s, "*/") + 2;
		else
			return s;
	}
}

static void
find_tokens(struct script *c, const char *s)
{
	struct token *before = c->token;

	/* The first token has a neighbour, too. */
	*before = (struct token){ .s = ";", .n = 1 };
	c->n_token = 1;
	for (const char *next = skip_blanks(s); *next; next = skip_blanks(s)) {
		struct token *t = &c->token[c->n_token++];

		t->is_apart = next != s;
		t->s = next;
		t->n = token_length(next, before);
		t->kind = is_word(*next) && !is_digit(*next) ? WORD : SIGN;
		s = next + t->n;
		before = t;
	}
}

/* --- which words are variables --- */

static enum inside
brace_kind(const struct token *before)
{
	static const char *const heads[] = { ")", "=>",   ";",   "{",
					     "}", "else", "try", "finally" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (token_is(before, heads[i]))
			return IN_BLOCK;
	return IN_KEYS_OF_OBJECT;
}

static enum kind
word_kind(const struct token *t, enum inside inside)
{
	if (token_is(t - 1, ".") || inside == IN_CLASS ||
	    is_in(others, t->s, t->n))
		return WORD;
	if (inside != IN_KEYS_OF_OBJECT || token_is(t - 1, "..."))
		return VARIABLE;
	return is_one_of(*t[1].s, ",}=") ? SHORTHAND : WORD;
}

/* Is this where a variable is made, or could it be a parameter? */
static bool
is_declaring(const struct token *t)
{
	static const char makers[] = " catch class const function let ";
	char before = *t[-1].s, after = *t[1].s;

	return is_in(makers, t[-1].s, t[-1].n) || token_is(t + 1, "=>") ||
	       (is_one_of(before, ",([{.:") && is_one_of(after, ",)]}="));
}

/* The variable of these bytes, a new one if there was none. */
static struct variable *
variable_of(struct script *c, struct token *t, const char *s, size_t n,
	    bool is_text)
{
	struct variable *v = c->variable;

	while (v < c->variable + c->n_variable &&
	       (v->n != n || v->is_text != is_text || memcmp(v->s, s, n)))
		v++;
	t->variable = (size_t)(v - c->variable);
	if (t->variable == c->n_variable) {
		c->n_variable++;
		*v = (struct variable){
			.s = s, .n = n, .is_text = is_text, .is_global = is_text
		};
		/* Names of two letters, as most have. */
		v->gain = is_text ? -(long)(n + 1 + 2 + 1) : 0;
	}
	v->uses++;
	return v;
}

static void
add_variable(struct script *c, struct token *t, bool is_outside)
{
	struct variable *v = variable_of(c, t, t->s, t->n, false);

	v->is_declared |= is_declaring(t);
	v->is_global |= is_outside || is_in(constants, v->s, v->n);
}

/* A quoted text, or the name of a property after a dot. */
static void
add_text(struct script *c, struct token *t, enum inside inside)
{
	if (token_is(t - 1, ".") && !token_is(t - 2, "?")) {
		t->kind = PROPERTY;
		variable_of(c, t, t->s, t->n, true)->gain += (long)t->n - 3;
	} else if (*t->s == '\'' && !memchr(t->s, '\\', t->n)) {
		t->kind = inside == IN_KEYS_OF_OBJECT && *t[1].s == ':'
				  ? TEXT_KEY
				  : TEXT;
		variable_of(c, t, t->s + 1, t->n - 2, true)->gain +=
			(long)t->n - (t->kind == TEXT ? 2 : 4);
	}
}

/* Texts that are not worth a name stay what they are. */
static void
keep_rare_texts(struct script *c)
{
	for (size_t i = 1; i < c->n_token; i++) {
		struct token *t = &c->token[i];

		if (t->kind >= TEXT && c->variable[t->variable].gain <= 0)
			t->kind = *t->s == '\'' ? SIGN : WORD;
	}
	for (size_t i = 0; i < c->n_variable; i++)
		if (c->variable[i].is_text && c->variable[i].gain <= 0)
			c->variable[i].uses = 0;
}

/* A name of the browser's that is in no list must not become another. */
static void
check_declared(const struct script *c)
{
	for (size_t i = 0; i < c->n_variable; i++) {
		const struct variable *v = &c->variable[i];

		if (v->is_declared || v->is_text ||
		    is_in(constants, v->s, v->n))
			continue;
		fprintf(stderr, "embed: not declared, nor in a list: %.*s\n",
			(int)v->n, v->s);
		exit(1);
	}
}

static bool
is_declaration(const struct token *t)
{
	return token_is(t, "const") || token_is(t, "let");
}

/*
 * In a method, from its brace to its end, `this` is a variable if that is
 * shorter. There is no other `this` in it, as the script has no functions in
 * functions but arrows.
 */
static void
name_self(struct script *c, struct token *body, struct token *end)
{
	size_t n = 0, makes = is_declaration(body + 1) ? 8 : 12;

	for (struct token *t = body; t < end; t++) {
		if (token_is(t, "super"))
			return;
		n += token_is(t, "this");
	}
	for (struct token *t = body; 3 * n > makes && t < end; t++) {
		if (!token_is(t, "this"))
			continue;
		variable_of(c, t, t->s, t->n, false)->is_declared = true;
		t->kind = VARIABLE;
		body->variable = t->variable;
		body->kind = METHOD;
	}
}

static void
find_variables(struct script *c)
{
	enum inside *stack = need(calloc(c->n_token + 1, sizeof(*stack)));
	enum inside *top = stack;
	struct token *body = NULL;
	bool is_class = false, makes = false;
	size_t part = 1;

	for (size_t i = 1; i < c->n_token; i++) {
		struct token *t = &c->token[i];

		t->part = part;
		/* What such a statement makes may be in brackets. */
		if (top == stack)
			makes = is_declaration(t) || (makes && *t->s != ';');
		if (t->kind == WORD)
			t->kind = word_kind(t, *top);
		if (t->kind >= VARIABLE)
			add_variable(c, t, makes || top == stack);
		else
			add_text(c, t, *top);
		if (token_is(t, "class") && *t[1].s != ':')
			is_class = true;
		if (*t->s == '{') {
			if (*top == IN_CLASS)
				body = t;
			*++top = is_class ? IN_CLASS : brace_kind(t - 1);
			is_class = false;
		} else if (is_one_of(*t->s, "([")) {
			*++top = IN_LIST;
		} else if (is_one_of(*t->s, ")]}")) {
			if (*--top == IN_CLASS && *t->s == '}')
				name_self(c, body, t);
		} else if (*t->s == ',' && *top == IN_OBJECT) {
			*top = IN_KEYS_OF_OBJECT;
		} else if (is_one_of(*t->s, ":=") &&
			   *top == IN_KEYS_OF_OBJECT) {
			*top = IN_OBJECT;
		}
		part += is_one_of(*t->s, ";}") &&
			(top == stack || *top == IN_CLASS);
	}
	free(stack);
}

/* --- their new names --- */

static int
by_uses(const void *p, const void *q)
{
	const struct variable *x = *(struct variable *const *)p;
	const struct variable *y = *(struct variable *const *)q;

	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	return (x->s > y->s) - (x->s < y->s);
}

/* The i-th name: those of one letter, then of two. */
static void
make_name(char name[4], size_t i)
{
	static const char letters[] = "etnaoirscldhupmfgbyvwkxjqz_$"
				      "ETNAOIRSCLDHUPMFGBYVWKXJQZ0123456789";
	const size_t first = 54, all = sizeof(letters) - 1;

	if (i < first) {
		snprintf(name, 4, "%c", letters[i]);
		return;
	}
	i -= first;
	snprintf(name, 4, "%c%c", letters[i / all % first], letters[i % all]);
}

/* Give names to n variables, except those that token[from] to [end] have. */
static void
make_names(const struct script *c, struct variable **order, size_t n,
	   size_t from, size_t end)
{
	char taken[64 * 64 * 4 + 1] = " ";
	size_t i = 0;

	for (; from < end; from++)
		if (*c->token[from].name && !is_in(taken, c->token[from].name,
						   strlen(c->token[from].name)))
			snprintf(taken + strlen(taken), 5, "%s ",
				 c->token[from].name);
	qsort(order, n, sizeof(*order), by_uses);
	for (struct variable **v = order; v < order + n; v++) {
		char *name = (*v)->name;

		do
			make_name(name, i++);
		while (is_in(others, name, strlen(name)) ||
		       is_in(taken, name, strlen(name)));
	}
}

/* The variables of a part, which ends before token[end]. */
static void
name_part(struct script *c, struct variable **order, size_t from, size_t end)
{
	size_t n = 0;

	for (size_t i = from; i < end; i++) {
		struct token *t = &c->token[i];
		struct variable *v = &c->variable[t->variable];

		if (t->kind < METHOD)
			continue;
		if (v->is_global) {
			memcpy(t->name, v->name, sizeof(t->name));
			continue;
		}
		if (v->part != t->part) {
			v->part = t->part;
			v->uses = 0;
			order[n++] = v;
		}
		v->uses++;
	}
	make_names(c, order, n, from, end);
	for (size_t i = from; i < end; i++) {
		struct token *t = &c->token[i];

		if (t->kind >= METHOD)
			memcpy(t->name, c->variable[t->variable].name,
			       sizeof(t->name));
	}
}

static void
name_variables(struct script *c)
{
	struct variable **order =
		need(calloc(c->n_variable + 1, sizeof(*order)));
	size_t n = 0, end;

	for (size_t i = 0; i < c->n_variable; i++)
		if (c->variable[i].uses && c->variable[i].is_global)
			order[n++] = &c->variable[i];
	make_names(c, order, n, 0, 0);
	for (size_t from = 1; from < c->n_token; from = end) {
		for (end = from; c->token[end].part == c->token[from].part;
		     end++)
			;
		name_part(c, order, from, end);
	}
	free(order);
}

/* The token after the one that closes what t opens. */
static const struct token *
after_closed(const struct token *t)
{
	size_t depth = 0;

	do
		if (is_one_of(*t->s, "([{"))
			depth++;
		else if (is_one_of(*t->s, ")]}"))
			depth--;
	while (t++, depth);
	return t;
}

/* --- conditions --- */

static void
set_sign(struct token *t, const char *s, size_t n)
{
	t->s = s;
	t->n = n;
	t->kind = SIGN;
}

static void
drop(struct script *c, struct token *t)
{
	memmove(t, t + 1, (size_t)(c->token + c->n_token-- - t) * sizeof(*t));
}

/* Is it an assignment, not part of a comparison? */
static bool
is_assignment(const struct token *t)
{
	return token_is(t, "=") && !is_one_of(*t[-1].s, "=!<>") &&
	       *t[1].s != '=';
}

/* Has what is between two tokens, but not in brackets, one of these signs? */
static bool
has_sign(const struct token *t, const struct token *end, const char *signs)
{
	for (; t < end; t = is_one_of(*t->s, "([{") ? after_closed(t) : t + 1)
		if ((*t->s != '=' && is_one_of(*t->s, signs)) ||
		    token_is(t, "=>") ||
		    (is_assignment(t) && strchr(signs, '=')))
			return true;
	return false;
}

/* The ';' of an expression that is a statement; NULL: it is none, or a list. */
static struct token *
expression_end(struct token *t)
{
	static const char others[] =
		" break class const continue do else for if let return switch "
		"throw try while ";
	struct token *end = t;

	if (is_in(others, t->s, t->n) || is_one_of(*t->s, "{;"))
		return NULL;
	while (*end->s && !is_one_of(*end->s, ";}"))
		end += is_one_of(*end->s, "([{") ? after_closed(end) - end : 1;
	return *end->s == ';' && !has_sign(t, end, ",") ? end : NULL;
}

/*
 * `if (a) b; else c;` as `a ? b : c;`, `if (a) b;` as `a && b;`, and returns
 * one after the other as one, where no brackets are needed.
 */
static void
make_condition(struct script *c, struct token *t)
{
	struct token *body = t + (after_closed(t + 1) - t), *end, *after;
	bool returns = token_is(body, "return");

	if (has_sign(t + 2, body - 1, "?,="))
		return;
	end = expression_end(body + returns);
	if (!end)
		return;
	after = end + 1;
	if (token_is(after, returns ? "return" : "else") &&
	    (!returns || is_one_of(*t[-1].s, ";{}"))) {
		if (!expression_end(after + 1))
			return;
		set_sign(end, ":", 1);
		drop(c, after);
		set_sign(body - 1, "?", 1);
	} else if (!returns && !has_sign(t + 2, body - 1, "|") &&
		   !has_sign(body, end, "?=|")) {
		set_sign(body - 1, "&&", 2);
	} else {
		return;
	}
	if (returns)
		drop(c, body);
	drop(c, t + 1);
	if (returns)
		set_sign(t, "return", 6);
	else
		drop(c, t);
}

/* --- functions as arrows --- */

static const struct token arrow = { .s = "=>", .n = 2 };
static const struct token equals = { .s = "=", .n = 1 };
static const struct token end_sign = { .s = ";", .n = 1 };
static const struct token let = { .s = "let", .n = 3 };

/* The first ';' of a body that is none of a function in it. */
static const struct token *
first_end(const struct token *t)
{
	while (*t->s != ';')
		t = is_one_of(*t->s, "([{") ? after_closed(t) : t + 1;
	return t;
}

static struct token *
copy(struct token *to, const struct token *t, const struct token *end)
{
	memcpy(to, t, (size_t)(end - t) * sizeof(*t));
	return to + (end - t);
}

/*
 * `function f(a) { return b; }` as `let f = a => b;`, from t to its end. What
 * returns an object has a brace too many to be written so.
 */
static struct token *
put_arrow(struct token *to, const struct token *t, const struct token *end)
{
	const struct token *body = after_closed(t + 2);
	bool is_one = body == t + 5 && t[3].kind == VARIABLE;
	bool is_short = token_is(body + 1, "return") && *body[2].s != '{' &&
			first_end(body + 1) + 2 == end;

	*to++ = let;
	*to++ = t[1];
	*to++ = equals;
	to = copy(to, t + 2 + is_one, body - is_one);
	*to++ = arrow;
	if (is_short)
		to = copy(to, body + 2, end - 2);
	else
		to = copy(to, body, end);
	*to++ = end_sign;
	return to;
}

/* All functions of the script, and then what else is in it. */
static void
make_arrows(struct script *c)
{
	struct token *made = need(calloc(2 * c->n_token + 1, sizeof(*made)));
	const struct token *end = c->token + c->n_token, *t, *next;
	struct token *to = copy(made, c->token, c->token + 1);

	for (int is_rest = 0; is_rest < 2; is_rest++) {
		for (t = c->token + 1; t < end; t = next) {
			bool is_function = token_is(t, "function");

			next = t + 1;
			while (next < end && next->part == t->part)
				next++;
			if (is_function && !is_rest)
				to = put_arrow(to, t, next);
			else if (!is_function && is_rest)
				to = copy(to, t, next);
		}
	}
	*to = *end;
	free(c->token);
	c->token = made;
	c->n_token = (size_t)(to - made);
}

/* --- the result --- */

static bool
needs_blank(char last, const char *text, bool is_apart)
{
	return (is_word(last) && is_word(*text)) ||
	       (is_apart && last == *text && is_one_of(last, "+-/"));
}

struct out {
	char *s;
	size_t n;
};

static void
put(struct out *o, const char *text, size_t n, bool is_apart)
{
	if (o->n && needs_blank(o->s[o->n - 1], text, is_apart))
		o->s[o->n++] = ' ';
	memcpy(o->s + o->n, text, n);
	o->n += n;
}

static void
put_text(struct out *o, const char *text)
{
	put(o, text, strlen(text), false);
}

/* Texts are one, which is split where a character is that none of them has. */
static char
text_divider(const struct script *c)
{
	const char *divider = "|~^`";
	size_t i = 0;

	while (*divider && i < c->n_variable) {
		const struct variable *v = &c->variable[i++];

		if (v->uses && v->is_text && memchr(v->s, *divider, v->n)) {
			divider++;
			i = 0;
		}
	}
	if (*divider)
		return *divider;
	fprintf(stderr, "embed: texts have all of |~^`\n");
	exit(1);
}

/*
 * The names of constants, or what they are: short ones are a function's. Texts
 * first, in brackets.
 */
static void
put_constants(struct out *o, const struct script *c, bool is_name)
{
	const char divider[] = { text_divider(c), '\0' };
	const char *between = "";

	put_text(o, is_name ? "[" : "'");
	for (size_t i = 0; i < c->n_variable; i++) {
		const struct variable *v = &c->variable[i];

		if (!v->uses || !v->is_text)
			continue;
		put_text(o, between);
		between = is_name ? "," : divider;
		put(o, is_name ? v->name : v->s,
		    is_name ? strlen(v->name) : v->n, false);
	}
	put_text(o, is_name ? "]" : "'.split('");
	if (!is_name) {
		put_text(o, divider);
		put_text(o, "')");
	}
	for (size_t i = 0; i < c->n_variable; i++) {
		const struct variable *v = &c->variable[i];

		if (!v->uses || v->is_text || !is_in(constants, v->s, v->n))
			continue;
		put_text(o, ",");
		put(o, is_name ? v->name : v->s,
		    is_name ? strlen(v->name) : v->n, false);
	}
}

static void
put_token(struct out *o, const struct token *t)
{
	const char *name = t->name;

	if (t->kind == PROPERTY || t->kind == TEXT_KEY) {
		put_text(o, "[");
		put_text(o, name);
		put_text(o, "]");
	} else if (token_is(t, "const")) {
		put_text(o, "let");
	} else if (t->kind == WORD && *t[1].s != ':' &&
		   (token_is(t, "true") || token_is(t, "false"))) {
		put_text(o, *t->s == 't' ? "!0" : "!1");
	} else if (t->kind == VARIABLE || t->kind == TEXT) {
		put(o, name, strlen(name), t->is_apart);
	} else if (!token_is(t, ".") || t[1].kind != PROPERTY) {
		put(o, t->s, t->n, t->is_apart);
	}
	if (t->kind == SHORTHAND) {
		put_text(o, ":");
		put_text(o, name);
	}
}

/* Neighbours among declarations become one, and a last ';' is not needed. */
static void
put_tokens(struct out *o, const struct script *c)
{
	bool *declares = need(calloc(c->n_token + 1, sizeof(*declares)));
	size_t depth = 0;

	*declares = is_declaration(c->token + 1);
	for (size_t i = 1; i < c->n_token; i++) {
		const struct token *t = &c->token[i];

		if (is_one_of(*t->s, "([{"))
			declares[++depth] = is_declaration(t + 1);
		else if (is_one_of(*t->s, ")]}"))
			depth--;
		if (*t->s == '}' && is_declaration(t + 1))
			declares[depth] = true;
		if (t->kind == METHOD) {
			put_text(o, "{let ");
			put_text(o, t->name);
			put_text(o, "=this");
			put_text(o, declares[depth] ? "," : ";");
			i += declares[depth];
		} else if (*t->s != ';') {
			put_token(o, t);
		} else if (declares[depth] && is_declaration(t + 1)) {
			put_text(o, ",");
			i++;
		} else {
			declares[depth] = is_declaration(t + 1);
			if (*t[1].s != '}')
				put_text(o, ";");
		}
	}
	free(declares);
}

char *
script_shorten(const char *s, size_t n)
{
	struct script c = {
		.token = need(calloc(n + 2, sizeof(*c.token))),
		.variable = need(calloc(n + 2, sizeof(*c.variable))),
	};
	struct out out = { .s = need(malloc(3 * n + 1000)) };

	find_tokens(&c, s);
	c.token[c.n_token] = (struct token){ .s = "", .n = 0 };
	find_variables(&c);
	check_declared(&c);
	keep_rare_texts(&c);
	name_variables(&c);
	for (size_t i = c.n_token; i-- > 1;)
		if (token_is(&c.token[i], "if") && c.token[i].kind == WORD)
			make_condition(&c, &c.token[i]);
	make_arrows(&c);
	put_text(&out, "'use strict';\n((");
	put_constants(&out, &c, true);
	put_text(&out, ")=>{\n");
	put_tokens(&out, &c);
	put_text(&out, "})(");
	put_constants(&out, &c, false);
	put(&out, ");\n", 4, false);
	free(c.token);
	free(c.variable);
	return out.s;
}
