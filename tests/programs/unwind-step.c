/*
 * unwind-step.c - single-step through work of every kind that makes stacks
 * hard to walk, and at every instruction compare unwind_walk() with other
 * unwinders. The processor's trap flag gives a SIGTRAP after each
 * instruction, so each prologue and epilogue is met at each place.
 *
 *	unwind-step [-v] [MAX-CONTEXTS]
 *
 * prints a line per kind of work, and the sum; exit status 1 when fewer than
 * 99.9 % are equal, or fewer than 10,000 were compared.
 */
#include "config.h"

#include <alloca.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "libsample/unwind/unwind.h"
#include "tests/programs/unwind-referee.h"

#define TRAP_FLAG 0x100
#define KEEP __attribute__((noinline, noclone, noipa))
#ifdef __clang__
#undef KEEP
#define KEEP __attribute__((noinline))
#endif

void unwind_throw(int depth); /* unwind-throw.cc */

static struct referee *volatile counts;
static struct unwind_stack stacks[2];
static volatile sig_atomic_t stepping;
static unsigned long max_contexts = ~0ul, seen;
static volatile int sink;

static void
on_trap(int sig, siginfo_t *si, void *uc)
{
	(void)sig;
	(void)si;
	if (!stepping || seen >= max_contexts) {
		((ucontext_t *)uc)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	seen++;
	referee_compare(counts, uc, stacks, 2);
}

/* Raised to begin: the trap flag is on from the return of this handler. */
static void
on_begin(int sig, siginfo_t *si, void *uc)
{
	(void)sig;
	(void)si;
	((ucontext_t *)uc)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* Not raise(): that blocks SIGTRAP, and a blocked trap kills. */
static void
send(int sig)
{
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
}

static void
begin(void)
{
	stepping = 1;
	send(SIGUSR1);
}

static int
compare_int(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void
work_qsort(void)
{
	int a[24];

	for (int i = 0; i < 24; i++)
		a[i] = (i * 7919) % 101;
	qsort(a, 24, sizeof(a[0]), compare_int);
	sink = a[3];
}

static void
work_printf(void)
{
	char buf[200];

	sink = snprintf(buf, sizeof(buf), "%d %s %5.3f %p %zu", 42, "text",
			3.25, (void *)buf, sizeof(buf));
}

static void
work_string(void)
{
	char a[700], b[700];

	for (size_t n = 1; n < 700; n = n * 2 + 1) {
		memset(a, 'a', n);
		a[n - 1] = '\0';
		memcpy(b, a, n);
		memmove(b + 1, b, n - 1);
		sink = (int)strlen(a) + strcmp(a, b) + (strchr(a, 'b') != NULL);
		sink += (int)(strstr(a, "aab") != NULL);
	}
}

static KEEP int
use(volatile char *p, int n)
{
	return p[0] + n;
}

static KEEP int
with_alloca(int n)
{
	volatile char *p = alloca((size_t)n);

	p[0] = (char)n;
	return use(p, n) + (n > 8 ? with_alloca(n / 2) : 0);
}

static void
work_alloca(void)
{
	sink = with_alloca(500);
}

/* Realigned: the CFA is an expression, saved in the frame. */
static KEEP int
realigned(int n)
{
	_Alignas(64) volatile char buf[128];
	volatile char *p = alloca((size_t)n + 16);

	buf[0] = (char)n;
	p[0] = 1;
	return use(buf, n) + use(p, n) + (n > 2 ? realigned(n - 1) : 0);
}

static KEEP int
realigned_fixed(int n)
{
	_Alignas(128) volatile char buf[256];

	buf[0] = (char)n;
	return use(buf, n) + (n > 2 ? realigned_fixed(n - 1) : 0);
}

static void
work_realigned(void)
{
	sink = realigned(5) + realigned_fixed(5);
}

/* Every callee-saved register pushed, then popped again. */
static KEEP int
crowded(int n, int a, int b, int c, int d, int e, int f, int g)
{
	int x = use((volatile char *)&sink, a),
	    y = use((volatile char *)&sink, b);

	if (n == 0)
		return a * b + c * d + e * f + g + x * y;
	return crowded(n - 1, b, c, d, e, f, g, a) + a + b + c + d + e + f + g +
	       x + y;
}

static KEEP int
leaf(int n)
{
	return n * 3 + 1;
}

static void
work_recursion(void)
{
	sink = crowded(6, 1, 2, 3, 4, 5, 6, 7) + leaf(3);
}

static void
on_signal(int sig)
{
	begin();
	work_alloca();
	sink = sig;
}

static void
work_signal(void)
{
	send(SIGUSR2);
}

static void
work_signal_stack(void)
{
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = SA_ONSTACK };
	stack_t ss = { .ss_size = 1 << 18 }, off = { .ss_flags = SS_DISABLE };

	stepping = 0;
	ss.ss_sp = malloc(ss.ss_size);
	sigaltstack(&ss, NULL);
	sigaction(SIGALRM, &sa, NULL);
	stacks[1].lo = (uintptr_t)ss.ss_sp;
	stacks[1].hi = stacks[1].lo + ss.ss_size;
	begin();
	send(SIGALRM);
	stepping = 0;
	sigaltstack(&off, NULL);
	stacks[1] = (struct unwind_stack){ 0, 0 };
	free(ss.ss_sp);
}

static void
work_malloc(void)
{
	void *p = malloc(1000), *q = calloc(10, 20);

	p = realloc(p, 5000);
	free(p);
	free(q);
}

static void
work_vdso(void)
{
	struct timespec ts;
	struct timeval tv;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	gettimeofday(&tv, NULL);
	sink = (int)ts.tv_nsec + (int)tv.tv_usec + (int)time(NULL);
}

static void
work_math(void)
{
	volatile double x = 0.7;

	x = sin(x) + exp(x) + pow(x, 1.5) + log(x);
	sink = (int)x;
}

static void
work_setlocale_plt(void)
{
	/* Called once only: the PLT entries are resolved while we watch. */
	sink = (int)strtol("123", NULL, 10) + abs(-3) +
	       (int)strtod("1.5", NULL);
	sink += (int)random() + rand();
}

static void
work_throw(void)
{
	unwind_throw(3);
}

/* On a stack that nobody was told of, several pages deep. */
static ucontext_t outside, inside;

static KEEP int
deep(int n)
{
	volatile char buf[600];

	buf[0] = (char)n;
	return use(buf, n) + (n > 0 ? deep(n - 1) : 0);
}

static void
coroutine(void)
{
	begin();
	sink = deep(20);
	work_qsort();
	work_realigned();
	/* setcontext() is led by the ucontext_t, which is on no stack. */
	stepping = 0;
}

static void
work_coroutine(void)
{
	size_t size = 1 << 18;
	char *stack = malloc(size);

	stepping = 0;
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = size;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	free(stack);
}

static void *
thread_main(void *arg)
{
	begin();
	work_qsort();
	stepping = 0;
	return arg;
}

static void *
thread_start(void *arg)
{
	struct unwind_stack saved = stacks[0];

	stepping = 0;
	if (unwind_stack_find(&stacks[0], true))
		thread_main(arg);
	stacks[0] = saved;
	return NULL;
}

static void
work_thread(void)
{
	pthread_t t;

	stepping = 0;
	if (pthread_create(&t, NULL, thread_start, NULL) == 0)
		pthread_join(t, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} works[] = {
	{ "plt", work_setlocale_plt },
	{ "qsort", work_qsort },
	{ "printf", work_printf },
	{ "string", work_string },
	{ "alloca", work_alloca },
	{ "realigned", work_realigned },
	{ "recursion", work_recursion },
	{ "signal", work_signal },
	{ "signal-stack", work_signal_stack },
	{ "malloc", work_malloc },
	{ "vdso", work_vdso },
	{ "math", work_math },
	{ "c++ throw", work_throw },
	{ "thread", work_thread },
	{ "coroutine", work_coroutine },
};

static void
on(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_sigaction = handler,
				.sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(sig, &sa, NULL);
}

static void
report(const char *name, const struct referee *r)
{
	char line[200];

	referee_print(r, line, sizeof(line));
	printf("%-12s %s", name, line);
}

int
main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct referee sum = { 0 };
	unsigned long max_shown = 3;

	if (argc > 1 && !strcmp(argv[1], "-v")) {
		max_shown = 1000;
		argc--;
		argv++;
	}
	if (argc > 1)
		max_contexts = strtoul(argv[1], NULL, 10);
	if (unwind_refresh() != 0 || !unwind_stack_find(&stacks[0], true))
		return 2;
	on(SIGTRAP, on_trap);
	on(SIGUSR1, on_begin);
	sigaction(SIGUSR2, &sa, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("compared with %s\n", referee_init());
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		struct referee r = { .max_shown = max_shown };

		counts = &r;
		seen = 0;
		begin();
		works[i].run();
		stepping = 0;
		atomic_signal_fence(memory_order_seq_cst);
		counts = NULL;
		report(works[i].name, &r);
		sum.n += r.n;
		sum.equal += r.equal;
		sum.more += r.more;
		sum.lost += r.lost;
		sum.alone += r.alone;
		sum.differ += r.differ;
	}
	report("all", &sum);
	return sum.n < 10000 ||
	       (sum.more + sum.alone + sum.differ) * 1000 > sum.n;
}
