/*
 * wall.c - ticks of the wall clock: where threads are, whether they run or
 * wait. A thread of libsample's own looks at all others once a period.
 *
 * A timer for each thread would do, but its signal would end every sleep of
 * the program (poll() and its kin are not restarted by SA_RESTART) and wake a
 * thousand idle threads a hundred times a second. So a thread that has used no
 * CPU time since its last sample is not disturbed: it is where it was, and
 * that stack is counted again. One sleep is interrupted once.
 */
#include "config.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"
#include "table.h"
#include "wrap.h"

enum {
	/* What a thread may use after a sample to get back to its sleep. */
	SETTLE_NS = 30000,
	SLICE_NS = 100000, /* the shortest there is */
	STACK = 64 * 1024,
};

/* What sched_setattr(2) takes; its header and <sched.h> exclude each other. */
struct kernel_sched_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static uint64_t
ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/* Is it on a processor at this moment? Its clock was at cpu a moment ago. */
static bool
is_running(const struct thread *t, uint64_t cpu)
{
	struct timespec now;

	return clock_gettime(THREAD_CLOCK(t->tid), &now) == 0 &&
	       ns_of(&now) != cpu;
}

/*
 * Has the thread, which has used cpu so far, slept since its last sample? Or
 * gone back to the sleep that the sample interrupted: it is not one that ran
 * when it was asked for its sample, and sleeps now for the first time.
 */
static bool
is_asleep(struct thread *t, uint64_t cpu)
{
	bool asleep = t->n_pc &&
		      (cpu == t->seen_ns ||
		       (!t->was_running && cpu >= t->cpu_ns &&
			cpu - t->cpu_ns < SETTLE_NS && !is_running(t, cpu)));

	t->seen_ns = asleep ? cpu : 0;
	return asleep;
}

/* Count its last stack again; false if it moves meanwhile. */
static bool
repeat(struct thread *t, uint32_t ticks)
{
	struct shm_process *count = sampler_count();
	uint32_t turn = atomic_load(&t->turn);
	uint32_t label = t->label;
	uintptr_t pc[SHM_DEPTH];
	uint32_t n = t->n_pc;

	if (turn & 1 || n > SHM_DEPTH)
		return false;
	memcpy(pc, t->pc, n * sizeof *pc);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load(&t->turn) != turn)
		return false;
	atomic_fetch_add(&count->n_tick, ticks);
	atomic_fetch_add(&count->n_signal, 1);
	if (!table_add(sampler.shm,
		       SHM_KEY(SHM_TICK, sampler_space(), label, n), pc, ticks))
		atomic_fetch_add(&count->n_lost, ticks);
	return true;
}

static void
tick(struct thread *t, void *arg)
{
	uint32_t ticks = *(const uint32_t *)arg;
	siginfo_t info = { 0 };
	struct timespec cpu;

	if (clock_gettime(THREAD_CLOCK(t->tid), &cpu) != 0)
		return;
	if (!atomic_load(&t->due) && is_asleep(t, ns_of(&cpu)) &&
	    repeat(t, ticks))
		return;
	if (!atomic_fetch_add(&t->due, ticks))
		t->was_running = is_running(t, ns_of(&cpu));
	info.si_code = SI_QUEUE;
	info.si_pid = sampler.pid;
	info.si_value.sival_ptr = t;
	syscall(SYS_rt_tgsigqueueinfo, sampler.pid, t->tid,
		atomic_load(&sampler.signal), &info);
}

/*
 * Ask the scheduler for a short slice of time, which it gives soon (Linux 6.12
 * and later). If it comes late, it comes when a thread that it was to look at
 * has gone to sleep and so made room: it would find too many asleep.
 */
static void
hurry(void)
{
	struct kernel_sched_attr attr = { .size = sizeof attr };

	if (syscall(SYS_prctl, PR_GET_SECCOMP) != SECCOMP_MODE_DISABLED ||
	    syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0 ||
	    attr.policy != SCHED_OTHER)
		return;
	attr.runtime = SLICE_NS;
	syscall(SYS_sched_setattr, 0, &attr, 0);
}

static void *
run(void *arg)
{
	uint64_t period = sampler.period_ns, next, now;
	struct timespec time;

	(void)arg;
	hurry();
	clock_gettime(CLOCK_MONOTONIC, &time);
	next = ns_of(&time);
	while (sampler_is_on()) {
		uint32_t ticks = 1;

		next += period;
		time.tv_sec = (time_t)(next / 1000000000);
		time.tv_nsec = (long)(next % 1000000000);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
		clock_gettime(CLOCK_MONOTONIC, &time);
		now = ns_of(&time);
		if (now > next + period) { /* we were late */
			ticks += (uint32_t)((now - next) / period);
			next += (ticks - 1) * period;
		}
		thread_each(tick, &ticks);
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

	/* It gets no signals: none of the program's handlers runs on it. */
	signals_block(&old);
	if (pthread_attr_init(&attr) == 0) {
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attr, STACK);
		atomic_fetch_add(&sampler.busy, 1);
		if (wrap_thread(&thread, &attr, run) != 0) {
			atomic_fetch_add(&sampler_count()->n_untimed, 1);
			atomic_fetch_sub(&sampler.busy, 1);
		}
		pthread_attr_destroy(&attr);
	}
	signals_restore(&old);
}
