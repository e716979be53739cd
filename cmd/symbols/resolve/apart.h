/*
 * apart.h - as root, object files are read by a process without rights
 * (confine.h): what strangers wrote can end only that. It asks this process for
 * files (door.h), and answers with lines for locations, which are checked.
 */
#ifndef APART_H
#define APART_H

#include "impl.h"

/*
 * Call work(r), which resolves mappings, in such a process, with r->apart set,
 * and take over its answers. If it is ended, a file that it read is left out
 * and named by a warning, and it is started again. Errors are those of work().
 */
enum prof_status apart_run(struct resolve *r,
			   enum prof_status (*work)(struct resolve *r,
						    struct prof_err *err),
			   struct prof_err *err) MUST_USE;

/* In that process: warn about the file at path. */
void apart_warn(struct apart *a, const char *path, const char *why);

/* In that process: the file of mapping m is at path. */
void apart_found(struct apart *a, uint32_t m, const char *path);

/* In that process: the locations at address i of w have these frames. */
void apart_lines(struct apart *a, const struct wants *w, size_t i,
		 const struct symbol_frame *frame, size_t n);

#endif
