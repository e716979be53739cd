/* function-name.h - the function that --function names. */
#ifndef HISTORY_FUNCTION_NAME_H
#define HISTORY_FUNCTION_NAME_H

#include <stddef.h>

#include "catalog.h"
#include "lib/base/strtab.h"

struct function_name {
	struct str name; /* as archives have it */
	char *copy;      /* its bytes, if function_name_find() filled it */
};

/*
 * The function called name, or if there is none, the one whose name ends so:
 * after a '.', ':' or '/', and before parameters. Dies if there is none, or
 * more than one. To end with function_name_release().
 */
void function_name_find(struct function_name *f, const char *name,
			const struct catalog *a, size_t n);

/*
 * Die of what, such as "no function matches", and say if profiles have no names
 * for some files, and how they get them.
 */
_Noreturn void function_name_missing(const char *what, const struct catalog *a,
				     size_t n);

void function_name_release(struct function_name *f);

/* Is it this function? For question.wants; ctx is the struct function_name. */
enum prof_status function_name_wants(void *ctx, const struct str *name,
				     bool *wanted, struct prof_err *err);

#endif
