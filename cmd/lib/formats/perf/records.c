/*
 * records.c - dispatches the records of a recording, and handles those that are
 * not samples: processes and threads, mappings, losses. Offsets are those of
 * linux/perf_event.h.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"

/* The text at offset `at` of a record, which ends with a NUL or the record. */
static const char *
text_at(const uint8_t *rec, size_t n, size_t at, size_t *len)
{
	*len = at < n ? strnlen((const char *)rec + at, n - at) : 0;
	return (const char *)rec + (at < n ? at : n);
}

/*
 * Bytes of the build-id of a MMAP2 record, at 44; 0: it has none. The kernel
 * (seen with 6.18) sets the bit of a recording that did not ask for build-ids,
 * if another one on the machine did: the bytes are then major, minor, inode and
 * generation. Those of perf inject, which has no such flag, are of 16 or 20
 * bytes; no device has such a major number.
 */
static size_t
build_id_size(const struct perf *r, const uint8_t *rec)
{
	static const uint8_t zero[3];
	uint8_t size = rec[40];

	if (!(REC_MISC(r, rec) & MISC_BUILD_ID) || size > 20)
		return 0;
	if (perf_any_flag(r, FLAG_BUILD_ID))
		return size;
	return (size == 16 || size == 20) && !memcmp(rec + 41, zero, 3) ? size
									: 0;
}

static enum prof_status
mmap_record(struct perf *r, const uint8_t *rec, size_t n)
{
	bool is_2 = REC_TYPE(r, rec) == REC_MMAP2;
	unsigned misc = REC_MISC(r, rec);
	struct perf_map m = { 0 };

	if (n < (is_2 ? 73 : 41))
		return perf_damage(r, 0, "a mapping that is cut short");
	m.pid = perf_u32(r, rec + 8);
	m.is_kernel = (misc & MISC_MODE) == MODE_KERNEL;
	m.is_exec = !(misc & MISC_EXEC);
	m.start = perf_u64(r, rec + 16);
	m.size = perf_u64(r, rec + 24);
	m.offset = perf_u64(r, rec + 32);
	m.name = text_at(rec, n, is_2 ? 72 : 40, &m.n_name);
	if (is_2 && build_id_size(r, rec)) {
		m.build_id = perf_hex(r, rec + 44, build_id_size(r, rec));
		if (m.build_id == STRTAB_NONE)
			return prof_nomem(r->err);
	}
	/* Guests' addresses mean nothing on this machine. */
	if ((misc & MISC_MODE) > MODE_USER || !m.is_exec)
		return PROF_OK;
	return perf_map(r, &m);
}

static enum prof_status
ksymbol(struct perf *r, const uint8_t *rec, size_t n)
{
	struct perf_map m = { .is_kernel = true, .is_exec = true };

	if (n < 25)
		return perf_damage(r, 0, "a kernel symbol that is cut short");
	m.start = perf_u64(r, rec + 8);
	m.size = perf_u32(r, rec + 16);
	m.name = text_at(rec, n, 24, &m.n_name);
	if (perf_u16(r, rec + 22) & 1)
		return perf_unmap_kernel(r, m.start);
	m.symbol = strtab_add(&r->p->strings, m.name, m.n_name);
	return m.symbol == STRTAB_NONE ? prof_nomem(r->err) : perf_map(r, &m);
}

/* Remember the name of a thread, for a label. */
static enum prof_status
name_thread(struct perf *r, uint32_t tid, uint32_t comm)
{
	uint32_t at;

	if (!(r->o.labels & PERF_THREAD))
		return PROF_OK;
	at = idmap_find(&r->thread, tid);
	/* An idmap keeps what it has: names go into an array beside it. */
	if (at != IDMAP_NONE) {
		r->thread_name[at] = comm;
		return PROF_OK;
	}
	if (array_reserve(&r->thread_name, &r->cap_thread, r->n_thread + 1,
			  sizeof(*r->thread_name)) < 0 ||
	    idmap_add(&r->thread, tid, (uint32_t)r->n_thread) < 0)
		return prof_nomem(r->err);
	r->thread_name[r->n_thread++] = comm;
	return PROF_OK;
}

static enum prof_status
comm_record(struct perf *r, const uint8_t *rec, size_t n)
{
	struct perf_process *p;
	uint32_t pid, tid, comm;
	bool is_exec;
	const char *s;
	size_t len;

	if (n < 17)
		return perf_damage(r, 0, "a name that is cut short");
	pid = perf_u32(r, rec + 8);
	tid = perf_u32(r, rec + 12);
	s = text_at(rec, n, 16, &len);
	comm = strtab_add(&r->p->strings, s, len);
	p = perf_process(r, pid);
	if (comm == STRTAB_NONE || !p)
		return prof_nomem(r->err);
	/* Kernels before 3.16 do not say which names come with an exec. */
	is_exec = perf_any_flag(r, FLAG_COMM_EXEC)
			  ? REC_MISC(r, rec) & MISC_EXEC
			  : pid == tid && !p->has_mapped;
	if (is_exec)
		perf_exec(p);
	if (pid == tid)
		p->comm = comm;
	return name_thread(r, tid, comm);
}

static enum prof_status
fork_record(struct perf *r, const uint8_t *rec, size_t n)
{
	uint32_t pid, parent, at;
	enum prof_status st = PROF_OK;

	if (n < 24)
		return perf_damage(r, 0, "a fork that is cut short");
	pid = perf_u32(r, rec + 8);
	parent = perf_u32(r, rec + 12);
	if (pid != parent)
		st = perf_fork(r, pid, parent,
			       !(REC_MISC(r, rec) & MISC_FORK_EXEC));
	if (st != PROF_OK || !(r->o.labels & PERF_THREAD))
		return st;
	at = idmap_find(&r->thread, perf_u32(r, rec + 20));
	if (at == IDMAP_NONE)
		return PROF_OK;
	return name_thread(r, perf_u32(r, rec + 16), r->thread_name[at]);
}

/* Samples that wait for their user frames stop to: those of a thread, or with
 * tid PROF_NONE all. */
static enum prof_status
give_up_waiting(struct perf *r, uint32_t tid)
{
	enum prof_status st = PROF_OK;
	size_t kept = 0;

	for (size_t i = 0; i < r->n_waiting; i++) {
		const struct perf_waiting *w = &r->waiting[i];

		if (tid != PROF_NONE && w->tid != tid) {
			r->waiting[kept++] = *w;
			continue;
		}
		r->notes.truncated += w->count;
		if (st == PROF_OK)
			st = perf_add_row(
				r, &(struct perf_row){ w->stack, w->tags,
						       w->event, w->count,
						       w->weight, w->latency });
	}
	r->n_waiting = kept;
	return st;
}

enum prof_status
perf_wait(struct perf *r, const struct perf_waiting *w)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < r->n_waiting; i++)
		if (r->waiting[i].tid == w->tid &&
		    r->waiting[i].cookie != w->cookie) {
			st = give_up_waiting(r, w->tid);
			break;
		}
	if (st == PROF_OK && r->n_waiting >= 65536)
		st = give_up_waiting(r, PROF_NONE);
	if (st != PROF_OK)
		return st;
	if (array_reserve(&r->waiting, &r->cap_waiting, r->n_waiting + 1,
			  sizeof(*r->waiting)) < 0)
		return prof_nomem(r->err);
	r->waiting[r->n_waiting++] = *w;
	return PROF_OK;
}

enum prof_status
perf_end_waiting(struct perf *r)
{
	return give_up_waiting(r, PROF_NONE);
}

static enum prof_status
exit_record(struct perf *r, const uint8_t *rec, size_t n)
{
	if (n < 24)
		return perf_damage(r, 0, "an exit that is cut short");
	if (perf_u32(r, rec + 8) == perf_u32(r, rec + 16))
		perf_exit(r, perf_u32(r, rec + 8));
	return r->n_waiting ? give_up_waiting(r, perf_u32(r, rec + 16))
			    : PROF_OK;
}

/* The user frames that samples of this thread wait for. */
static enum prof_status
deferred(struct perf *r, const uint8_t *rec, size_t n)
{
	const struct perf_attr *a = perf_attr_of(r, rec, n);
	uint64_t cookie, n_ip;
	size_t trailer, kept = 0;
	enum prof_status st = PROF_OK;
	uint32_t tid;

	if (n < 24 || !a)
		return perf_damage(r, 0, "a late chain that is cut short");
	cookie = perf_u64(r, rec + 8);
	n_ip = perf_u64(r, rec + 16);
	trailer = 8 * (size_t)__builtin_popcountll(a->sample_type &
						   (S_TID | S_TIME | S_ID |
						    S_STREAM_ID | S_CPU |
						    S_IDENTIFIER));
	if (n_ip > (n - 24) / 8 || n - 24 - n_ip * 8 < trailer ||
	    !(a->sample_type & S_TID))
		return perf_damage(r, 0, "a late chain of wrong size");
	tid = perf_u32(r, rec + n - trailer + 4);
	for (size_t i = 0; i < r->n_waiting && st == PROF_OK; i++) {
		struct perf_waiting *w = &r->waiting[i];
		struct perf_row row = { 0,        w->tags,   w->event,
					w->count, w->weight, w->latency };

		if (w->tid != tid || w->cookie != cookie) {
			r->waiting[kept++] = *w;
			continue;
		}
		st = perf_chain_join(r, w->stack, w->pid, rec + 24, n_ip,
				     &row.stack);
		if (st == PROF_OK)
			st = perf_add_row(r, &row);
	}
	if (st == PROF_OK)
		r->n_waiting = kept;
	return st;
}

static enum prof_status
cgroup(struct perf *r, const uint8_t *rec, size_t n)
{
	uint32_t name;
	const char *s;
	size_t len;

	if (n < 17 || !(r->o.labels & PERF_CGROUP))
		return PROF_OK;
	s = text_at(rec, n, 16, &len);
	name = strtab_add(&r->p->strings, s, len);
	if (name == STRTAB_NONE ||
	    idmap_add(&r->cgroup, perf_u64(r, rec + 8), name) < 0)
		return prof_nomem(r->err);
	return PROF_OK;
}

static void
lost(struct perf *r, const uint8_t *rec, size_t n)
{
	if (REC_TYPE(r, rec) == REC_LOST && n >= 24) {
		r->lost_records += perf_u64(r, rec + 16);
		r->notes.has_mapping_loss = true;
	} else if (REC_TYPE(r, rec) == REC_LOST_SAMPLES && n >= 16 &&
		   !(REC_MISC(r, rec) & MISC_BPF_LOST)) {
		r->lost_samples += perf_u64(r, rec + 8);
		r->has_lost_samples = true;
	}
}

static enum prof_status
header_attr(struct perf *r, const uint8_t *rec, size_t n)
{
	size_t size = n >= 16 ? perf_u32(r, rec + 12) : 0;

	if (!size)
		size = 64;
	if (n < 8 || size > n - 8)
		return prof_fail(r->err, PROF_EFORMAT,
				 "an event's attributes are cut short");
	return perf_add_attr(r, rec + 8, size, rec + 8 + size,
			     (n - 8 - size) / 8);
}

enum prof_status
perf_handle(struct perf *r, const uint8_t *rec, size_t n)
{
	switch (REC_TYPE(r, rec)) {
	case REC_SAMPLE:
		return perf_sample(r, rec, n);
	case REC_MMAP:
	case REC_MMAP2:
		return mmap_record(r, rec, n);
	case REC_COMM:
		return comm_record(r, rec, n);
	case REC_FORK:
		return fork_record(r, rec, n);
	case REC_EXIT:
		return exit_record(r, rec, n);
	case REC_KSYMBOL:
		return ksymbol(r, rec, n);
	case REC_CGROUP:
		return cgroup(r, rec, n);
	case REC_CALLCHAIN_DEFERRED:
		return deferred(r, rec, n);
	case REC_LOST:
	case REC_LOST_SAMPLES:
		lost(r, rec, n);
		return PROF_OK;
	case REC_THROTTLE:
		r->notes.throttled++;
		return PROF_OK;
	case REC_AUX:
	case REC_AUXTRACE_INFO:
		r->notes.aux++;
		return PROF_OK;
	case REC_HEADER_ATTR:
		return header_attr(r, rec, n);
	case REC_EVENT_UPDATE:
		return perf_event_update(r, rec, n);
	case REC_BUILD_ID:
		return perf_build_id(r, rec, n);
	case REC_FEATURE:
		return n < 16 ? PROF_OK
			      : perf_feature(r, perf_u64(r, rec + 8), rec + 16,
					     n - 16);
	default:
		return PROF_OK;
	}
}
