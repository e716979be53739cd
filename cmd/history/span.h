/*
 * span.h - which times and sample types archives have, before profiles of them
 * are put into a series (series.h).
 */
#ifndef HISTORY_SPAN_H
#define HISTORY_SPAN_H

#include <stddef.h>
#include <stdint.h>

#include "catalog.h"
#include "history/store/names.h"
#include "lib/base/status.h"

/* Times and sample types in an archive. */
struct span {
	int64_t first_ns, last_ns; /* first > last: no profiles */
	struct names types;        /* "cpu\0nanoseconds\0": all there are */
	uint32_t *is_default;      /* of types: how many blocks */
	size_t cap_default;
};

/* Begin with no profiles. PROF_ENOMEM. */
enum prof_status span_init(struct span *x, struct prof_err *err) MUST_USE;
void span_release(struct span *x);

/* Add those of an archive. */
enum prof_status span_add(struct span *x, struct catalog *a,
			  struct prof_err *err) MUST_USE;

#endif
