/* clock.h - may the program's threads have clocks of perf_event_open(2)? */
#ifndef PERF_CLOCK_H
#define PERF_CLOCK_H

#include "lib/base/status.h"

/*
 * Open such a clock on this process, as libsample does on threads, as *fd.
 * While it is open, the kernel keeps the infrastructure for them when the last
 * thread with one ends. PROF_ENOTSUP, with the reason, if that is not possible.
 */
enum prof_status perfclock_open(int *fd, struct prof_err *err) MUST_USE;

#endif
