/* impl.h - shared by the parts of gate.h. */
#ifndef GATE_IMPL_H
#define GATE_IMPL_H

#include "gate.h"

#define GATE_STEP UINT64_C(0x9e3779b97f4a7c15)

/* Multiples of the step look random. */
static inline uint64_t
gate_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* n elements of size bytes, all 0; NULL without memory. */
void *gate_zeros(struct arena *a, size_t n, size_t size);

/* --- rows.c: stacks --- */

/*
 * A frame. gate.frames interns frames as bytes; gate.frame holds the same by
 * index, so that walks over all stacks stay in the cache. A stack is an array
 * of frame indices, leaf first; gate.stacks interns those of all profiles as
 * bytes.
 */
struct gate_frame {
	uint32_t row;
	uint32_t place;      /* index in gate.places, 0: unknown */
	uint32_t is_inlined; /* into the frame after it */
};

/* A place, as bytes in gate.places. */
struct gate_place {
	uint32_t file; /* string of gate.names */
	int32_t line;
};

struct gate_sample {
	uint32_t stack;
	double value, square; /* as recorded, not scaled */
};

static inline const struct gate_frame *
gate_frame_at(const struct gate *g, uint32_t frame)
{
	return &g->frame[frame];
}

static inline const struct gate_place *
gate_place_at(const struct gate *g, uint32_t place)
{
	return (const void *)g->places.str[place].s;
}

/* The row that a frame counts for, after renaming. */
static inline uint32_t
gate_frame_row(const struct gate *g, uint32_t frame)
{
	return g->row[gate_frame_at(g, frame)->row].to;
}

static inline const uint32_t *
gate_stack_at(const struct gate *g, size_t stack, size_t *n)
{
	*n = g->stacks.str[stack].len / sizeof(uint32_t);
	return (const void *)g->stacks.str[stack].s;
}

/* --- measure.c --- */

/* The value of a sample, and the number of events behind it. */
double gate_value(const struct gate_measure *m, const int64_t *value);
double gate_events(const struct gate_measure *m, const int64_t *value);

/* --- judge.c: sums --- */

/* The sums of a row, by column: of values, or of squares over events. */
static inline double *
gate_sums(const struct gate *g, double *of, uint32_t row, enum gate_kind kind)
{
	return of + (2 * (size_t)row + kind) * g->n_run;
}

static inline size_t
gate_n_profile(const struct gate *g)
{
	return g->n_profile[0] + g->n_profile[1];
}

/* Means per profile, scaled, of a row on each side. */
struct gate_pair {
	double before, after;
};
struct gate_pair gate_means(const struct gate *g, uint32_t row,
			    enum gate_kind kind);

/* Is at most a tenth of its cum left in new? Did base have at most a tenth? */
bool gate_is_gone(const struct gate *g, uint32_t row);
bool gate_is_new(const struct gate *g, uint32_t row);

/* --- noise.c, test.c: on numbers only --- */

/* A leaf of a cum row: its flat row in the table, and the square of the share
 * of the cum row that ends in it. */
struct gate_part {
	size_t row;
	double square;
};

/* A row to test: sums by run, base before new. */
struct gate_series {
	const double *value, *square;
	const struct gate_part *part; /* n_part: 0 for flat rows */
	size_t n_part;
	bool is_flat; /* flat rows share no samples */
	bool is_test; /* belongs to the family of tests */
};

struct gate_table {
	size_t n, n_run, n_side[2];
	const struct gate_series *row; /* row[0] is the total */
	double *scale; /* by run, set by gate_test(): as values are compared */
	const struct gate_options *o;
	struct arena *arena; /* for what the stages need */
	/* The results: */
	struct gate_model *m;
	struct gate_cell *cell; /* by row */
};

/*
 * Estimate the noise from the rows, without using the difference between the
 * sides (unless each side has one run). Fills m except for its level, and of
 * each cell the part "from the sums and the noise". PROF_ENOMEM.
 */
enum prof_status gate_learn(const struct gate_table *t,
			    struct prof_err *err) MUST_USE;

/* The variance of the machine's noise on a side, relative, with sampling, that
 * row c has a part in. */
static inline double
gate_machine_var(const struct gate_model *m, const struct gate_cell *c,
		 int side)
{
	double total = c->is_apart ? m->rest[side] : m->total[side];

	return m->clump * m->event[side] / total +
	       (c->is_apart ? m->rest_machine : m->machine);
}

/* s0 and d0 of a row whose effective number of events times mix is size. */
double gate_prior(const struct gate_model *m, double size, double *df);

/* gate_learn(), then test and judge all rows. PROF_ENOMEM. */
enum prof_status gate_test(const struct gate_table *t,
			   struct prof_err *err) MUST_USE;

/*
 * The guards: verdicts of gate_test() that may be due to noise of which it
 * knows nothing become inconclusive. Sets own_error, and detectable with it;
 * of m own_level and n_split.
 * PROF_ENOMEM.
 */
enum prof_status gate_guard(const struct gate_table *t,
			    struct prof_err *err) MUST_USE;

/*
 * Standard error of the change of a row with these values by run, from their
 * differences within the sides alone; base counts `grant` times. c has the
 * row's worth.
 */
double gate_own_error(const struct gate_table *t, const struct gate_cell *c,
		      const double *value, double grant);

/*
 * Test a set of stacks that is no row of the table, given its sums, with the
 * noise of the comparison. Fills before, after, low, high, p_slower and
 * p_faster.
 */
void gate_test_set(const struct gate *g, const double *value,
		   const double *square, struct gate_cell *c);

/*
 * Standard error and degrees of freedom of after, or with of_change of after -
 * before, at the observed values plus half an event.
 */
double gate_error(const struct gate_model *m, const struct gate_options *o,
		  const struct gate_cell *c, bool of_change, double *df);

/* --- links.c: callers, callees, lines and leaves of a row --- */

enum gate_link_kind {
	LINK_CALLER, /* other: row + 1, or 0 for none */
	LINK_CALLEE, /* other: row + 1 */
	LINK_LINE,   /* other: place in the row */
	LINK_PLACE,  /* other: the next place in a file of the project, in the
			row or above */
	LINK_LEAF,   /* other: row + 1, of a leaf of stacks with the row */
	LINK_N_KIND,
};

struct gate_link {
	uint64_t key; /* of its row and kind */
	uint32_t other;
	bool is_called;  /* not inlined, at least once */
	double value[2]; /* per profile, by side */
};

/* Sorted by key and other. */
struct gate_links {
	struct gate_link *link;
	size_t n;
};

/*
 * The links of all rows r with marked[r], of the kinds in the set `kinds` (1 <<
 * kind), in memory of g. PROF_ENOMEM.
 */
enum prof_status gate_links_build(struct gate_links *x, const struct gate *g,
				  const unsigned char *marked, unsigned kinds,
				  struct prof_err *err) MUST_USE;

/* The links of a row and kind: the first, and how many. */
const struct gate_link *gate_links_of(const struct gate_links *x, uint32_t row,
				      enum gate_link_kind kind, size_t *n);

/* --- stages of gate_judge() --- */

static inline bool
gate_has_changed(const struct gate_row *r)
{
	return r->verdict >= GATE_SUSPECT || r->verdict == GATE_IMPROVED;
}

/* Find the sessions; where base has enough of them, make each one column. */
enum prof_status gate_join_sessions(struct gate *g,
				    struct prof_err *err) MUST_USE;

/* Join each function that has another name in new with its row of base. */
enum prof_status gate_rename(struct gate *g, struct prof_err *err) MUST_USE;

/* Explain rows that regressed: set their why, causes and place. */
enum prof_status gate_explain(struct gate *g, struct prof_err *err) MUST_USE;
enum prof_status gate_find_causes(struct gate *g, const struct gate_links *x,
				  struct prof_err *err) MUST_USE;

/*
 * Sum the rows r with in[r] into n_run sums each, scaled: their flat values, or
 * the samples with any of them in their stack, each counted once.
 */
void gate_sum_flats(const struct gate *g, const unsigned char *in,
		    double *value, double *square);
void gate_sum_stacks(const struct gate *g, const unsigned char *in,
		     double *value, double *square);

#endif
