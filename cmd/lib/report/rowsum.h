/*
 * rowsum.h - flat and cum of rows, where a row is any set of locations: a
 * source line, an instruction, a function. Used by listings, whose rows are
 * nested (an instruction counts for its line and its function) and may occur
 * several times in one stack.
 *
 * A sample counts once for a row, as for a node of a graph (graph.h), so no cum
 * exceeds the total. Samples are skipped as in a graph, too.
 */
#ifndef ROWSUM_H
#define ROWSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph.h"
#include "lib/base/status.h"

struct profile;

/* A row that location `location` belongs to. */
struct rowsum_entry {
	uint32_t location;
	uint32_t row;
	bool is_flat; /* at the leaf, the value counts as flat */
};

struct rowsum {
	struct graph_sum flat, cum;
};

/*
 * Sum the samples of p into row[0] to row[n_row - 1], which are cleared first.
 * entry has n_entry pairs in any order, and is sorted by location. Duplicate
 * entries count once. Uses o->column, mean and leave_out. PROF_ENOMEM.
 */
enum prof_status rowsum_run(const struct profile *p,
			    const struct graph_options *o,
			    struct rowsum_entry *entry, size_t n_entry,
			    struct rowsum *row, size_t n_row,
			    struct prof_err *err) MUST_USE;

/* Is a row with these sums shown? Not if all values cancel out, or if o
 * excludes it. */
bool rowsum_is_shown(const struct rowsum *r, const struct graph_options *o);

#endif
