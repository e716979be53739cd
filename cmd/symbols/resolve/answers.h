/*
 * answers.h - object files are resolved in a process without rights
 * (symbols/elf/apart.h), which tells lines for locations, and what else changes
 * the profile. These are its answers, there and here.
 */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "impl.h"

/*
 * Call work(r), which resolves mappings, in such a process, with r->apart set,
 * and take over its answers. Errors are those of apart_run().
 */
enum prof_status answers_run(struct resolve *r,
			     enum prof_status (*work)(struct resolve *r,
						      struct prof_err *err),
			     struct prof_err *err) MUST_USE;

/* In that process: the file of mapping m is at path. */
void answers_found(struct apart *a, uint32_t m, const char *path);

/* In that process: the locations at address i of w have these frames. */
void answers_lines(struct apart *a, const struct wants *w, size_t i,
		   const struct symbol_frame *frame, size_t n);

/* Here: a callback of apart_run() whose ctx is a struct resolve. */
bool answers_take(void *ctx, uint32_t kind, uint32_t m, const char *at,
		  size_t n);

#endif
