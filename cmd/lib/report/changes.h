/*
 * changes.h - a difference with a base (labels.h: base_mark) as rows: the
 * values of each node before and after. Printing them: text-diff.c.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/model/units.h"

struct frames;
struct report;

struct change {
	int64_t before, after; /* in the unit of the column */
};

static inline int64_t
change_size(struct change c)
{
	return units_sub(c.after, c.before);
}

struct change_row {
	uint32_t key; /* of frames */
	struct change flat, cum;
};

struct changes {
	struct frames *frames;
	struct change_row *row; /* the largest changes first */
	size_t n_row;
	bool by_cum; /* sorted by cum, rather than flat */

	size_t n_dropped; /* nodes whose cum changed by less than `cut` */
	int64_t cut;
	size_t n_same;   /* unchanged nodes, which are left out */
	size_t n_before; /* rows before node_count was applied */
};

/*
 * Compare the two sides of r->p, filtered or not, by the options of r.
 * node_fraction, of r->total, drops nodes by the change of their cum. Rows are
 * sorted by the change of the value in `order`, equal ones by name. Nodes in
 * which that value did not change are left out, unless keep_same. Edges are
 * ignored. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status changes_new(const struct report *r, bool keep_same,
			     struct changes **out,
			     struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void changes_free(struct changes *c);

/* The change that rows are sorted by. */
static inline struct change
changes_main(const struct changes *c, const struct change_row *row)
{
	return c->by_cum ? row->cum : row->flat;
}

/* The smallest nonzero number of the rows, for report_choose_unit_for(). */
int64_t changes_smallest(const struct changes *c);

#endif
