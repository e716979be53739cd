/*
 * same.c - what a program sees that uses signals, locks, forks and plugins as
 * few do; same.t compares what it prints when it is recorded and when it is
 * not. same NAME runs one case; without NAME it lists them. With -DLIBRARY, a
 * library with fork handlers, one with an allocator's.
 */
/* Old functions are what some cases are about. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <dlfcn.h>
#include <grp.h>
#include <linux/securebits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern pthread_mutex_t at_fork;

#ifdef LIBRARY

pthread_mutex_t at_fork = PTHREAD_MUTEX_INITIALIZER;

/* An allocator cannot be called while a fork is under way. */
static pthread_mutex_t allocator = PTHREAD_MUTEX_INITIALIZER;

#ifdef __GLIBC__
extern void *__libc_calloc(size_t, size_t);

void *
calloc(size_t n, size_t size)
{
	void *p;

	pthread_mutex_lock(&allocator);
	p = __libc_calloc(n, size);
	pthread_mutex_unlock(&allocator);
	return p;
}
#endif

static void
take(void)
{
	pthread_mutex_lock(&at_fork);
	pthread_mutex_lock(&allocator);
}

static void
give(void)
{
	pthread_mutex_unlock(&allocator);
	pthread_mutex_unlock(&at_fork);
}

__attribute__((constructor)) static void
load(void)
{
	pthread_atfork(take, give, give);
}

#else

static volatile sig_atomic_t n_handled;

static void
on_signal(int sig)
{
	(void)sig;
	n_handled++;
}

static void
work(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		;
}

static void
set_prof(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGPROF);
}

/* What is recorded may be executed with other signals blocked than it is told
 * of, and what that executes is not recorded. */
static void
exec_mask(void)
{
	execlp("env", "env", "-u", "LD_PRELOAD", "grep", "SigBlk",
	       "/proc/self/status", NULL);
	_exit(1);
}

/* Also through exec. */
static void
show_mask(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	for (int sig = 1; sig < NSIG; sig++)
		printf("%d", sigismember(&now, sig) == 1);
	puts("");
	fflush(stdout);
	if (fork() == 0)
		exec_mask();
	wait(NULL);
}

static void
killed(void)
{
	kill(getpid(), SIGPROF);
	puts("alive");
}

static void
timer_without_handler(void)
{
	struct itimerval soon = { { 0, 10000 }, { 0, 10000 } };

	setitimer(ITIMER_PROF, &soon, NULL);
	work(0.5);
	puts("alive");
}

static void
wait_for_it(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 10000 } };
	sigset_t prof;
	int sig = 0;

	set_prof(&prof);
	sigprocmask(SIG_BLOCK, &prof, NULL);
	setitimer(ITIMER_PROF, &soon, NULL);
	work(0.1);
	printf("%d\n", sigwait(&prof, &sig));
	printf("%d\n", sig);
}

static void
pending(void)
{
	struct signalfd_siginfo info;
	sigset_t prof, now;
	int fd;

	set_prof(&prof);
	sigprocmask(SIG_BLOCK, &prof, NULL);
	fd = signalfd(-1, &prof, SFD_NONBLOCK);
	work(0.05);
	kill(getpid(), SIGPROF);
	sigpending(&now);
	printf("%d\n", sigismember(&now, SIGPROF));
	printf("%d\n", read(fd, &info, sizeof(info)) == sizeof(info));
	show_mask();
}

static void
block_all(void)
{
	sigset_t all, prof, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	show_mask();
	kill(getpid(), SIGPROF);
	set_prof(&prof);
	signal(SIGPROF, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &prof, &old);
	printf("%d\n", sigismember(&old, SIGPROF));
	show_mask();
}

/* Names that are older than sigprocmask() change the same mask. */
static void
hold_and_release(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigrelse(SIGUSR1);
	show_mask();
	sighold(SIGUSR1);
	sigrelse(SIGPROF);
	show_mask();
	printf("%d\n", sighold(NSIG) + sigrelse(-1));
	kill(getpid(), SIGPROF);
}

/* The handlers of System V: reset by the first signal. */
static void
old_names(void)
{
	extern sighandler_t __sysv_signal(int, sighandler_t);

	printf("%d\n", sigset(SIGPROF, on_signal) == SIG_DFL);
	work(0.1);
	kill(getpid(), SIGPROF);
	printf("%d\n", n_handled);
	sighold(SIGPROF);
	kill(getpid(), SIGPROF);
	printf("%d\n", n_handled);
	sigrelse(SIGPROF);
	printf("%d\n", n_handled);
	sigignore(SIGPROF);
	kill(getpid(), SIGPROF);
	__sysv_signal(SIGPROF, on_signal);
	work(0.1);
	printf("%d\n", n_handled);
	kill(getpid(), SIGPROF);
	printf("%d\n", signal(SIGPROF, SIG_DFL) == SIG_DFL);
	__sysv_signal(SIGPROF, SIG_DFL);
	work(0.1);
}

/* Including any that a sampler might use instead. */
static void
handle_all(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		printf("%d", signal(sig, on_signal) == SIG_DFL);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		kill(getpid(), sig);
	work(0.1);
	printf("\n%d\n", n_handled);
	for (int sig = 1; sig < NSIG; sig++)
		printf("%d", signal(sig, SIG_DFL) == on_signal);
	work(0.1);
	puts("");
}

/* Its child has the parent's memory. */
static void
ignore_in_vfork(void)
{
	struct sigaction now;

	if (vfork() == 0) {
		printf("%d\n", signal(SIGPROF, SIG_IGN) == SIG_DFL);
		execlp("true", "true", NULL);
		_exit(1);
	}
	wait(NULL);
	sigaction(SIGPROF, NULL, &now);
	printf("%d\n", now.sa_handler == SIG_DFL);
}

static void
mask_in_vfork(void)
{
	sigset_t all, none, one;

	sigfillset(&all);
	sigemptyset(&none);
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (vfork() == 0) {
		sigprocmask(SIG_SETMASK, &none, NULL);
		exec_mask();
	}
	wait(NULL);
	show_mask();
	if (vfork() == 0) {
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		exec_mask();
	}
	wait(NULL);
	show_mask();
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (vfork() == 0) {
		sigprocmask(SIG_SETMASK, &all, NULL);
		exec_mask();
	}
	wait(NULL);
	show_mask();
}

static void *
work_a_moment(void *arg)
{
	work(0.1);
	return arg;
}

/* As browsers do, without fork handlers: of its threads only new ones have
 * clocks. */
static void
reset_in_clone(void)
{
	int status = -1;
	pid_t pid = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);

	if (pid == 0) {
		pthread_t t;

		signal(SIGPROF, SIG_DFL);
		if (pthread_create(&t, NULL, work_a_moment, NULL) == 0)
			pthread_join(t, NULL);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	printf("%x\n", (unsigned)status);
}

/* As browsers do before they execute a program: libc does not see it. */
static void
reset_by_system_call(void)
{
	static const unsigned long by_default[4];
	int status = -1;
	sigset_t all, none;
	pid_t pid;

	sigfillset(&all);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pid = fork();
	if (pid == 0) {
		for (int sig = 1; sig < NSIG; sig++)
			syscall(SYS_rt_sigaction, sig, by_default, NULL,
				sizeof(long));
		pthread_sigmask(SIG_SETMASK, &none, NULL);
		work(0.1);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	printf("%x\n", (unsigned)status);
}

/* As root: with capabilities that other threads do not have then. */
static void
change_user(void)
{
	printf("%d ", prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP));
	printf("%d ", setresuid(65534, 65534, 65534));
	printf("%d ", setgroups(0, NULL));
	printf("%d\n", (int)geteuid());
}

static sem_t sem;

static void *
post_and_wait(void *arg)
{
	for (;;) {
		sem_post(&sem);
		sem_wait(&sem);
	}
	return arg;
}

static void
cancel(void)
{
	pthread_t t;
	void *result;

	sem_init(&sem, 0, 0);
	pthread_create(&t, NULL, post_and_wait, NULL);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("%d\n", result == PTHREAD_CANCELED);
}

/* Refused also where the lock is free. */
static void
no_times(void)
{
	static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec none = { 0, -1 }, past = { 0, 0 };
	const clockid_t other = CLOCK_PROCESS_CPUTIME_ID;

	sem_init(&sem, 0, 9);
	printf("%d ", pthread_mutex_timedlock(&mutex, &none));
	printf("%d ", pthread_mutex_timedlock(&mutex, &none));
	printf("%d ", pthread_mutex_timedlock(&mutex, &past));
	pthread_mutex_unlock(&mutex);
	printf("%d ", pthread_mutex_clocklock(&mutex, other, &past));
	printf("%d ", pthread_rwlock_timedrdlock(&rw, &none));
	printf("%d ", pthread_rwlock_clockrdlock(&rw, other, &past));
	printf("%d ", pthread_rwlock_timedwrlock(&rw, &none));
	printf("%d ", pthread_rwlock_clockwrlock(&rw, other, &past));
	printf("%d ", sem_timedwait(&sem, &none));
	printf("%d ", sem_clockwait(&sem, other, &past));
	printf("%d\n", sem_timedwait(&sem, &past));
}

static void *
nothing(void *arg)
{
	return arg;
}

static void *
start_threads(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		pthread_t t;

		pthread_mutex_lock(&at_fork);
		if (pthread_create(&t, NULL, nothing, NULL) == 0)
			pthread_join(t, NULL);
		pthread_mutex_unlock(&at_fork);
	}
	return arg;
}

static void *
reset_signal(void *arg)
{
	for (int i = 0; i < 100000; i++)
		signal(SIGPROF, SIG_DFL);
	return arg;
}

static void
fork_beside(void *(*start)(void *))
{
	int failed = 0, status;
	pthread_t t;

	pthread_create(&t, NULL, start, NULL);
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			signal(SIGPROF, SIG_DFL);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		failed += status != 0;
	}
	pthread_join(t, NULL);
	printf("%d\n", failed);
}

static void
fork_handlers(void)
{
	fork_beside(start_threads);
}

static void
fork_and_signal(void)
{
	fork_beside(reset_signal);
}

static void
origin(void)
{
	printf("%d\n", dlopen("$ORIGIN/libfolder.so", RTLD_NOW) != NULL);
	printf("%d\n", dlopen("${ORIGIN}/./libfolder.so", RTLD_NOW) != NULL);
	if (!dlopen("$ORIGIN/none.so", RTLD_NOW))
		puts(dlerror());
}

/* One library for any processor, and others for better ones beside it. */
static void
run_path(void)
{
	void *library = dlopen("libvariant.so", RTLD_NOW);
	const int *variant = library ? dlsym(library, "variant") : NULL;

	printf("%d\n", variant ? *variant : 0);
}

#define CASES(F)                                                               \
	F(killed)                                                              \
	F(timer_without_handler)                                               \
	F(wait_for_it)                                                         \
	F(pending)                                                             \
	F(block_all)                                                           \
	F(hold_and_release)                                                    \
	F(old_names)                                                           \
	F(handle_all)                                                          \
	F(ignore_in_vfork)                                                     \
	F(mask_in_vfork)                                                       \
	F(reset_in_clone)                                                      \
	F(reset_by_system_call)                                                \
	F(change_user)                                                         \
	F(cancel)                                                              \
	F(no_times)                                                            \
	F(fork_handlers)                                                       \
	F(fork_and_signal)                                                     \
	F(origin)                                                              \
	F(run_path)

#define CASE(name) { #name, name },

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = { CASES(CASE) };

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc < 2)
			puts(cases[i].name);
		else if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	return 0;
}

#endif
