/*
 * palette.c - see palette.h. Colours are those of prof-html's page, from OKLCH:
 * hues as its own code has them, then libraries. The two tones of a hue have
 * lightness .865 and .89 on light pages, .455 and .42 on dark ones, and chroma
 * .072, .058, .095 and .085. Shades of a change are as the page's at 3, 12, 35
 * and 75 %. Text has a contrast of at least 4.5.
 */
#include "config.h"

#include "palette.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char palette_light[PALETTE_N][7] = {
	"b7d5fd", "c3ddff", "fbc5aa", "fcd0ba", "abe2c1", "bce7cc", "ddc7f9",
	"e3d2fa", "99e1e5", "aee7ea", "fec0c8", "feccd2", "a3dcfa", "b5e2fb",
	"f1c1e6", "f4cdea", "d5cafe", "ddd4fe", "a3e3cb", "b5e8d5", "f4c1e2",
	"f6cce7", "9ae0ee", "afe6f1", "d3d9e0", "d3d9e0", "e9edf2", "eef1f4",
};

const char palette_dark[PALETTE_N][7] = {
	"2f588a", "2b4e7a", "804423", "723d20", "196642", "195b3b", "634881",
	"584072", "096367", "08585c", "823e4a", "743742", "055f80", "025473",
	"76416b", "693a5f", "5b4b86", "514376", "0a664f", "065b46", "794067",
	"6b395c", "016270", "015764", "3a434f", "3a434f", "232a33", "1d232b",
};

const char shades_light[PALETTE_SHADES][7] = {
	"88c2fe", "b2d5fb", "d0e3f6", "e0eaf4", "f1ebe8",
	"f2e6de", "f3dbcd", "f5c6ab", "f4a87a",
};

const char shades_dark[PALETTE_SHADES][7] = {
	"22619b", "294b6c", "2a3b4c", "2a333c", "332c28",
	"3b2f28", "493427", "653d23", "8e4814",
};

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '~' ||
	       (unsigned char)c >= 0x80;
}

static bool
is_number(const char *s, size_t n)
{
	size_t i = 0;

	/* The name has no NUL at its end. */
	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return n && i == n;
}

/* Are the n bytes at s only suffixes that compilers add to copies? */
static bool
is_clone_suffix(const char *s, size_t n)
{
	static const char *const words[] = { "part", "isra",     "constprop",
					     "cold", "lto_priv", "llvm",
					     "clone" };

	while (n && *s == '.') {
		size_t len = 1;
		bool known;

		while (len < n && s[len] != '.')
			len++;
		known = is_number(s + 1, len - 1);
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			known |= strlen(words[i]) == len - 1 &&
				 !memcmp(words[i], s + 1, len - 1);
		if (!known)
			return false;
		s += len;
		n -= len;
	}
	return n == 0;
}

size_t
palette_without_clone(const char *name, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (name[i] == '.' && is_clone_suffix(name + i, n - i))
			return i;
	return n;
}

/* Erlang's module:function/arity: the length of the module, or 0. */
static size_t
erlang_module(const char *s, size_t n)
{
	size_t at = 0, end = n;

	while (end && is_number(s + end - 1, 1))
		end--;
	if (end == n || !end || s[end - 1] != '/')
		return 0;
	if (*s == '\'') {
		while (++at < end && s[at] != '\'')
			;
		at++;
	}
	while (at < end && is_word(s[at]))
		at++;
	return at + 1 < end && s[at] == ':' && s[at + 1] != ':' ? at : 0;
}

/* Do parts of s say that Go made this function within another one? */
static bool
is_go_closure(const char *s, size_t n)
{
	static const char *const words[] = { ".func", ".gowrap", ".deferwrap" };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
			size_t len = strlen(words[k]);

			if (i + len < n && !memcmp(s + i, words[k], len) &&
			    is_number(s + i + len, 1))
				return true;
		}
	return false;
}

/*
 * What stands before the first class of Java's com.acme.Class.method, or
 * com/acme/Class.method: its length, or 0 if s is not like that. Go's functions
 * begin in this way, too: those of a package a/b.c, and closures.
 */
static size_t
java_package(const char *s, size_t n)
{
	size_t at = 0, from = 0;
	char apart = 0;

	while (at < n && ((s[at] >= 'a' && s[at] <= 'z') || s[at] == '_')) {
		while (at < n && is_word(s[at]))
			at++;
		if (at == n || (s[at] != '.' && s[at] != '/') ||
		    (apart && s[at] != apart))
			return 0;
		apart = s[at++];
		from = at;
	}
	if (!from || at == n ||
	    !((s[at] >= 'A' && s[at] <= 'Z') || s[at] == '$'))
		return 0;
	while (at < n && is_word(s[at]))
		at++;
	if (apart == '/' && (at == n || !strchr(".;+", s[at])))
		return 0;
	return is_go_closure(s + at, n - at) ? 0 : from - 1;
}

/*
 * Where the first path of Rust's <alloc::vec::Vec<T> as Trait>::method begins,
 * or <T as core::fmt::Debug>::fmt; 0 if there is none, as in <lambda(x::y)>.
 */
static size_t
rust_path(const char *s, size_t n)
{
	size_t depth = 1, at = 1;

	while (at < n && depth) {
		size_t from = at;

		while (at < n && is_word(s[at]))
			at++;
		if (at > from && at + 1 < n && s[at] == ':' && s[at + 1] == ':')
			return from;
		if (at == n || (at > from && s[at] == '('))
			break;
		depth += s[at] == '<';
		depth -= s[at++] == '>';
	}
	return 0;
}

/* The length of a::, a. or path/a. at the start of a name, without its end. */
static size_t
path_package(const char *name, size_t n)
{
	size_t from = 0, at;

	for (size_t i = 0; i < n; i++) {
		if (strchr(" (<[{", name[i]))
			break;
		if (name[i] == '/')
			from = i + 1;
	}
	for (at = from; at < n && is_word(name[at]); at++)
		;
	/* Go escapes a dot in the last element: gopkg.in/yaml%2ev3.Do */
	while (at < n && name[at] == '%')
		for (at++; at < n && is_word(name[at]); at++)
			;
	if (at == from || at == n)
		return 0;
	if (name[at] == '.' && !is_clone_suffix(name + at, n - at))
		return at;
	return at + 1 < n && name[at] == ':' && name[at + 1] == ':' ? at : 0;
}

/* The package in s, and what marks of a JIT come before it. */
static const char *
package_at(const char *s, size_t n, size_t *len)
{
	bool is_class = n > 1 && *s == 'L' && memchr(s, ';', n);
	size_t mark = is_class || (n > 1 && *s == '$');

	if ((*len = erlang_module(s + mark, n - mark)))
		return s + mark;
	mark = is_class;
	/* D and Zig have classes in std, too. */
	if ((n < 4 || memcmp(s, "std.", 4)) &&
	    (*len = java_package(s + mark, n - mark)))
		return s + mark;
	mark = n && *s == '<' ? rust_path(s, n) : 0;
	*len = path_package(s + mark, n - mark);
	return s + mark;
}

const char *
palette_package(const char *name, size_t n, size_t *len)
{
	const char *s = package_at(name, n, len);

	/* 'Elixir.Enum':map/2 */
	if (*len > 2 && *s == '\'') {
		*len -= 2;
		return s + 1;
	}
	return s;
}

uint32_t
palette_hash(const char *s, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

static int
package_cmp(const void *p, const void *q)
{
	const struct palette_package *x = *(struct palette_package *const *)p;
	const struct palette_package *y = *(struct palette_package *const *)q;
	size_t n = x->n < y->n ? x->n : y->n;
	int r = (x->weight < y->weight) - (x->weight > y->weight);

	if (!r)
		r = memcmp(x->name, y->name, n);
	return r ? r : (x->n > y->n) - (x->n < y->n);
}

enum prof_status
palette_assign(struct palette_package *package, size_t n, struct prof_err *err)
{
	struct palette_package **order =
		calloc(n + 1, sizeof(struct palette_package *));

	if (!order)
		return prof_nomem(err);
	for (size_t i = 0; i < n; i++)
		order[i] = &package[i];
	qsort(order, n, sizeof(struct palette_package *), package_cmp);
	for (size_t i = 0; i < n; i++)
		order[i]->hue = i % PALETTE_HUES;
	free(order);
	return PROF_OK;
}

unsigned
palette_shade(double before, double after)
{
	static const double step[] = { .005, .05, .20, .50 };
	double a = before < 0 ? -before : before;
	double b = after < 0 ? -after : after;
	double most = a > b ? a : b, r = most > 0 ? (after - before) / most : 0;
	unsigned n = 0;

	while (n < 4 && (r < 0 ? -r : r) >= step[n])
		n++;
	return r < 0 ? 4 - n : 4 + n;
}
