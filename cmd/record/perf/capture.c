/* capture.c - see capture.h. */
#include "config.h"

#include "capture.h"
#include "libsample/shm.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"
#include "lib/base/array.h"
#include "lib/base/now.h"
#include "record/tally.h"
#include "sample.h"
#include "space.h"

enum {
	LATE_NS =
		1000000,  /* a record may be written this long after its time */
	TIDS_A_PASS = 16, /* threads opened between readings */
	BURST_BYTES = 4 << 20,
	MAX_LISTS = 100, /* lists of threads, until one has nothing new */
};

/* An event without a ring of its own. */
struct event {
	int fd;
	size_t kind;
};

struct capture {
	struct perf_config config;
	bool wanted_kernel;
	struct shm *shm; /* only for its counts */
	struct shm_settings set;
	struct perf_sampler *sampler;
	struct perf_ring *ring;
	size_t n_ring, room_ring;
	struct event *event; /* that write into the rings of others */
	size_t n_event, room_event;
	pid_t *tid; /* that have events */
	size_t n_tid, room_tid;
	struct pollfd *poll; /* rings, then processes */
	size_t n_process;
	uint64_t n_lost; /* by the records */
};

struct capture *
capture_new(const struct perf_config *config)
{
	struct capture *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->config = *config;
	c->wanted_kernel = config->kernel;
	c->shm = calloc(1, sizeof *c->shm);
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
	for (size_t i = 0; i < c->n_event; i++)
		close(c->event[i].fd);
	for (size_t i = 0; c->poll && i < c->n_process; i++)
		if (c->poll[c->n_ring + i].fd >= 0)
			close(c->poll[c->n_ring + i].fd);
	perf_sampler_free(c->sampler);
	free(c->ring);
	free(c->event);
	free(c->tid);
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

static void
read_rings(struct capture *c, uint64_t limit)
{
	struct perf_ring *ring;

	for (size_t i = 0; i < c->n_ring; i++)
		perf_ring_look(&c->ring[i]);
	while ((ring = oldest(c, limit))) {
		perf_sampler_take(c->sampler, ring->kind, perf_ring_peek(ring));
		perf_ring_next(ring);
	}
	spaces_sweep(perf_sampler_spaces(c->sampler));
}

/* --- opening --- */

static struct perf_ring *
ring_of(struct capture *c, size_t kind, int cpu)
{
	for (size_t i = 0; i < c->n_ring; i++)
		if (c->ring[i].cpu == cpu && c->ring[i].kind == kind)
			return &c->ring[i];
	return NULL;
}

/* What is no clock comes in bursts. */
static size_t
ring_bytes(const struct perf_config *c, size_t kind)
{
	return c->kind[kind] == &perf_kind_clock || c->ring_bytes > BURST_BYTES
		       ? c->ring_bytes
		       : BURST_BYTES;
}

/* fd writes into the ring of its kind and CPU, which is made with the first
 * one. */
static enum prof_status
add_event(struct capture *c, size_t kind, int fd, int cpu, struct prof_err *err)
{
	struct perf_ring *ring = ring_of(c, kind, cpu);

	if (!ring) {
		enum prof_status st = PROF_ENOMEM;

		if (array_reserve(&c->ring, &c->room_ring, c->n_ring + 1,
				  sizeof *c->ring) != 0)
			close(fd);
		else
			st = perf_ring_open(&c->ring[c->n_ring], fd, cpu,
					    ring_bytes(&c->config, kind), err);
		if (st == PROF_OK)
			c->ring[c->n_ring++].kind = kind;
		return st;
	}
	if (array_reserve(&c->event, &c->room_event, c->n_event + 1,
			  sizeof *c->event) != 0 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) != 0) {
		close(fd);
		return prof_fail(err, PROF_ENOTSUP, "perf event: %s",
				 strerror(errno));
	}
	c->event[c->n_event++] = (struct event){ fd, kind };
	return PROF_OK;
}

/* Events of a task, -1 for all, on each CPU. */
static enum prof_status
open_kind(struct capture *c, size_t kind, pid_t tid, struct prof_err *err)
{
	const struct perf_kind *k = c->config.kind[kind];
	long n_cpu = sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;
	enum prof_status st;

	for (int cpu = 0; cpu < n_cpu; cpu++) {
		int fd = perf_event_open(&c->config, kind, tid, cpu);

		if (fd < 0 && errno == ESRCH) /* it has ended meanwhile */
			return PROF_OK;
		if (fd < 0 && errno == ENODEV) /* an offline CPU */
			continue;
		if (fd < 0)
			return perf_event_refused(
				k, errno, tid == -1 || c->config.cgroup, err);
		st = add_event(c, kind, fd, cpu, err);
		if (st != PROF_OK)
			return st;
		any = true;
	}
	return any ? PROF_OK : perf_event_refused(k, ENODEV, false, err);
}

static enum prof_status
open_task(struct capture *c, pid_t tid, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < c->config.n_kind; i++)
		st = open_kind(c, i, tid, err);
	return st;
}

/* Events of the tasks in a control group, of version 2 or 1. */
static enum prof_status
open_cgroup(struct capture *c, const char *name, struct prof_err *err)
{
	static const char *const mount[] = { "", "/sys/fs/cgroup/",
					     "/sys/fs/cgroup/unified/",
					     "/sys/fs/cgroup/perf_event/" };
	enum prof_status st;
	char path[PATH_MAX];
	int fd = -1;

	for (size_t i = *name != '/'; fd < 0 && i < 4; i++) {
		snprintf(path, sizeof path, "%s%s/cgroup.procs", mount[i],
			 name);
		if (access(path, F_OK) != 0)
			continue;
		path[strlen(path) - strlen("/cgroup.procs")] = '\0';
		fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	}
	if (fd < 0)
		return prof_fail(err, PROF_EUSAGE, "%s: no control group",
				 name);
	c->config.cgroup = true;
	st = open_task(c, fd, err);
	close(fd);
	return st;
}

static bool
is_known(const struct capture *c, pid_t tid)
{
	for (size_t i = 0; i < c->n_tid; i++)
		if (c->tid[i] == tid)
			return true;
	return false;
}

/* The next number in a folder of /proc; 0: the end. */
static pid_t
next_number(DIR *dir)
{
	struct dirent *e;

	while ((e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			return (pid_t)strtol(e->d_name, NULL, 10);
	return 0;
}

/*
 * Open events for the threads of a process. Threads inherit the event of the
 * thread that starts them. One started before that event was opened may be
 * missing in the list: so read the list until there is nothing new.
 */
static enum prof_status
open_process(struct capture *c, pid_t pid, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	char path[64];
	bool more = true;
	pid_t tid;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	for (int n = 0; more && st == PROF_OK && n < MAX_LISTS; n++) {
		more = false;
		dir = opendir(path);
		if (!dir && n > 0) /* it has ended meanwhile */
			break;
		if (!dir)
			return prof_fail(err, PROF_EUSAGE, "no process %d here",
					 (int)pid);
		while (st == PROF_OK && (tid = next_number(dir))) {
			if (is_known(c, tid))
				continue;
			more = true;
			st = array_reserve(&c->tid, &c->room_tid, c->n_tid + 1,
					   sizeof *c->tid) == 0
				     ? open_task(c, tid, err)
				     : prof_nomem(err);
			if (st == PROF_OK)
				c->tid[c->n_tid++] = tid;
			if (c->n_tid % TIDS_A_PASS == 0)
				read_rings(c,
					   (uint64_t)now_ns(CLOCK_MONOTONIC) -
						   LATE_NS);
		}
		closedir(dir);
	}
	return st;
}

static void
raise_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* Set up the descriptors for capture_wait(). */
static enum prof_status
make_poll(struct capture *c, const struct capture_target *t,
	  struct prof_err *err)
{
	c->n_process = t->all ? 0 : t->n_pid;
	c->poll = calloc(c->n_ring + c->n_process + 1, sizeof *c->poll);
	if (!c->poll)
		return prof_nomem(err);
	for (size_t i = 0; i < c->n_ring; i++)
		c->poll[i] = (struct pollfd){ c->ring[i].fd, POLLIN, 0 };
	for (size_t i = 0; i < c->n_process; i++) {
		int fd = (int)syscall(SYS_pidfd_open, t->pid[i], 0);

		c->poll[c->n_ring + i] = (struct pollfd){ fd, POLLIN, 0 };
	}
	return PROF_OK;
}

static void
read_spaces(struct spaces *s, const struct capture_target *t)
{
	DIR *dir = t->all ? opendir("/proc") : NULL;
	pid_t pid;

	for (size_t i = 0; !t->all && i < t->n_pid; i++)
		spaces_read(s, t->pid[i]);
	while (dir && (pid = next_number(dir)))
		spaces_read(s, pid);
	if (dir)
		closedir(dir);
}

enum prof_status
capture_begin(struct capture *c, struct tally *t,
	      const struct capture_target *target, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct perf_kernel kernel;

	raise_limit();
	if (c->config.kernel)
		perf_kernel_find(&kernel);
	c->sampler = perf_sampler_new(t, &c->shm->process[0],
				      c->config.kernel ? &kernel : NULL,
				      c->config.labels);
	if (!c->sampler ||
	    !perf_sampler_kinds(c->sampler, c->config.kind, c->config.period,
				c->config.n_kind, c->config.approx))
		return prof_nomem(err);
	/* Opening events of many threads may take long: read the rings
	 * meanwhile, which requires the mappings. */
	if (!c->config.on_exec && !target->all)
		read_spaces(perf_sampler_spaces(c->sampler), target);
	c->set.clock = target->all ? TALLY_CLOCK_ALL : TALLY_CLOCK_PID;
	if (target->all)
		st = target->cgroup ? open_cgroup(c, target->cgroup, err)
				    : open_task(c, -1, err);
	for (size_t i = 0; !target->all && st == PROF_OK && i < target->n_pid;
	     i++)
		st = open_process(c, target->pid[i], err);
	if (st != PROF_OK)
		return st;
	if (c->n_ring == 0)
		return prof_fail(err, PROF_EUSAGE,
				 "the process has ended already");
	/* Later mappings are in the rings. */
	if (!c->config.on_exec)
		read_spaces(perf_sampler_spaces(c->sampler), target);
	return make_poll(c, target, err);
}

static void
source_pass(void *capture, struct tally *t)
{
	(void)t;
	read_rings(capture, (uint64_t)now_ns(CLOCK_MONOTONIC) - LATE_NS);
}

static void
add_counts(struct perf_event_counts *sum, int fd)
{
	struct perf_event_counts c = perf_event_counts(fd);

	sum->value += c.value;
	sum->lost += c.lost;
}

/*
 * How many samples of a kind there should be beside those that came: the kernel
 * counts the ones without room, and not the ones that it left out because there
 * were too many for a while. But it counts the events.
 */
static uint64_t
missing(const struct capture *c, size_t kind)
{
	struct perf_event_counts sum = { 0, 0 };
	uint64_t came = perf_sampler_total(c->sampler, kind);
	uint64_t period = c->config.period[kind];

	for (size_t i = 0; i < c->n_ring; i++)
		if (c->ring[i].kind == kind)
			add_counts(&sum, c->ring[i].fd);
	for (size_t i = 0; i < c->n_event; i++)
		if (c->event[i].kind == kind)
			add_counts(&sum, c->event[i].fd);
	if (c->config.kind[kind] == &perf_kind_clock || !period ||
	    sum.value <= came)
		return sum.lost;
	period = (sum.value - came) / period;
	return period > sum.lost ? period : sum.lost;
}

static void
source_end(void *capture, struct tally *t)
{
	struct capture *c = capture;
	uint64_t lost = 0, known;

	(void)t;
	for (size_t i = 0; i < c->n_ring; i++)
		ioctl(c->ring[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < c->n_event; i++)
		ioctl(c->event[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	read_rings(c, UINT64_MAX);
	perf_sampler_end(c->sampler, (uint64_t)now_ns(CLOCK_MONOTONIC));
	/* The kernel writes records of loss only when there is room again. */
	for (size_t i = 0; i < c->config.n_kind; i++)
		lost += missing(c, i);
	known = atomic_load(&c->shm->process[0].n_lost);
	if (lost > known)
		atomic_store(&c->shm->process[0].n_lost, lost);
}

struct recording_source
capture_source(struct capture *c)
{
	return (struct recording_source){ .ctx = c,
					  .pass = source_pass,
					  .look = source_pass,
					  .end = source_end,
					  .set = &c->set,
					  .shm = c->shm,
					  .sampler = c->config.why };
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
