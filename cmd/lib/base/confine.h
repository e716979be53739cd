/*
 * confine.h - end the rights of a process that parses what strangers wrote: the
 * user nobody, no new privileges, no file system, little memory and time, and
 * no system calls but those that compute, and use the descriptors that it has.
 */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "status.h"

/* Should strangers' files be read by such a process? If this one is root's,
 * unless $PROF_SANDBOX is 0. */
bool confine_is_wanted(void);

/* The same for any user: a crash must cost no more than that process. */
bool confine_is_possible(void);

/* fork() of a process with one thread; it does not appear to wait() without
 * __WALL. */
pid_t confine_fork(void);

/*
 * Run serve(), which ends the process, in one of confine_fork(). Its only
 * descriptor is 0: the other end of *socket, which keeps messages apart. false:
 * it could not be made so. Returns its pid; -1: PROF_EIO, and *socket is -1.
 */
pid_t confine_serve(int *socket, void (*serve)(bool is_ready),
		    struct prof_err *err);

/* Become nobody, without a way back. false: it failed; end the process. */
bool confine_drop_rights(void);

/*
 * Limit address space, beside what is there, and seconds of a processor, the
 * kernel's work for it included, of this process, which was just forked: it
 * can't raise them once its calls are limited.
 */
void confine_limit(size_t bytes, unsigned seconds);

/*
 * Allow the process so many bytes more, for a file that is handed over, and so
 * many seconds from now on, if it has less: those of many files don't add up
 * for one. Without CAP_SYS_RESOURCE, which containers may lack, nothing
 * changes.
 */
void confine_allow(pid_t pid, size_t bytes, unsigned seconds);
bool confine_may_allow(void);

/* What it does after confine_calls(), besides to read what it has: nothing;
 * receive files; that, and start threads. */
enum confine_needs { CONFINE_NOTHING, CONFINE_FILES, CONFINE_THREADS };

/*
 * From now on, a call that names a file fails with EACCES; one that is not
 * needed to read, to compute and to answer ends the process, as do threads that
 * it does not need. false: it failed; end the process. Where the kernel has no
 * filter of calls, the user and lower limits must do, and root has no such
 * process: false.
 */
bool confine_calls(enum confine_needs needs);
bool confine_has_filter(void);

/* A process whose answers are awaited; all 0 but for pid. */
struct confined {
	pid_t pid; /* 0: unknown, and so it is never at work */

	/* NULL, or: when `socket` has something to read; false: no more. */
	bool (*hear)(void *ctx);
	void *ctx;
	int socket;

	const atomic_bool
		*is_over;  /* NULL, or: it is not waited for any more */
	unsigned patience; /* seconds for nothing; 0: CONFINE_SILENCE */
	unsigned silent;   /* seconds in which it did nothing */
	bool is_late;      /* there were too many, or it is over */
	uint64_t used_ns;  /* of a processor, at the last silent second */
};

/*
 * read() of an answer; -1 also if c->is_late: the process did nothing for too
 * many seconds in all, and did not even wait for a processor.
 */
enum { CONFINE_SILENCE = 20 };
ssize_t confine_read_some(struct confined *c, int fd, void *out, size_t n);

/* Read n bytes. false: there are fewer, or it did nothing. */
bool confine_read(struct confined *c, int fd, void *out, size_t n);

#endif
