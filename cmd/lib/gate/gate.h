/*
 * gate.h - did a function get slower? Two sides, base and new, of one or
 * several profiles each: sums per function and profile (rows.c), tests on
 * the number of samples (test.c), and what became of the work of
 * functions that went away (gate-moved.c). The method, what it assumes and how
 * well it does: doc/gate.md.
 *
 *	gate_new(&g, &options);
 *	gate_measure(p, "cpu", &m);  gate_total(p, &m, &t);  [filter p]
 *	gate_add(g, GATE_BASE, p, &m, &t, exposure);	for each profile
 *	gate_judge(g, &dist);
 *	... read g->row
 *	gate_free(g);
 *
 * No header of a statistics library is needed here: the three distributions
 * come from the caller.
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

/* How the number of samples behind a value is found. */
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
	double period;
	const char *type, *unit; /* of the profile */
};

struct gate_total {
	double value;
	double count;
};

/*
 * Choose the column of p (see profile_sample_index()) and how its samples are
 * counted. PROF_EUSAGE: no such column, or nothing in p tells how many samples
 * there were.
 */
enum prof_status gate_measure(const struct profile *p, const char *sample_index,
			      struct gate_measure *m,
			      struct prof_err *err) MUST_USE;

/* Add p up. PROF_EUSAGE if it has negative values: it is a difference. */
enum prof_status gate_total(const struct profile *p,
			    const struct gate_measure *m, struct gate_total *t,
			    struct prof_err *err) MUST_USE;

/* --- statistics --- */

/* Degrees of freedom may be INFINITY: the normal distribution. */
struct gate_dist {
	double (*t_upper)(double t, double df);        /* P(T >= t) */
	double (*t_quantile)(double upper, double df); /* its inverse */
	/* P(X >= k), of n trials with probability p */
	double (*binomial_upper)(double k, double n, double p);
};

struct gate_options {
	struct frames_options frames;
	double alpha;      /* chance of any false alarm in one comparison */
	double confidence; /* of the intervals: 0.95 */
	double min_change; /* of the function: 0.05 */
	double min_share;  /* of the total: 0.01 */
	/* Which functions are judged; NULL: all. The others don't count as
	 * tests. *wanted is the answer. */
	enum prof_status (*wants)(void *ctx, const struct str *name,
				  bool *wanted, struct prof_err *err);
	void *wants_ctx;
};

enum gate_side { GATE_BASE, GATE_NEW };
enum gate_kind { GATE_FLAT, GATE_CUM };

/* In this order: worse is larger. */
enum gate_verdict {
	GATE_UNCHANGED, /* no change as large as the smallest relevant one */
	GATE_IMPROVED,
	GATE_INCONCLUSIVE, /* there may be one */
	GATE_MOVED,        /* it grew by work that others did before */
	GATE_REGRESSED,
};

/*
 * One function, flat or cum. Values are means per profile, scaled; counts are
 * numbers of samples, as counted.
 */
struct gate_cell {
	double before, after;
	double moved;     /* how much of the change others lost */
	double low, high; /* interval of after - before - moved */
	double n_before, n_after;
	double dispersion, df; /* variance over that of Poisson */
	double p_up, p_down;   /* one-sided */
	double limit;          /* largest p that counts */
	double relevant;       /* smallest change that matters */
	double detectable;     /* smallest growth found 9 times in 10 */
	enum gate_verdict verdict;
};

/* Why a function grew: a caller, a line of its own, or a callee. */
enum gate_cause_kind { GATE_CALLER, GATE_CALLEE, GATE_LINE };

struct gate_cause {
	enum gate_cause_kind kind;
	bool is_inlined; /* a callee: its body is in the function */
	uint32_t name;   /* string of gate.names */
	uint32_t file;   /* of GATE_LINE: string of gate.names, 0 unknown */
	int64_t line;
	double before, after;
};

struct gate_row {
	uint32_t name; /* string of gate.names */
	bool is_wanted;
	bool is_carrier;          /* it grew by a callee that regressed, too */
	struct gate_cell cell[2]; /* by enum gate_kind */
	enum gate_verdict verdict;
	enum gate_kind kind; /* the one that decided */
	uint32_t other; /* moved: string, who had the work, or has it now */
	uint32_t n_cause;
	const struct gate_cause *cause; /* of the growth, largest first */
};

/* --- the comparison --- */

/*
 * What the functions together say about the variance between runs beyond that
 * of counting: that of a count with mean mu is mu + rate * mu^2.
 */
struct gate_noise {
	double rate;
	double df;   /* of one function alone: profiles - 2 */
	double *mu;  /* of the functions that told, ascending */
	double *sum; /* of the squares of those before */
	size_t n;
};

/* One profile. */
struct gate_run {
	enum gate_side side;
	const struct profile *p; /* the caller's */
	struct gate_measure m;
	struct gate_total total;
	double exposure; /* its values are divided by this */
	/* n_row sums each, of values and of counts. Grown by rows.c. */
	double *value[2], *count[2];
	size_t n_row;
};

struct gate {
	struct arena *arena;
	struct strtab names;
	struct gate_options o;
	struct gate_run *run;
	size_t n_run, cap_run;
	size_t n_side[2];
	struct gate_row *row;
	size_t n_row, cap_row;
	uint32_t *row_of; /* of a string, while adding */
	size_t cap_row_of;

	/* Of gate_judge(). */
	uint32_t *order; /* n_order rows that were judged, worst first */
	size_t n_order;
	double exposure[2];     /* sums */
	struct gate_cell total; /* all samples; its verdict is not used */
	struct gate_noise noise;
	double limit;  /* largest p that counts */
	size_t n_test; /* how many hypotheses share alpha */
	size_t n_verdict[GATE_REGRESSED + 1];
	enum gate_verdict verdict;
};

/* Begin; *out is the caller's. PROF_ENOMEM. */
enum prof_status gate_new(const struct gate_options *o, struct gate **out,
			  struct prof_err *err) MUST_USE;

/*
 * Add one profile, filtered or not; total is of the whole. p must outlive g.
 * PROF_EDIFFER when its column is of another type or unit than those before.
 */
enum prof_status gate_add(struct gate *g, enum gate_side side,
			  const struct profile *p, const struct gate_measure *m,
			  const struct gate_total *total, double exposure,
			  struct prof_err *err) MUST_USE;

/* Judge every row. Each side must have a profile. PROF_EUSAGE, PROF_ENOMEM. */
enum prof_status gate_judge(struct gate *g, const struct gate_dist *d,
			    struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void gate_free(struct gate *g);

static inline const struct str *
gate_name(const struct gate *g, uint32_t name)
{
	return &g->names.str[name];
}

/* "regressed" and so on. */
const char *gate_verdict_name(enum gate_verdict v);

#endif
