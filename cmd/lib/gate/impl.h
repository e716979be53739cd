/* impl.h - what the parts of gate.h share. */
#ifndef GATE_INT_H
#define GATE_INT_H

#include "gate.h"

/* The values and the samples behind row `value` of a profile. */
double gate_value(const struct gate_measure *m, const int64_t *value);
double gate_samples(const struct gate_measure *m, const int64_t *value);

/* The row of a name, which is added when it is new; PROF_NONE: no memory. */
uint32_t gate_row_of(struct gate *g, const struct str *name);

/*
 * The rows of the keys of f: an array for free(). PROF_ENOMEM, or what
 * options.wants says.
 */
enum prof_status gate_map(struct gate *g, const struct frames *f,
			  uint32_t **out, struct prof_err *err) MUST_USE;

/* What run r counted for a row; 0 for rows that came later. */
static inline double
gate_run_count(const struct gate_run *r, enum gate_kind kind, size_t row)
{
	return row < r->n_row ? r->count[kind][row] : 0;
}

static inline double
gate_run_value(const struct gate_run *r, enum gate_kind kind, size_t row)
{
	return row < r->n_row ? r->value[kind][row] : 0;
}

/* Did it, flat or cum? */
static inline bool
gate_row_regressed(const struct gate_row *r)
{
	return r->cell[GATE_FLAT].verdict == GATE_REGRESSED ||
	       r->cell[GATE_CUM].verdict == GATE_REGRESSED;
}

/* What each run has in a group of rows, by enum gate_kind; n_run of each. */
struct gate_group {
	double *value[2], *count[2];
};

#define GATE_MAX_GROUP 64 /* at once */

/*
 * Add up groups of rows; of_row says in which each row is, a bit each. The
 * arrays are the caller's, and zero. PROF_ENOMEM.
 */
enum prof_status gate_sum_groups(struct gate *g, const uint64_t *of_row,
				 struct gate_group *group,
				 struct prof_err *err) MUST_USE;

/*
 * One hypothesis: counts and values per run, of a row or of a row with the
 * work that moved there. Both arrays have n_run entries.
 */
void gate_test_cell(const struct gate *g, const struct gate_dist *d,
		    const double *count, const double *value,
		    struct gate_cell *c);

/* Verdict of a cell whose limit is set. */
void gate_test_verdict(const struct gate *g, const struct gate_dist *d,
		       struct gate_cell *c);

/*
 * The verdict of a row: the worse of flat and cum; where both regressed, the
 * one that grew more.
 */
void gate_settle_row(struct gate_row *r);

/*
 * Look at the rows that regressed: whose work they took over, and what carries
 * the growth that is left.
 */
enum prof_status gate_explain(struct gate *g, const struct gate_dist *d,
			      struct prof_err *err) MUST_USE;

#endif
