/*
 * phase.h - a clock that new tasks inherit, with which short tasks get their
 * share. The kernel starts the clock of a task with a whole period, on each CPU
 * that it runs on, so a task shorter than that would never be sampled. So tasks
 * get clocks of different periods, evenly spread up to the one that was asked
 * for. The first tick of each then is a random point of the first period, and
 * of the later ticks as many are taken as one in a period would be.
 */
#ifndef PERF_PHASE_H
#define PERF_PHASE_H

#include <stdbool.h>
#include <stdint.h>

struct phase {
	uint64_t period_ns; /* asked for */
	uint64_t turn;
};

/* Begin at a random one: the few tasks of a short command would have the same
 * periods in each recording. */
void phase_begin(struct phase *p, uint64_t period_ns);

/* The period for the clocks of tasks that start from now on: to be set often.
 */
uint64_t phase_next(struct phase *p);

/* Does this tick, of a clock of a period of ns that has counted `count` ns,
 * stand for a period of the one that was asked for? The same tick always does,
 * or never. */
bool phase_takes(const struct phase *p, uint64_t ns, uint64_t count);

#endif
