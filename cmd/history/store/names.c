/* names.c - see names.h. */
#include "config.h"

#include "names.h"

#include <string.h>

#include "lib/base/arena.h"

int
names_init(struct names *x)
{
	memset(x, 0, sizeof(*x));
	x->arena = arena_new();
	if (!x->arena || strtab_init(&x->t, x->arena) < 0) {
		names_release(x);
		return -1;
	}
	x->n_stored = 1; /* "" is in no table */
	return 0;
}

void
names_release(struct names *x)
{
	arena_free(x->arena);
	memset(x, 0, sizeof(*x));
}
