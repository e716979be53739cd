/*
 * stack.c - the bounds of the calling thread's stacks. Thread libraries know
 * those of their threads; those of threads of clone() are in /proc/self/maps.
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unwind.h"

/* The size to assume for a main thread's unlimited stack. */
#define UNLIMITED_BYTES ((uintptr_t)1 << 30)

/* ThreadSanitizer's; NULL in programs without it. */
extern void __tsan_init(void) __attribute__((weak));

/*
 * Ask the thread library; here is an address on the stack. It allocates memory,
 * which ThreadSanitizer cannot do yet in a new thread: then the mapping is
 * used.
 */
static bool
find_thread(uintptr_t here, struct unwind_stack *stack)
{
	pthread_attr_t attr;
	void *lo = NULL;
	size_t n = 0;

	if (__tsan_init || pthread_getattr_np(pthread_self(), &attr) != 0)
		return false;
	if (pthread_attr_getstack(&attr, &lo, &n) != 0)
		n = 0;
	pthread_attr_destroy(&attr);
	stack->lo = (uintptr_t)lo;
	stack->hi = (uintptr_t)lo + n;
	return here >= stack->lo && here < stack->hi;
}

/* The part of a line of maps that is needed: "lo-hi ". */
struct line {
	uintptr_t value[2];
	unsigned field; /* 0, 1: in a number; 2: after both */
};

/* Take one character; true at the end of a line, with l->value complete. */
static bool
line_take(struct line *l, char ch)
{
	unsigned digit;

	if (ch == '\n')
		return true;
	if (l->field == 2)
		return false;
	if (ch == '-' || ch == ' ') {
		l->field = ch == '-' ? 1 : 2;
		return false;
	}
	digit = ch <= '9' ? (unsigned)ch - '0' : (unsigned)ch - 'a' + 10;
	l->value[l->field] = l->value[l->field] << 4 | (digit & 15);
	return false;
}

/* Find the mapping that contains here. With raw system calls, for the same
 * reason. */
static bool
find_mapping(uintptr_t here, struct unwind_stack *stack)
{
	struct line line = { { 0, 0 }, 0 };
	char buf[1024];
	bool found = false;
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
			  O_RDONLY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return false;
	while (!found && (n = syscall(SYS_read, fd, buf, sizeof(buf))) > 0)
		for (long i = 0; i < n && !found; i++) {
			if (!line_take(&line, buf[i]))
				continue;
			found = here >= line.value[0] && here < line.value[1];
			stack->lo = line.value[0];
			stack->hi = line.value[1];
			line = (struct line){ { 0, 0 }, 0 };
		}
	syscall(SYS_close, fd);
	return found;
}

/*
 * The kernel puts the path that was executed at the end of the main thread's
 * stack, so that nothing but a word of zeros follows: its page is the last one.
 * Reading maps would be a tenth of the time that a short program runs.
 */
static bool
find_main(uintptr_t here, uintptr_t room, struct unwind_stack *stack)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	uintptr_t end = (uintptr_t)path, page = getauxval(AT_PAGESZ);

	if (!page || end <= here || end - here > room)
		return false;
	stack->lo = here & -page;
	stack->hi = (end + strlen(path) + sizeof(void *) + page - 1) & -page;
	return true;
}

bool
unwind_stack_find(struct unwind_stack *stack, bool may_allocate)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	bool is_main = syscall(SYS_gettid) == getpid();
	struct rlimit limit;
	uintptr_t room = UNLIMITED_BYTES;

	if (!is_main && may_allocate && find_thread(here, stack))
		return true;
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < room)
		room = (uintptr_t)limit.rlim_cur;
	if (!(is_main && find_main(here, room, stack)) &&
	    !find_mapping(here, stack)) {
		*stack = (struct unwind_stack){ 0, 0 };
		return false;
	}
	/* A main thread's mapping may grow downwards to the limit. */
	if (is_main && stack->hi - stack->lo < room)
		stack->lo = stack->hi > room ? stack->hi - room : 0;
	return true;
}

void
unwind_stack_signal(struct unwind_stack *stack)
{
	stack_t ss;

	*stack = (struct unwind_stack){ 0, 0 };
	/* A raw system call: a sanitizer's wrapper is not safe in handlers. */
	if (syscall(SYS_sigaltstack, NULL, &ss) != 0 ||
	    ss.ss_flags & SS_DISABLE)
		return;
	stack->lo = (uintptr_t)ss.ss_sp;
	stack->hi = stack->lo + ss.ss_size;
}
