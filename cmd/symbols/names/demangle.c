/* demangle.c - see demangle.h. */
#include "config.h"

#include "demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "demangle-impl.h"
#include "lib/model/profile.h"

#if HAVE_LIBIBERTY

/*
 * Names in profiles are untrusted, but libiberty trusts them: it recurses for
 * each character, keeps arrays on the stack whose size is the product of two
 * counts of the name, and prints text that substitutions double with every
 * step.
 */
#define MAX_MANGLED 16384  /* bytes */
#define MAX_PRODUCT 100000 /* of templates by references */
#define MAX_CHOICES 8      /* each may double the time of parsing */
#define MAX_PARTS 100000   /* shared ones counted wherever they are used */
#define MAX_NAME 65536     /* bytes of the result */
#define TICK_MS 50         /* a name may take two ticks, but ... */
#define MAX_LATE 20        /* ... not this many names */
#define SHORT_NAME 64      /* names that are tried even then */

/* --- the time of libiberty --- */

/*
 * libiberty can be doubled in time by each part of a name in ways that no check
 * of ours foresees, without output. It cannot be stopped from outside. But it
 * holds only stack memory while it prints, so a jump leaves it: from
 * sink_add(), or from the signal of a timer that counts the time of this
 * thread.
 */
static struct {
	jmp_buf *back; /* NULL: it does not run */
	volatile sig_atomic_t n_tick, is_adding;
	pid_t pid; /* that has the timer: children have none */
	size_t n_late;
} watch;

static void
on_tick(int sig)
{
	(void)sig;
	if (watch.back && ++watch.n_tick >= 2 && !watch.is_adding)
		longjmp(*watch.back, 1);
}

static void
start_timer(void)
{
	struct sigaction act = { .sa_handler = on_tick,
				 .sa_flags = SA_RESTART | SA_NODEFER };
	const struct timespec tick = { .tv_nsec = TICK_MS * 1000000 };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGVTALRM };
	timer_t timer;

	watch.pid = getpid();
	event._sigev_un._tid = gettid();
	sigaction(SIGVTALRM, &act, NULL);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0)
		timer_settime(timer, 0, &(struct itimerspec){ tick, tick },
			      NULL);
}

/* libiberty runs from here to unwatch(). */
static void
watch_from(jmp_buf *back)
{
	if (watch.pid != getpid())
		start_timer();
	watch.n_tick = 0;
	watch.back = back;
}

static bool
unwatch(bool ok)
{
	watch.back = NULL;
	watch.is_adding = false;
	watch.n_late += watch.n_tick >= 2;
	return ok;
}

size_t
demangle_n_late(void)
{
	return watch.n_late;
}

/* --- the output of libiberty --- */

struct sink {
	char *s; /* n bytes of cap, then a NUL */
	size_t n, cap;
	jmp_buf full;
};

static void
sink_add(const char *s, size_t n, void *ctx)
{
	struct sink *k = ctx;

	if (n == 0)
		return;
	watch.is_adding = true;
	if (n >= k->cap - k->n) {
		size_t cap = 2 * (k->n + n) + 128;
		char *p = k->n + n < MAX_NAME ? realloc(k->s, cap) : NULL;

		if (!p)
			longjmp(k->full, 1);
		k->s = p;
		k->cap = cap;
	}
	memcpy(k->s + k->n, s, n);
	k->n += n;
	k->s[k->n] = '\0';
	watch.is_adding = false;
}

static bool
print_tree(struct sink *k, struct demangle_component *tree, int options)
{
	if (setjmp(k->full))
		return unwatch(false);
	watch_from(&k->full);
	return unwatch(
		cplus_demangle_print_callback(options, tree, sink_add, k));
}

/* The same for names that only libiberty's other function, which parses twice,
 * accepts. */
static bool
print_twice(struct sink *k, const char *mangled, int options)
{
	if (setjmp(k->full))
		return unwatch(false);
	watch_from(&k->full);
	return unwatch(
		cplus_demangle_v3_callback(mangled, options, sink_add, k));
}

static bool
print_rust(struct sink *k, const char *mangled)
{
	if (setjmp(k->full))
		return unwatch(false);
	watch_from(&k->full);
	return unwatch(
		rust_demangle_callback(mangled, DMGL_NO_OPTS, sink_add, k));
}

/* The output, or NULL if it failed. */
static char *
sink_take(struct sink *k, bool ok)
{
	if (ok)
		return k->s;
	free(k->s);
	return NULL;
}

/* --- C++ --- */

/*
 * Remove the parameters of the functions that dc is local to: f()::{lambda}.
 * Parts of the tree may be shared, so left counts the steps.
 */
static void
drop_enclosing(struct demangle_component *dc, int *left)
{
	struct demangle_component *in, *type;

	if (!dc || --*left < 0)
		return;
	switch (dc->type) {
	case DEMANGLE_COMPONENT_LOCAL_NAME:
		in = dc->u.s_binary.left;
		if (in && in->type == DEMANGLE_COMPONENT_TYPED_NAME) {
			type = in->u.s_binary.right;
			if (type &&
			    type->type == DEMANGLE_COMPONENT_FUNCTION_TYPE) {
				type->u.s_binary.left = NULL;
				type->u.s_binary.right = NULL;
			}
		}
		/* fall through */
	case DEMANGLE_COMPONENT_QUAL_NAME:
		drop_enclosing(dc->u.s_binary.right, left);
		/* fall through */
	case DEMANGLE_COMPONENT_TYPED_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE:
	case DEMANGLE_COMPONENT_CONST_THIS:
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
	case DEMANGLE_COMPONENT_RESTRICT_THIS:
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
		drop_enclosing(dc->u.s_binary.left, left);
		break;
	default:
		break;
	}
}

/* The length of the operator's sign at s, which follows "operator". */
static size_t
operator_length(const char *s)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*",
					     "<<",  ">>",  "<=",  ">=",
					     "->",  "<",   ">" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strncmp(s, signs[i], strlen(signs[i])))
			return strlen(signs[i]);
	return 0;
}

/*
 * For each '<' of s: the offset past the '>' that closes it, or 0. In
 * parentheses they are comparisons, or pairs. NULL without memory. One pass, as
 * a name of 60,000 that nothing closes is made of a few bytes.
 */
static uint32_t *
closings(const char *s)
{
	size_t n = strlen(s);
	uint32_t *past = calloc(n + 1, 2 * sizeof(*past));
	uint32_t *open = past ? past + n + 1 : NULL, n_open = 0;

	for (uint32_t i = 0; past && i < n; i++) {
		switch (s[i]) {
		case '(':
		case '[':
		case '{':
		case '<':
			open[n_open++] = i;
			break;
		case ')':
		case ']':
		case '}':
			while (n_open && s[open[n_open - 1]] == '<')
				n_open--;
			n_open -= n_open > 0;
			break;
		case '>':
			if (n_open && s[open[n_open - 1]] == '<' &&
			    s[i - 1] != '-')
				past[open[--n_open]] = i + 1;
			break;
		}
	}
	return past;
}

/* Remove template arguments, in place. */
static void
strip_templates(char *name)
{
	static const char word[] = "operator";
	const size_t n_word = sizeof(word) - 1;
	const char *from = name;
	char *to = name;
	uint32_t *past = closings(name);

	while (past && *from) {
		bool starts =
			from == name ||
			!(isalnum((unsigned char)from[-1]) || from[-1] == '_');

		if (starts && !strncmp(from, word, n_word)) {
			size_t n = n_word + operator_length(from + n_word);

			memmove(to, from, n);
			to += n;
			from += n;
			/* operator< <int>: the space goes too */
			if (from[0] == ' ' && from[1] == '<')
				from++;
			continue;
		}
		if (past[from - name])
			from = name + past[from - name];
		else
			*to++ = *from++;
	}
	if (past)
		*to = '\0';
	free(past);
}

/*
 * The template template parameters with arguments, "T_I". In an operator of
 * conversion ("cv") the arguments may not be theirs, and are parsed twice.
 */
static size_t
n_choices(const char *mangled)
{
	size_t n = 0;

	if (!strstr(mangled, "cv"))
		return 0;
	for (const char *s = mangled; (s = strchr(s, 'T'));) {
		s++;
		while (isdigit((unsigned char)*s) || isupper((unsigned char)*s))
			s++;
		n += s[0] == '_' && s[1] == 'I';
	}
	return n;
}

static bool
is_reasonable(const char *mangled)
{
	size_t templates = 0, references = 0, n = 0;

	for (; mangled[n]; n++) {
		templates += mangled[n] == 'I';
		references += mangled[n] == 'R' || mangled[n] == 'O';
	}
	return n <= (watch.n_late < MAX_LATE ? MAX_MANGLED : SHORT_NAME) &&
	       templates * references <= MAX_PRODUCT &&
	       n_choices(mangled) <= MAX_CHOICES;
}

/*
 * Has dc at most *left parts? libiberty searches all of them for a parameter
 * pack, without output, and substitutions may double them with every step.
 */
static bool
has_few_parts(const struct demangle_component *dc, size_t *left)
{
	for (; dc; dc = dc->u.s_binary.right) {
		if (*left == 0)
			return false;
		--*left;
		switch (dc->type) {
		case DEMANGLE_COMPONENT_NAME:
		case DEMANGLE_COMPONENT_OPERATOR:
		case DEMANGLE_COMPONENT_BUILTIN_TYPE:
		case DEMANGLE_COMPONENT_SUB_STD:
		case DEMANGLE_COMPONENT_CHARACTER:
		case DEMANGLE_COMPONENT_NUMBER:
		case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		case DEMANGLE_COMPONENT_FUNCTION_PARAM:
		case DEMANGLE_COMPONENT_UNNAMED_TYPE:
			return true;
		case DEMANGLE_COMPONENT_LAMBDA:
		case DEMANGLE_COMPONENT_DEFAULT_ARG:
			dc = dc->u.s_unary_num.sub;
			return has_few_parts(dc, left);
		case DEMANGLE_COMPONENT_FIXED_TYPE:
			return has_few_parts(dc->u.s_fixed.length, left);
		case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
			dc = dc->u.s_extended_operator.name;
			return has_few_parts(dc, left);
		case DEMANGLE_COMPONENT_CTOR:
			return has_few_parts(dc->u.s_ctor.name, left);
		case DEMANGLE_COMPONENT_DTOR:
			return has_few_parts(dc->u.s_dtor.name, left);
		default:
			break;
		}
		/* Later versions of libiberty have more types. They stand for
		 * names, which cannot double. */
		if (dc->type > DEMANGLE_COMPONENT_THROW_SPEC)
			return true;
		if (!has_few_parts(dc->u.s_binary.left, left))
			return false;
	}
	return true;
}

static bool
has_pack(const char *mangled)
{
	return strstr(mangled, "Dp") || strstr(mangled, "sZ") ||
	       strstr(mangled, "sP");
}

static char *
demangle_cplus(const char *mangled, enum demangle_mode mode)
{
	int options = DMGL_ANSI | (mode == DEMANGLE_FULL ? DMGL_PARAMS : 0);
	struct demangle_component *tree;
	struct sink sink = { 0 };
	void *mem = NULL;
	size_t parts = MAX_PARTS;
	int left = 1000;
	char *name, *clone;

	if (!is_reasonable(mangled))
		return NULL;
	tree = cplus_demangle_v3_components(mangled, options, &mem);
	if (tree ? !has_few_parts(tree, &parts) : has_pack(mangled)) {
		free(mem);
		return NULL;
	}
	while (tree && tree->type == DEMANGLE_COMPONENT_CLONE)
		tree = tree->u.s_binary.left;
	if (tree && mode != DEMANGLE_FULL)
		drop_enclosing(tree, &left);
	name = sink_take(&sink, tree ? print_tree(&sink, tree, options)
				     : print_twice(&sink, mangled, options));
	free(mem);
	clone = name && !tree ? strstr(name, " [clone ") : NULL;
	if (clone)
		*clone = '\0';
	if (name && mode == DEMANGLE_DEFAULT)
		strip_templates(name);
	return name;
}

/* The name after a prefix for the purpose of the function. */
static char *
prefixed(const char *prefix, char *name)
{
	size_t n = strlen(prefix);
	char *s;

	if (!name)
		return NULL;
	s = malloc(n + strlen(name) + 1);
	if (s) {
		memcpy(s, prefix, n);
		strcpy(s + n, name);
	}
	free(name);
	return s;
}

/* _GLOBAL__I_ and a name: code that runs before or after main(). */
static char *
demangle_global(const char *mangled, enum demangle_mode mode)
{
	const char *kind = mangled + strlen("_GLOBAL_");
	const char *prefix;
	char *name;

	if (!kind[0] || !strchr("._$", kind[0]) ||
	    (kind[1] != 'I' && kind[1] != 'D') || kind[2] != '_' || !kind[3])
		return NULL;
	prefix = kind[1] == 'I' ? "global constructors keyed to "
				: "global destructors keyed to ";
	if (strncmp(kind + 3, "_Z", 2))
		return prefixed(prefix, strdup(kind + 3));
	/* Parameters stay: several may be keyed to functions of one name. */
	name = demangle_cplus(kind + 3, DEMANGLE_FULL);
	if (name && mode == DEMANGLE_DEFAULT)
		strip_templates(name);
	return prefixed(prefix, name);
}

/* ___Z..._block_invoke_2: blocks of clang, in C and Objective-C. */
static char *
demangle_block(const char *mangled, enum demangle_mode mode)
{
	const char *block = strstr(mangled, "_block_invoke");
	char *inner, *name;

	if (!block)
		return NULL;
	inner = strndup(mangled + 2, (size_t)(block - mangled) - 2);
	name = inner ? demangle_cplus(inner, mode) : NULL;
	free(inner);
	return prefixed("invocation function for block in ", name);
}

/* --- Rust --- */

/* The old mangling is that of C++, with a hash at the end: 17h, 16 digits,
 * E. */
static size_t
old_rust_length(const char *mangled)
{
	size_t n = strlen(mangled);
	const char *dot = mangled + n;

	if (strncmp(mangled, "_ZN", 3))
		return 0;
	for (const char *s = mangled; (s = strstr(s, "E.")); s++)
		dot = s + 1;
	n = (size_t)(dot - mangled);
	if (n <= 23 || dot[-1] != 'E' || strncmp(dot - 20, "17h", 3) ||
	    strspn(dot - 17, "0123456789abcdef") != 16)
		return 0;
	return n;
}

/* Empty generic arguments, f::<T> and Vec<T>, but keep <T as Trait>. */
static void
strip_generics(char *name)
{
	const char *from = name;
	char *to = name;
	uint32_t *past = closings(name);

	while (past && *from) {
		uint32_t end = past[from - name];

		if (end &&
		    (from == name || !(isalnum((unsigned char)from[-1]) ||
				       from[-1] == '_' || from[-1] == ':')))
			end = 0;
		*to++ = *from++;
		if (end) {
			*to++ = '>';
			from = name + end;
		}
	}
	if (past)
		*to = '\0';
	free(past);
}

static char *
demangle_rust(const char *mangled, enum demangle_mode mode)
{
	char *name = demangle_rust_v0(mangled, strcspn(mangled, "."), MAX_NAME);

	if (name && mode == DEMANGLE_DEFAULT)
		strip_generics(name);
	return name;
}

static char *
demangle_old_rust(const char *mangled, size_t n)
{
	struct sink sink = { 0 };
	char *symbol, *name;

	if (n > MAX_MANGLED)
		return NULL;
	symbol = strndup(mangled, n);
	name = sink_take(&sink, symbol && print_rust(&sink, symbol));
	free(symbol);
	return name;
}

/* --- */

static char *
demangle_once(const char *s, enum demangle_mode mode)
{
	size_t n = old_rust_length(s);
	char *name = NULL;

	if (!strncmp(s, "_D", 2))
		return demangle_d(s, mode);
	if (!strncmp(s, "_R", 2))
		return demangle_rust(s, mode);
	if (n)
		name = demangle_old_rust(s, n);
	if (!name && !strncmp(s, "_Z", 2))
		name = demangle_cplus(s, mode);
	if (!name && !strncmp(s, "___Z", 4))
		name = demangle_block(s, mode);
	if (!name && !strncmp(s, "_GLOBAL_", 8))
		name = demangle_global(s, mode);
	return name;
}

/* macOS puts an underscore before every name. */
static char *
demangle_plain(const char *mangled, enum demangle_mode mode)
{
	char *name = demangle_once(mangled, mode);

	return name ? name : demangle_once(mangled + 1, mode);
}

/* f@plt is a stub that jumps to f: the name of f, and the same suffix. */
static char *
demangle_stub(const char *mangled, size_t n, enum demangle_mode mode)
{
	char *function = strndup(mangled, n), *name = NULL, *stub = NULL;

	if (function)
		name = demangle_plain(function, mode);
	if (name && asprintf(&stub, "%s%s", name, mangled + n) < 0)
		stub = NULL;
	free(function);
	free(name);
	return stub;
}

/*
 * f<main()::<lambda(int)> >: gcc's debugging information has no mangled name
 * for inlined functions whose template arguments are local types.
 */
static char *
without_arguments(const char *s)
{
	static const char word[] = "operator";
	const char *open = s;
	uint32_t *past;
	bool is_all;

	if (!strncmp(s, word, sizeof(word) - 1)) {
		open += sizeof(word) - 1;
		open += operator_length(open);
		open += strcspn(open, "<");
	} else {
		while (isalnum((unsigned char)*open) || *open == '_')
			open++;
	}
	if (open == s || *open != '<')
		return NULL;
	past = closings(s);
	is_all = past && past[open - s] && !s[past[open - s]];
	free(past);
	if (!is_all)
		return NULL;
	return strndup(s, (size_t)(open - s) - (open[-1] == ' '));
}

static char *
demangle(const char *mangled, enum demangle_mode mode)
{
	size_t n = strlen(mangled);
	char *name = NULL;

	if (mangled[0] == '_' && n > 4 && !strcmp(mangled + n - 4, "@plt"))
		return demangle_stub(mangled, n - 4, mode);
	if (mangled[0] == '_')
		name = demangle_plain(mangled, mode);
	if (!name && mode == DEMANGLE_DEFAULT)
		name = without_arguments(mangled);
	return name;
}

#define CAN_DEMANGLE true

#else

static char *
demangle(const char *mangled, enum demangle_mode mode)
{
	(void)mangled;
	(void)mode;
	return NULL;
}

size_t
demangle_n_late(void)
{
	return 0;
}

#define CAN_DEMANGLE false

#endif

/*
 * runtime.memmove.abi0: Go's linker marks the symbols of functions in assembly,
 * but neither Go's own profiles nor its tables have the mark.
 */
static char *
without_abi(const char *s)
{
	static const char mark[] = ".abi0";
	const size_t n_mark = sizeof(mark) - 1;
	size_t n = strlen(s);

	if (n <= n_mark || strcmp(s + n - n_mark, mark))
		return NULL;
	n -= n_mark;
	return memchr(s, '.', n) ? strndup(s, n) : NULL;
}

/* By the languages of the file that it is in, too. */
static char *
name_in(const char *mangled, unsigned languages, enum demangle_mode mode)
{
	char *name;

	if (mode == DEMANGLE_NONE)
		return NULL;
	name = without_abi(mangled);
	if (!name)
		name = demangle(mangled, mode);
	return name ? name : demangle_by_language(mangled, languages, mode);
}

char *
demangle_name(const char *mangled, enum demangle_mode mode)
{
	return name_in(mangled, 0, mode);
}

/* Add the set of m of of_mapping to those of the functions of its locations, or
 * the reverse. */
static void
spread(const struct profile *p, uint8_t *of_mapping, uint8_t *of_function,
       bool is_back)
{
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];
		const struct line *line = profile_line(p, l);

		for (uint32_t k = 0; l->mapping != PROF_NONE && k < l->n_line;
		     k++) {
			if (is_back)
				of_function[line[k].function] |=
					of_mapping[l->mapping];
			else
				of_mapping[l->mapping] |=
					of_function[line[k].function];
		}
	}
}

/* For each function, the languages of its mappings; for free(). */
static uint8_t *
find_languages(const struct profile *p)
{
	uint8_t *set = calloc(p->n_function + p->n_mapping + 1, sizeof(*set));

	for (size_t i = 0; set && i < p->n_function; i++) {
		const struct function *f = &p->function[i];

		set[i] = (uint8_t)demangle_languages(
			profile_str(p, f->system_name),
			profile_str(p, f->file));
	}
	if (set) {
		spread(p, set + p->n_function, set, false);
		spread(p, set + p->n_function, set, true);
	}
	return set;
}

/* Name f anew; not for lack of memory. */
static bool
name_function(struct profile *p, struct function *f, unsigned languages,
	      enum demangle_mode mode, bool *left)
{
	const char *system = profile_str(p, f->system_name);
	char *name = name_in(system, languages, mode);

	f->name = f->system_name;
	if (name) {
		f->name = profile_intern(p, name);
		free(name);
		if (f->name == STRTAB_NONE) {
			f->name = f->system_name;
			return false;
		}
	} else if (!CAN_DEMANGLE &&
		   (!strncmp(system, "_Z", 2) || !strncmp(system, "_R", 2))) {
		*left = true;
	}
	return true;
}

enum prof_status
demangle_profile(struct profile *p, enum demangle_mode mode, bool force,
		 struct prof_err *err)
{
	uint8_t *languages = find_languages(p);
	bool left = false, ok = languages;

	for (size_t i = 0; ok && i < p->n_function; i++) {
		struct function *f = &p->function[i];

		if (force && f->name && f->system_name)
			f->name = f->system_name;
		if (f->system_name && (!f->name || f->name == f->system_name))
			ok = name_function(p, f, languages[i], mode, &left);
	}
	free(languages);
	if (!ok)
		return prof_nomem(err);
	if (left && mode != DEMANGLE_NONE)
		return prof_fail(
			err, PROF_ENOTSUP,
			"this build has no libiberty: names stay mangled");
	return PROF_OK;
}
