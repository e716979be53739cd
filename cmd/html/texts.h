/* texts.h - the source text of chosen functions, for the page. */
#ifndef TEXTS_H
#define TEXTS_H

#include <stddef.h>

#include "chosen.h"
#include "lib/base/buf.h"
#include "lib/base/status.h"

struct report;

/*
 * Append to out, as JSON, the lines of the functions of r that code chooses:
 * [{name, file, first, lines, why}]. Files are looked for as prof-list does; a
 * function whose file is not found has no lines, and why says where it was
 * looked for. Nothing at all if no file of the hottest functions is found.
 * *n_block: how many functions there are. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status texts_add(const struct report *r, const struct page_code *code,
			   struct buf *out, size_t *n_block,
			   struct prof_err *err) MUST_USE;

#endif
