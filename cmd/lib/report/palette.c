/* palette.c - see palette.h. As in cmd/html/js/colour.mjs. */
#include "config.h"

#include "palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "lib/base/ascii.h"

/* Hues of own code and of libraries, by falling weight of the packages. */
static const short own_hues[PALETTE_OWN_HUES] = { 255, 48, 158, 305,
						  200, 10, 232, 335 };
static const short library_hues[PALETTE_LIBRARY_HUES] = { 295, 170, 340, 212,
							  240, 135, 15,  275,
							  190, 320 };

/* Lightness and chroma of two tones, of colours from `first` on. */
static const struct {
	unsigned first;
	const short *hues;
	double light[2][2], dark[2][2];
} tones[] = {
	{ PALETTE_LIBRARY,
	  library_hues,
	  { { .905, .042 }, { .925, .032 } },
	  { { .40, .062 }, { .365, .054 } } },
	{ PALETTE_ALL,
	  own_hues,
	  { { .865, .072 }, { .89, .058 } },
	  { { .455, .095 }, { .42, .085 } } },
	{ PALETTE_OWN,
	  own_hues,
	  { { .825, .105 }, { .86, .085 } },
	  { { .515, .135 }, { .475, .12 } } },
};

static const char without_hue[2][PALETTE_SHADE - PALETTE_UNNAMED][7] = {
	{ "d3d9e0", "e9edf2", "eef1f4" },
	{ "3a434f", "232a33", "1d232b" },
};

/* A component of linear light as a byte of sRGB; -1: it is out of range. */
static int
srgb(double x)
{
	double v = fmin(1, fmax(0, x));

	if (x < -.0005 || x > 1.0005)
		return -1;
	return (int)lround(255 * (v <= .0031308
					  ? 12.92 * v
					  : 1.055 * pow(v, 1 / 2.4) - .055));
}

/* OKLCH to sRGB, with less chroma until it can be shown. */
static void
oklch(double light, double chroma, double hue, char out[7])
{
	double angle = hue * M_PI / 180;

	for (double c = chroma;; c = fmax(0, c - .004)) {
		double a = c * cos(angle), b = c * sin(angle);
		double l = pow(light + .3963377774 * a + .2158037573 * b, 3);
		double m = pow(light - .1055613458 * a - .0638541728 * b, 3);
		double s = pow(light - .0894841775 * a - 1.291485548 * b, 3);
		int red = srgb(4.0767416621 * l - 3.3077115913 * m +
			       .2309699292 * s);
		int green = srgb(-1.2684380046 * l + 2.6097574011 * m -
				 .3413193965 * s);
		int blue = srgb(-.0041960863 * l - .7034186147 * m +
				1.707614701 * s);

		if (c <= 0 || (red >= 0 && green >= 0 && blue >= 0)) {
			snprintf(out, 7, "%02x%02x%02x", red & 255, green & 255,
				 blue & 255);
			return;
		}
	}
}

/* Of the nine shades the middle of the changes that they stand for. */
static void
shade_colour(int shade, bool is_dark, char out[7])
{
	static const double change[] = { 0, .03, .12, .35, .75 };
	double t = pow(change[abs(shade)], .75);

	oklch(is_dark ? .30 + .225 * t : .945 - .185 * t,
	      (is_dark ? .012 : .008) + .125 * t, shade < 0 ? 250 : 52, out);
}

void
palette_colour(unsigned n, bool is_dark, char out[7])
{
	size_t i = 0;
	const double *tone;

	if (n >= PALETTE_SHADE) {
		shade_colour((int)n - PALETTE_SHADE - 4, is_dark, out);
		return;
	}
	if (n >= PALETTE_UNNAMED) {
		memcpy(out, without_hue[is_dark][n - PALETTE_UNNAMED], 7);
		return;
	}
	while (n < tones[i].first)
		i++;
	n -= tones[i].first;
	tone = is_dark ? tones[i].dark[n % 2] : tones[i].light[n % 2];
	oklch(tone[0], tone[1], tones[i].hues[n / 2], out);
}

static bool
is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '$' ||
	       c == '~' || (unsigned char)c >= 0x80;
}

static bool
is_number(const char *s, size_t n)
{
	size_t i = 0;

	/* The name has no NUL at its end. */
	while (i < n && is_digit(s[i]))
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

uint32_t
palette_package_add(struct strtab *names, const struct str *name,
		    const char *object)
{
	size_t n, len;
	const char *base = palette_package(name->s, name->len, &n);
	char *text;
	uint32_t s;

	if (n)
		return strtab_add(names, base, n);
	if (!*object)
		return 0;
	base = frames_base(object, &len);
	if (name->len || *base == '[')
		return strtab_add(names, base, len);
	text = malloc(len + 2);
	if (!text)
		return STRTAB_NONE;
	text[0] = '[';
	memcpy(text + 1, base, len);
	text[len + 1] = ']';
	s = strtab_add(names, text, len + 2);
	free(text);
	return s;
}

enum prof_status
palette_assign(struct palette_package *package, size_t n, struct prof_err *err)
{
	struct palette_package **order =
		calloc(n + 1, sizeof(struct palette_package *));
	size_t n_own = 0, own = 0, library = 0;

	if (!order)
		return prof_nomem(err);
	for (size_t i = 0; i < n; i++) {
		order[i] = &package[i];
		n_own += package[i].is_own;
	}
	qsort(order, n, sizeof(struct palette_package *), package_cmp);
	for (size_t i = 0; i < n; i++) {
		bool is_own = order[i]->is_own;
		/* Its place among its like, which come first or last. */
		size_t at = is_own ? own++ : library++;

		order[i]->own_hue =
			(is_own ? at : n_own + at) % PALETTE_OWN_HUES;
		order[i]->library_hue =
			(is_own ? n - n_own + at : at) % PALETTE_LIBRARY_HUES;
	}
	free(order);
	return PROF_OK;
}

unsigned
palette_change(double before, double after)
{
	static const double step[] = { .005, .05, .20, .50 };
	double a = before < 0 ? -before : before;
	double b = after < 0 ? -after : after;
	double most = a > b ? a : b, r = most > 0 ? (after - before) / most : 0;
	unsigned n = 0;

	while (n < 4 && (r < 0 ? -r : r) >= step[n])
		n++;
	return PALETTE_SHADE + (r < 0 ? 4 - n : 4 + n);
}
