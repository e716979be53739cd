/* capture.c - see capture.h. */
#include "config.h"

#include "capture-int.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "family.h"
#include "file.h"
#include "kernel.h"
#include "lib/base/now.h"
#include "lib/base/regular.h"
#include "record/scout.h"
#include "record/tally.h"
#include "sample.h"
#include "space.h"
#include "waiting.h"

enum {
	LATE_NS = 1000000, /* a record may be written this long after its
			      time */
	QUIET_NS = 1000000000,
	OLD_NS = 90000000, /* about that of a pass */
	BRIEF_MS = 20,     /* most files are read within that */
	ALL_MS = 5000,     /* a profile waits for what is being read */
};

struct capture *
capture_new(const struct perf_config *config)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->config = *config;
	c->group = -1;
	c->opening = -1;
	c->wanted_kernel = config->kernel;
	c->shm = calloc(1, sizeof(*c->shm));
	c->share = perf_ring_share(config->n_kind *
				   (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (c->config.ring_bytes > c->share)
		c->config.ring_bytes = c->share;
	c->set.period_ns = config->period_ns;
	c->set.what = SHM_CPU;
	if (c->shm)
		return c;
	capture_free(c);
	return NULL;
}

void
capture_free(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_ring; i++)
		perf_ring_close(&c->ring[i]);
	backlog_clear(&c->backlog);
	for (size_t i = 0; i < c->n_event; i++)
		close(c->event[i].fd);
	for (size_t i = 0; c->poll && i < c->n_process; i++)
		if (c->poll[c->n_ring + i].fd >= 0)
			close(c->poll[c->n_ring + i].fd);
	if (c->group >= 0)
		close(c->group);
	perf_sampler_free(c->sampler);
	free(c->ring);
	free(c->event);
	free(c->known);
	free(c->poll);
	free(c->shm);
	free(c);
}

bool
capture_lacks_kernel(const struct capture *c)
{
	return c->wanted_kernel && !c->config.kernel;
}

/* --- reading --- */

/* The ring with the oldest next record, if that is not after limit. */
static struct perf_ring *
oldest(struct capture *c, uint64_t limit)
{
	struct perf_ring *best = NULL;

	for (size_t i = 0; i < c->n_ring; i++) {
		const struct perf_event_header *h = perf_ring_peek(&c->ring[i]);
		uint64_t time = h ? perf_record_time(h) : UINT64_MAX;

		if (h && time <= limit) {
			limit = time;
			best = &c->ring[i];
		}
	}
	return best;
}

uint64_t
capture_settled(void)
{
	return (uint64_t)now_ns(CLOCK_MONOTONIC) - LATE_NS;
}

static struct files *
files_of(const struct capture *c)
{
	return spaces_files(perf_sampler_spaces(c->sampler));
}

/* Keep the next record. false: there is no room. */
static bool
keep_one(struct capture *c, struct perf_ring *ring)
{
	if (!backlog_add(&c->backlog, ring->kind, perf_ring_peek(ring)))
		return false;
	perf_ring_next(ring);
	return true;
}

/* Keep the records until limit. false: there is no room. */
static bool
keep(struct capture *c, uint64_t limit)
{
	struct perf_ring *ring;

	while ((ring = oldest(c, limit)))
		if (!keep_one(c, ring))
			return false;
	return true;
}

/* Take the first record, if that is not after limit. false: it has to wait, or
 * there is none. It is no longer in its ring, which may be emptied meanwhile.
 */
static bool
take_first(struct capture *c, uint64_t limit)
{
	struct perf_ring *ring = c->backlog.n_bytes ? NULL : oldest(c, limit);
	const struct perf_event_header *h;
	size_t kind;

	if (ring && !keep_one(c, ring))
		return false;
	h = backlog_peek(&c->backlog, &kind);
	if (!h || !perf_sampler_take(c->sampler, kind, h))
		return false;
	backlog_next(&c->backlog);
	c->is_stuck = false;
	return true;
}

static void
look(struct capture *c)
{
	for (size_t i = 0; i < c->n_ring; i++)
		perf_ring_look(&c->ring[i]);
}

static void
take_all(struct capture *c, uint64_t limit)
{
	while (take_first(c, limit))
		;
}

/* Wait for rows, but once for each that comes late. */
static void
take_brief(struct capture *c, uint64_t limit)
{
	int64_t until = now_ns(CLOCK_MONOTONIC) + BRIEF_MS * INT64_C(1000000);

	while (!c->is_stuck && (c->backlog.n_bytes || oldest(c, limit))) {
		int64_t left = until - now_ns(CLOCK_MONOTONIC);

		c->is_stuck = left <= 0;
		files_wait(files_of(c), c->is_stuck ? 0 : 1 + left / 1000000);
		take_all(c, limit);
	}
}

void
capture_keep(struct capture *c)
{
	look(c);
	keep(c, capture_settled());
}

/* Whoever waits for a look goes on emptying the rings. */
static void
keep_meanwhile(void *capture)
{
	capture_keep(capture);
}

void
capture_read(struct capture *c, uint64_t limit)
{
	scout_meanwhile(keep_meanwhile, c);
	look(c);
	take_all(c, limit);
	take_brief(c, limit);
	if (!keep(c, limit)) {
		files_patience(files_of(c), false);
		take_all(c, limit);
		files_patience(files_of(c), true);
	}
	spaces_sweep(perf_sampler_spaces(c->sampler));
	scout_meanwhile(NULL, NULL);
}

/* Read them all, as long as this is reasonable, and then with what is there. */
static void
read_all(struct capture *c, uint64_t limit)
{
	int64_t until = now_ns(CLOCK_MONOTONIC) + ALL_MS * INT64_C(1000000);

	capture_read(c, limit);
	while (c->backlog.n_bytes && now_ns(CLOCK_MONOTONIC) < until) {
		files_wait(files_of(c), BRIEF_MS);
		capture_read(c, limit);
	}
	files_patience(files_of(c), false);
	take_all(c, limit);
	files_patience(files_of(c), true);
}

enum prof_status
capture_poll(struct capture *c, const pid_t *pid, size_t n,
	     struct prof_err *err)
{
	size_t n_fd = c->n_ring + n;

	free(c->poll);
	c->n_process = 0;
	c->poll = calloc(n_fd + 1, sizeof(*c->poll));
	if (!c->poll)
		return prof_nomem(err);
	for (size_t i = 0; i < c->n_ring; i++)
		c->poll[i] = (struct pollfd){ c->ring[i].fd, POLLIN, 0 };
	for (size_t i = c->n_ring; i < n_fd; i++) {
		int fd = (int)syscall(SYS_pidfd_open, pid[i - c->n_ring], 0);

		c->poll[i] = (struct pollfd){ fd, POLLIN, 0 };
	}
	c->n_process = n;
	return PROF_OK;
}

static void
read_spaces(struct spaces *s, const struct capture_target *t)
{
	DIR *dir = t->all ? opendir("/proc") : NULL;
	pid_t pid;

	for (size_t i = 0; !t->all && i < t->n_pid; i++)
		spaces_read(s, t->pid[i]);
	while (dir && (pid = capture_next_number(dir)))
		spaces_read(s, pid);
	if (dir)
		closedir(dir);
}

/* Whoever waits for rows goes on emptying the rings. */
static void
wait_for_rows(void *capture)
{
	struct capture *c = capture;

	files_wait(files_of(c), BRIEF_MS);
	capture_keep(c);
}

static void
add_waiting(struct capture *c, pid_t pid)
{
	size_t n = waiting_add(c->sampler, pid, c->config.stack_bytes,
			       wait_for_rows, c);

	if (n && !c->n_unknown)
		c->unknown_pid = pid;
	c->n_unknown += n;
}

/* Threads that wait; of a control group without the groups below it. */
static void
read_waiting(struct capture *c, const struct capture_target *t)
{
	DIR *dir = t->all && !t->cgroup ? opendir("/proc") : NULL;
	struct stat sb;
	int fd = t->cgroup ? regular_open_at(c->group, "cgroup.procs", true,
					     &sb, NULL)
			   : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	pid_t pid;

	for (size_t i = 0; !t->all && i < t->n_pid; i++)
		add_waiting(c, t->pid[i]);
	while (dir && (pid = capture_next_number(dir)))
		add_waiting(c, pid);
	while (f && fscanf(f, "%d", &pid) == 1)
		add_waiting(c, pid);
	if (dir)
		closedir(dir);
	if (f)
		fclose(f);
}

static bool
has_kind(const struct perf_config *c, const struct perf_kind *kind)
{
	for (size_t i = 0; i < c->n_kind; i++)
		if (c->kind[i] == kind)
			return true;
	return false;
}

/* What runs already. Later mappings are in the rings. */
static void
read_running(struct capture *c, const struct capture_target *target)
{
	scout_meanwhile(keep_meanwhile, c);
	read_spaces(perf_sampler_spaces(c->sampler), target);
	if (has_kind(&c->config, &perf_kind_offcpu))
		read_waiting(c, target);
	scout_meanwhile(NULL, NULL);
}

size_t
capture_unknown_waits(const struct capture *c, pid_t *pid)
{
	*pid = c->unknown_pid;
	return c->n_unknown;
}

enum prof_status
capture_begin(struct capture *c, struct tally *t,
	      const struct capture_target *target, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct perf_kernel kernel;

	if (c->config.kernel)
		perf_kernel_find(&kernel);
	c->sampler = perf_sampler_new(t, &c->count,
				      c->config.kernel ? &kernel : NULL,
				      c->config.labels);
	if (!c->sampler ||
	    !perf_sampler_kinds(c->sampler, c->config.kind, c->config.period,
				c->config.n_kind, c->config.approx))
		return prof_nomem(err);
	if (c->config.family)
		perf_sampler_family(c->sampler, &c->config);
	/* Opening events of many threads may take long: read the rings
	 * meanwhile, which requires the mappings. */
	if (!c->config.on_exec && !target->all && !c->config.family)
		read_spaces(perf_sampler_spaces(c->sampler), target);
	c->set.clock = target->all ? TALLY_CLOCK_ALL : TALLY_CLOCK_PID;
	if (target->all)
		st = target->cgroup ? capture_open_group(c, target->cgroup, err)
				    : capture_open_all(c, err);
	for (size_t i = 0; !target->all && st == PROF_OK && i < target->n_pid;
	     i++)
		st = c->config.family
			     ? capture_open_inherited(c, err)
			     : capture_open_process(c, target->pid[i], err);
	if (st != PROF_OK)
		return st;
	if (c->n_ring == 0)
		return prof_fail(err, PROF_EUSAGE,
				 "the process has ended already");
	c->is_begun = true;
	if (c->config.family) /* nothing of it runs yet */
		return PROF_OK;
	if (!c->config.on_exec)
		read_running(c, target);
	return capture_poll(c, target->pid, target->all ? 0 : target->n_pid,
			    err);
}

void
capture_add(struct capture *c, pid_t pid)
{
	/* Its start is none of a stranger. */
	capture_read(c, UINT64_MAX);
	family_add(c->config.family, pid);
}

bool
capture_is_on(const struct capture *c)
{
	return !c->is_off;
}

bool
capture_is_urgent(const struct capture *c)
{
	return perf_is_phased(&c->config, FAMILY_CPU) && capture_is_on(c);
}

/* --- the source --- */

void
capture_add_counts(struct perf_event_counts *sum, int fd)
{
	struct perf_event_counts c = perf_event_counts(fd);

	sum->value += c.value;
	sum->lost += c.lost;
}

/* Take samples of that kind, or none. */
static void
switch_samples(struct capture *c, size_t kind, bool is_on)
{
	unsigned long what =
		is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < c->n_ring; i++)
		if (c->ring[i].kind == kind)
			ioctl(c->ring[i].fd, what, 0);
	for (size_t i = 0; i < c->n_event; i++)
		if (c->event[i].kind == kind)
			ioctl(c->event[i].fd, what, 0);
}

static bool
set_member(void *capture, int32_t pid, bool is_own)
{
	struct prof_err err;

	capture_drop(capture, pid);
	return is_own && capture_open_process(capture, pid, &err) == PROF_OK;
}

/* Of tasks that start from now on; our own clock is the first of all. */
static void
set_phase(struct capture *c)
{
	for (size_t i = 0; i < c->n_ring; i++) {
		uint64_t ns = phase_next(&c->config.phase);

		if (c->ring[i].kind == FAMILY_CPU)
			ioctl(c->ring[i].fd, PERF_EVENT_IOC_PERIOD, &ns);
	}
}

/*
 * Interrupt the CPUs only while the family has processes without libsample, and
 * for a second after. If records were lost, it is unknown which have it:
 * libsample alone goes on.
 */
static void
check_family(struct capture *c)
{
	int64_t now = now_ns(CLOCK_MONOTONIC);
	bool is_on;

	if (family_is_open(c->config.family))
		c->open_ns = now;
	is_on = now - c->open_ns < QUIET_NS &&
		!perf_sampler_lost(c->sampler, FAMILY_RECORDS);
	if (is_on == c->is_off)
		switch_samples(c, FAMILY_CPU, is_on);
	c->is_off = !is_on;
	if (is_on && perf_is_phased(&c->config, FAMILY_CPU))
		set_phase(c);
	/* Records that wait may say that libsample has joined it. */
	if (!is_on || now < c->old_ns || c->backlog.n_bytes)
		return;
	c->old_ns = now + OLD_NS;
	family_look(c->config.family, (uint64_t)now, set_member, c);
}

static void
source_pass(void *capture, struct tally *t)
{
	struct capture *c = capture;

	(void)t;
	capture_read(c, capture_settled());
	capture_check_cpus(c);
	if (c->config.family)
		check_family(c);
}

/* What the kernel counted of a kind, sampled or not. */
static struct perf_event_counts
counts_of(const struct capture *c, size_t kind)
{
	struct perf_event_counts sum = c->closed[kind];

	for (size_t i = 0; i < c->n_ring; i++)
		if (c->ring[i].kind == kind)
			capture_add_counts(&sum, c->ring[i].fd);
	for (size_t i = 0; i < c->n_event; i++)
		if (c->event[i].kind == kind)
			capture_add_counts(&sum, c->event[i].fd);
	return sum;
}

/* The clock's own count. On a CPU it includes idle time, and without the
 * kernel's part also that. */
uint64_t
capture_used_ns(const struct capture *c)
{
	if (!c->config.kernel || c->set.clock != TALLY_CLOCK_PID)
		return 0;
	for (size_t i = 0; i < c->config.n_kind; i++)
		if (c->config.kind[i] == &perf_kind_clock)
			return counts_of(c, i).value;
	return 0;
}

/*
 * How many samples of a kind there should be beside those that came: the kernel
 * counts the ones without room, and not the ones that it left out because there
 * were too many for a while. But it counts the events.
 */
static uint64_t
missing(const struct capture *c, size_t kind,
	const struct perf_event_counts *sum)
{
	uint64_t came = perf_sampler_total(c->sampler, kind);
	uint64_t period = c->config.period[kind], lost = sum->lost, n = 0;

	if (c->config.kind[kind] != &perf_kind_clock && period &&
	    sum->value > came)
		n = (sum->value - came) / period;
	if (lost < n)
		lost = n;
	/* The kernel writes records of loss only when there is room again. */
	if (lost < perf_sampler_lost(c->sampler, kind))
		lost = perf_sampler_lost(c->sampler, kind);
	/* Not less than before: some that seemed lost have come late. */
	return lost < c->seen[kind].lost ? c->seen[kind].lost : lost;
}

/*
 * Add to the lost samples of a kind. Records of mappings and processes are lost
 * with those of the clock, and counted as one; but the clock has counted time,
 * and there are no more samples than periods.
 */
static void
add_lost(struct capture *c, size_t kind)
{
	struct perf_event_counts sum = counts_of(c, kind);
	uint64_t lost = missing(c, kind, &sum), n = lost - c->seen[kind].lost;
	uint64_t came = perf_sampler_total(c->sampler, kind);

	if (c->config.kind[kind] == &perf_kind_clock) {
		uint64_t most = (sum.value - c->seen[kind].used_ns) /
				c->config.period_ns;
		uint64_t now = came - c->seen[kind].came;

		most = most > now ? most - now : 0;
		n = n < most ? n : most;
	}
	c->seen[kind].lost = lost;
	c->seen[kind].used_ns = sum.value;
	c->seen[kind].came = came;
	c->lost[kind] += n;
}

/* Set the counts since the last turn. */
static void
publish(struct capture *c)
{
	struct shm_process *to = &c->shm->process[0], sum = c->count;

	for (size_t i = 0; i < c->config.n_kind; i++) {
		add_lost(c, i);
		/* The others are no part of the ticks: see capture_lost(). A
		 * family's by chance may have been of strangers: see
		 * capture_lost_chances(). */
		if (!perf_sampler_is_rate(c->sampler, i) ||
		    (c->config.family && i == FAMILY_CPU))
			continue;
		sum.n_lost += c->lost[i];
		sum.n_tick += c->lost[i];
	}
	to->n_tick = sum.n_tick - c->before.n_tick;
	to->n_signal = sum.n_signal - c->before.n_signal;
	to->n_lost = sum.n_lost - c->before.n_lost;
	to->n_truncated = sum.n_truncated - c->before.n_truncated;
	to->n_failed = sum.n_failed - c->before.n_failed;
	c->published = sum;
}

uint64_t
capture_lost(const struct capture *c, size_t kind)
{
	return perf_sampler_is_rate(c->sampler, kind) ? 0 : c->lost[kind];
}

uint64_t
capture_lost_chances(const struct capture *c)
{
	double came = (double)perf_sampler_came(c->sampler, FAMILY_CPU);
	double taken = (double)perf_sampler_total(c->sampler, FAMILY_CPU);

	if (perf_sampler_lost(c->sampler, FAMILY_RECORDS))
		return UINT32_MAX;
	return (uint64_t)((double)c->lost[FAMILY_CPU] * (taken + 1) /
			  (came + 1));
}

static void
source_look(void *capture, struct tally *t)
{
	struct capture *c = capture;
	uint64_t until = capture_settled();

	(void)t;
	read_all(c, until);
	perf_sampler_until(c->sampler, until);
	publish(c);
}

static void
source_end(void *capture, struct tally *t)
{
	struct capture *c = capture;

	(void)t;
	for (size_t i = 0; i < c->config.n_kind; i++)
		switch_samples(c, i, false);
	read_all(c, UINT64_MAX);
	perf_sampler_until(c->sampler, (uint64_t)now_ns(CLOCK_MONOTONIC));
	publish(c);
	/* From now on there are children of fork(). */
	files_stop(files_of(c));
}

static bool
source_turn(void *capture, struct tally *t)
{
	struct capture *c = capture;

	if (!perf_sampler_turn(c->sampler, t))
		return false;
	c->before = c->published;
	return true;
}

struct recording_source
capture_source(struct capture *c)
{
	return (struct recording_source){ .ctx = c,
					  .pass = source_pass,
					  .look = source_look,
					  .end = source_end,
					  .keep = keep_meanwhile,
					  .turn = source_turn,
					  .set = &c->set,
					  .shm = c->shm,
					  .sampler = c->config.why };
}

/* A ring ends with the last task that inherited its event. */
bool
capture_is_left(const struct capture *c)
{
	for (size_t i = 0; i < c->n_ring; i++) {
		struct pollfd ring = { .fd = c->ring[i].fd, .events = POLLIN };

		if (poll(&ring, 1, 0) >= 0 && !(ring.revents & POLLHUP))
			return true;
	}
	return false;
}

bool
capture_wait(struct capture *c, int ms)
{
	bool is_left = c->n_process == 0;

	poll(c->poll, c->n_ring + c->n_process, ms);
	for (size_t i = 0; i < c->n_ring; i++)
		/* The descriptor of an ended task would wake us forever. */
		if (c->poll[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			c->poll[i].fd = -1;
	for (size_t i = c->n_ring; i < c->n_ring + c->n_process; i++) {
		struct pollfd *p = &c->poll[i];

		if (p->fd >= 0 && p->revents) {
			close(p->fd);
			p->fd = -1;
		}
		is_left |= p->fd >= 0;
	}
	return is_left;
}
