/* insns.h - the instructions of hot functions, for the page. */
#ifndef INSNS_H
#define INSNS_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct pack;
struct report;

/*
 * Append to out, as JSON, the instructions of the n functions whose code has
 * the most values of its own; doc/page.md says how. search_path: where binaries
 * are looked for, too; NULL is that of the environment. Of a function of more
 * than INSNS_MAX instructions, only those near samples are there. Nothing at
 * all if no code is found, or n is 0. *n_left: how many were left out.
 * PROF_ENOTSUP (this build lacks elfutils or capstone), PROF_ENOMEM.
 */
enum prof_status insns_add(struct report *r, const struct pack *k, size_t n,
			   const char *search_path, struct buf *out,
			   size_t *n_left, struct prof_err *err) MUST_USE;

enum { INSNS_MAX = 4000 };

#endif
