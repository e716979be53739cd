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
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"
#include "table.h"
#include "wrap.h"

enum {
	/* What a thread may use after a sample to get back to its sleep. */
	SETTLE_NS = 30000,
	STACK = 64 * 1024,
};

static uint64_t
ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/* Has the thread, which has used cpu so far, slept since its last sample? */
static bool
is_asleep(struct thread *t, uint64_t cpu)
{
	bool asleep =
		t->n_pc && (cpu == t->seen_ns ||
			    (cpu >= t->cpu_ns && cpu - t->cpu_ns < SETTLE_NS));

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
	atomic_fetch_add(&count->n_signal, ticks);
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
	atomic_fetch_add(&t->due, ticks);
	info.si_code = SI_QUEUE;
	info.si_pid = sampler.pid;
	info.si_value.sival_ptr = t;
	syscall(SYS_rt_tgsigqueueinfo, sampler.pid, t->tid,
		atomic_load(&sampler.signal), &info);
}

static void *
run(void *arg)
{
	uint64_t period = sampler.period_ns, next, now;
	struct timespec time;

	(void)arg;
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
