/* clock.h - may the program's threads have clocks of perf_event_open(2)? */
#ifndef PERF_CLOCK_H
#define PERF_CLOCK_H

#include "lib/base/status.h"

/*
 * Open such a clock on this process as libsample does on threads: *fd. As long
 * as it is open, the kernel need not get ready anew when the last thread of the
 * program that has one goes. PROF_ENOTSUP, with the reason, when there is none
 * to be had.
 */
enum prof_status perfclock_open(int *fd, struct prof_err *err) MUST_USE;

#endif
