/*
 * gate.h - did anything get slower? Compares two sides, base and new, of one or
 * several profiles each. doc/gate.md has the method, with its formulas, limits
 * and error rates; the sections named below are of that file.
 *
 *	gate_new(&g, &options);
 *	gate_measure(p, "cpu", &m);  gate_total(p, &m, &t);  [filter p]
 *	gate_add(g, GATE_BASE, p, &m, &t, exposure);  [free p]
 *	... all of base, then all of new
 *	gate_judge(g);
 *	... read g->total, g->row in g->order
 *	gate_free(g);
 *
 * The options have the distributions (struct gate_dist): this library needs no
 * statistics library.
 */
#ifndef GATE_H
#define GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/base/strtab.h"
#include "lib/report/frames.h"

struct arena;
struct profile;

#define GATE_MAX_PROFILE 10000 /* both sides together */

/* --- what is measured --- */

/* How the number of events behind a value is found. */
enum gate_count {
	GATE_COUNT_COLUMN, /* another column of the profile, or the same */
	GATE_COUNT_PERIOD, /* the value over the period */
	GATE_COUNT_HEAP,   /* objects, before they were scaled up */
};

struct gate_measure {
	size_t column; /* of the values that are shown */
	enum gate_count count;
	size_t count_column;
	size_t space_column; /* of GATE_COUNT_HEAP */
	double period;       /* in the unit of the column that it divides */
	/* Numbers of samples measure time only if all periods are equal.
	 * instead: the column that has the periods in it; NULL: none. */
	bool needs_period;
	const char *instead;
	const char *type, *unit;               /* of the profile */
	const char *period_type, *period_unit; /* of the profile */
};

struct gate_total {
	double value;
	double square; /* sum of value^2 / events over the samples */
	double events;
};

/*
 * Choose the column of p (see profile_sample_index()) and how its events are
 * counted. PROF_EUSAGE: there is no such column, or p does not say how many
 * events there were.
 */
enum prof_status gate_measure(const struct profile *p, const char *sample_index,
			      struct gate_measure *m,
			      struct prof_err *err) MUST_USE;

/* Sum p. PROF_EUSAGE if it has negative values (it is a difference) or no
 * events. */
enum prof_status gate_total(const struct profile *p,
			    const struct gate_measure *m, struct gate_total *t,
			    struct prof_err *err) MUST_USE;

/* --- statistics --- */

struct gate_dist {
	double (*t_upper)(double t, double df);             /* P(T >= t) */
	double (*t_quantile)(double upper, double df);      /* its inverse */
	double (*f_upper)(double x, double d1, double d2);  /* P(F >= x) */
	double (*beta_lower)(double x, double a, double b); /* I_x(a, b) */
};

/* The median of n values, 1 or more. Sorts v. */
double gate_median(double *v, size_t n);

/* What is compared, besides the exposure: values, shares of the total, or
 * values relative to the change of the typical function. */
enum gate_yardstick { GATE_VALUES, GATE_SHARES, GATE_TYPICAL };

struct gate_options {
	const struct gate_dist *dist; /* needed to judge */
	struct frames_options frames;
	enum gate_yardstick yardstick;
	double alpha;        /* chance of any false alarm in one comparison */
	double confidence;   /* of the intervals */
	double min_change;   /* of the function */
	double min_share;    /* of the total */
	double against;      /* growth to allow before the test */
	double build_noise;  /* least noise between two builds */
	double single_noise; /* noise of the machine, if a side has one run */
	size_t min_events;   /* of a side */
	bool allow_unequal;  /* totals may differ by any factor */
	bool exact_names;    /* do not look for renamed functions */
	/* Sets *wanted if this function is to be judged. NULL: all functions
	 * are, and the total. */
	enum prof_status (*wants)(void *ctx, const struct str *name,
				  bool *wanted, struct prof_err *err);
	void *wants_ctx;
	/* Is this file part of the project? NULL: none is. */
	bool (*is_ours)(void *ctx, const struct str *file);
	void *is_ours_ctx;
};

/* The defaults, in the units of the options: percent, but for numbers and
 * alpha. */
#define GATE_ALPHA 0.01
#define GATE_MIN_CHANGE 5
#define GATE_MIN_SHARE 1
#define GATE_BUILD_NOISE 0.5
#define GATE_NOISE 5
#define GATE_MIN_SAMPLES 50
#define GATE_DEFAULTS                                                          \
	{                                                                      \
		.alpha = GATE_ALPHA, .confidence = 0.95,                       \
		.min_change = GATE_MIN_CHANGE / 100.0,                         \
		.min_share = GATE_MIN_SHARE / 100.0,                           \
		.build_noise = GATE_BUILD_NOISE / 100.0,                       \
		.single_noise = GATE_NOISE / 100.0,                            \
		.min_events = GATE_MIN_SAMPLES                                 \
	}

enum gate_side { GATE_BASE, GATE_NEW };
enum gate_kind { GATE_FLAT, GATE_CUM };

/* Ascending: worse is larger. */
enum gate_verdict {
	GATE_UNCHANGED, /* no change that is large enough to matter */
	GATE_IMPROVED,
	GATE_INCONCLUSIVE, /* there may be such a change */
	GATE_SUSPECT, /* regressed, if one run a side were enough evidence */
	GATE_REGRESSED,
};

/* Why a row whose test passed is inconclusive: too many ways to split the runs
 * show as much, or it varies as much by itself. */
enum gate_guard { GATE_UNGUARDED, GATE_BY_SPLITS, GATE_BY_ITSELF };

/*
 * One hypothesis: the sums of a set of stacks, and the result of their test.
 * Values are means per profile, scaled. Names as in doc/gate.md, "Noise" and
 * "Test".
 */
struct gate_cell {
	/* From the sums and the noise. */
	double mean[2];    /* by side */
	double worth;      /* W: of an event, relative to one of the total */
	double free_share; /* f: 1 - share of the total */
	double events;     /* ev: per run */
	double spread, size, own; /* x, m, d_r: from its residuals */
	double mix;               /* H: its c over that of a function */
	bool is_loud;  /* varies so much that it is no yardstick for others */
	bool is_apart; /* has no samples of loud rows */
	double prior, prior_df;              /* s0, d0: from all functions */
	double dispersion, factor, df_share; /* phi, k, dfA */
	/* From the test. */
	double before, after, expected; /* expected: mu, without a change */
	double n[2];                    /* independent events, in effect */
	double se, df, t;
	double p_slower, p_faster;
	double adjusted; /* p_slower, corrected for the number of tests */
	double adjusted_faster;
	double chance;     /* that noise alone makes a change that matters */
	double low, high;  /* interval of after - before */
	double relevant;   /* smallest change that matters */
	double detectable; /* smallest growth found 9 times in 10 */
	double own_error;  /* of after - before, from this row alone */
	/* Of rows that regressed or improved before the guards. */
	enum gate_guard guard;
	size_t n_split, n_extreme; /* ways to split the runs; with as much */
	double p_own;
	double own_low, own_high; /* its runs on the side that varies more */
	enum gate_verdict verdict;
};

/* Common to all rows: "Noise". */
struct gate_model {
	size_t n_side[2];
	double df;                  /* d: runs - 2; 0 with one run a side */
	double clump, runs, nu;     /* a, c, nu */
	double machine, machine_df; /* CT, dfB */
	double total[2], event[2];  /* of a side: mean total, mean h */
	double rest[2], rest_machine, rest_df; /* the same without loud rows */
	double ratio, ratio_var; /* GATE_TYPICAL: log F and its variance */
	bool has_ratio;   /* values are relative to the typical function */
	double level;     /* largest p that is significant */
	double own_level; /* ... of a row by itself: "Guards" */
	size_t n_split;   /* ways to split the runs that were looked at */
	size_t n_test;    /* rows that noise could make significant at all */
};

/* Why a function grew: a caller, one of its lines, or a callee. */
enum gate_cause_kind { GATE_CALLER, GATE_CALLEE, GATE_LINE };

struct gate_cause {
	enum gate_cause_kind kind;
	bool is_inlined; /* a callee: its body is in the function */
	uint32_t name;   /* string of gate.names: the function, or the file */
	int32_t line;    /* of GATE_LINE; 0: unknown */
	double before, after;
};

enum gate_label {
	GATE_NO_LABEL,
	GATE_MOVED,
	GATE_OUTLINED,
	GATE_INLINED,
	GATE_SPLIT, /* or merged, or renamed */
	GATE_WRAPPER,
	GATE_NEW_CALLER,
};

/* Why a row that regressed only took over work: "Explanation". */
struct gate_why {
	enum gate_label label;
	uint32_t n_other;
	const uint32_t *other; /* had the work, or have it below */
	double net, net_low, net_high, net_p; /* of those and this row */
};

struct gate_row {
	uint32_t name; /* string of gate.names */
	uint32_t was;  /* its name in base, if another; else 0 */
	uint32_t to;   /* the row that it is part of: itself, or the one of its
			  new name */
	bool is_wanted;
	uint32_t carried; /* it changed by callees with the same verdict: the
			     largest, plus 1; 0: by none */
	bool is_moved;    /* all of its regression is explained */
	bool gave;        /* a row that is_moved has work of this one */
	uint64_t set[2];  /* hash of its set of stacks, by kind */
	const struct gate_cell *cell[2]; /* by enum gate_kind; never NULL */
	struct gate_why why[2];
	enum gate_verdict verdict;
	enum gate_kind kind; /* the one that decided */
	uint32_t n_cause;
	const struct gate_cause *cause; /* of the growth, largest first */
	/* Where it grew most, in a file of the project if possible: string of
	 * gate.names; 0: unknown. */
	uint32_t file;
	int32_t line;
	bool is_ours; /* file is one of the project */
};

/* --- the comparison --- */

/* The samples of one row in one profile. */
struct gate_sum {
	double value, square; /* as recorded */
	uint64_t set;   /* hash of its stacks that no earlier profile has */
	uint32_t stamp; /* the last sample that was added, plus one */
};

/* When a profile was recorded, in seconds since 1970; 0: unknown. */
struct gate_span {
	double begin, end;
};

struct gate_span gate_span_of(const struct profile *p);

/* What tells a run from others. */
struct gate_mark {
	int64_t time_ns, duration_ns;
	int64_t sum; /* of all its values */
};

struct gate_mark gate_mark_of(const struct profile *p);

/* Are both profiles of one run? Not known, so false, without a time. */
bool gate_is_same_run(const struct gate_mark *a, const struct gate_mark *b);

/* Do two profiles belong to different sessions? Not if a time is unknown. */
bool gate_is_pause(const struct gate_span *a, const struct gate_span *b);

/* One profile. */
struct gate_run {
	enum gate_side side;
	size_t column; /* of the sums: its own, or that of its session */
	struct gate_span span;
	size_t session;
	struct gate_total total;
	double exposure; /* its values are divided by this */
	double period;   /* ... and multiplied by this, if periods differ */
	uint32_t period_type, period_unit; /* strings of gate.names */
	/* base's mean exposure / exposure, times period, / runs in column */
	double factor;
	struct gate_sum *sum[2]; /* by kind, of n_row rows */
	size_t n_row;
	struct gate_sample *sample;
	size_t n_sample;
};

struct gate {
	struct arena *arena;
	struct gate_options o;
	struct strtab names;
	struct strtab places, frames, stacks; /* see impl.h */
	struct gate_frame *frame;             /* by index in frames */
	size_t cap_frame;
	const char *type, *unit; /* of the values */
	bool needs_period;       /* as struct gate_measure says */
	const char *instead;     /* as well */
	struct gate_run *run;
	size_t cap_run;
	size_t n_profile[2];     /* runs, by side */
	size_t n_run, n_side[2]; /* columns of sums: runs, or sessions */
	double events[2];        /* of all runs of a side */
	size_t n_session[2];     /* 0: not known */
	bool is_apart;  /* some session has profiles of one side only */
	bool is_joined; /* a column is a session */
	struct gate_row *row;
	size_t n_row, cap_row;
	uint32_t *row_of; /* of a string, while adding */
	size_t cap_row_of;

	/* Set by gate_judge(). */
	double *value, *square;   /* rows of n_run, scaled; see gate_sums() */
	double *all, *all_square; /* the same of the totals before filtering */
	const struct gate_table *table; /* of what was tested: impl.h */
	double (*stack_mean)[2]; /* by stack: mean per profile, by side */
	struct gate_model model;
	struct gate_row total; /* of all samples; flat and cum are the same */
	uint32_t *order;       /* the n_order judged rows, worst first */
	size_t n_order;
	size_t n_verdict[GATE_REGRESSED + 1]; /* of functions */
	size_t n_renamed;
	bool is_single; /* one run a side */
};

/* Begin; *out is the caller's. PROF_ENOMEM. */
enum prof_status gate_new(const struct gate_options *o, struct gate **out,
			  struct prof_err *err) MUST_USE;

/*
 * Add one profile, filtered or not; total is that of the whole profile. All
 * profiles of base come first. g keeps no pointer to p. PROF_EDIFFER: the type
 * or unit of its column is not that of earlier profiles, or its period does not
 * compare.
 */
enum prof_status gate_add(struct gate *g, enum gate_side side,
			  const struct profile *p, const struct gate_measure *m,
			  const struct gate_total *total, double exposure,
			  struct prof_err *err) MUST_USE;

/*
 * Judge every row. PROF_EUSAGE: the two sides cannot be compared ("What is
 * refused"), and err says why; PROF_ENOMEM.
 */
enum prof_status gate_judge(struct gate *g, struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void gate_free(struct gate *g);

static inline const struct str *
gate_name(const struct gate *g, uint32_t name)
{
	return &g->names.str[name];
}

/* The row whose change is that of r: r itself unless it is carried. */
const struct gate_row *gate_grower(const struct gate *g,
				   const struct gate_row *r);

/* By what part a function with this share of the total has to grow to be found
 * nine times in ten, in runs that are `longer` times as long. */
double gate_visible(const struct gate *g, double share, double longer);

static inline const struct gate_cell *
gate_deciding(const struct gate_row *r)
{
	return r->cell[r->kind];
}

/* "regressed" and so on. */
const char *gate_verdict_name(enum gate_verdict v);

/* "wrapper around" and so on: the words before the other rows of a why. */
const char *gate_label_name(enum gate_label l);

#endif
