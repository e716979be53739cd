/*
 * write.h - profiles in the formats of gperftools, for google-pprof, which
 * reads no others. They have no labels, build-ids or comments, and one address
 * space: where two programs use the same addresses, the samples of one are left
 * out.
 */
#ifndef LEGACY_WRITE_H
#define LEGACY_WRITE_H

#include "legacy.h"
#include "lib/base/buf.h"
#include "lib/base/status.h"

struct profile;

/*
 * Append p to out in the format of kind:
 *
 *	LEGACY_CPU	column 1 is time, in the period's unit, nanoseconds
 *	LEGACY_HEAP	columns alloc_objects, alloc_space, inuse_objects,
 *			inuse_space; or the two of a growth profile
 *	LEGACY_CONTENTION	contentions, and delay in nanoseconds
 *
 * PROF_ENOTSUP for others, PROF_ENOMEM.
 */
enum prof_status legacy_write(const struct profile *p, enum legacy_kind kind,
			      struct buf *out, struct prof_err *err) MUST_USE;

#endif
