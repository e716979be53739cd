/*
 * demangle-d.c - see demangle-impl.h. pprof leaves these names mangled; each
 * mode shows the parts that it shows of a C++ name.
 */
#include "config.h"

#include "demangle-impl.h"

#if HAVE_LIBIBERTY

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

/*
 * libiberty recurses for each letter of a type, and for each reference back to
 * one. References to references double the output with every step, and each
 * place where the grammar has two readings may double the time.
 */
#define MAX_MANGLED 4096   /* bytes */
#define MAX_REFERENCES 256 /* examined one by one */
#define MAX_PRINTED 1000000
#define MAX_CHOICES 14      /* the standard library's longest symbols have 12 */
#define MAX_PARSED 20000000 /* bytes, all choices together */

/* The distance of a reference: digits of base 26, the last one in lower
 * case. */
static size_t
reference_length(const char *s)
{
	size_t v = 0;

	for (; *s >= 'A' && *s <= 'Z' && v < MAX_MANGLED; s++)
		v = 26 * v + (size_t)(*s - 'A');
	return *s >= 'a' && *s <= 'z' ? 26 * v + (size_t)(*s - 'a') : 0;
}

/* May the type of a function, or one of a method, begin with c? */
static bool
is_call(char c)
{
	return c && strchr("FUWVRYM", c);
}

/*
 * The readings of the digits from s to past. After S, all or the last of them
 * are the length of a name, and the first ones that of all that follows. What
 * follows the name may be the type of a function, whose parameters are read
 * again if it is not.
 */
static size_t
digit_choices(const char *s, const char *past, const char *end, bool after_s)
{
	size_t n = 0, v = 0, place = 1, lengths = 0,
	       left = (size_t)(end - past);

	for (const char *d = past; d-- > s && v <= left;) {
		v += place * (size_t)(*d - '0');
		if (place <= MAX_MANGLED)
			place *= 10;
		if (v == 0 || v > left)
			continue;
		lengths++;
		n += v < left && is_call(past[v]) && past[v - 1] != 'Z';
	}
	if (!after_s)
		return n;
	lengths += past[0] == 'Q' || past[0] == '_';
	return lengths > 1 ? n + lengths - 1 : n;
}

/* How often may the time double? */
static size_t
n_choices(const char *mangled, size_t length)
{
	const char *end = mangled + length, *s = mangled;
	size_t n = 0;

	while (s < end) {
		const char *at = s++;

		if (isdigit((unsigned char)*at)) {
			while (isdigit((unsigned char)*s))
				s++;
			n += digit_choices(at, s, end,
					   at > mangled && at[-1] == 'S');
		} else if (*at == 'Z') {
			n += is_call(*s);
		} else if (*at == 'Q') {
			const char *past = s;

			while (*past >= 'A' && *past <= 'Z')
				past++;
			n += *past >= 'a' && *past <= 'z' && is_call(past[1]);
		}
	}
	return n;
}

/*
 * Is the output certainly short? A reference to digits repeats one identifier;
 * another repeats text that ends before it, so it prints at most the references
 * that lie between.
 */
static bool
is_reasonable(const char *mangled, size_t n)
{
	size_t at[MAX_REFERENCES], cost[MAX_REFERENCES], n_ref = 0;
	size_t total = 0, choices;

	if (n > MAX_MANGLED)
		return false;
	choices = n_choices(mangled, n);
	if (choices > MAX_CHOICES)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t back, sum = 1;

		if (mangled[i] != 'Q')
			continue;
		if (n_ref == MAX_REFERENCES)
			return false;
		back = reference_length(mangled + i + 1);
		if (back > i || isdigit((unsigned char)mangled[i - back]))
			back = 0;
		for (size_t k = n_ref; back && k-- > 0;) {
			if (at[k] + back < i)
				break;
			sum += cost[k];
		}
		at[n_ref] = i;
		cost[n_ref++] = sum;
		total += sum;
		if (total > MAX_PRINTED / n)
			return false;
	}
	return (total + 1) * n <= (size_t)MAX_PARSED >> choices;
}

/* Past the bracket that closes the one at s. */
static char *
skip_brackets(char *s)
{
	size_t depth = 0;

	for (; *s; s++) {
		if (*s == '(')
			depth++;
		else if (*s == ')' && --depth == 0)
			return s + 1;
	}
	return s;
}

/*
 * Remove parameters and what follows the last of them (const, shared), and with
 * templates the arguments of those, in place.
 */
static void
strip(char *name, bool templates)
{
	char *from = name, *to = name, *past;

	while (*from) {
		if (*from == '!' && from[1] == '(') {
			past = skip_brackets(from + 1);
			if (!templates) {
				memmove(to, from, (size_t)(past - from));
				to += past - from;
			}
			from = past;
		} else if (*from == '(') {
			from = skip_brackets(from);
			while (*from == ' ')
				from += 1 + strcspn(from + 1, " .");
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

char *
demangle_d(const char *mangled, enum demangle_mode mode)
{
	size_t n = strlen(mangled);
	char *name;

	if (!isdigit((unsigned char)mangled[2]) && strcmp(mangled, "_Dmain"))
		return NULL;
	if (!is_reasonable(mangled, n))
		return NULL;
	name = dlang_demangle(mangled, DMGL_NO_OPTS);
	if (name && mode != DEMANGLE_FULL)
		strip(name, mode == DEMANGLE_DEFAULT);
	return name;
}

#endif
