/*
 * wrap.c - the functions of libc that libsample stands in front of, because a
 * preloaded library's names are found first:
 *
 *	pthread_create, thrd_create	a timer for the new thread
 *	dlopen, dlmopen, dlclose	what is loaded where
 *	sigaction, signal		our signal keeps its handler, or we move
 *	sigprocmask, pthread_sigmask	our signal is never blocked
 *	sigwait, sigwaitinfo, sigtimedwait	nor taken by others
 *
 * Each does what libc's does as far as the program can see. None of them has
 * anything to do with memory, files or locks.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "sampler.h"
#include "wrap.h"

#define EXPORT __attribute__((visibility("default")))

/*
 * libc's function of this name. dlsym() may allocate, which is why it is asked
 * once and not where the address is needed in a hurry.
 */
#define REAL(type, name)                                                       \
	static _Atomic(type) cache_;                                           \
	type real = atomic_load_explicit(&cache_, memory_order_relaxed);       \
	if (!real) {                                                           \
		void *found_ = dlsym(RTLD_NEXT, name);                         \
		memcpy(&real, &found_, sizeof real);                           \
		atomic_store_explicit(&cache_, real, memory_order_relaxed);    \
	}

/* What the program believes about our signal. */
static struct {
	pthread_mutex_t lock;
	struct sigaction theirs;
} wrap = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
sampling(void)
{
	return sampler_init() && sampler_is_on();
}

/* Our handler stays for ever: a signal may be on its way. */
static bool
is_ours(int sig)
{
	sampler_init();
	return sig && sig == atomic_load(&sampler.signal);
}

/* Threads. */

/* Calls in tail position leave no frame of ours in the program's stacks. */
static void *
run_pthread(void *arg)
{
	struct thread *t = arg;
	void *(*start)(void *) = t->start;
	void *start_arg = t->arg;

	thread_enter(t);
	return start(start_arg);
}

static int
run_c11(void *arg)
{
	struct thread *t = arg;
	int (*start)(void *) = t->start_c11;
	void *start_arg = t->arg;

	thread_enter(t);
	return start(start_arg);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);

static int
real_create(pthread_t *thread, const pthread_attr_t *attr,
	    void *(*start)(void *), void *arg)
{
	REAL(create_fn *, "pthread_create")

	return real(thread, attr, start, arg);
}

int
wrap_thread(pthread_t *thread, const pthread_attr_t *attr,
	    void *(*start)(void *))
{
	return real_create(thread, attr, start, NULL);
}

EXPORT int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	       void *(*start)(void *), void *arg)
{
	struct thread *t = sampler_init() ? thread_new() : NULL;
	int rc;

	if (!t)
		return real_create(thread, attr, start, arg);
	module_check();
	t->start = start;
	t->arg = arg;
	rc = real_create(thread, attr, run_pthread, t);
	if (rc != 0)
		thread_drop(t);
	return rc;
}

typedef int thrd_create_fn(thrd_t *, thrd_start_t, void *);

EXPORT int
thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	REAL(thrd_create_fn *, "thrd_create")
	struct thread *t = sampler_init() ? thread_new() : NULL;
	int rc;

	if (!t)
		return real(thread, start, arg);
	module_check();
	t->start_c11 = start;
	t->arg = arg;
	rc = real(thread, run_c11, t);
	if (rc != thrd_success)
		thread_drop(t);
	return rc;
}

/* Loading. */

typedef void *dlopen_fn(const char *, int);
typedef void *dlmopen_fn(Lmid_t, const char *, int);
typedef int dlclose_fn(void *);

/*
 * dlopen() finds a bare name by the run path of the object that calls it, and
 * that would now be libsample. So look through the caller's search path here;
 * NULL when there is nothing to be found that way.
 */
static void *
open_for(const void *caller, const char *file, int mode, dlopen_fn *real)
{
	struct link_map *map = NULL;
	Dl_serinfo size, *paths;
	Dl_info info;
	void *handle = NULL;

	if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return NULL;
	/* Loaded already: under this name, wherever it came from. */
	handle = real(file, (mode & ~RTLD_GLOBAL) | RTLD_NOLOAD);
	if (handle) {
		dlclose(handle);
		return NULL;
	}
	if (dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0)
		return NULL;
	paths = malloc(size.dls_size);
	if (!paths)
		return NULL;
	paths->dls_size = size.dls_size;
	paths->dls_cnt = size.dls_cnt;
	if (dlinfo(map, RTLD_DI_SERINFO, paths) != 0)
		paths->dls_cnt = 0;
	for (unsigned i = 0; i < paths->dls_cnt && !handle; i++) {
		char path[PATH_MAX];
		int n = snprintf(path, sizeof path, "%s/%s",
				 paths->dls_serpath[i].dls_name, file);

		if (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0)
			handle = real(path, mode);
	}
	free(paths);
	return handle;
}

EXPORT void *
dlopen(const char *file, int mode)
{
	REAL(dlopen_fn *, "dlopen")
	void *caller = __builtin_return_address(0);
	void *handle = NULL;

	if (!sampling())
		return real(file, mode);
	if (file && *file && !strchr(file, '/'))
		handle = open_for(caller, file, mode, real);
	if (!handle)
		handle = real(file, mode);
	if (handle)
		module_refresh();
	return handle;
}

EXPORT void *
dlmopen(Lmid_t space, const char *file, int mode)
{
	REAL(dlmopen_fn *, "dlmopen")
	void *handle = real(space, file, mode);

	if (handle && sampling())
		module_refresh();
	return handle;
}

EXPORT int
dlclose(void *handle)
{
	REAL(dlclose_fn *, "dlclose")
	int rc = real(handle);

	if (rc == 0 && sampling())
		module_refresh();
	return rc;
}

/* Signals. */

typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);
typedef int sigmask_fn(int, const sigset_t *, sigset_t *);
typedef sighandler_t signal_fn(int, sighandler_t);
typedef int sigwait_fn(const sigset_t *, int *);
typedef int sigwaitinfo_fn(const sigset_t *, siginfo_t *);
typedef int sigtimedwait_fn(const sigset_t *, siginfo_t *,
			    const struct timespec *);

static int
real_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	REAL(sigaction_fn *, "sigaction")

	return real(sig, act, old);
}

/*
 * No SA_ONSTACK: a signal stack is as big as its owner needs it. Every signal
 * is blocked meanwhile, so no other handler can leave ours by longjmp.
 */
int
wrap_handle(int sig)
{
	struct sigaction ours = { .sa_sigaction = handler_tick,
				  .sa_flags = SA_SIGINFO | SA_RESTART };

	if (sig == atomic_load(&sampler.signal))
		return 0;
	sigfillset(&ours.sa_mask);
	if (real_sigaction(sig, &ours, &wrap.theirs) != 0)
		return -1;
	atomic_store(&sampler.signal, sig);
	return 0;
}

/* A real-time signal that nobody has a handler for, or 0. */
static int
free_signal(void)
{
	for (int sig = SIGRTMAX - 1; sig > SIGRTMIN; sig--) {
		struct sigaction now;

		if (sig != atomic_load(&sampler.signal) &&
		    real_sigaction(sig, NULL, &now) == 0 &&
		    !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
			return sig;
	}
	return 0;
}

/* The program wants our signal for itself: it gets it. Under the lock. */
static int
give_way(int sig, const struct sigaction *act)
{
	int other = free_signal();

	if (!other || wrap_handle(other) != 0) {
		errno = EINVAL;
		return -1;
	}
	thread_use_signal(other);
	module_note("%s[%d] handles signal %d itself: sampling by signal %d",
		    program_invocation_short_name, (int)sampler.pid, sig,
		    other);
	return real_sigaction(sig, act, NULL);
}

/*
 * Setting our signal to be ignored, or to its default (to kill), is believed
 * but not done: a tick could be under way.
 */
static int
our_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction was = wrap.theirs;
	int rc = 0;

	if (act && ((act->sa_flags & SA_SIGINFO) ||
		    (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN)))
		rc = give_way(sig, act);
	else if (act)
		wrap.theirs = *act;
	if (rc == 0 && old)
		*old = was;
	return rc;
}

EXPORT int
sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	sigset_t mask;
	int rc;

	if (!is_ours(sig))
		return real_sigaction(sig, act, old);
	signals_block(&mask);
	pthread_mutex_lock(&wrap.lock);
	if (sig == atomic_load(&sampler.signal))
		rc = our_sigaction(sig, act, old);
	else
		rc = real_sigaction(sig, act, old);
	pthread_mutex_unlock(&wrap.lock);
	signals_restore(&mask);
	return rc;
}

EXPORT sighandler_t
signal(int sig, sighandler_t handler)
{
	REAL(signal_fn *, "signal")
	struct sigaction act = { .sa_handler = handler,
				 .sa_flags = SA_RESTART };
	struct sigaction old;

	if (!is_ours(sig))
		return real(sig, handler);
	return sigaction(sig, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* set without our signal; uses room. NULL stays NULL. */
static const sigset_t *
without_ours(const sigset_t *set, sigset_t *room)
{
	if (!set || !sampler_init() || !atomic_load(&sampler.signal))
		return set;
	*room = *set;
	sigdelset(room, atomic_load(&sampler.signal));
	return room;
}

EXPORT int
sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	REAL(sigmask_fn *, "sigprocmask")
	sigset_t room;

	return real(how, how == SIG_UNBLOCK ? set : without_ours(set, &room),
		    old);
}

EXPORT int
pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	REAL(sigmask_fn *, "pthread_sigmask")
	sigset_t room;

	return real(how, how == SIG_UNBLOCK ? set : without_ours(set, &room),
		    old);
}

EXPORT int
sigwait(const sigset_t *set, int *sig)
{
	REAL(sigwait_fn *, "sigwait")
	sigset_t room;

	return real(without_ours(set, &room), sig);
}

EXPORT int
sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	REAL(sigwaitinfo_fn *, "sigwaitinfo")
	sigset_t room;

	return real(without_ours(set, &room), info);
}

EXPORT int
sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	REAL(sigtimedwait_fn *, "sigtimedwait")
	sigset_t room;

	return real(without_ours(set, &room), info, time);
}
