/*
 * filter.h - system calls that a seccomp filter may kill for.
 *
 * A filter of system calls may refuse one, or kill the process for it, and does
 * not say which. So when sampling begins under one, as in a container, the
 * calls are tried in a child. A filter that comes later is known by the mode of
 * the thread, if that had none, and otherwise by no_new_privs, which a thread
 * without CAP_SYS_ADMIN must set first. Where that is set already, or there is
 * this capability, the calls are not made under a filter.
 */
#ifndef UNWIND_FILTER_H
#define UNWIND_FILTER_H

#include <stdbool.h>

enum filter_call {
	FILTER_READ, /* process_vm_readv(2), _writev(2) on the own process */
	FILTER_LOOK, /* for a private table of descriptors; sched_setattr(2) */
	FILTER_PERF, /* perf_event_open(2), which may be refused even so */
};

/* Try the calls, if this thread has a filter. Before the first question, and
 * not in signal handlers. */
void filter_try(void);

/* May this thread make these calls? For signal handlers; a system call. */
bool filter_allows(enum filter_call call);

#endif
