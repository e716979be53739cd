/* find.h - the function that --function names. */
#ifndef HISTORY_FIND_H
#define HISTORY_FIND_H

#include <stddef.h>

#include "archive.h"
#include "lib/base/strtab.h"

struct find {
	struct str name; /* as archives have it */
	char *copy;      /* its bytes, if find_function() filled it */
};

/*
 * The function called name, or if there is none, the one whose name ends so:
 * after a '.', ':' or '/', and before parameters. Dies if there is none, or
 * more than one. To end with find_release().
 */
void find_function(struct find *f, const char *name, const struct archive *a,
		   size_t n);

void find_release(struct find *f);

/* Is it this function? For question.wants; ctx is the struct find. */
enum prof_status find_wants(void *ctx, const struct str *name, bool *wanted,
			    struct prof_err *err);

#endif
