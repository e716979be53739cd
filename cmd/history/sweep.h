/*
 * sweep.h - all functions at once: which moved, appeared, went away or changed.
 * These are lists in an order, not verdicts: prof-gate judges.
 */
#ifndef HISTORY_SWEEP_H
#define HISTORY_SWEEP_H

#include <stdio.h>

#include "options.h"
#include "series.h"
#include "shift.h"

/* The profiles before and after: of days. */
struct sweep_side {
	int64_t first_ns, last_ns;
	uint64_t n;
	int64_t samples, total;
};

struct sweep_row {
	const struct series_fn *fn;
	int64_t before, after; /* values: from --since on, or a change */
	int64_t total[2];      /* 100 % of them */
	double share[2];
	int64_t first_ns, last_ns; /* of the days that have it */
	/* Of HISTORY_CHANGES. */
	struct shift shift;
	bool is_marked; /* p is below SWEEP_MARK */
};

#define SWEEP_LEVEL 0.01 /* p of the rows that are listed */
#define SWEEP_MARK 1e-6  /* ... and of those that are marked */

struct sweep {
	enum history_task task;
	struct sweep_side side[2]; /* after: from --since on */
	struct sweep_row *row;     /* in order, n of them */
	size_t n;
	size_t n_test;   /* of HISTORY_CHANGES: functions */
	size_t n_found;  /* before --nodecount */
	size_t n_hidden; /* new or vanished, but so rare that chance explains
			  * it */
};

/*
 * Make the list that s asks for of x, all functions by day. from is where
 * "after" begins. d: NULL but for HISTORY_CHANGES. To end with sweep_release().
 * PROF_ENOMEM.
 */
enum prof_status sweep_make(struct sweep *w, const struct series *x,
			    const struct history_settings *s, int64_t from,
			    const struct gate_dist *d,
			    struct prof_err *err) MUST_USE;
void sweep_release(struct sweep *w);

/* Print it, as s->format; in sweep-print.c. */
void sweep_print(const struct sweep *w, const struct series *x,
		 const struct history_settings *s, FILE *out);

#endif
