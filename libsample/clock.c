/*
 * clock.c - the clocks that interrupt a thread: a POSIX timer on its CPU clock,
 * or a software clock of perf_event_open(2), which is not limited by the
 * kernel's tick. Functions here may also run in signal handlers: they only make
 * system calls.
 *
 * The perf clock's descriptor is closed at once; a mapping of its pages keeps
 * the clock alive. So it cannot disturb programs that close all descriptors,
 * count them or run out of them. The mapping does not exist in a forked child
 * or after exec.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"
#include "unwind/filter.h"

#ifndef SYS_mmap /* some 32-bit machines; its offset, 0 here, counts pages */
#define SYS_mmap SYS_mmap2
#endif

/* The kernel's first real-time signal; libc reserves some. */
enum { FIRST_REALTIME = 32 };

/* The mapped size of a perf clock: a page of state and one of records. A
 * size_t, as wide as the kernel's arguments: syscall() does not convert an int,
 * and the upper half of one passed on the stack is undefined. */
static size_t
event_size(void)
{
	return 2 * sampler.page_size;
}

/* Stands for a clock's pages while the handler reads them. */
#define TAKEN ((void *)1)

/* The kernel's struct; libc's hides the thread. */
struct kernel_sigevent {
	union sigval value;
	int signo;
	int notify;
	int tid;
	int pad[11];
};

static struct timespec
timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				  .tv_nsec = (long)(ns % 1000000000) };
}

/* Start the timer: first after `first` ns, then once a period. */
static void
set_timer(const struct thread *t, uint64_t first)
{
	struct timespec when[2] = { timespec_of(sampler.period_ns),
				    timespec_of(first) };

	syscall(SYS_timer_settime, t->timer, 0, when, NULL);
}

/* By system call: libc's timer_create() has no other thread as target, and its
 * timer_t is not the kernel's. */
static bool
arm_timer(struct thread *t, uint64_t first)
{
	struct kernel_sigevent event = {
		.value.sival_ptr = t,
		.signo = atomic_load(&sampler.signal),
		.notify = SIGEV_THREAD_ID,
		.tid = t->tid,
	};
	int timer;

	if (syscall(SYS_timer_create, THREAD_CLOCK(t->tid), &event, &timer) !=
	    0)
		return false;
	t->timer = timer;
	set_timer(t, first);
	return true;
}

/*
 * May this thread open a perf clock? Not under a seccomp filter that may kill
 * for it. Not with a real-time signal: in a thread that blocks signals these
 * queue up; when the queue is full, the kernel sends SIGIO instead, which
 * kills.
 */
static bool
perf_is_safe(void)
{
	return atomic_load(&sampler.signal) < FIRST_REALTIME &&
	       filter_allows(FILTER_PERF);
}

/* The handler and another thread may both set it: release the page that was
 * replaced. */
static void
set_event(struct thread *t, void *page)
{
	void *old = atomic_exchange(&t->event, page);

	if (old && old != TAKEN)
		syscall(SYS_munmap, old, event_size());
}

/*
 * The number of times that t's perf clock has expired since the last call: each
 * is a record, only a header, in its second page. If another thread removes the
 * clock meanwhile, this function unmaps its pages.
 */
static uint32_t
count_records(struct thread *t)
{
	struct perf_event_mmap_page *page = atomic_exchange(&t->event, TAKEN);
	void *expected = TAKEN;
	uint64_t n = 0;

	if (page) {
		uint64_t head = *(volatile __u64 *)&page->data_head;

		n = head - page->data_tail;
		*(volatile __u64 *)&page->data_tail = head;
	}
	if (!atomic_compare_exchange_strong(&t->event, &expected, page) && page)
		syscall(SYS_munmap, page, event_size());
	n /= sizeof(struct perf_event_header);
	/* Some records may have been dropped. */
	return n + 1 < sampler.page_size / sizeof(struct perf_event_header)
		       ? (uint32_t)n
		       : UINT32_MAX;
}

/*
 * Open a perf clock that signals each period of t's CPU time or, with once, a
 * single time. It must count in the kernel, too, which is the time of system
 * calls. If that is not allowed (kernel.perf_event_paranoid), there is no
 * clock: it would attribute the time of system calls to the code after them.
 */
static bool
arm_perf(struct thread *t, uint64_t period, bool once)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period,
		.disabled = 1,
	};
	struct f_owner_ex owner = { F_OWNER_TID, t->tid };
	void *page;
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, t->tid, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;
	page = (void *)syscall(SYS_mmap, NULL, event_size(),
			       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	if (page != MAP_FAILED &&
	    (syscall(SYS_fcntl, fd, F_SETOWN_EX, &owner) != 0 ||
	     syscall(SYS_fcntl, fd, F_SETSIG, atomic_load(&sampler.signal)) !=
		     0 ||
	     syscall(SYS_fcntl, fd, F_SETFL, O_ASYNC) != 0 ||
	     syscall(SYS_ioctl, fd,
		     once ? PERF_EVENT_IOC_REFRESH : PERF_EVENT_IOC_ENABLE,
		     1) != 0)) {
		syscall(SYS_munmap, page, event_size());
		page = MAP_FAILED;
	}
	syscall(SYS_close, fd);
	if (page == MAP_FAILED)
		return false;
	set_event(t, page);
	return true;
}

bool
clock_arm(struct thread *t)
{
	t->is_fresh = true;
	/* A random phase, so that threads with the same work are not always
	 * interrupted in the same places. */
	if (sampler.clock == SHM_CLOCK_PERF && perf_is_safe() &&
	    arm_perf(t, 1 + thread_random(t) % sampler.period_ns, true))
		return true;
	/* The first signal comes at the kernel's first tick. */
	return arm_timer(t, 1);
}

void
clock_disarm(struct thread *t)
{
	set_event(t, NULL);
	if (t->timer >= 0)
		syscall(SYS_timer_delete, t->timer);
	t->timer = -1;
}

void
clock_stop(struct thread *t)
{
	static const struct timespec zero[2];

	set_event(t, NULL);
	if (t->timer >= 0)
		syscall(SYS_timer_settime, t->timer, 0, zero, NULL);
}

/* The coarse clocks advance at the kernel's tick, at which it checks CPU
 * timers. */
static uint64_t
tick_ns(void)
{
	struct timespec tick;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 &&
			       tick.tv_sec == 0 && tick.tv_nsec > 0
		       ? (uint64_t)tick.tv_nsec
		       : 4000000;
}

/*
 * The first signal of a thread's timer. The kernel checks CPU timers at its own
 * tick, so the time between a thread's last tick and its end is never sampled;
 * threads shorter than a tick would be sampled by the square of their length.
 * So the first signal counts as a whole tick of the kernel, however short the
 * thread has run: on average that is too much by the time missed at its end.
 * Later ticks count as they come, at a random phase. Where the first comes
 * late, as after a long system call, it counts as the periods since.
 *
 * That is right if ticks come at random. But on a busy machine many threads run
 * when a tick has just ended the turn of another, and end before the next. So
 * where the kernel's own clocks run they sample a process until its first tick
 * here, which then stands for what is missed at the end: half a tick.
 */
static uint32_t
timer_ticks(struct thread *t, const siginfo_t *info)
{
	uint64_t period = sampler.period_ns, worth = tick_ns();

	if (!t->is_fresh)
		return info->si_overrun > 0 ? 1 + (uint32_t)info->si_overrun
					    : 1;
	t->is_fresh = false;
	set_timer(t, 1 + thread_random(t) % period);
	if (atomic_load_explicit(&sampler.is_young, memory_order_relaxed) &&
	    atomic_exchange(&sampler.is_young, false)) {
		sampler_mark(SHM_JOINS);
		worth /= 2;
	} else if (info->si_overrun > 0 &&
		   (uint64_t)info->si_overrun * period > worth) {
		worth = (uint64_t)info->si_overrun * period;
	}
	/* Round at random, by the remainder. */
	return (uint32_t)((worth + thread_random(t) % period) / period);
}

/*
 * The clock's signals may merge while they are blocked, so count its records.
 * They include time that a hypervisor takes away, so limit the count to the
 * thread's CPU time, in periods since its first tick. CPU time without records
 * is spent in context switches, mostly because of the clock; it would be
 * attributed to the code after them.
 */
static uint32_t
perf_ticks(struct thread *t, int64_t cpu)
{
	int64_t period = (int64_t)sampler.period_ns, ticks;
	uint32_t most = count_records(t);

	if (t->is_fresh) {
		/* It was the first one, at a random phase. */
		t->is_fresh = false;
		t->cpu_ns = (uint64_t)cpu;
		set_event(t, NULL);
		if (!arm_perf(t, (uint64_t)period, false))
			arm_timer(t, (uint64_t)period);
		return 1;
	}
	ticks = (cpu - (int64_t)t->cpu_ns + period / 2) / period;
	if (ticks > most) {
		t->cpu_ns = (uint64_t)(cpu - period / 2);
		return most;
	}
	if (ticks <= 0)
		return 0;
	t->cpu_ns += (uint64_t)(ticks * period);
	return (uint32_t)ticks;
}

uint64_t
clock_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint32_t
clock_ticks(struct thread *t, const siginfo_t *info, uint64_t cpu)
{
	if (info->si_code == SI_TIMER)
		return info->si_value.sival_ptr == t ? timer_ticks(t, info) : 0;
	/* HUP: the clock has stopped after one signal, as set. */
	if ((info->si_code == POLL_IN || info->si_code == POLL_HUP) &&
	    atomic_load_explicit(&t->event, memory_order_relaxed)) {
		uint32_t ticks = perf_ticks(t, (int64_t)cpu);

		if (ticks)
			atomic_fetch_add_explicit(&sampler_count()->n_perf, 1,
						  memory_order_relaxed);
		return ticks;
	}
	return 0;
}
