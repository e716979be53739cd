/*
 * legacy.h - profiles in the formats from before profile.proto: gperftools'
 * binary CPU profile; the text profiles of gperftools, Go, Java and jemalloc;
 * and google-pprof's symbolized form of either. doc/formats.md describes them.
 */
#ifndef LEGACY_H
#define LEGACY_H

#include <stddef.h>

#include "lib/base/status.h"

struct profile;

enum legacy_kind {
	LEGACY_NONE, /* read it as profile.proto */
	LEGACY_CPU,
	LEGACY_HEAP,
	LEGACY_JEMALLOC,
	LEGACY_COUNT,
	LEGACY_THREADS,
	LEGACY_CONTENTION,
	LEGACY_JAVA_HEAP,
	LEGACY_JAVA_CONTENTION,
	LEGACY_SYMBOLIZED,
	LEGACY_FOREIGN, /* no profile; legacy_parse()'s error names the format
			 */
};

enum legacy_flags {
	/*
	 * Do as pprof does with every CPU profile of gperftools: remove the
	 * callers that nearly all leaves share, as frames of the signal
	 * handler. The profiler removes such frames itself; those found here
	 * are usually the program's hot path.
	 */
	LEGACY_STRIP_HANDLER = 1,
};

/*
 * The format of the n bytes at raw, by their first line or words. Bytes that
 * decode as profile.proto are never taken for another format.
 */
enum legacy_kind legacy_sniff(const void *raw, size_t n);

/*
 * Make a profile of the n bytes at raw, for which legacy_sniff() knows a
 * kind. *out is the caller's. PROF_EFORMAT gives the line (counted from 1) or
 * byte (from 0) that is wrong; PROF_ENOTSUP, the format that raw has instead.
 * Also PROF_ELIMIT and PROF_ENOMEM.
 */
enum prof_status legacy_parse(const void *raw, size_t n, unsigned flags,
			      struct profile **out,
			      struct prof_err *err) MUST_USE;

/*
 * Give p the frames to drop and to keep that pprof gives to profiles with its
 * columns: those of allocators and of locks. Returns -1 without memory.
 */
int legacy_set_filters(struct profile *p);

#endif
