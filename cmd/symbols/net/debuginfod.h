/*
 * debuginfod.h - programs, their debug information and their sources from
 * debuginfod servers, by build-id. The cache is that of elfutils, in the same
 * format: gdb, perf and prof-symbolize share the files that any of them has
 * fetched.
 */
#ifndef DEBUGINFOD_H
#define DEBUGINFOD_H

#include <stdbool.h>

#include "net/fetch.h"

struct debuginfod;

struct debuginfod_options {
	const char *urls;           /* of servers, with blanks between them */
	struct fetch_options fetch; /* its timeout is for the whole run */
	/* Reports servers that fail, a line for each. */
	void (*warn)(const char *fmt, ...)
		__attribute__((format(printf, 1, 2)));
};

/*
 * *out is the caller's; o must live as long. PROF_EUSAGE: a server is no URL;
 * PROF_EIO: there is no folder to keep files in; PROF_ENOMEM.
 */
enum prof_status debuginfod_new(const struct debuginfod_options *o,
				struct debuginfod **out,
				struct prof_err *err) MUST_USE;
void debuginfod_free(struct debuginfod *d); /* NULL is allowed */

/*
 * The path of the debug information of the program with this build-id, or of
 * the program itself, for free(); NULL if no server has it. The caller must
 * check its contents.
 */
char *debuginfod_find(struct debuginfod *d, const char *build_id,
		      bool want_debug);

/*
 * The same for a source of that program; source is its absolute path in the
 * debug information.
 */
char *debuginfod_find_source(struct debuginfod *d, const char *build_id,
			     const char *source);

#endif
