/*
 * extent.h - the functions of a binary by address: start, end and names. From
 * symbol tables (the file's own, that of its debug file, .gnu_debugdata,
 * .dynsym); where these have nothing, from .eh_frame, which even stripped files
 * have. Code before the first function of a section, such as the stubs of .plt,
 * is named by the section.
 *
 * A function ends at the next symbol, as in nm(1) and pprof, or at the end of
 * its section, so it includes padding.
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
 * The functions that have an address in one of the n ranges, which ascend and
 * do not overlap. Call extents_release() even on failure. PROF_ENOMEM.
 */
enum prof_status extents_find(const struct binary *b,
			      const struct code_range *range, size_t n,
			      struct extents *out,
			      struct prof_err *err) MUST_USE;
void extents_release(struct extents *e);

/* A variable: its name is "" if none is known. */
struct variable {
	uint64_t start, size;
	const char *name;
};

/*
 * The variable that contains each of the n addresses, ascending, by the symbol
 * tables, into out, the names in a. PROF_ENOMEM.
 */
enum prof_status variables_find(const struct binary *b, const uint64_t *addr,
				size_t n, struct arena *a, struct variable *out,
				struct prof_err *err) MUST_USE;

/* The function that contains address a, or NULL. */
const struct extent *extents_at(const struct extents *e, uint64_t a);

#endif
