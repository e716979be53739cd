/* insns.h - the instructions of hot functions, for the page. */
#ifndef INSNS_H
#define INSNS_H

#include <stdbool.h>
#include <stddef.h>

#include "chosen.h"
#include "lib/base/buf.h"
#include "lib/base/status.h"

struct pack;
struct report;

/* What there is, and what was left out. */
struct insns_told {
	size_t n_asked; /* of the functions that were asked for */
	size_t n_left;  /* instructions far from samples */
	size_t n_light; /* functions for which no room was left */
	bool is_cut;    /* more of those: see assembly.h */
};

/*
 * Append to out, as JSON, the instructions of the functions that code chooses;
 * doc/page.md says how. Of a function of more than INSNS_MAX instructions, only
 * those near samples are there; of all together, about 512 KiB, the heaviest
 * first, besides those that were asked for. Nothing at all if no code is found,
 * unless the functions were asked for. PROF_ENOTSUP (this build lacks elfutils
 * or capstone), PROF_ENOMEM.
 */
enum prof_status insns_add(struct report *r, const struct pack *k,
			   struct page_code *code, struct buf *out,
			   struct insns_told *told,
			   struct prof_err *err) MUST_USE;

enum { INSNS_MAX = 4000 };

#endif
