/*
 * changes.h - a difference with a base (labels.h: base_mark) as rows: what each
 * node had before and what it has after. Printing them: text-diff.c.
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
	bool by_cum; /* which of the two makes the order */

	size_t n_dropped; /* nodes whose cum changed by less than `cut` */
	int64_t cut;
	size_t n_same;   /* nodes left out because nothing changed */
	size_t n_before; /* rows before node_count was applied */
};

/*
 * Compare the two sides of r->p, filtered as it may be, by the options of r:
 * node_fraction is of r->total and drops nodes by the change of their cum,
 * order says by which change rows are sorted, equal ones by name. Nodes in
 * which that did not change are left out, unless keep_same. edges are not for
 * here. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status changes_new(const struct report *r, bool keep_same,
			     struct changes **out,
			     struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void changes_free(struct changes *c);

/* The change that makes the order. */
static inline struct change
changes_main(const struct changes *c, const struct change_row *row)
{
	return c->by_cum ? row->cum : row->flat;
}

/* The smallest number but 0 of the rows, for report_choose_unit_for(). */
int64_t changes_smallest(const struct changes *c);

#endif
