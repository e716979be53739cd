/* impl.h - what the parts of gate.h share. */
#ifndef GATE_IMPL_H
#define GATE_IMPL_H

#include "gate.h"

/* --- rows.c: stacks --- */

/*
 * A frame, as bytes in gate.frames, where equal ones are one, and for walks
 * over all stacks in gate.frame, which stays in the cache. A stack is an array
 * of indices of frames, leaf first, as bytes in gate.stacks; equal stacks of
 * all profiles are one.
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

/* The row of a name, which is added when it is new; PROF_NONE: no memory. */
uint32_t gate_row_of(struct gate *g, const struct str *name);

/* --- measure.c --- */

/* The value and the events behind row `value` of a profile. */
double gate_value(const struct gate_measure *m, const int64_t *value);
double gate_events(const struct gate_measure *m, const int64_t *value);

/* --- judge.c: sums --- */

/* The sums of a row, by run: of values, or of squares over events. */
static inline double *
gate_sums(const struct gate *g, double *of, uint32_t row, enum gate_kind kind)
{
	return of + (2 * (size_t)row + kind) * g->n_run;
}

/* The total of a run, scaled; of what was not filtered, too. */
static inline double
gate_total_of(const struct gate *g, size_t run)
{
	return g->run[run].total.value * g->run[run].factor;
}

/* Means per profile of a side, scaled, of a row. */
struct gate_pair {
	double before, after;
};
struct gate_pair gate_means(const struct gate *g, uint32_t row,
			    enum gate_kind kind);

/* At most a tenth of its cum is left; the converse. */
bool gate_is_gone(const struct gate *g, uint32_t row);
bool gate_is_new(const struct gate *g, uint32_t row);

/* --- noise.c, test.c: numbers alone --- */

/* A row to test: sums by run, base before new. */
struct gate_series {
	const double *value, *square;
	bool is_flat; /* flat rows share no samples */
	bool is_test; /* is of the family */
};

struct gate_table {
	size_t n, n_run, n_side[2];
	const struct gate_series *row; /* row[0] is the total */
};

/*
 * Learn the noise from the rows, without looking at the difference between
 * the sides (but for one run a side); fills m but for its level, and of each
 * cell what is "from the sums and the noise". PROF_ENOMEM.
 */
enum prof_status gate_learn(const struct gate_table *t,
			    const struct gate_options *o,
			    const struct gate_dist *d, struct gate_model *m,
			    struct gate_cell *cell,
			    struct prof_err *err) MUST_USE;

/* s0 and d0 of a row with m events, in effect. */
double gate_prior(const struct gate_model *m, double size, double *df);

/* gate_learn(), then test and judge all rows. PROF_ENOMEM. */
enum prof_status gate_test(const struct gate_table *t,
			   const struct gate_options *o,
			   const struct gate_dist *d, struct gate_model *m,
			   struct gate_cell *cell,
			   struct prof_err *err) MUST_USE;

/*
 * Test a set of stacks that is no row of the table, by its sums, with the noise
 * of the comparison: fills before, after, low, high, p_slower, p_faster.
 */
void gate_test_set(const struct gate *g, const struct gate_dist *d,
		   const double *value, const double *square,
		   struct gate_cell *c);

/*
 * Standard error and degrees of freedom of after (and of before, if
 * of_change), at what was seen plus half an event.
 */
double gate_error(const struct gate_model *m, const struct gate_options *o,
		  const struct gate_cell *c, bool of_change, double *df);

/* --- links.c: who is next to what --- */

enum gate_link_kind {
	LINK_CALLER, /* other: row + 1, or 0 for none */
	LINK_CALLEE, /* other: row + 1 */
	LINK_LINE,   /* other: place in the row */
	LINK_PLACE,  /* other: the next place of ours, in it or above it */
	LINK_LEAF,   /* other: row + 1, where stacks with the row end */
	LINK_N_KIND,
};

struct gate_link {
	uint32_t row, other;
	enum gate_link_kind kind;
	bool is_called;  /* not inlined, at least once */
	double value[2]; /* per profile, by side */
};

/* Sorted by row, kind, other. */
struct gate_links {
	struct gate_link *link;
	size_t n;
};

/*
 * The links of all rows r with marked[r], of the kinds in the set `kinds` (1 <<
 * kind). To end with gate_links_release(), in any case. PROF_ENOMEM.
 */
enum prof_status gate_links_build(struct gate_links *x, const struct gate *g,
				  const unsigned char *marked, unsigned kinds,
				  struct prof_err *err) MUST_USE;
void gate_links_release(struct gate_links *x);

/* The links of a row and kind: the first, and how many. */
const struct gate_link *gate_links_of(const struct gate_links *x, uint32_t row,
				      enum gate_link_kind kind, size_t *n);

/* --- stages of gate_judge() --- */

/* Join functions that have another name in new with their old row. */
enum prof_status gate_rename(struct gate *g, struct prof_err *err) MUST_USE;

/* What became of rows that regressed: their why, causes and place. */
enum prof_status gate_explain(struct gate *g, const struct gate_dist *d,
			      struct prof_err *err) MUST_USE;
enum prof_status gate_find_causes(struct gate *g, const struct gate_links *x,
				  struct prof_err *err) MUST_USE;

/*
 * Add up rows r with in[r], into n_run sums each, scaled: their flats, or the
 * samples with any of them on their stack, each once.
 */
void gate_sum_flats(const struct gate *g, const unsigned char *in,
		    double *value, double *square);
void gate_sum_stacks(const struct gate *g, const unsigned char *in,
		     double *value, double *square);

#endif
