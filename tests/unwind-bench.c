/*
 * unwind-bench.c - what the unwinder costs: compiling the tables of this
 * program and of the objects named, and walking a stack of 40 frames without
 * frame pointers, beside libgcc and libunwind.
 *
 *	unwind-bench [OBJECT...]
 */
#include "config.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include "libsample/unwind.h"

#define DEPTH 34
#define REPEAT 20000

static struct unwind_stack stack[1];
static volatile int sink;

static double
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static _Unwind_Reason_Code
count_frame(struct _Unwind_Context *ctx, void *arg)
{
	(void)ctx;
	++*(size_t *)arg;
	return _URC_NO_REASON;
}

static void
report(const char *name, size_t n_frame, double us, int n)
{
	printf("%-40s %3zu frames %8.2f us\n", name, n_frame, us / n);
}

static void
on_signal(int sig, siginfo_t *si, void *uc)
{
	int (*backtrace)(void **, int) = NULL;
	void *lib = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *sym = lib ? dlsym(lib, "unw_backtrace") : NULL;
	struct unwind_info info;
	uintptr_t pc[128];
	void *buf[128];
	size_t n = 0;
	double t;

	(void)sig;
	(void)si;
	unwind_refresh();
	t = now_us();
	n = unwind_walk(uc, stack, 1, pc, 128, &info);
	report("unwind_walk, first time", n, now_us() - t, 1);
	t = now_us();
	for (int i = 0; i < REPEAT; i++)
		n = unwind_walk(uc, stack, 1, pc, 128, &info);
	report("unwind_walk", n, now_us() - t, REPEAT);
	t = now_us();
	for (int i = 0; i < REPEAT / 10; i++) {
		n = 0;
		_Unwind_Backtrace(count_frame, &n);
	}
	report("_Unwind_Backtrace (with the handler)", n, now_us() - t,
	       REPEAT / 10);
	if (!sym)
		return;
	memcpy(&backtrace, &sym, sizeof(sym));
	backtrace(buf, 128);
	t = now_us();
	for (int i = 0; i < REPEAT; i++)
		n = (size_t)backtrace(buf, 128);
	report("unw_backtrace (with the handler)", n, now_us() - t, REPEAT);
}

/* Frames of several shapes, so that the rules differ. */
static __attribute__((noinline)) int
descend(int n, int a, int b, int c)
{
	volatile char room[40 + 8 * 3];
	int r;

	room[0] = (char)a;
	if (n == 0) {
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
		return room[0];
	}
	r = n & 1 ? descend(n - 1, b, c, a) : descend(n - 1, c, a, b);
	return r + a * b + c + room[0];
}

int
main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = on_signal,
				.sa_flags = SA_SIGINFO };
	struct unwind_stats before, after;
	double t = now_us();

	unwind_refresh();
	t = now_us() - t;
	unwind_stats(&after);
	printf("%-40s %3zu objects %8zu rows %6zu KiB %8.2f ms\n",
	       "tables of this program", after.n_object, after.n_row,
	       after.n_bytes / 1024, t / 1e3);
	for (int i = 1; i < argc; i++) {
		before = after;
		if (!dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL)) {
			printf("%s\n", dlerror());
			continue;
		}
		t = now_us();
		unwind_refresh();
		t = now_us() - t;
		unwind_stats(&after);
		printf("%-40.40s %3zu objects %8zu rows %6zu KiB %8.2f ms, "
		       "%zu refused\n",
		       strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1
					     : argv[i],
		       after.n_object - before.n_object,
		       after.n_row - before.n_row,
		       (after.n_bytes - before.n_bytes) / 1024, t / 1e3,
		       after.n_refused - before.n_refused);
	}
	unwind_stack_find(&stack[0]);
	sigaction(SIGUSR1, &sa, NULL);
	sink = descend(DEPTH, 1, 2, 3);
	return 0;
}
