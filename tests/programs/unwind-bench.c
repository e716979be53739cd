/*
 * unwind-bench.c - what the unwinder costs: compiling the tables of this
 * program and of the objects named, and walking a stack of 40 frames without
 * frame pointers, beside libgcc and libunwind.
 *
 *	unwind-bench [OBJECT...]
 *	unwind-bench -n N	N walks and nothing else, to count instructions
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

#include "libsample/unwind/impl.h"
#include "libsample/unwind/unwind.h"

#define REPEAT 20000
#define EVICT_BYTES (64u << 20)

static struct unwind_stack stack[1];
static volatile int sink;
static int n_walk;  /* of -n */
static char *evict; /* written over to empty the processor's caches */

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

static ARCH_HANDLER void
on_signal(int sig, siginfo_t *si, void *uc)
{
	int (*backtrace)(void **, int) = NULL;
	void *lib = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *sym = lib ? dlsym(lib, "unw_backtrace") : NULL;
	static struct unwind_far far;
	struct unwind_info info;
	uintptr_t pc[128];
	void *buf[128];
	size_t n = 0;
	double t;

	(void)sig;
	(void)si;
	unwind_refresh();
	if (n_walk) {
		for (int i = 0; i < n_walk; i++)
			n = unwind_walk(uc, stack, 1, NULL, NULL, pc, 128,
					&info);
		printf("%zu frames, end %d\n", n, (int)info.end);
		return;
	}
	t = now_us();
	n = unwind_walk(uc, stack, 1, NULL, NULL, pc, 128, &info);
	report("unwind_walk, first time", n, now_us() - t, 1);
	t = now_us();
	for (int i = 0; i < REPEAT; i++)
		n = unwind_walk(uc, stack, 1, NULL, NULL, pc, 128, &info);
	report("unwind_walk", n, now_us() - t, REPEAT);
	t = now_us();
	for (int i = 0; i < REPEAT / 10; i++)
		n = unwind_walk(uc, NULL, 0, &far, NULL, pc, 128, &info);
	report("unwind_walk, a stack without bounds", n, now_us() - t,
	       REPEAT / 10);
	t = 0;
	for (int i = 0; i < REPEAT / 100; i++) {
		double begin;

		memset(evict, i, EVICT_BYTES);
		begin = now_us();
		n = unwind_walk(uc, stack, 1, NULL, NULL, pc, 128, &info);
		t += now_us() - begin;
	}
	report("unwind_walk, caches cold", n, t, REPEAT / 100);
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

static __attribute__((noinline)) int
send_signal(int a, int b, int c)
{
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
	return a + b + c;
}

/* As many functions as frames, of as many sizes: no two rules alike. */
#define FRAME(n, next)                                                         \
	static __attribute__((noinline)) int f##n(int a, int b, int c)         \
	{                                                                      \
		volatile char room[8 + 8 * (n)];                               \
                                                                               \
		room[0] = (char)a;                                             \
		return next(b, c, a) + a * b + c + room[0];                    \
	}
/* clang-format off */
FRAME(0, send_signal)
FRAME(1, f0)
FRAME(2, f1)
FRAME(3, f2)
FRAME(4, f3)
FRAME(5, f4)
FRAME(6, f5)
FRAME(7, f6)
FRAME(8, f7)
FRAME(9, f8)
FRAME(10, f9)
FRAME(11, f10)
FRAME(12, f11)
FRAME(13, f12)
FRAME(14, f13)
FRAME(15, f14)
FRAME(16, f15)
FRAME(17, f16)
FRAME(18, f17)
FRAME(19, f18)
FRAME(20, f19)
FRAME(21, f20)
FRAME(22, f21)
FRAME(23, f22)
FRAME(24, f23)
FRAME(25, f24)
FRAME(26, f25)
FRAME(27, f26)
FRAME(28, f27)
FRAME(29, f28)
FRAME(30, f29)
FRAME(31, f30)
FRAME(32, f31)
FRAME(33, f32)
FRAME(34, f33)
FRAME(35, f34)
/* clang-format on */

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
	if (argc == 3 && !strcmp(argv[1], "-n"))
		n_walk = atoi(argv[2]);
	for (int i = 1; i < argc && !n_walk; i++) {
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
	evict = malloc(EVICT_BYTES);
	if (!evict || !unwind_stack_find(&stack[0], true))
		return 2;
	sigaction(SIGUSR1, &sa, NULL);
	sink = f35(1, 2, 3);
	return 0;
}
