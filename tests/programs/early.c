/*
 * early.c - functions that libsample interposes, called for the first time at a
 * difficult moment. early.t compiles it several times:
 *
 *	-DLIBRARY	a library whose constructor starts a thread, which
 *			calls them all, and waits for it: if linked, before
 *			any constructor of libsample; if loaded, under the
 *			loader's lock
 *	-DRESOLVER	a program that calls one before libc is initialized
 *	-		a program that loads the library in its argument, if any
 *
 * The programs then work for a while, so that there is something to sample.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#ifdef LIBRARY

static volatile sig_atomic_t handled;

static void
on_signal(int sig)
{
	struct sigaction now;
	sigset_t mask;

	if (pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 &&
	    sigprocmask(SIG_BLOCK, NULL, &mask) == 0 &&
	    sigaction(sig, NULL, &now) == 0)
		handled = now.sa_handler == on_signal;
}

static void *
nothing(void *arg)
{
	return arg;
}

static int
nothing_c11(void *arg)
{
	return arg != NULL;
}

static void
check(int is_right, const char *what)
{
	if (is_right)
		return;
	printf("early: %s\n", what);
	exit(1);
}

static void
wait_for_signals(void)
{
	const struct timespec at_once = { 0, 0 };
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	check(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0, "pthread_sigmask");
	pthread_kill(pthread_self(), SIGUSR1);
	check(sigwait(&set, &sig) == 0 && sig == SIGUSR1, "sigwait");
	pthread_kill(pthread_self(), SIGUSR1);
	check(sigwaitinfo(&set, NULL) == SIGUSR1, "sigwaitinfo");
	check(sigtimedwait(&set, NULL, &at_once) == -1, "sigtimedwait");
	check(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0, "sigprocmask");
}

static void *
call_all(void *arg)
{
	struct sigaction act = { .sa_handler = on_signal };
	pthread_t t;
	thrd_t c11;

	wait_for_signals();
	check(sigaction(SIGUSR2, &act, NULL) == 0, "sigaction");
	pthread_kill(pthread_self(), SIGUSR2);
	check(handled, "in a signal handler");
	check(signal(SIGHUP, SIG_IGN) == SIG_DFL, "signal");
	check(pthread_create(&t, NULL, nothing, NULL) == 0 &&
		      pthread_join(t, NULL) == 0,
	      "pthread_create");
	check(thrd_create(&c11, nothing_c11, NULL) == thrd_success &&
		      thrd_join(c11, NULL) == thrd_success,
	      "thrd_create");
	return arg;
}

static __attribute__((constructor)) void
load(void)
{
	void *self = dlopen(NULL, RTLD_NOW);
	pthread_t t;

	check(self && dlclose(self) == 0, "dlopen");
	check(pthread_create(&t, NULL, call_all, NULL) == 0, "a thread");
	pthread_join(t, NULL);
	puts("loaded");
	fflush(stdout);
}

int
early_library(void)
{
	return 0;
}

#else

int early_library(void);

#ifdef RESOLVER
static int
answer(void)
{
	return 0;
}

static int (*choose(void))(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigprocmask(SIG_BLOCK, &none, NULL) == 0 ? answer : NULL;
}

int early_library(void) __attribute__((ifunc("choose")));
#endif

static __attribute__((noinline)) void
work(void)
{
	void *volatile p = malloc(1000);
	struct timespec t;

	free(p);
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec == 0 && t.tv_nsec < 200000000);
}

int
main(int argc, char **argv)
{
	if (argc > 1 && !dlopen(argv[1], RTLD_NOW)) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
#if defined(LINKED) || defined(RESOLVER)
	if (early_library() != 0)
		return 1;
#endif
	work();
	puts("done");
	return 0;
}

#endif
