/* event.c - see event.h. */
#include "config.h"

#include "event.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/procfs.h"
#include "unwind/walk.h"

enum {
	MIN_RING = 16384,
	SAMPLE_BYTES = 512, /* of a record without the stack */
	MAX_SHARE = 1 << 30,
	MAX_RECORD = 65536, /* a record's size is 16 bits */
};

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4) /* Linux 6.0 */
#endif

/*
 * A sample for each period of the clock, for each time that a thread leaves its
 * CPU, and for each period of another event; of an event without one as many as
 * the clock has: the kernel chooses the period, and says it in the sample. The
 * first kind's events report what is mapped and started.
 */
static void
fill_attr(struct perf_event_attr *a, const struct perf_config *c, size_t kind,
	  bool inherit)
{
	const struct perf_kind *k = c->kind[kind];
	bool is_offcpu = k == &perf_kind_offcpu;
	bool is_alone = inherit && c->family && kind == FAMILY_TASK;
	uint64_t period = k == &perf_kind_clock ? c->period_ns
			  : is_offcpu           ? 1
						: c->period[kind];

	*a = (struct perf_event_attr){
		.type = k->type,
		.size = sizeof(*a),
		.config = k->config,
		.freq = !period,
		.sample_period = period ? period : 1000000000 / c->period_ns,
		.context_switch = is_offcpu,
		.sample_type = PERF_SAMPLE_WORDS |
			       (c->period[kind] ? 0 : PERF_SAMPLE_PERIOD) |
			       (perf_is_phased(c, kind) ? PERF_SAMPLE_READ : 0),
		.read_format = perf_is_phased(c, kind) ? 0 : PERF_FORMAT_LOST,
		.disabled = c->on_exec,
		.enable_on_exec = c->on_exec,
		.inherit = inherit,
		.inherit_thread = is_alone,
		.remove_on_exec = is_alone,
		.exclude_kernel = !c->kernel,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.exclude_idle = 1,
		.mmap = kind == 0,
		.mmap2 = kind == 0,
		.comm = kind == 0,
		.comm_exec = kind == 0,
		.task = kind == 0,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(c->ring_bytes / 4),
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_regs_user = WALK_PERF_MASK,
		.sample_stack_user = c->stack_bytes,
		.build_id = kind == 0,
	};
}

bool
perf_is_phased(const struct perf_config *config, size_t kind)
{
	return config && config->family && kind == FAMILY_CPU &&
	       !config->period[kind];
}

int
perf_event_open(struct perf_config *config, size_t kind, pid_t tid, int cpu)
{
	struct perf_event_attr attr;
	bool no_build_id = false, no_lost = false;
	int fd;

	for (;;) {
		fill_attr(&attr, config, kind, tid != -1 && !config->cgroup);
		if (no_build_id)
			attr.build_id = 0;
		if (no_lost)
			attr.read_format = 0;
		fd = (int)syscall(
			SYS_perf_event_open, &attr, tid, cpu, -1,
			PERF_FLAG_FD_CLOEXEC |
				(config->cgroup ? PERF_FLAG_PID_CGROUP : 0UL));
		if (fd >= 0)
			return fd;
		/* Omit the newest attributes first. */
		if (errno == EINVAL && perf_is_phased(config, kind))
			config->period[kind] = 1; /* before Linux 6.12 */
		else if (errno == EINVAL && !no_lost)
			no_lost = true;
		else if (errno == EINVAL && !no_build_id)
			no_build_id = true;
		else if ((errno == EACCES || errno == EPERM) && config->kernel)
			config->kernel = false;
		else
			return -1;
	}
}

void
perf_sysctl(const char *name, char *value, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	f = procfs_setting(path);
	if (!f || !fgets(value, (int)size, f))
		snprintf(value, size, "unknown");
	value[strcspn(value, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* Is there a seccomp filter, as in most containers? */
static bool
is_filtered(void)
{
	return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER;
}

/* The kernel has refused with EACCES or EPERM: the remedy. */
static enum prof_status
refused_rights(int e, bool all, struct prof_err *err)
{
	char paranoid[16];
	int least = all ? 0 : 2;

	perf_sysctl("perf_event_paranoid", paranoid, sizeof(paranoid));
	if (!strcmp(paranoid, "unknown") || atoi(paranoid) > least)
		return prof_fail(err, PROF_ENOTSUP,
				 "the kernel refuses (%s): "
				 "kernel.perf_event_paranoid is %s; set it to "
				 "%d, be root, or \"setcap %s prof-record\"",
				 strerror(e), paranoid, least, PERF_CAPS);
	return prof_fail(err, PROF_ENOTSUP,
			 "the kernel refuses (%s), though "
			 "kernel.perf_event_paranoid is %s: the process is of "
			 "another user, or has more rights; be root, or "
			 "\"setcap %s prof-record\"",
			 strerror(e), paranoid, PERF_CAPS);
}

enum prof_status
perf_event_refused(const struct perf_kind *kind, int e, bool all,
		   struct prof_err *err)
{
	bool is_refusal = e == EACCES || e == EPERM;

	if (e == ENOENT || e == EOPNOTSUPP || e == ENODEV)
		return prof_fail(err, PROF_ENOTSUP,
				 "--event=%s: this machine does not count them "
				 "(virtual machines often have no counters); "
				 "cpu-clock and page-faults need none",
				 kind->name);
	/* The kernel itself says EACCES in nearly all cases. */
	if ((e == ENOSYS || e == EPERM) && is_filtered())
		return prof_fail(
			err, PROF_ENOTSUP,
			"a seccomp filter forbids perf_event_open (%s), as in "
			"containers: run it with \"--cap-add=PERFMON\", with a "
			"seccomp profile that allows perf_event_open, or "
			"record from the host",
			strerror(e));
	if (e == ENOSYS)
		return prof_fail(err, PROF_ENOTSUP,
				 "this kernel has no perf_event_open");
	if (e == EMFILE)
		return prof_fail(err, PROF_ENOTSUP,
				 "too many descriptors: one for each thread "
				 "and CPU; raise \"ulimit -n\", or record the "
				 "machine with --all");
	if (!is_refusal)
		return prof_fail(err, PROF_ENOTSUP, "perf_event_open: %s",
				 strerror(e));
	return refused_rights(e, all, err);
}

/* No room for a ring, not even a small one. */
static enum prof_status
refused_ring(int e, struct prof_err *err)
{
	char kib[16];
	struct rlimit r = { 0, 0 };

	if (e != EPERM)
		return prof_fail(err, PROF_ENOTSUP, "perf buffer: %s",
				 strerror(e));
	perf_sysctl("perf_event_mlock_kb", kib, sizeof(kib));
	getrlimit(RLIMIT_MEMLOCK, &r);
	return prof_fail(err, PROF_ENOTSUP,
			 "perf buffer: the limit on locked memory is reached "
			 "(kernel.perf_event_mlock_kb is %s, \"ulimit -l\" is "
			 "%llu): raise one, end other recordings, or take a "
			 "smaller --stack-size",
			 kib, (unsigned long long)r.rlim_cur / 1024);
}

static bool
may_lock(void)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = { { 0 } };

	return syscall(SYS_capget, &h, data) == 0 &&
	       data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &
		       CAP_TO_MASK(CAP_IPC_LOCK);
}

size_t
perf_ring_bytes(uint64_t period_ns, uint32_t stack_bytes)
{
	return (1000000000 / period_ns + 1) * (stack_bytes + SAMPLE_BYTES) / 4;
}

size_t
perf_ring_share(size_t n)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const long n_cpu = sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit r;
	char kib[16];
	uint64_t all;
	size_t share = MIN_RING;

	perf_sysctl("perf_event_mlock_kb", kib, sizeof(kib));
	if (may_lock() || getrlimit(RLIMIT_MEMLOCK, &r) != 0 ||
	    r.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	all = strtoull(kib, NULL, 10) * 1024 * (uint64_t)n_cpu + r.rlim_cur;
	while (n && share < MAX_SHARE && 2 * share + page <= all / n)
		share *= 2;
	return share;
}

enum prof_status
perf_ring_open(struct perf_ring *r, int fd, int cpu, size_t want, size_t least,
	       struct prof_err *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = MIN_RING;
	void *map = MAP_FAILED;

	while (n < want)
		n *= 2;
	/* Locked memory is limited for unprivileged users. */
	for (; n >= MIN_RING && n >= least; n /= 2) {
		map = mmap(NULL, page + n, PROT_READ | PROT_WRITE, MAP_SHARED,
			   fd, 0);
		if (map != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
			break;
	}
	if (map == MAP_FAILED) {
		enum prof_status st = refused_ring(errno, err);

		close(fd);
		return st;
	}
	*r = (struct perf_ring){ .fd = fd,
				 .cpu = cpu,
				 .map = map,
				 .n_bytes = n,
				 .wrapped = malloc(MAX_RECORD) };
	if (r->wrapped)
		return PROF_OK;
	perf_ring_close(r);
	return prof_nomem(err);
}

void
perf_ring_close(struct perf_ring *r)
{
	if (r->map)
		munmap(r->map, (size_t)sysconf(_SC_PAGESIZE) + r->n_bytes);
	if (r->map)
		close(r->fd);
	free(r->wrapped);
	*r = (struct perf_ring){ .fd = -1 };
}

void
perf_ring_look(struct perf_ring *r)
{
	struct perf_event_mmap_page *page = r->map;

	r->head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *
perf_ring_peek(struct perf_ring *r)
{
	const uint8_t *data =
		(const uint8_t *)r->map + (size_t)sysconf(_SC_PAGESIZE);
	size_t at = r->tail & (r->n_bytes - 1), first = r->n_bytes - at;
	const struct perf_event_header *h = (const void *)(data + at);

	/* Records are multiples of 8 bytes, so a header is contiguous. */
	if (r->tail == r->head)
		return NULL;
	if (h->size <= first)
		return h;
	memcpy(r->wrapped, data + at, first);
	memcpy(r->wrapped + first, data, h->size - first);
	return (const void *)r->wrapped;
}

void
perf_ring_next(struct perf_ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	const uint8_t *data =
		(const uint8_t *)r->map + (size_t)sysconf(_SC_PAGESIZE);
	const struct perf_event_header *h =
		(const void *)(data + (r->tail & (r->n_bytes - 1)));

	/* A size of 0 would be read forever. */
	r->tail = h->size ? r->tail + h->size : r->head;
	__atomic_store_n(&page->data_tail, r->tail, __ATOMIC_RELEASE);
}

struct perf_event_counts
perf_event_counts(int fd)
{
	struct perf_event_counts c = { 0, 0 };
	ssize_t n = read(fd, &c, sizeof(c));

	if (n < (ssize_t)sizeof(c.value))
		c.value = 0;
	if (n < (ssize_t)sizeof(c))
		c.lost = 0;
	return c;
}
