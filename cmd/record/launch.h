/* launch.h - start a program under libsample and wait for it. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/base/status.h"
#include "lib/model/runtime.h"
#include "obstacle.h"

struct launch {
	char path[PATH_MAX];    /* of the program */
	char library[PATH_MAX]; /* libsample; "": the kernel samples it */
	const char *outside;    /* the option that asked for that, or NULL */
	uint32_t what;          /* enum shm_what and SHM_PRELOAD_WAIT */
	bool join_stdout;       /* redirect its standard output to our stderr */
	bool jit; /* ask run-time compilers for names, by its environment */
	bool no_interp; /* ... also those whose functions libsample reads */
	bool wait_all;  /* wait for processes that outlive it, too */
	struct rlimit files; /* its limit of descriptors; zeros: ours */
	/* Called with the pid of its process, which calls execve() only after
	 * the return; may be NULL. */
	void (*before)(void *ctx, pid_t pid);
	void *before_ctx;
	pid_t pid;
	bool has_ended; /* private to launch.c */
	/* After launch_wait() returned true: */
	int status;       /* from waitpid() */
	uint64_t used_ns; /* CPU time without its children's; 0: unknown */
};

/*
 * Find the program of that name, by PATH as a shell does, and what keeps
 * libsample out of it, or out of the interpreter if it is a script. PROF_EIO:
 * it cannot be run.
 */
enum prof_status launch_find(struct launch *l, const char *name,
			     enum obstacle *o, struct prof_err *err) MUST_USE;

/* The number of processes of the session that still run, without the first
 * one. */
unsigned launch_left(const struct launch *l, const char *session);

/*
 * Find libsample: $PROF_LIBSAMPLE, else in the build tree of this program, else
 * where it was installed. The other libraries needed to record `what` (enum
 * shm_what, or-ed) are in the same folder.
 */
enum prof_status launch_library(struct launch *l, uint32_t what,
				struct prof_err *err) MUST_USE;

/* Is it the path of libsample, or of a library of ours that is preloaded with
 * it? The program may have one of such a name, too. */
bool launch_is_own(const struct launch *l, const char *path);

/* Does launch_start() set the variable of that runtime, unless it is set? */
bool launch_asks(const struct launch *l, const struct runtime *r);

/*
 * Run argv with libsample, if l->library is set, and the session in its
 * environment. From then on the signals that launch_wait() handles are blocked.
 */
enum prof_status launch_start(struct launch *l, char **argv,
			      const char *session,
			      struct prof_err *err) MUST_USE;

/*
 * Wait at most ms milliseconds for the program. True if it has ended, and with
 * wait_all also the processes that outlive it, unless a signal ended the wait
 * for them. Forwards signals that were sent to us: HUP, INT, QUIT, TERM, USR1,
 * USR2; but not those of the terminal, which the program gets itself.
 */
bool launch_wait(struct launch *l, int ms);

/* In a child, before another command is executed, which is to see signals. */
void launch_hand_on(void);

/*
 * End as the program did: return its exit status; if a signal killed it, raise
 * the same signal, without another core file.
 */
int launch_status(const struct launch *l);

#endif
