/*
 * demangle-rust.c - see demangle-impl.h. A function for each rule of the
 * grammar; each returns false when the symbol is wrong or a limit is reached.
 */
#include "config.h"

#include "demangle-impl.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/escape.h"

/*
 * Real symbols take some hundred steps, at a depth of some dozens. The cost of
 * a hostile symbol is its number of steps.
 */
#define MAX_STEPS 100000
#define MAX_DEPTH 256
#define MAX_BOUND 1024 /* lifetimes in scope */
#define MAX_WIDE 512   /* characters of an identifier that is not ASCII */

struct rust {
	const char *s; /* n bytes, without the prefix */
	size_t n, at;
	size_t n_step;
	int depth;
	uint64_t n_bound; /* lifetimes bound by enclosing binders */
	bool is_hidden;   /* parsed, but not printed */
	struct buf out;
	size_t max;
};

struct identifier {
	const char *s;
	size_t n;
	bool is_wide; /* punycode */
};

static bool put_path(struct rust *r, bool in_value);
static bool put_type(struct rust *r);
static bool put_const(struct rust *r);

/* --- reading and writing --- */

static char
peek(const struct rust *r)
{
	return r->at < r->n ? r->s[r->at] : '\0';
}

static bool
eat(struct rust *r, char c)
{
	if (peek(r) != c)
		return false;
	r->at++;
	return true;
}

static bool
put_bytes(struct rust *r, const char *s, size_t n)
{
	if (r->is_hidden)
		return true;
	return n <= r->max - r->out.n && buf_add(&r->out, s, n) == 0;
}

static bool
rust_put(struct rust *r, const char *s)
{
	return put_bytes(r, s, strlen(s));
}

static bool
put_number(struct rust *r, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	return rust_put(r, text);
}

/* One level of the grammar. Each success is followed by leave(). */
static bool
enter(struct rust *r)
{
	return ++r->n_step <= MAX_STEPS && ++r->depth <= MAX_DEPTH;
}

static bool
leave(struct rust *r, bool ok)
{
	r->depth--;
	return ok;
}

/* "_" is 0, "0_" is 1, "Z_" is 62. */
static bool
base62(struct rust *r, uint64_t *v)
{
	uint64_t x = 0;

	if (eat(r, '_')) {
		*v = 0;
		return true;
	}
	for (;;) {
		char c = peek(r);
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'z')
			digit = (unsigned)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			digit = (unsigned)(c - 'A') + 36;
		else
			break;
		if (__builtin_mul_overflow(x, 62, &x) ||
		    __builtin_add_overflow(x, digit, &x))
			return false;
		r->at++;
	}
	return eat(r, '_') && !__builtin_add_overflow(x, 1, v);
}

/* A number after its tag: 0 without the tag, else one more than is written. */
static bool
tagged(struct rust *r, char tag, uint64_t *v)
{
	*v = 0;
	if (!eat(r, tag))
		return true;
	return base62(r, v) && !__builtin_add_overflow(*v, 1, v);
}

static bool
decimal(struct rust *r, size_t *v)
{
	if (eat(r, '0')) {
		*v = 0;
		return true;
	}
	if (peek(r) < '1' || peek(r) > '9')
		return false;
	for (*v = 0; peek(r) >= '0' && peek(r) <= '9'; r->at++)
		if (*v > r->n)
			return false;
		else
			*v = *v * 10 + (size_t)(peek(r) - '0');
	return true;
}

/* --- identifiers --- */

static bool
read_identifier(struct rust *r, struct identifier *id)
{
	id->is_wide = eat(r, 'u');
	if (!decimal(r, &id->n))
		return false;
	eat(r, '_');
	if (id->n > r->n - r->at)
		return false;
	id->s = r->s + r->at;
	r->at += id->n;
	return true;
}

static bool
put_identifier(struct rust *r, const struct identifier *id)
{
	uint32_t wide[MAX_WIDE];
	size_t n;

	if (!id->is_wide)
		return put_bytes(r, id->s, id->n);
	/* A quadratic decoder: each character is a step. */
	r->n_step += id->n;
	n = punycode_decode(id->s, id->n, '_', wide, MAX_WIDE);
	if (n == 0)
		return rust_put(r, "punycode{") && put_bytes(r, id->s, id->n) &&
		       rust_put(r, "}");
	for (size_t i = 0; i < n; i++) {
		char text[ESCAPE_UTF8_MAX];

		if (!put_bytes(r, text, escape_utf8_put(text, wide[i])))
			return false;
	}
	return true;
}

/* --- lifetimes --- */

/* The name of a lifetime, counted from the innermost binder; 0 is erased. */
static bool
put_lifetime(struct rust *r, uint64_t index)
{
	uint64_t depth;
	char letter[3] = "'a";

	if (index == 0)
		return rust_put(r, "'_");
	if (index > r->n_bound)
		return false;
	depth = r->n_bound - index;
	if (depth >= 26)
		return rust_put(r, "'_") && put_number(r, depth);
	letter[1] = (char)('a' + depth);
	return rust_put(r, letter);
}

/* "for<'a, 'b> "; the caller restores n_bound. */
static bool
put_binder(struct rust *r)
{
	uint64_t n;

	if (!tagged(r, 'G', &n) || n > MAX_BOUND - r->n_bound)
		return false;
	r->n_step += n;
	if (n == 0)
		return true;
	if (!rust_put(r, "for<"))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		r->n_bound++;
		if ((i && !rust_put(r, ", ")) || !put_lifetime(r, 1))
			return false;
	}
	return rust_put(r, "> ");
}

/* --- paths --- */

/* Go to the text that a reference, at start, repeats; *end: behind it. */
static bool
begin_reference(struct rust *r, size_t start, size_t *to, size_t *end)
{
	uint64_t at;

	if (!base62(r, &at) || at >= start)
		return false;
	*end = r->at;
	r->at = *to = (size_t)at;
	return true;
}

/* The bytes that were repeated are steps: a list of lifetimes, say, is long
 * without a level of the grammar. */
static void
end_reference(struct rust *r, size_t to, size_t end)
{
	r->n_step += r->at - to;
	r->at = end;
}

/* Print the text that a reference repeats. */
static bool
put_reference(struct rust *r, bool (*what)(struct rust *))
{
	size_t to, end;
	bool ok;

	if (!begin_reference(r, r->at - 1, &to, &end))
		return false;
	ok = what(r);
	end_reference(r, to, end);
	return ok;
}

static bool
put_value_path(struct rust *r)
{
	return put_path(r, true);
}

static bool
put_type_path(struct rust *r)
{
	return put_path(r, false);
}

/* A member: "::name", or "::{closure:name#2}" if it has no name in Rust. */
static bool
put_nested(struct rust *r, bool in_value)
{
	char space = peek(r);
	struct identifier id;
	uint64_t number;

	r->at++;
	if (!((space >= 'a' && space <= 'z') ||
	      (space >= 'A' && space <= 'Z')) ||
	    !put_path(r, in_value) || !tagged(r, 's', &number) ||
	    !read_identifier(r, &id))
		return false;
	if (space >= 'a')
		return id.n == 0 ||
		       (rust_put(r, "::") && put_identifier(r, &id));
	return rust_put(r, "::{") &&
	       (space == 'C'   ? rust_put(r, "closure")
		: space == 'S' ? rust_put(r, "shim")
			       : put_bytes(r, &space, 1)) &&
	       (id.n == 0 || (rust_put(r, ":") && put_identifier(r, &id))) &&
	       rust_put(r, "#") && put_number(r, number) && rust_put(r, "}");
}

/* "<T>", "<T as Trait>"; the place of the impl block is not shown. */
static bool
put_impl(struct rust *r, char tag)
{
	bool was_hidden = r->is_hidden, ok;
	uint64_t number;

	if (tag != 'Y') {
		r->is_hidden = true;
		ok = tagged(r, 's', &number) && put_path(r, false);
		r->is_hidden = was_hidden;
		if (!ok)
			return false;
	}
	return rust_put(r, "<") && put_type(r) &&
	       (tag == 'M' || (rust_put(r, " as ") && put_path(r, false))) &&
	       rust_put(r, ">");
}

/* Generic arguments, without the brackets. */
static bool
put_arguments(struct rust *r)
{
	uint64_t lifetime;
	bool ok;

	for (bool is_first = true; !eat(r, 'E'); is_first = false) {
		if (!is_first && !rust_put(r, ", "))
			return false;
		if (eat(r, 'L'))
			ok = base62(r, &lifetime) && put_lifetime(r, lifetime);
		else if (eat(r, 'K'))
			ok = put_const(r);
		else
			ok = put_type(r);
		if (!ok)
			return false;
	}
	return true;
}

static bool
put_path_as(struct rust *r, bool in_value)
{
	char tag = peek(r);
	struct identifier id;
	uint64_t number;

	r->at += tag != '\0';
	switch (tag) {
	case 'C':
		return tagged(r, 's', &number) && read_identifier(r, &id) &&
		       put_identifier(r, &id);
	case 'N':
		return put_nested(r, in_value);
	case 'M':
	case 'X':
	case 'Y':
		return put_impl(r, tag);
	case 'I':
		return put_path(r, in_value) &&
		       rust_put(r, in_value ? "::<" : "<") &&
		       put_arguments(r) && rust_put(r, ">");
	case 'B':
		return put_reference(r,
				     in_value ? put_value_path : put_type_path);
	default:
		return false;
	}
}

static bool
put_path(struct rust *r, bool in_value)
{
	return leave(r, enter(r) && put_path_as(r, in_value));
}

/* --- types --- */

static const char *
basic_type(char tag)
{
	static const char *const name[26] = {
		"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
		"u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
		"u128", "_",     NULL,    NULL,  "i16", "u16", "()",
		"...",  NULL,    "i64",   "u64", "!",
	};

	return tag >= 'a' && tag <= 'z' ? name[tag - 'a'] : NULL;
}

static bool
put_function(struct rust *r)
{
	struct identifier abi = { "C", 1, false };

	if (!put_binder(r) || (eat(r, 'U') && !rust_put(r, "unsafe ")))
		return false;
	if (eat(r, 'K')) {
		if (!eat(r, 'C') && (!read_identifier(r, &abi) || abi.is_wide))
			return false;
		if (!rust_put(r, "extern \""))
			return false;
		for (size_t i = 0; i < abi.n; i++)
			if (!put_bytes(r, abi.s[i] == '_' ? "-" : abi.s + i, 1))
				return false;
		if (!rust_put(r, "\" "))
			return false;
	}
	if (!rust_put(r, "fn("))
		return false;
	for (bool is_first = true; !eat(r, 'E'); is_first = false)
		if ((!is_first && !rust_put(r, ", ")) || !put_type(r))
			return false;
	if (!rust_put(r, ")"))
		return false;
	return eat(r, 'u') || (rust_put(r, " -> ") && put_type(r));
}

/*
 * The path of a trait; *is_open: its brackets are still open, for more
 * arguments.
 */
static bool
put_open_trait(struct rust *r, bool *is_open)
{
	size_t to, end;
	bool ok;

	*is_open = false;
	if (eat(r, 'B')) {
		if (!begin_reference(r, r->at - 1, &to, &end))
			return false;
		ok = leave(r, enter(r) && put_open_trait(r, is_open));
		end_reference(r, to, end);
		return ok;
	}
	if (!eat(r, 'I'))
		return put_path(r, false);
	*is_open = true;
	return put_path(r, false) && rust_put(r, "<") && put_arguments(r);
}

/* "Iterator<Item = u8>" */
static bool
put_trait(struct rust *r)
{
	struct identifier id;
	bool is_open;

	if (!put_open_trait(r, &is_open))
		return false;
	while (eat(r, 'p')) {
		if (!rust_put(r, is_open ? ", " : "<") ||
		    !read_identifier(r, &id) || !put_identifier(r, &id) ||
		    !rust_put(r, " = ") || !put_type(r))
			return false;
		is_open = true;
	}
	return !is_open || rust_put(r, ">");
}

static bool
put_dyn(struct rust *r)
{
	uint64_t n_bound = r->n_bound, lifetime;

	if (!rust_put(r, "dyn ") || !put_binder(r))
		return false;
	for (bool is_first = true; !eat(r, 'E'); is_first = false)
		if ((!is_first && !rust_put(r, " + ")) || !put_trait(r))
			return false;
	/* The lifetime is outside of the binder. */
	r->n_bound = n_bound;
	if (!eat(r, 'L') || !base62(r, &lifetime))
		return false;
	return lifetime == 0 ||
	       (rust_put(r, " + ") && put_lifetime(r, lifetime));
}

static bool
put_tuple(struct rust *r)
{
	size_t n = 0;

	if (!rust_put(r, "("))
		return false;
	for (; !eat(r, 'E'); n++)
		if ((n && !rust_put(r, ", ")) || !put_type(r))
			return false;
	return rust_put(r, n == 1 ? ",)" : ")");
}

static bool
put_pointer(struct rust *r, bool is_mutable)
{
	uint64_t lifetime;

	if (!rust_put(r, "&"))
		return false;
	if (eat(r, 'L')) {
		if (!base62(r, &lifetime) ||
		    (lifetime &&
		     (!put_lifetime(r, lifetime) || !rust_put(r, " "))))
			return false;
	}
	return (!is_mutable || rust_put(r, "mut ")) && put_type(r);
}

static bool
put_type_as(struct rust *r)
{
	char tag = peek(r);
	const char *basic = basic_type(tag);

	if (tag)
		r->at++;
	if (basic)
		return rust_put(r, basic);
	switch (tag) {
	case 'R':
	case 'Q':
		return put_pointer(r, tag == 'Q');
	case 'P':
		return rust_put(r, "*const ") && put_type(r);
	case 'O':
		return rust_put(r, "*mut ") && put_type(r);
	case 'S':
		return rust_put(r, "[") && put_type(r) && rust_put(r, "]");
	case 'A':
		return rust_put(r, "[") && put_type(r) && rust_put(r, "; ") &&
		       put_const(r) && rust_put(r, "]");
	case 'T':
		return put_tuple(r);
	case 'F':
		return put_function(r);
	case 'D':
		return put_dyn(r);
	case 'B':
		return put_reference(r, put_type);
	case '\0':
		return false;
	default:
		r->at--;
		return put_path(r, false);
	}
}

static bool
put_type(struct rust *r)
{
	uint64_t n_bound = r->n_bound;
	bool ok = leave(r, enter(r) && put_type_as(r));

	r->n_bound = n_bound;
	return ok;
}

/* --- constants --- */

/* Hexadecimal digits up to "_": their start and number. */
static bool
read_hex(struct rust *r, const char **s, size_t *n, uint64_t *v)
{
	*s = r->s + r->at;
	*v = 0;
	for (*n = 0; !eat(r, '_'); ++*n) {
		char c = peek(r);

		if (c >= '0' && c <= '9')
			*v = *v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
		r->at++;
	}
	return *n > 0;
}

static bool
put_char(struct rust *r, uint64_t c)
{
	char text[24];

	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return false;
	if (c == '\t' || c == '\n' || c == '\r')
		snprintf(text, sizeof(text), "'\\%c'",
			 c == '\t'   ? 't'
			 : c == '\n' ? 'n'
				     : 'r');
	else if (c == '\'' || c == '\\')
		snprintf(text, sizeof(text), "'\\%c'", (int)c);
	else if (c >= 0x20 && c < 0x7f)
		snprintf(text, sizeof(text), "'%c'", (int)c);
	else
		snprintf(text, sizeof(text), "'\\u{%" PRIx64 "}'", c);
	return rust_put(r, text);
}

static bool
put_const_as(struct rust *r)
{
	char type = peek(r);
	const char *hex;
	uint64_t v;
	size_t n;

	r->at += type != '\0';
	if (type == 'p')
		return rust_put(r, "_");
	if (type == 'B')
		return put_reference(r, put_const);
	if (!type || !strchr("hmtyojasxlnibc", type))
		return false;
	if (strchr("asxlni", type) && eat(r, 'n') && !rust_put(r, "-"))
		return false;
	if (!read_hex(r, &hex, &n, &v))
		return false;
	if (type == 'b')
		return n == 1 && v <= 1 && rust_put(r, v ? "true" : "false");
	if (type == 'c')
		return n <= 6 && put_char(r, v);
	if (n > 16)
		return rust_put(r, "0x") && put_bytes(r, hex, n);
	return put_number(r, v);
}

static bool
put_const(struct rust *r)
{
	return leave(r, enter(r) && put_const_as(r));
}

/* --- all of it --- */

char *
demangle_rust_v0(const char *s, size_t n, size_t max)
{
	struct rust r = { .max = max };
	bool ok;

	if (n < 3 || s[0] != '_' || s[1] != 'R')
		return NULL;
	r.s = s + 2;
	r.n = n - 2;
	/* A number here would mark a later version of the mangling. */
	ok = put_path(&r, true);
	if (ok && r.at < r.n) {
		/* The instantiating crate is not shown. */
		r.is_hidden = true;
		ok = put_path(&r, false) && r.at == r.n;
	}
	if (!ok || buf_add(&r.out, "", 1) < 0)
		buf_release(&r.out);
	return (char *)r.out.data;
}
