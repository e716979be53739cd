/*
 * account.h - what a recording says about itself at its end: how much was
 * sampled, what was not and why, and what to type next.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdint.h>

#include "tally.h"

struct launch;
struct drain;
struct watch;

/* CPU time in ns of the processes that we have waited for, and of those that
 * they have. */
uint64_t account_used_ns(void);

/* A rate above the kernel's tick, by timers on CPU clocks: say what will come
 * of it, before the program runs, if standard error is a terminal. */
void account_check_rate(uint64_t period_ns);

/* Warn of what was not sampled. session: SHM_ENV of the program. */
void account_missing(const struct drain *d, const struct launch *l,
		     const struct watch *w, const char *session);

/* The same: what there is, and the next command. file: where it is; NULL: it
 * went into a pipe, or into several files. */
void account_show(const struct drain *d, enum tally_kind kind,
		  const char *file);

#endif
