/* texts.h - the source text of chosen functions, for the page. */
#ifndef TEXTS_H
#define TEXTS_H

#include <stddef.h>

#include "chosen.h"
#include "lib/base/buf.h"
#include "lib/base/status.h"

struct pack;
struct report;

struct texts_told {
	size_t n_asked; /* of the functions that were asked for */
	size_t n_left;  /* for which there was no room */
};

/*
 * Append to out, as JSON, the lines of the functions of r that code chooses;
 * doc/page.md says how. Files are looked for as prof-list does; a function
 * whose file is not found has no lines, and `why` says where it was looked for.
 * Nothing at all if no file of the heaviest functions is found. PROF_ENOMEM,
 * PROF_ELIMIT.
 */
enum prof_status texts_add(const struct report *r, const struct pack *k,
			   const struct page_code *code, struct buf *out,
			   struct texts_told *told,
			   struct prof_err *err) MUST_USE;

#endif
