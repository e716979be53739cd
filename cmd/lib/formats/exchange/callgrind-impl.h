/*
 * callgrind-impl.h - a call graph between its text and the stacks that are made
 * of it: callgrind-in.c reads, callgrind-spread.c makes a profile.
 */
#ifndef CALLGRIND_IMPL_H
#define CALLGRIND_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "byname.h"
#include "callgrind.h"

enum { CALLGRIND_MAX_EVENTS = 64 };

/* Names are strings of the profile; 0: not known. */
struct cg_function {
	uint32_t object, file, name;
};

/*
 * Costs at a place in a function: its own (callee: PROF_NONE), or those of the
 * calls there. Its file differs from the function's in inlined code.
 */
struct cg_cost {
	uint32_t function, callee, file;
	uint64_t line, address;
	size_t value; /* index of the first of n_event */
};

struct callgraph {
	struct byname b; /* the profile, with its columns */
	struct cg_function *function;
	size_t n_function, cap_function;
	struct cg_cost *cost;
	size_t n_cost, cap_cost;
	int64_t *value;
	size_t n_event, cap_value;
	uint32_t program; /* the command's first word, a string */
};

/*
 * Add samples to g->b.p, by how->flat or not. Sorts g->cost. PROF_ENOMEM,
 * PROF_ELIMIT.
 */
enum prof_status callgrind_spread(struct callgraph *g,
				  const struct callgrind_options *how,
				  struct prof_err *err) MUST_USE;

#endif
