/* phase.c - see phase.h. */
#include "config.h"

#include "phase.h"

#include <sys/random.h>

/* The golden ratio of 2^64. */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

enum { LEAST_NS = 100000 /* what an interrupt is small against */ };

/* The upper bits of v, from 0 to 1. */
static double
fraction(uint64_t v)
{
	return (double)(v >> 11) * 0x1p-53;
}

void
phase_begin(struct phase *p, uint64_t period_ns)
{
	*p = (struct phase){ .period_ns = period_ns };
	if (getrandom(&p->turn, sizeof(p->turn), 0) != sizeof(p->turn))
		p->turn = 0;
}

/* Multiples of the golden ratio: any few in a row are evenly spread. */
uint64_t
phase_next(struct phase *p)
{
	uint64_t least = p->period_ns < LEAST_NS ? p->period_ns : LEAST_NS, ns;

	p->turn += GOLDEN;
	ns = (uint64_t)(fraction(p->turn) * (double)p->period_ns);
	return ns < least ? least : ns;
}

/*
 * With periods evenly spread up to P, a first tick is as likely at each moment
 * of the first P of a task: it counts as P. Others in that time would be too
 * many. After it, a tick of a period of ns counts as ns.
 */
bool
phase_takes(const struct phase *p, uint64_t ns, uint64_t count)
{
	/* The count's lower bits are chance. */
	return count < 2 * ns ||
	       (count > p->period_ns &&
		fraction(count * GOLDEN) < (double)ns / (double)p->period_ns);
}
