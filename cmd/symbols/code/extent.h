/*
 * extent.h - the functions of a binary by address: where each begins and ends,
 * and its names. Taken from symbol tables (the file's own, that of its debug
 * file, .gnu_debugdata, .dynsym); where they say nothing, from .eh_frame, which
 * even stripped files have. What comes before the first one of a section, such
 * as the stubs of .plt, has the name of the section.
 *
 * A function ends where the next symbol begins, as nm(1) and pprof have it, or
 * where its section ends: padding belongs to it.
 */
#ifndef EXTENT_H
#define EXTENT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "symbols/elf/section.h"

struct arena;
struct binary;

struct extent {
	uint64_t start, end;
	const char **name; /* n_name of them, sorted; 0: only .eh_frame knows */
	size_t n_name;
};

struct extents {
	struct arena *arena; /* holds everything below */
	struct extent *extent;
	size_t n; /* ascending, not overlapping */
};

/*
 * The functions that have an address in one of the n ranges, which are
 * ascending and do not overlap. *out is the caller's, for extents_release(), in
 * any case. PROF_ENOMEM.
 */
enum prof_status extents_find(const struct binary *b,
			      const struct code_range *range, size_t n,
			      struct extents *out,
			      struct prof_err *err) MUST_USE;
void extents_release(struct extents *e);

/* The one that has address a, or NULL. */
const struct extent *extents_at(const struct extents *e, uint64_t a);

#endif
