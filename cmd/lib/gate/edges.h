/*
 * edges.h - who calls whom, and which lines, in all profiles of a
 * comparison at once, around the rows that matter. Of edges.c and
 * explain.c alone; it is built only when something regressed.
 */
#ifndef GATE_EDGES_H
#define GATE_EDGES_H

#include "gate.h"
#include "lib/base/pairs.h"

#define EDGE_ROOT 0 /* the caller of what nothing calls; others: row + 1 */

struct gate_edge {
	uint32_t caller; /* row + 1, or EDGE_ROOT */
	uint32_t callee; /* row */
	bool is_called;  /* not inlined, at least once */
	double used;     /* part of it that was found elsewhere */
	double value[2]; /* per profile, by side */
};

/* A line of a row that was marked. */
struct gate_line {
	uint32_t row;
	uint32_t name; /* string of gate.names: what is printed */
	uint32_t file; /* string of gate.names */
	int64_t line;
	double value[2];
};

/* Indices in an array of gate_edges, ascending, for each of some rows. */
struct gate_index {
	uint32_t *first; /* of row r from first[r] to first[r + 1] - 1 */
	uint32_t *at;
};

struct gate_edges {
	struct gate *g;
	/*
	 * Rows, the most important first: whose growth is to be explained, and
	 * who is gone, so that their work may be elsewhere. Edges from and to
	 * the former and to the latter are kept. When they are too many, the
	 * last rows of both go, until the edges fit.
	 */
	const uint32_t *marked, *gone;
	size_t n_marked, n_gone;
	uint8_t *role; /* of a row: ROLE_* */

	struct gate_edge *edge;
	double *count; /* n_run for each edge */
	double *value;
	struct gate_line *line;
	size_t n_edge, n_line, max_edge;
	size_t cap_edge, cap_count, cap_value, cap_line;
	struct pairs edge_of, line_of;
	struct gate_index callers; /* edges to a row */
	struct gate_index callees; /* edges from a caller, EDGE_ROOT too */
	struct gate_index losses;  /* ... to callees that are gone */
	struct gate_index lines;   /* lines of a row */
	uint32_t stamp;
};

enum { ROLE_MARKED = 1, ROLE_GONE = 2 };

/*
 * Look through all profiles of e->g for the rows that the caller has listed in
 * e, of which some are left afterwards. max_edge: how many edges may be kept.
 * To end with gate_edges_release(), in any case.
 */
enum prof_status gate_edges_build(struct gate_edges *e,
				  struct prof_err *err) MUST_USE;
void gate_edges_release(struct gate_edges *e);

/* How many indices there are of row r; *at: which. */
static inline size_t
gate_index_of(const struct gate_index *x, size_t r, const uint32_t **at)
{
	*at = x->at + x->first[r];
	return x->first[r + 1] - x->first[r];
}

/*
 * Give those of the n rows that regressed their causes. In cause.c; the
 * rows are marked in e.
 */
enum prof_status gate_find_causes(const struct gate_edges *e,
				  const uint32_t *row, size_t n,
				  struct prof_err *err) MUST_USE;

#endif
