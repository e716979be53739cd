/*
 * names.c - see names.h. Rules only remove text: a number or a hash. They check
 * its context, because other names have numbers, too.
 */
#include "config.h"

#include "names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/ascii.h"
#include "lib/base/brackets.h"
#include "lib/base/bytes.h"
#include "lib/model/profile.h"

enum { CLONE, LLVM, CLOSURE, LAMBDA, JAVA, RUST };

static const struct names_rule rules[NAMES_N_RULE] = {
	[CLONE] = { "parts and clones of a function", "f.part.0, f.cold", "f",
		    0 },
	[LLVM] = { "numbers of promoted local functions", "f.llvm.1234", "f",
		   0 },
	[CLOSURE] = { "numbers of Go closures", "main.f.func2.1", "main.f.func",
		      0 },
	[LAMBDA] = { "numbers of C++ lambdas", "f()::{lambda()#2}, $_3",
		     "f()::{lambda()#}, $_", 0 },
	[JAVA] = { "numbers of Java lambdas", "lambda$f$0", "lambda$f$", 0 },
	[RUST] = { "hashes and generics of Rust functions",
		   "a::f::h0123456789abcdef", "a::f", 0 },
};

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* The length n without digits at the end. */
static size_t
before_digits(const char *s, size_t n)
{
	while (n && is_digit(s[n - 1]))
		n--;
	return n;
}

/* The length n without a suffix ".word" or ".word.NUMBER". */
static size_t
before_suffix(const char *s, size_t n, const char *word)
{
	size_t at = before_digits(s, n);

	if (at < n && at && s[at - 1] == '.' && bytes_end(s, at - 1, word))
		return at - 1 - strlen(word);
	return bytes_end(s, n, word) ? n - strlen(word) : n;
}

/*
 * Cut all suffixes of compilers: "f.isra.0.part.1.cold" is f. Demangled names
 * have them separately: "f() [clone .part.0] [clone .cold]".
 */
static size_t
cut_clones(const char *s, size_t n, unsigned char *used)
{
	static const char *const suffix[] = { ".cold",       ".part",
					      ".isra",       ".constprop",
					      ".clone",      ".lto_priv",
					      ".localalias", ".llvm" };
	bool again = true;

	/* Most names have none, and this is faster than to try all. */
	while (again && memchr(s, '.', n)) {
		bool is_apart = n && s[n - 1] == ']';
		size_t end = n - is_apart, cut;

		again = false;
		for (size_t i = 0; i < 8 && !again; i++) {
			cut = before_suffix(s, end, suffix[i]);
			if (is_apart && cut < end) {
				if (!bytes_end(s, cut, " [clone "))
					continue;
				cut -= strlen(" [clone ");
			}
			/* Leave a name: runtime.clone of Go is one. */
			again = cut < end && cut > 0 &&
				(is_apart || i == 0 || i == 6 ||
				 is_digit(s[end - 1]));
			if (again) {
				n = cut;
				used[i == 7 ? LLVM : CLONE] = 1;
			}
		}
	}
	return n;
}

/* "::h" and 16 hexadecimal digits, or 17h... in a mangled name, before E. */
static size_t
cut_rust(char *s, size_t n, unsigned char *used)
{
	bool is_mangled = n > 3 && s[n - 1] == 'E' && !memcmp(s, "_ZN", 3);
	size_t end = n - is_mangled, at = end;
	const char *before = is_mangled ? "17h" : "::h";

	while (at && end - at < 16 && is_hex(s[at - 1]))
		at--;
	if (end - at != 16 || !bytes_end(s, at, before) || at == 3)
		return n;
	used[RUST] = 1;
	at -= 3;
	if (is_mangled)
		s[at++] = 'E';
	return at;
}

/* Cut the numbers of ".func2.1" and ".gowrap1" at the end of a Go name. */
static size_t
cut_closures(const char *s, size_t n, unsigned char *used)
{
	size_t at = n;

	for (;;) {
		size_t k = before_digits(s, at);

		if (k < at &&
		    (bytes_end(s, k, ".func") || bytes_end(s, k, ".gowrap"))) {
			used[CLOSURE] = 1;
			return k;
		}
		if (k == at || !k || s[k - 1] != '.')
			return n;
		at = k - 1;
	}
}

/* "lambda$f$0" of Java. */
static size_t
cut_java(const char *s, size_t n, unsigned char *used)
{
	size_t k = before_digits(s, n), at = k;

	if (k == n || !k || s[k - 1] != '$')
		return n;
	while (at && s[at - 1] != '.' && s[at - 1] != ' ')
		at--;
	if (k - at < 8 || memcmp(s + at, "lambda$", 7))
		return n;
	used[JAVA] = 1;
	return k;
}

/* Numbers of C++ lambdas, anywhere: "#2}" of GCC, "'lambda3'" and "$_3". */
static size_t
cut_lambdas(char *s, size_t n, unsigned char *used)
{
	size_t to = 0;

	if (!memchr(s, '#', n) && !memchr(s, '\'', n) && !memchr(s, '$', n))
		return n;
	for (size_t i = 0; i < n; i++) {
		size_t end = i;

		while (end < n && is_digit(s[end]))
			end++;
		if (end > i &&
		    ((bytes_end(s, to, "#") && end < n && s[end] == '}') ||
		     (bytes_end(s, to, "'lambda") && end < n &&
		      s[end] == '\'') ||
		     bytes_end(s, to, "$_"))) {
			used[LAMBDA] = 1;
			i = end;
		}
		if (i < n)
			s[to++] = s[i];
		/* Digits are looked at once, however many. */
		while (i + 1 < end)
			s[to++] = s[++i];
	}
	return to;
}

size_t
names_normalize_text(char *name, size_t len, unsigned char used[NAMES_N_RULE])
{
	len = cut_clones(name, len, used);
	len = cut_rust(name, len, used);
	len = cut_closures(name, len, used);
	len = cut_java(name, len, used);
	return cut_lambdas(name, len, used);
}

/* Is s like "<a::S>::f", whose bracket ends before end? Not "<a::S as
 * b::T>::f".
 */
static bool
is_inherent(const char *s, size_t n, size_t end)
{
	if (!end || end == n)
		return false;
	for (size_t i = 0; i < end; i++)
		if (bytes_begin(s + i, end - i, " as "))
			return false;
	return true;
}

size_t
names_cut_generics(char *s, size_t n)
{
	uint32_t *past = brackets_match(s, n);
	size_t to = 0, end;
	bool is_cut;

	if (!past)
		return SIZE_MAX;
	end = n && *s == '<' ? past[0] : 0;
	is_cut = is_inherent(s, n, end);
	for (size_t i = 0; i < n; i++) {
		bool is_closure = bytes_begin(s + i, n - i, "{{closure}}");

		if (is_cut && (i == 0 || i == end - 1))
			continue;
		if (i && s[i] == '<' && past[i] &&
		    !bytes_begin(s + i, n - i, "<impl ") &&
		    (isalnum((unsigned char)s[i - 1]) ||
		     strchr("_:", s[i - 1]))) {
			to -= bytes_end(s, to, "::") ? 2 : 0;
			i = past[i] - 1;
		} else if (is_closure ||
			   bytes_begin(s + i, n - i, "{closure#}")) {
			memcpy(s + to, "{closure}", 9);
			to += 9;
			i += is_closure ? 10 : 9;
		} else {
			s[to++] = s[i];
		}
	}
	free(past);
	return to;
}

/* Normalize string s of p. STRTAB_NONE without memory. */
static uint32_t
normalize(struct profile *p, uint32_t s, bool is_rust, char **room, size_t *cap,
	  unsigned char used[NAMES_N_RULE])
{
	const struct str *str = &p->strings.str[s];
	size_t len = str->len, left;

	if (len >= *cap) {
		free(*room);
		*cap = len + 256;
		*room = malloc(*cap);
	}
	if (!*room) {
		*cap = 0;
		return STRTAB_NONE;
	}
	memcpy(*room, str->s, len);
	left = names_normalize_text(*room, len, used);
	if (is_rust || used[RUST])
		left = names_cut_generics(*room, left);
	if (left == SIZE_MAX)
		return STRTAB_NONE;
	return left == len ? s : strtab_add(&p->strings, *room, left);
}

int
names_normalize(struct profile *p, struct names_rule *rule)
{
	char *room = NULL;
	size_t cap = 0;
	int r = 0;

	for (size_t i = 0; i < NAMES_N_RULE; i++) {
		size_t n = rule[i].n_name;

		rule[i] = rules[i];
		rule[i].n_name = n;
	}
	for (size_t i = 0; i < p->n_function && r == 0; i++) {
		unsigned char used[NAMES_N_RULE] = { 0 };
		uint32_t old = p->function[i].name, name;
		uint32_t system = p->function[i].system_name;
		const struct str *mangled = &p->strings.str[system];
		bool is_rust = bytes_begin(mangled->s, mangled->len, "_R");
		bool is_same = system == old;

		system = normalize(p, system, is_rust && is_same, &room, &cap,
				   used);
		is_rust |= used[RUST];
		name = is_same ? system
			       : normalize(p, old, is_rust, &room, &cap, used);

		if (name == STRTAB_NONE || system == STRTAB_NONE) {
			r = -1;
			break;
		}
		p->function[i].name = name;
		p->function[i].system_name = system;
		for (size_t k = 0; k < NAMES_N_RULE; k++)
			rule[k].n_name += used[k];
	}
	free(room);
	return r;
}
