/*
 * demangle-d.c - see demangle-d.h. pprof leaves these names mangled; each mode
 * shows the parts that it shows of a C++ name.
 */
#include "config.h"

#include "demangle-d.h"

#if HAVE_LIBIBERTY

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

/*
 * libiberty recurses for each letter of a type, and for each reference back to
 * one. References to references double the output with every step.
 */
#define MAX_MANGLED 4096   /* bytes */
#define MAX_REFERENCES 256 /* examined one by one */
#define MAX_PRINTED 1000000

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

/*
 * Is the output certainly short? A reference repeats text that ends before it,
 * so it prints at most the references that lie between.
 */
static bool
is_reasonable(const char *mangled, size_t n)
{
	size_t at[MAX_REFERENCES], cost[MAX_REFERENCES], n_ref = 0;
	size_t total = 0;

	if (n > MAX_MANGLED)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t back, sum = 1;

		if (mangled[i] != 'Q')
			continue;
		if (n_ref == MAX_REFERENCES)
			return false;
		back = reference_length(mangled + i + 1);
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
	return true;
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
