/* texts.h - the source text of hot functions, for the page. */
#ifndef TEXTS_H
#define TEXTS_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct report;

/*
 * Append to out, as JSON, the lines of the n functions of r that have the most
 * values of their own: [{name, file, first, lines, why}]. Files are looked for
 * as prof-list does; a function whose file is not found has no lines, and why
 * says where it was looked for. Nothing at all if no file is found, or n is 0.
 * PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status texts_add(const struct report *r, size_t n, struct buf *out,
			   struct prof_err *err) MUST_USE;

#endif
