/* find.h - the function that --function names. */
#ifndef HISTORY_FIND_H
#define HISTORY_FIND_H

#include <stddef.h>

#include "archive.h"
#include "lib/base/strtab.h"

struct find {
	struct str name; /* as archives have it; lives as long as they */
};

/*
 * The function called name, or if there is none, the one whose name ends so:
 * after a '.', ':' or '/', and before parameters. Dies if there is none, or
 * more than one.
 */
void find_function(struct find *f, const char *name, const struct archive *a,
		   size_t n);

/* Is it this function? For question.wants; ctx is the struct find. */
enum prof_status find_wants(void *ctx, const struct str *name, bool *wanted,
			    struct prof_err *err);

#endif
