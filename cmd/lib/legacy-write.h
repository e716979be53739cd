/*
 * legacy-write.h - profiles in the formats of gperftools, for programs that
 * read nothing else: google-pprof. What they cannot say is left out: labels,
 * build-ids, comments, and the samples of a program whose addresses are taken
 * by another one, as these formats have one address space.
 */
#ifndef LEGACY_WRITE_H
#define LEGACY_WRITE_H

#include "buf.h"
#include "status.h"

struct profile;

/*
 * Append p to out as a binary CPU profile: the first column is the ticks, the
 * period is in nanoseconds. PROF_ENOMEM.
 */
enum prof_status legacy_write_cpu(const struct profile *p, struct buf *out,
				  struct prof_err *err) MUST_USE;

#endif
