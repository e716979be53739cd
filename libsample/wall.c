/*
 * wall.c - ticks of the wall clock, for threads that run or wait. Running
 * threads have timers on their CPU clocks, as with the other clocks. A thread
 * of libsample checks waiting threads once a period, without a signal, which
 * would end the sleep (poll() and others are not restarted by SA_RESTART).
 *
 * /proc/self/task/TID/syscall shows the stack pointer and program counter of a
 * sleeping thread (proc_pid_syscall(5)). The walk begins there and reads the
 * thread's stack. It is valid if the thread's CPU clock did not advance from
 * before until after. That clock also shows if a thread has not run since the
 * last check: then its stack is the same.
 *
 * The files are opened in a descriptor table private to this thread, so the
 * program's descriptor numbers do not change.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "number.h"
#include "sampler.h"
#include "table.h"
#include "unwind/filter.h"
#include "unwind/impl.h"
#include "wrap.h"

enum {
	SLICE_NS = 100000, /* the shortest possible */
	STACK = 64 * 1024,
	SETXID = 33, /* libc's own signal, to change user */
	/*
	 * Checks of a thread that count by themselves. Later checks count the
	 * exact time that it has slept since the last; but they miss its sleep
	 * after its last check, which for short threads is nearly all.
	 */
	YOUNG = 16,
};

/* The argument of sched_setattr(2); its header and <sched.h> conflict. */
struct kernel_sched_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* Its thread in this process. */
static struct {
	_Atomic bool is_started;
	_Atomic pid_t tid;     /* 0: it does not run yet */
	_Atomic uint32_t stop; /* a futex: 1 ends it */
} own;

/* One check of all threads. */
struct look {
	int dir; /* /proc/self/task; -1: sleeping threads cannot be checked */
	uint64_t now;
	uint64_t cpu_ns;       /* of this thread, then */
	uint32_t ticks;        /* since the last check; 1 unless it was late */
	bool is_noted;         /* that a sleeping thread could not be read */
	struct unwind_far far; /* for stacks of coroutines */
	struct interp_memory interp;
};

static uint64_t
ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/* CPU time of t; UINT64_MAX: it has ended. */
static uint64_t
cpu_of(const struct thread *t)
{
	struct timespec now;

	return clock_gettime(THREAD_CLOCK(t->tid), &now) == 0 ? ns_of(&now)
							      : UINT64_MAX;
}

/*
 * Read the file `name` of t in /proc, as a string; false with errno. By system
 * calls: what the program has in front of close(), as ThreadSanitizer has, may
 * want a thread that it has seen begin.
 */
static bool
read_file(const struct look *look, const struct thread *t, const char *name,
	  char *text, size_t size)
{
	char path[64];
	long n = -1, fd;

	snprintf(path, sizeof(path), "%d/%s", (int)t->tid, name);
	fd = syscall(SYS_openat, look->dir, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = syscall(SYS_read, fd, text, size - 1);
		syscall(SYS_close, fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The total time that t has waited for a processor; 0: unknown. */
static uint64_t
delay_of(const struct look *look, const struct thread *t)
{
	char text[80];
	const char *at = text;

	if (look->dir < 0 ||
	    !read_file(look, t, "schedstat", text, sizeof(text)))
		return 0;
	(void)number_read(&at, 10);
	return number_read(&at, 10);
}

/*
 * Set the known registers of a sleeping thread. The others get an impossible
 * address, so that a walk that needs one fails.
 */
static void
set_registers(ucontext_t *uc, uintptr_t sp, uintptr_t pc)
{
	long long *regs = arch_registers(uc);

	for (int i = 0; regs && i < ARCH_N_CONTEXT; i++)
		regs[i] = 1;
	if (regs) {
		regs[ARCH_SP] = (long long)sp;
		regs[ARCH_PC] = (long long)pc;
	}
}

enum sleep { SLEEPS, RUNS, HIDDEN };

/* The kernel hides the threads of a process that changed its user, or asked for
 * it (PR_SET_DUMPABLE). */
static enum sleep
hidden(struct look *look)
{
	if (!look->is_noted)
		module_note("%s[%d] changed its user or is not dumpable: its "
			    "threads cannot be looked at while they sleep: "
			    "that is counted as lost",
			    sampler.name, (int)sampler.pid);
	look->is_noted = true;
	return HIDDEN;
}

/* Does t, with CPU time cpu so far, sleep? Then its stack is in t->sleep_pc. */
static enum sleep
look_at(struct look *look, struct thread *t, uint64_t cpu)
{
	uintptr_t sp, pc;
	char text[256], *word;
	const char *at;
	ucontext_t uc;

	if (look->dir < 0)
		return HIDDEN;
	if (!read_file(look, t, "syscall", text, sizeof(text)))
		return errno == ENOENT || errno == ESRCH ? RUNS : hidden(look);
	/* "running", or numbers, which end with these. */
	word = strrchr(text, ' ');
	if (!word)
		return RUNS;
	at = word;
	pc = number_read(&at, 16);
	*word = '\0';
	word = strrchr(text, ' ');
	if (!word)
		return RUNS;
	at = word;
	sp = number_read(&at, 16);
	if (cpu_of(t) != cpu)
		return RUNS;
	segments_update();
	set_registers(&uc, sp, pc);
	t->n_sleep_pc = (uint32_t)sampler_walk(t, &uc, &t->stack, 1, &look->far,
					       &look->interp, t->sleep_pc,
					       &t->sleep_info);
	return cpu_of(t) == cpu ? SLEEPS : RUNS;
}

/* Count ticks for the stack with which t sleeps. */
static void
count_sleep(const struct look *look, struct thread *t, uint32_t ticks)
{
	struct shm_process *count = sampler_count();
	char comm[COMM_BYTES + 1] = "";
	char *end;

	if (sampler.shm->set.labels & SHM_LABEL_THREAD &&
	    read_file(look, t, "comm", comm, sizeof(comm))) {
		end = memchr(comm, '\n', COMM_BYTES);
		if (end) /* zeros from here on, so that names compare */
			memset(end, 0, (size_t)(comm + sizeof(comm) - end));
	}

	atomic_fetch_add(&count->n_tick, ticks);
	atomic_fetch_add(&count->n_signal, 1);
	if (t->sleep_info.is_cut)
		atomic_fetch_add(&count->n_truncated, ticks);
	if (t->sleep_info.end == UNWIND_FAILED)
		atomic_fetch_add(&count->n_failed, ticks);
	if (t->sleep_info.n_unread)
		atomic_fetch_add(&count->n_unread, ticks);
	if (!table_add(sampler.shm,
		       SHM_KEY(SHM_TICK, sampler_space(),
			       label_sleeping(t, comm), t->n_sleep_pc),
		       t->sleep_pc, ticks))
		atomic_fetch_add(&count->n_lost, ticks);
}

/* Take the ticks that t has slept and that are not yet counted. */
static uint32_t
take_slept(struct thread *t, uint32_t ticks)
{
	int64_t period = (int64_t)sampler.period_ns;

	if (t->n_look >= YOUNG)
		ticks = t->slept_ns > 0 ? (uint32_t)(t->slept_ns / period) : 0;
	t->slept_ns -= ticks * period;
	return ticks;
}

/* Divide the time since the last check: it ran, waited for a processor, or
 * slept. */
static void
add_times(struct look *look, struct thread *t, uint64_t cpu)
{
	uint64_t delay = delay_of(look, t);
	int64_t period = (int64_t)sampler.period_ns;

	if (t->n_look) {
		int64_t waited = (int64_t)(delay - t->delay_ns);

		t->slept_ns += (int64_t)(look->now - t->look_ns) -
			       (int64_t)(cpu - t->seen_ns) - waited;
		t->waited_ns += waited;
		/* The handler counts them at the thread's next tick. */
		if (t->waited_ns >= period) {
			atomic_fetch_add(&t->due,
					 (uint32_t)(t->waited_ns / period));
			t->waited_ns %= period;
		}
	}
	t->delay_ns = delay;
	t->seen_ns = cpu;
}

static void
tick(struct thread *t, void *arg)
{
	struct look *look = arg;
	uint64_t cpu = cpu_of(t);
	enum sleep now = RUNS;
	uint32_t ticks;

	if (cpu == UINT64_MAX)
		return;
	if (t->is_asleep && cpu == t->seen_ns) {
		t->slept_ns += (int64_t)(look->now - t->look_ns);
		now = SLEEPS;
	} else {
		add_times(look, t, cpu);
		now = look_at(look, t, cpu);
	}
	t->is_asleep = now == SLEEPS;
	if (!t->n_look && now == SLEEPS)
		t->slept_ns = look->ticks * (int64_t)sampler.period_ns;
	if (now != RUNS) {
		ticks = take_slept(t, look->ticks);
		if (ticks && now == SLEEPS) {
			count_sleep(look, t, ticks);
		} else if (ticks) {
			atomic_fetch_add(&sampler_count()->n_tick, ticks);
			atomic_fetch_add(&sampler_count()->n_lost, ticks);
		}
	}
	t->look_ns = look->now;
	if (t->n_look < YOUNG)
		t->n_look++;
}

/*
 * Ask the scheduler for a short time slice, which is granted soon (Linux 6.12
 * and later). A late check runs when a thread has gone to sleep and so freed a
 * processor: it would find too many asleep.
 */
static void
hurry(void)
{
	struct kernel_sched_attr attr = { .size = sizeof(attr) };

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) != 0 ||
	    attr.policy != SCHED_OTHER)
		return;
	attr.runtime = SLICE_NS;
	syscall(SYS_sched_setattr, 0, &attr, 0);
}

/* Get a private descriptor table with one descriptor; -1 if that is impossible.
 * The program's are not copied, as a pipe ends only when its last copy is
 * closed. */
static int
open_tasks(void)
{
	if (!filter_allows(FILTER_LOOK) ||
	    syscall(SYS_close_range, 0U, ~0U, CLOSE_RANGE_UNSHARE) != 0)
		return -1;
	return open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Sleep until the next check is due or wall_pause() wakes this thread, and set
 * how late it is. Many threads with deep stacks may take more than a period:
 * then sleep as long as they took, as the program's threads wait for the lock
 * to begin and to end.
 */
static void
wait_for_next(struct look *look, uint64_t *next)
{
	uint64_t period = sampler.period_ns, until;
	struct timespec time;

	*next += period;
	clock_gettime(CLOCK_MONOTONIC, &time);
	until = ns_of(&time) + clock_cpu() - look->cpu_ns;
	if (until < *next)
		until = *next;
	time.tv_sec = (time_t)(until / 1000000000);
	time.tv_nsec = (long)(until % 1000000000);
	syscall(SYS_futex, &own.stop, FUTEX_WAIT_BITSET_PRIVATE, 0, &time, NULL,
		FUTEX_BITSET_MATCH_ANY);
	clock_gettime(CLOCK_MONOTONIC, &time);
	look->now = ns_of(&time);
	look->cpu_ns = clock_cpu();
	look->ticks = 1;
	if (look->now > *next + period) {
		look->ticks += (uint32_t)((look->now - *next) / period);
		*next += (look->ticks - 1) * period;
	}
}

static void *
wall_run(void *arg)
{
	static struct look look LARGE; /* too large for the stack */
	struct timespec time;
	sigset_t setxid;
	uint64_t next;

	(void)arg;
	/* setuid() waits for all threads, including this one. */
	sigemptyset(&setxid);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &setxid, _NSIG / 8);
	((unsigned long *)&setxid)[0] &= ~(1UL << (SETXID - 1));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &setxid, NULL, _NSIG / 8);
	atomic_store(&own.tid, (pid_t)syscall(SYS_gettid));
	look.dir = open_tasks();
	if (look.dir < 0)
		module_note("%s[%d]: threads that sleep cannot be looked at "
			    "here: they are counted as lost",
			    sampler.name, (int)sampler.pid);
	else
		hurry();
	look.cpu_ns = clock_cpu();
	clock_gettime(CLOCK_MONOTONIC, &time);
	next = ns_of(&time);
	while (sampler_is_on()) {
		wait_for_next(&look, &next);
		if (atomic_load(&own.stop))
			break;
		/* A seccomp filter may kill for an unknown call. */
		if (look.dir >= 0 && !filter_allows(FILTER_LOOK)) {
			module_note("%s[%d] filters system calls: from here "
				    "on, sleep is counted as lost",
				    sampler.name, (int)sampler.pid);
			look.dir = -1;
		}
		thread_each(tick, &look);
	}
	atomic_fetch_sub(&sampler.busy, 1);
	return NULL;
}

void
wall_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t old;
	int saved = errno;

	atomic_store(&own.tid, 0);
	atomic_store(&own.stop, 0);
	/* Block all signals: no handler of the program may run in this
	 * thread. */
	signals_block(&old);
	if (pthread_attr_init(&attr) == 0) {
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attr, STACK);
		atomic_fetch_add(&sampler.busy, 1);
		atomic_store(&own.is_started, true);
		if (wrap_thread(&thread, &attr, wall_run) != 0) {
			atomic_store(&own.is_started, false);
			atomic_fetch_add(&sampler_count()->n_untimed, 1);
			atomic_fetch_sub(&sampler.busy, 1);
			module_note("%s[%d]: no thread for the wall clock can "
				    "be started: waiting is not seen",
				    sampler.name, (int)sampler.pid);
		}
		pthread_attr_destroy(&attr);
	}
	signals_restore(&old);
	errno = saved;
}

/* In a child of vfork(), the thread is its parent's. */
bool
wall_pause(void)
{
	static const struct timespec moment = { .tv_nsec = 100000 };
	int saved = errno;
	pid_t tid;

	if (sampler.pid != getpid() || !atomic_exchange(&own.is_started, false))
		return false;
	while (!(tid = atomic_load(&own.tid)))
		nanosleep(&moment, NULL);
	atomic_store(&own.stop, 1);
	syscall(SYS_futex, &own.stop, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	while (syscall(SYS_tgkill, sampler.pid, tid, 0) == 0)
		nanosleep(&moment, NULL);
	errno = saved;
	return true;
}
