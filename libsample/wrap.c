/*
 * wrap.c - the functions of libc that libsample interposes: names of a
 * preloaded library are found first.
 *
 *	pthread_create, thrd_create	a timer for the new thread
 *	dlopen, dlmopen, dlclose	what is loaded where
 *	sigaction, signal		our signal keeps its handler, or changes
 *	sigset, __sysv_signal, ...	it changes
 *	sigprocmask, pthread_sigmask	it is never blocked, or changes
 *	sigwait, sigwaitinfo, sigtimedwait	nor taken by others
 *	unshare, setns, setuid, ...	without the thread of wall.c
 *	sighold, sigrelse		the same
 *	__register_atfork		our fork handlers come before all others
 *	chroot, prctl			what is loaded is listed before
 *
 * (exec.c has those that execute a program; wait.c, a separate library,
 * interposes many more.)
 *
 * Each behaves as libc's as far as the program can see. None of them deals with
 * memory, files or locks.
 */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "number.h"
#include "real.h"
#include "sampler.h"
#include "wrap.h"

#define EXPORT __attribute__((visibility("default")))

typedef void *thread_fn(void *);
typedef void handler_fn(int);
typedef void fork_fn(void);
typedef const struct timespec *time_arg;

/* Of one process with one thread only, or of all its threads alike. */
#define ALONE(F)                                                               \
	F(int, setns, (int a, int b), (a, b))                                  \
	F(int, setuid, (uid_t a), (a))                                         \
	F(int, setgid, (gid_t a), (a))                                         \
	F(int, seteuid, (uid_t a), (a))                                        \
	F(int, setegid, (gid_t a), (a))                                        \
	F(int, setreuid, (uid_t a, uid_t b), (a, b))                           \
	F(int, setregid, (gid_t a, gid_t b), (a, b))                           \
	F(int, setresuid, (uid_t a, uid_t b, uid_t c), (a, b, c))              \
	F(int, setresgid, (gid_t a, gid_t b, gid_t c), (a, b, c))              \
	F(int, setgroups, (size_t a, const gid_t *b), (a, b))                  \
	F(int, initgroups, (const char *a, gid_t b), (a, b))

#define FUNCTIONS(F)                                                           \
	F(int, pthread_create,                                                 \
	  (pthread_t *, const pthread_attr_t *, thread_fn *, void *))          \
	F(int, thrd_create, (thrd_t *, thrd_start_t, void *))                  \
	F(void *, dlopen, (const char *, int))                                 \
	F(void *, dlmopen, (Lmid_t, const char *, int))                        \
	F(int, dlclose, (void *))                                              \
	F(int, sigaction, (int, const struct sigaction *, struct sigaction *)) \
	F(handler_fn *, signal, (int, handler_fn *))                           \
	F(handler_fn *, ssignal, (int, handler_fn *))                          \
	F(handler_fn *, bsd_signal, (int, handler_fn *))                       \
	F(handler_fn *, sysv_signal, (int, handler_fn *))                      \
	F(handler_fn *, __sysv_signal, (int, handler_fn *))                    \
	F(handler_fn *, sigset, (int, handler_fn *))                           \
	F(int, sigignore, (int))                                               \
	F(int, siginterrupt, (int, int))                                       \
	F(int, __register_atfork, (fork_fn *, fork_fn *, fork_fn *, void *))   \
	F(int, sigprocmask, (int, const sigset_t *, sigset_t *))               \
	F(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))           \
	F(int, sigwait, (const sigset_t *, int *))                             \
	F(int, unshare, (int))                                                 \
	F(int, chroot, (const char *))                                         \
	F(int, prctl, (int, ...))                                              \
	ALONE(F)                                                               \
	F(int, sigwaitinfo, (const sigset_t *, siginfo_t *))                   \
	F(int, sigtimedwait, (const sigset_t *, siginfo_t *, time_arg))

static struct {
	FUNCTIONS(REAL_MEMBER)
} real;

void
wrap_init(void)
{
	int saved = errno;

	/* The last one, as looking them up may call one of ours again. */
	if (__builtin_expect(real.sigtimedwait != NULL, 1))
		return;
	exec_init();
	FUNCTIONS(REAL_FIND)
	real_found();
	errno = saved;
}

/* All functions here call this first. False: only call libc's. */
static bool
ready(void)
{
	wrap_init();
	return sampler_init();
}

/* musl has none. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));

/* The state of our signal as the program sees it. */
static struct {
	pthread_mutex_t lock;
	struct sigaction theirs;
} wrap = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
sampling(void)
{
	return ready() && sampler_is_on();
}

/* Our handler is never removed: a signal may be pending. */
static bool
is_ours(int sig)
{
	ready();
	return sig && sig == atomic_load(&sampler.signal);
}

/* Not of fork(): a child of vfork(), whose memory, and so what is above, is its
 * parent's; or of clone(2), whose new threads have clocks. */
static bool
is_strange(void)
{
	return sampler.pid != getpid();
}

/* Threads. */

/* Tail calls leave no frame of ours in the program's stacks. */
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

int
wrap_thread(pthread_t *thread, const pthread_attr_t *attr,
	    void *(*start)(void *))
{
	return real.pthread_create(thread, attr, start, NULL);
}

EXPORT int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	       void *(*start)(void *), void *arg)
{
	struct thread *t = ready() ? thread_new() : NULL;
	int rc;

	if (!t)
		return real.pthread_create(thread, attr, start, arg);
	module_check();
	t->start = start;
	t->arg = arg;
	rc = real.pthread_create(thread, attr, run_pthread, t);
	if (rc != 0)
		thread_drop(t);
	return rc;
}

EXPORT int
thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	struct thread *t = ready() ? thread_new() : NULL;
	int rc;

	if (!t)
		return real.thrd_create(thread, start, arg);
	module_check();
	t->start_c11 = start;
	t->arg = arg;
	rc = real.thrd_create(thread, run_c11, t);
	if (rc != thrd_success)
		thread_drop(t);
	return rc;
}

/* Loading. */

/*
 * The folders in which the loader searches for the object that has this
 * address, for free(), and its map; or NULL.
 */
static Dl_serinfo *
search_list(const void *address, struct link_map **map)
{
	Dl_serinfo size, *list = NULL;
	Dl_info info;

	if (!dladdr1 ||
	    !dladdr1(address, &info, (void **)map, RTLD_DL_LINKMAP) || !*map ||
	    dlinfo(*map, RTLD_DI_SERINFOSIZE, &size) != 0 ||
	    !(list = malloc(size.dls_size)))
		return NULL;
	list->dls_size = size.dls_size;
	list->dls_cnt = size.dls_cnt;
	if (dlinfo(*map, RTLD_DI_SERINFO, list) == 0)
		return list;
	free(list);
	return NULL;
}

/*
 * The subfolders that the loader of glibc 2.33 and later prefers in each of
 * them, if the processor can do as much; for arm64 there are none.
 */
static const char *const levels[] = { "", "glibc-hwcaps/x86-64-v2/",
				      "glibc-hwcaps/x86-64-v3/",
				      "glibc-hwcaps/x86-64-v4/" };

static int
best_level(void)
{
#ifdef __x86_64__
#define CAN(feature) __builtin_cpu_supports(feature)
	const char *minor =
		gnu_get_libc_version ? gnu_get_libc_version() + 2 : "0";

	__builtin_cpu_init();
	if (number_read(&minor, 10) < 33 || !CAN("sse4.2") || !CAN("popcnt"))
		return 0;
	if (!CAN("avx2") || !CAN("bmi") || !CAN("bmi2") || !CAN("fma"))
		return 1;
	return CAN("avx512bw") && CAN("avx512dq") && CAN("avx512vl") ? 3 : 2;
#else
	return 0;
#endif
}

static void *
open_in(const char *folder, const char *file, int mode)
{
	void *handle = NULL;

	for (int i = best_level(); i >= 0 && !handle; i--) {
		char path[PATH_MAX];
		int n = snprintf(path, sizeof(path), "%s/%s%s", folder,
				 levels[i], file);

		if (n > 0 && (size_t)n < sizeof(path) &&
		    access(path, R_OK) == 0)
			handle = real.dlopen(path, mode);
	}
	return handle;
}

static bool
is_loaded(const char *file, int mode)
{
	void *handle = real.dlopen(file, (mode & ~RTLD_GLOBAL) | RTLD_NOLOAD);

	return handle && real.dlclose(handle) == 0;
}

/*
 * dlopen() looks for a plain name in the run path of the calling object, which
 * would now be libsample, which has none. So search the caller's path here,
 * unless it is already loaded under this name, from any path; and only up to
 * where the rest is libsample's, too: there the loader's cache comes between.
 * NULL if that finds nothing.
 */
static void *
open_for(const void *caller, const char *file, int mode)
{
	struct link_map *map = NULL, *our_map = NULL;
	Dl_serinfo *theirs = search_list(caller, &map);
	Dl_serinfo *ours = search_list(&wrap, &our_map);
	unsigned n = theirs ? theirs->dls_cnt : 0, k = ours ? ours->dls_cnt : 0;
	void *handle = NULL;

	while (n && k &&
	       !strcmp(theirs->dls_serpath[n - 1].dls_name,
		       ours->dls_serpath[k - 1].dls_name))
		n--, k--;
	if (n && is_loaded(file, mode))
		n = 0;
	for (unsigned i = 0; i < n && !handle; i++)
		handle = open_in(theirs->dls_serpath[i].dls_name, file, mode);
	free(theirs);
	free(ours);
	return handle;
}

/*
 * The same for $ORIGIN, which is the folder of the calling object: file with
 * that folder in its place, in path, of size PATH_MAX; or file itself, if there
 * is none, as it is in the loader's message. (The loader's answer to
 * RTLD_DI_ORIGIN is none for the program itself.)
 */
static const char *
with_origin(const void *caller, const char *file, char *path)
{
	const char *at = strstr(file, "$ORIGIN"), *name, *end;
	struct link_map *map = NULL;
	char program[PATH_MAX] = "";
	Dl_info info;
	int n;

	end = at ? at + strlen("$ORIGIN") : NULL;
	if (!at && (at = strstr(file, "${ORIGIN}")))
		end = at + strlen("${ORIGIN}");
	if (!at || !dladdr1 ||
	    !dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return file;
	name = map->l_name;
	if (!*name &&
	    readlink("/proc/self/exe", program, sizeof(program) - 1) > 0)
		name = program;
	n = snprintf(path, PATH_MAX, "%.*s%.*s%s", (int)(at - file), file,
		     (int)(strrchr(name, '/') ? strrchr(name, '/') - name : 0),
		     name, end);
	return n > 0 && n < PATH_MAX && access(path, F_OK) == 0 ? path : file;
}

EXPORT void *
dlopen(const char *file, int mode)
{
	void *caller = __builtin_return_address(0);
	void *handle = NULL;
	char path[PATH_MAX];

	if (!sampling())
		return real.dlopen(file, mode);
	if (file && strchr(file, '$'))
		file = with_origin(caller, file, path);
	if (file && *file && !strchr(file, '/'))
		handle = open_for(caller, file, mode);
	if (!handle)
		handle = real.dlopen(file, mode);
	if (handle)
		module_refresh();
	return handle;
}

EXPORT void *
dlmopen(Lmid_t space, const char *file, int mode)
{
	bool is_on = sampling();
	void *handle = real.dlmopen(space, file, mode);

	if (handle && is_on)
		module_refresh();
	return handle;
}

EXPORT int
dlclose(void *handle)
{
	bool is_on = sampling();
	int rc = real.dlclose(handle);

	if (rc == 0 && is_on)
		module_refresh();
	return rc;
}

/* Signals. */

static bool
has_handler(const struct sigaction *act, sighandler_t handler)
{
	return !(act->sa_flags & SA_SIGINFO) && act->sa_handler == handler;
}

/*
 * No SA_ONSTACK: a signal stack is only as large as its owner needs. All
 * signals are blocked in the handler, so no other handler can leave it by
 * longjmp. That includes libc's own, which sigfillset() omits: one of them
 * cancels a thread, and unwinds it at once if it is waiting.
 */
int
wrap_handle(int sig)
{
	struct sigaction ours = { .sa_sigaction = handler_tick,
				  .sa_flags = SA_SIGINFO | SA_RESTART };

	if (sig == atomic_load(&sampler.signal))
		return 0;
	memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));
	if (real.sigaction(sig, &ours, &wrap.theirs) != 0)
		return -1;
	atomic_store(&sampler.signal, sig);
	return 0;
}

static bool
is_free(int sig)
{
	struct sigaction now;

	return sig != atomic_load(&sampler.signal) &&
	       real.sigaction(sig, NULL, &now) == 0 &&
	       has_handler(&now, SIG_DFL);
}

/*
 * A signal without a handler, or 0: a real-time one, which programs share by
 * convention; for perf clocks, which cannot use those (clock.c), one that Linux
 * does not send.
 */
static int
free_signal(void)
{
	static const int unsent[] = {
#ifdef SIGSTKFLT
		SIGSTKFLT,
#endif
		SIGPWR,
	};

	for (size_t i = 0; sampler.clock == SHM_CLOCK_PERF &&
			   i < sizeof(unsent) / sizeof(*unsent);
	     i++)
		if (is_free(unsent[i]))
			return unsent[i];
	for (int sig = SIGRTMAX - 1; sig > SIGRTMIN; sig--)
		if (is_free(sig))
			return sig;
	return 0;
}

int
wrap_begin(int sig)
{
	struct sigaction now;
	int other = atomic_load(&sampler.signal);

	if (real.sigaction(sig, NULL, &now) == 0 && !has_handler(&now, SIG_DFL))
		sig = other ? other : free_signal();
	if (!sig) {
		errno = EBUSY;
		return -1;
	}
	return wrap_handle(sig);
}

/*
 * A tick of ours may be pending in a thread, or come while another thread's
 * handler ends, which removes its clock itself. The program's handler must not
 * see it: that of PHP kills the process, as it expects none. The kernel
 * discards what is pending when a signal is ignored.
 */
static void
discard(int sig)
{
	static const struct timespec moment = { .tv_nsec = 20000 };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (int i = 0; i < 100 && atomic_load(&sampler.busy); i++)
		nanosleep(&moment, NULL);
	real.sigaction(sig, &ignore, NULL);
}

/*
 * The program uses our signal: use another one, which this thread may have
 * blocked by mask, with all others. The program's action is set by the caller.
 * Returns whether there is another one. Called with the lock.
 */
static bool
give_way(sigset_t *mask)
{
	int other = free_signal(), sig = atomic_load(&sampler.signal);

	if (!other || wrap_handle(other) != 0)
		return false;
	atomic_store(&sampler.theirs, NULL);
	if (thread_self && mask_has_ours(thread_self, mask))
		sigaddset(mask, sig);
	if (sigismember(mask, other)) {
		sigdelset(mask, other);
		if (thread_self)
			thread_self->masked = mask_bits(mask);
	}
	thread_use_signal(other);
	discard(sig);
	return true;
}

/* There is none, and we cannot pretend. Called with the lock. */
static void
give_up(void)
{
	int sig = atomic_load(&sampler.signal);

	thread_disarm_all();
	atomic_store(&sampler.signal, 0);
	module_note("%s[%d] handles all signals: from here on, its CPU time is "
		    "not sampled",
		    sampler.name, (int)sampler.pid);
	discard(sig);
}

/* There is none: our handler passes on what is not ours. Called with the lock.
 */
static void
pretend(const struct sigaction *act)
{
	static struct sigaction room[2]; /* a handler may read the other one */
	static int i;

	i = !i;
	room[i] = *act;
	wrap.theirs = *act;
	atomic_store(&sampler.theirs, &room[i]);
}

static void
lock(sigset_t *mask)
{
	signals_block(mask);
	pthread_mutex_lock(&wrap.lock);
}

static void
unlock(const sigset_t *mask)
{
	pthread_mutex_unlock(&wrap.lock);
	signals_restore(mask);
}

/* The program is going to use sig in a way that we cannot pretend. */
static void
leave(int sig)
{
	struct sigaction theirs;
	sigset_t mask;

	if (!is_ours(sig) || is_strange())
		return;
	lock(&mask);
	theirs = wrap.theirs;
	if (sig == atomic_load(&sampler.signal)) {
		if (!give_way(&mask))
			give_up();
		real.sigaction(sig, &theirs, NULL);
	}
	unlock(&mask);
}

/*
 * If the program sets the default of our signal (to kill), only pretend: a tick
 * could be pending. The kernel discards it if the signal is ignored, so that is
 * done, as programs that this one executes inherit it. mask: NULL in a process
 * that is_strange(), whose parent keeps its signal.
 */
static int
our_sigaction(int sig, const struct sigaction *act, struct sigaction *old,
	      sigset_t *mask)
{
	struct sigaction was = wrap.theirs;
	int rc = 0;

	if (act && has_handler(act, SIG_DFL)) {
		wrap.theirs = *act;
		atomic_store(&sampler.theirs, NULL);
	} else if (act && mask && !give_way(mask)) {
		pretend(act);
	} else if (act) {
		rc = real.sigaction(sig, act, NULL);
	}
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
		return real.sigaction(sig, act, old);
	if (act && has_handler(act, SIG_IGN) && is_strange())
		return our_sigaction(sig, act, old, NULL);
	lock(&mask);
	if (sig == atomic_load(&sampler.signal))
		rc = our_sigaction(sig, act, old, &mask);
	else
		rc = real.sigaction(sig, act, old);
	unlock(&mask);
	return rc;
}

EXPORT sighandler_t
signal(int sig, sighandler_t handler)
{
	struct sigaction act = { .sa_handler = handler,
				 .sa_flags = SA_RESTART };
	struct sigaction old;

	if (!is_ours(sig))
		return real.signal(sig, handler);
	return sigaction(sig, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* The rest of libc's functions that set a handler. */
#define LEAVE(name)                                                            \
	EXPORT handler_fn *name(int, handler_fn *);                            \
	EXPORT handler_fn *name(int sig, handler_fn *handler)                  \
	{                                                                      \
		leave(sig);                                                    \
		return real.name(sig, handler);                                \
	}

LEAVE(ssignal)
LEAVE(bsd_signal)
LEAVE(sysv_signal)
LEAVE(__sysv_signal)
LEAVE(sigset)

EXPORT int
sigignore(int sig)
{
	leave(sig);
	return real.sigignore(sig);
}

EXPORT int
siginterrupt(int sig, int interrupt)
{
	leave(sig);
	return real.siginterrupt(sig, interrupt);
}

/* Does set name our signal, because the program has a use for it? Not if it is
 * one of many: most programs that block signals block nearly all. */
static bool
names_ours(const sigset_t *set)
{
	int n = 0;

	if (sigismember(set, atomic_load(&sampler.signal)) != 1)
		return false;
	for (int sig = 1; sig < SIGSYS; sig++)
		n += sigismember(set, sig);
	return n < SIGSYS / 2;
}

/* Copy set without our signal to room. NULL stays NULL. */
static const sigset_t *
without_ours(const sigset_t *set, sigset_t *room)
{
	if (!ready() || !set || !atomic_load(&sampler.signal))
		return set;
	if (names_ours(set))
		leave(atomic_load(&sampler.signal));
	*room = *set;
	sigdelset(room, atomic_load(&sampler.signal));
	return room;
}

/* mask_bits() of what the kernel and libc accept of a set in a mask. */
static uint64_t
blockable(const sigset_t *set)
{
	return mask_bits(set) & ~((UINT64_C(1) << (SIGSTOP - 1)) |
				  (UINT64_C(3) << 31)); /* libc's own */
}

static bool
has_our_handler(void)
{
	struct sigaction now;

	return real.sigaction(atomic_load(&sampler.signal), NULL, &now) == 0 &&
	       now.sa_sigaction == handler_tick;
}

/*
 * As change() does, but our signal is only said to be blocked. Not so in a
 * child of vfork(), whose thread has no clock, and the record of its parent's.
 */
static int
change_mask(int (*change)(int, const sigset_t *, sigset_t *), int how,
	    const sigset_t *set, sigset_t *old)
{
	struct thread *self = thread_self;
	int sig = atomic_load(&sampler.signal), rc;
	bool is_named = set && sig && sigismember(set, sig) == 1, is_kept;
	const sigset_t *others;
	sigset_t room, was;

	if (self && (is_named || self->masked) &&
	    self->tid != (pid_t)syscall(SYS_gettid)) {
		thread_mask_show();
		return change(how, set, old);
	}
	others = how == SIG_UNBLOCK ? set : without_ours(set, &room);
	sig = atomic_load(&sampler.signal);
	is_named = is_named && sigismember(set, sig) == 1;
	rc = change(how, others, &was);
	if (rc != 0)
		return rc;
	is_kept = self && mask_has_ours(self, &was);
	if (self && set) {
		uint64_t bits = blockable(others);

		self->masked = 0;
		if (how == SIG_SETMASK && is_named)
			self->masked = bits;
		else if (how == SIG_BLOCK && (is_named || is_kept))
			self->masked = mask_bits(&was) | bits;
		else if (how == SIG_UNBLOCK && is_kept && !is_named)
			self->masked = mask_bits(&was) & (~bits | MASK_KEPT);
	}
	if (set && self && self->is_late && !self->masked && has_our_handler())
		sampler_resume();
	if (old)
		*old = was;
	if (old && is_kept)
		sigaddset(old, sig);
	return rc;
}

EXPORT int
sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	ready();
	return change_mask(real.sigprocmask, how, set, old);
}

EXPORT int
pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	ready();
	return change_mask(real.pthread_sigmask, how, set, old);
}

static int
change_one(int how, int sig)
{
	sigset_t one;

	sigemptyset(&one);
	return sigaddset(&one, sig) == 0 ? sigprocmask(how, &one, NULL) : -1;
}

EXPORT int
sighold(int sig)
{
	return change_one(SIG_BLOCK, sig);
}

EXPORT int
sigrelse(int sig)
{
	return change_one(SIG_UNBLOCK, sig);
}

/* Forks. */

/*
 * Handlers before a fork are called in the reverse order. Our locks are held
 * until after it, so those of the program must come before: they may wait for a
 * lock of a thread that is starting another, or for the end of threads. So ours
 * are registered when the first others are. No more is done then, as an
 * allocator may register its own while it cannot be called.
 */
EXPORT int __register_atfork(fork_fn *, fork_fn *, fork_fn *, void *);

int
__register_atfork(fork_fn *prepare, fork_fn *parent, fork_fn *child,
		  void *object)
{
	int rc;

	sampler_watch_forks();
	rc = wrap_atfork(prepare, parent, child, object);
	if (sampler_is_on() && sampler.clock == SHM_CLOCK_WALL)
		sampler_watch_children();
	return rc;
}

int
wrap_atfork(fork_fn *prepare, fork_fn *parent, fork_fn *child, void *object)
{
	if (!real.__register_atfork)
		real_find(&real.__register_atfork, "__register_atfork");
	return real.__register_atfork
		       ? real.__register_atfork(prepare, parent, child, object)
		       : ENOSYS;
}

void
wrap_fork_prepare(void)
{
	pthread_mutex_lock(&wrap.lock);
}

void
wrap_fork_end(void)
{
	pthread_mutex_unlock(&wrap.lock);
}

/*
 * Namespaces, and users. A process with several threads cannot enter some
 * namespaces. And libc has each thread change the user, and aborts if that
 * fails in one of them, which may have other capabilities, as these are a
 * thread's own. So the thread that the program does not know of ends meanwhile.
 */

EXPORT int
unshare(int flags)
{
	const int alone =
		CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;
	bool is_paused = sampling() && flags & alone && wall_pause();
	int rc = real.unshare(flags);

	if (is_paused)
		wall_start();
	return rc;
}

#define RUN_ALONE(type, name, params, args)                                    \
	EXPORT type name params                                                \
	{                                                                      \
		bool is_paused = sampling() && wall_pause();                   \
		type rc = real.name args;                                      \
                                                                               \
		if (is_paused)                                                 \
			wall_start();                                          \
		return rc;                                                     \
	}

ALONE(RUN_ALONE)

/*
 * A program that shuts itself in: what it was started with may not have been
 * listed yet (module.c), and its files are soon out of reach, or a filter kills
 * for looking at them. Who calls seccomp(2) itself, as libseccomp does, sets
 * no_new_privs first, unless it is root.
 */

static void
look_around(void)
{
	if (sampling() && !is_strange())
		module_check();
}

EXPORT int
chroot(const char *path)
{
	look_around();
	return real.chroot(path);
}

/* As it may come from an allocator, nothing is done for other options. */
EXPORT int
prctl(int option, ...)
{
	unsigned long arg[4];
	va_list words;

	va_start(words, option);
	for (int i = 0; i < 4; i++)
		arg[i] = va_arg(words, unsigned long);
	va_end(words);
	wrap_init();
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
		look_around();
	return real.prctl(option, arg[0], arg[1], arg[2], arg[3]);
}

EXPORT int
sigwait(const sigset_t *set, int *sig)
{
	sigset_t room;
	const sigset_t *others = without_ours(set, &room);

	return real.sigwait(others, sig);
}

EXPORT int
sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	sigset_t room;
	const sigset_t *others = without_ours(set, &room);

	return real.sigwaitinfo(others, info);
}

EXPORT int
sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	sigset_t room;
	const sigset_t *others = without_ours(set, &room);

	return real.sigtimedwait(others, info, time);
}
