/*
 * gate-edges.h - who calls whom, and which lines, in all profiles of a
 * comparison at once. Of gate-edges.c and gate-explain.c alone; it is built
 * only when something regressed.
 */
#ifndef GATE_EDGES_H
#define GATE_EDGES_H

#include "gate.h"
#include "pairs.h"

#define EDGE_ROOT 0 /* the caller of what nothing calls; others: row + 1 */

struct gate_edge {
	uint32_t caller; /* row + 1, or EDGE_ROOT */
	uint32_t callee; /* row */
	bool is_called;  /* not inlined, at least once */
	double used;     /* part of it that was found elsewhere */
	double value[2]; /* per profile, by side */
};

/* A line of a row that is marked. */
struct gate_line {
	uint32_t row;
	uint32_t name; /* string of gate.names: what is printed */
	uint32_t file; /* string of gate.names */
	int64_t line;
	double value[2];
};

struct gate_edges {
	struct gate *g;
	struct gate_edge *edge;
	double *count; /* n_run for each edge */
	double *value;
	struct gate_line *line;
	size_t n_edge, n_line;
	size_t cap_edge, cap_count, cap_value, cap_line;
	struct pairs edge_of, line_of;
	const bool *is_marked; /* rows whose lines are wanted */
	uint32_t stamp;
};

/* Look through all profiles of g. To end with gate_edges_release(). */
enum prof_status gate_edges_build(struct gate_edges *e, struct gate *g,
				  const bool *is_marked,
				  struct prof_err *err) MUST_USE;
void gate_edges_release(struct gate_edges *e);

#endif
