/*
 * fibers.c - work on stacks of the program's own making.
 *
 *	fibers context|switch DEPTH SECONDS [filtered]
 *
 * Two coroutines take turns until SECONDS of CPU time are used. Each calls
 * itself DEPTH times, in frames of several hundred bytes, works there, and goes
 * back to main() from there. They are switched by swapcontext(), or by a few
 * instructions as in Boost.Context, without unwind information. With
 * "filtered", the kernel kills the process for process_vm_readv(); exit status
 * 77 if it cannot.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "seccomp.h"

#define KEEP __attribute__((noinline))

enum { N_FIBER = 2, STACK = 256 * 1024, PAGE = 4096 };

struct fiber {
	ucontext_t context; /* or else */
	void *sp;
	int depth;
};

static struct fiber fibers[N_FIBER], outside;
static struct fiber *current;
static void (*leave)(struct fiber *from, struct fiber *to);

static void
leave_by_context(struct fiber *from, struct fiber *to)
{
	swapcontext(&from->context, &to->context);
}

#if defined(__x86_64__)
/*
 * Saves what must be kept on the old stack, and takes it from the new one. At
 * the start of a fiber, fiber_first is the return address and, through rbp,
 * the frame pointer of the function in rbx.
 */
void fiber_switch(void **from, void *to);
void fiber_first(void);
void fiber_last(void);
__asm__(".text\n"
	".globl fiber_switch, fiber_first, fiber_last\n"
	"fiber_switch:\n"
	"	push %rbp; push %rbx; push %r12; push %r13; push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"	ret\n"
	"fiber_first:\n"
	"	push %rbp\n"
	"	jmp *%rbx\n"
	"	nop\n"
	"fiber_last:\n"
	"	ud2\n");

static void
leave_by_switch(struct fiber *from, struct fiber *to)
{
	fiber_switch(&from->sp, to->sp);
}

static void
make_switched(struct fiber *f, char *stack, void (*start)(void))
{
	void **sp = (void **)(stack + STACK);

	*--sp = (void *)fiber_first;
	*--sp = (void *)fiber_last; /* rbp */
	*--sp = (void *)start;      /* rbx */
	sp -= 4;
	f->sp = sp;
}
#endif

static KEEP uint64_t
spin(uint64_t x)
{
	for (int i = 0; i < 200000; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static KEEP uint64_t
down(int depth)
{
	volatile char room[300];
	uint64_t x = 1;

	room[0] = (char)depth;
	/* All of it is needed, for all that the compiler knows. */
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth > 0)
		x = down(depth - 1);
	/* In the innermost call, forever. */
	while (room[0] == 0) {
		void *volatile p = malloc(1000);

		free(p);
		x = spin(x);
		leave(current, &outside);
	}
	return x + (uint64_t)room[0];
}

static KEEP void
entry(void)
{
	down(current->depth);
	abort();
}

int
main(int argc, char **argv)
{
	double seconds = argc >= 4 ? atof(argv[3]) : 0;
	struct timespec t;

	if (seconds <= 0) {
		fprintf(stderr, "usage: fibers context|switch DEPTH SECONDS "
				"[filtered]\n");
		return 2;
	}
	if (argc > 4 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
			 !filter_install(SECCOMP_RET_KILL_PROCESS)))
		return 77;
	leave = leave_by_context;
#if defined(__x86_64__)
	if (!strcmp(argv[1], "switch"))
		leave = leave_by_switch;
#endif
	for (int i = 0; i < N_FIBER; i++) {
		struct fiber *f = &fibers[i];
		/* What lies above the stack cannot be read. */
		char *stack = mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (stack == MAP_FAILED ||
		    mprotect(stack + STACK, PAGE, PROT_NONE) != 0) {
			perror("fibers");
			return 1;
		}
		f->depth = atoi(argv[2]);
		if (leave == leave_by_context) {
			getcontext(&f->context);
			f->context.uc_stack.ss_sp = stack;
			f->context.uc_stack.ss_size = STACK;
			makecontext(&f->context, entry, 0);
			continue;
		}
#if defined(__x86_64__)
		make_switched(f, stack, entry);
#endif
	}
	do {
		for (int i = 0; i < N_FIBER; i++) {
			current = &fibers[i];
			leave(&outside, current);
		}
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec * 1e-9 < seconds);
	return 0;
}
