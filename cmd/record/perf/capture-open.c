/* capture-open.c - see capture-int.h: the events of a capture. */
#include "config.h"

#include "capture-int.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/now.h"
#include "lib/base/regular.h"
#include "record/procfs.h"

enum {
	TIDS_A_PASS = 16, /* threads opened between readings */
	BURST_BYTES = 4 << 20,
	RECORDS = 2,          /* that the smallest ring must hold */
	MAX_LISTS = 100,      /* lists of threads, until one has nothing new */
	CPUS_NS = 1000000000, /* between two looks at the CPUs */
};

static struct perf_ring *
ring_of(struct capture *c, size_t kind, int cpu)
{
	for (size_t i = 0; i < c->n_ring; i++)
		if (c->ring[i].cpu == cpu && c->ring[i].kind == kind)
			return &c->ring[i];
	return NULL;
}

/* Events come in bursts, but for the clock's. */
static size_t
ring_bytes(const struct capture *c, size_t kind)
{
	size_t n = c->config.ring_bytes;

	if (c->config.kind[kind] != &perf_kind_clock && n < BURST_BYTES)
		n = BURST_BYTES;
	return n < c->share ? n : c->share;
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
				  sizeof(*c->ring)) != 0)
			close(fd);
		else
			st = perf_ring_open(&c->ring[c->n_ring], fd, cpu,
					    ring_bytes(c, kind),
					    RECORDS * c->config.stack_bytes,
					    err);
		if (st == PROF_OK) {
			ring = &c->ring[c->n_ring++];
			ring->kind = kind;
			ring->pid = c->opening;
		}
		return st;
	}
	if (array_reserve(&c->event, &c->room_event, c->n_event + 1,
			  sizeof(*c->event)) != 0 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) != 0) {
		close(fd);
		return prof_fail(err, PROF_ENOTSUP, "perf event: %s",
				 strerror(errno));
	}
	c->event[c->n_event++] = (struct event){ fd, kind, c->opening };
	return PROF_OK;
}

/* Events of a task on each of these CPUs; a thread's also on others, which may
 * come online. */
static enum prof_status
open_kind(struct capture *c, size_t kind, pid_t tid, const struct cpus *cpus,
	  struct prof_err *err)
{
	const struct perf_kind *k = c->config.kind[kind];
	int n_cpu = cpus ? cpus->limit : (int)sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;
	enum prof_status st;

	for (int cpu = 0; cpu < n_cpu; cpu++) {
		int fd;

		if (cpus && !cpus_have(cpus, cpu))
			continue;
		fd = perf_event_open(&c->config, kind, tid, cpu);
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
open_task(struct capture *c, pid_t tid, const struct cpus *cpus,
	  struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < c->config.n_kind; i++)
		if (!c->config.family ||
		    (i == FAMILY_TASK) == (tid != -1 && c->is_begun))
			st = open_kind(c, i, tid, cpus, err);
	return st;
}

/* Events of c->task on the CPUs that are online. */
static enum prof_status
open_cpus(struct capture *c, struct prof_err *err)
{
	cpus_read(&c->cpus);
	return open_task(c, c->task, &c->cpus, err);
}

enum prof_status
capture_open_all(struct capture *c, struct prof_err *err)
{
	c->task = -1;
	return open_cpus(c, err);
}

/* Events of the tasks in a control group, of version 2 or 1. */
enum prof_status
capture_open_group(struct capture *c, const char *name, struct prof_err *err)
{
	static const char *const mount[] = { "", "/sys/fs/cgroup/",
					     "/sys/fs/cgroup/unified/",
					     "/sys/fs/cgroup/perf_event/" };
	enum prof_status st;
	char path[PATH_MAX];
	struct statfs fs;
	int fd = -1;

	for (size_t i = *name != '/'; fd < 0 && i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s/cgroup.procs", mount[i],
			 name);
		if (access(path, F_OK) != 0)
			continue;
		path[strlen(path) - strlen("/cgroup.procs")] = '\0';
		fd = regular_folder(path);
	}
	if (fd < 0)
		return prof_fail(err, PROF_EUSAGE, "%s: not a control group",
				 name);
	c->config.cgroup = true;
	c->task = c->group = fd;
	st = open_cpus(c, err);
	if (st != PROF_OK && fstatfs(fd, &fs) == 0 &&
	    fs.f_type == CGROUP_SUPER_MAGIC)
		return prof_fail(err, st,
				 "%s: a control group of version 1 is recorded "
				 "only below perf_event; see those of version "
				 "2",
				 name);
	return st;
}

enum prof_status
capture_open_inherited(struct capture *c, struct prof_err *err)
{
	return open_task(c, getpid(), NULL, err);
}

static bool
is_known(const struct capture *c, pid_t tid)
{
	for (size_t i = 0; i < c->n_known; i++)
		if (c->known[i].tid == tid)
			return true;
	return false;
}

pid_t
capture_next_number(DIR *dir)
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
enum prof_status
capture_open_process(struct capture *c, pid_t pid, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	char path[64];
	bool more = true;
	pid_t tid;
	DIR *dir;

	c->opening = pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	for (int n = 0; more && st == PROF_OK && n < MAX_LISTS; n++) {
		more = false;
		dir = procfs_list(path);
		if (!dir && n > 0) /* it has ended meanwhile */
			break;
		if (!dir)
			return prof_fail(err, PROF_EUSAGE, "no process %d here",
					 (int)pid);
		while (st == PROF_OK && (tid = capture_next_number(dir))) {
			if (is_known(c, tid))
				continue;
			more = true;
			st = array_reserve(&c->known, &c->room_known,
					   c->n_known + 1,
					   sizeof(*c->known)) == 0
				     ? open_task(c, tid, NULL, err)
				     : prof_nomem(err);
			if (st == PROF_OK)
				c->known[c->n_known++] =
					(struct known){ pid, tid };
			if (c->n_known % TIDS_A_PASS == 0 && c->config.family)
				capture_keep(c); /* see family_look() */
			else if (c->n_known % TIDS_A_PASS == 0)
				capture_read(c, capture_settled());
		}
		closedir(dir);
	}
	return st;
}

/*
 * Its events stay open, disabled: their counts go on being part of the sum, and
 * other processes write into the rings of some.
 */
void
capture_drop(struct capture *c, pid_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_ring; i++)
		if (c->ring[i].pid == pid)
			ioctl(c->ring[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < c->n_event; i++)
		if (c->event[i].pid == pid)
			ioctl(c->event[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < c->n_known; i++)
		if (c->known[i].pid != pid)
			c->known[n++] = c->known[i];
	c->n_known = n;
}

/* --- CPUs that come and go --- */

/* The rings of a CPU that is offline have been read. */
static void
close_rings(struct capture *c, const struct cpus *now)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_ring; i++) {
		struct perf_ring *r = &c->ring[i];

		if (cpus_have(now, r->cpu)) {
			c->ring[n++] = *r;
			continue;
		}
		capture_add_counts(&c->closed[r->kind], r->fd);
		perf_ring_close(r);
	}
	c->n_ring = n;
}

/*
 * A CPU that goes offline takes its events along, so it needs new ones when it
 * is back; those of threads return with it.
 */
void
capture_check_cpus(struct capture *c)
{
	int64_t now_at = now_ns(CLOCK_MONOTONIC);
	struct cpus now, come;
	struct prof_err err;

	if (!c->cpus.limit || now_at < c->cpus_ns)
		return;
	c->cpus_ns = now_at + CPUS_NS;
	cpus_read(&now);
	if (cpus_equal(&now, &c->cpus))
		return;
	come = now;
	for (size_t i = 0; i < sizeof(come.online); i++)
		come.online[i] &= (unsigned char)~c->cpus.online[i];
	close_rings(c, &now);
	c->cpus = now;
	/* One that fails is tried again when the list changes. */
	(void)!open_task(c, c->task, &come, &err);
	(void)!capture_poll(c, NULL, 0, &err);
}
