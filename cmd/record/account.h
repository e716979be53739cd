/*
 * account.h - the summary at the end of a recording: what was sampled, what was
 * not and why, and the next command.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdint.h>

#include "tally.h"

struct launch;
struct drain;
struct recording;
struct watch;

/* The CPU time, in ns, of the processes that we have waited for and that these
 * have waited for. 0: unknown. */
uint64_t account_children_ns(void);

/*
 * The CPU time, in ns, of the processes that are sampled: of those that we have
 * waited for and that these have waited for, or with SHM_CHILDREN_NONE of the
 * first one. 0: unknown.
 */
uint64_t account_used_ns(const struct drain *d, const struct launch *l);

/* If the rate is above the kernel's tick, with timers on CPU clocks, print what
 * to expect, before the program runs. Only if standard error is a terminal. */
void account_check_rate(uint64_t period_ns);

/* Warn about what was not sampled. session: SHM_ENV of the program. */
void account_missing(const struct drain *d, const struct launch *l,
		     struct watch *w, const char *session);

/* Warn about memory that is missing in profiles of the heap: samples without
 * room, and memory not from malloc(). r has ended. */
void account_heap(const struct drain *d, struct recording *r,
		  const struct watch *w);

/* Print a summary and the next command. file: the profile; NULL: it went into a
 * pipe, or into several files. */
void account_show(const struct drain *d, enum tally_kind kind,
		  const char *file);

#endif
