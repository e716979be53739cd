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

void
demangle_strip_d(char *name, bool templates)
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
	char *name;

	if (!isdigit((unsigned char)mangled[2]) && strcmp(mangled, "_Dmain"))
		return NULL;
	name = dlang_demangle(mangled, DMGL_NO_OPTS);
	if (name && mode != DEMANGLE_FULL)
		demangle_strip_d(name, mode == DEMANGLE_DEFAULT);
	return name;
}

#endif
