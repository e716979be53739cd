/*
 * sample.c - see sample.h. The layout is that of PERF_SAMPLE_WORDS,
 * and of records with sample_id_all: perf_event_open(2), "MMAP layout".
 */
#include "config.h"

#include "libsample/shm.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "family.h"
#include "file.h"
#include "kernel.h"
#include "label.h"
#include "lib/base/buildid.h"
#include "offcpu.h"
#include "phase.h"
#include "record/tally.h"
#include "space.h"
#include "unwind/chain.h"

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

enum {
	TRAILER = 24,      /* tid, time, cpu */
	MAP_BUILD_ID = 40, /* offsets in MMAP2: its size, or device and then */
	MAP_INODE = 48,
	MAP_PROT = 64,
	MAP_NAME = 72,
	MAX_BUILD_ID = 20,
};

#ifndef PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT (1 << 14)
#endif

#define FIRST_MARKER ((uint64_t)-4095) /* enum perf_callchain_context */

struct perf_sampler {
	struct tally *tally;
	struct shm_process *count;
	struct spaces *spaces;
	struct walker *walker;
	struct labeler *labeler;
	struct family *family;      /* NULL: all processes */
	struct perf_config *config; /* with a family */
	const struct perf_kind *const *kind;
	const uint64_t *period; /* of each kind */
	size_t n_kind;
	size_t column[PERF_MAX_KIND]; /* of each kind but the clock */
	uint64_t total[PERF_MAX_KIND], lost[PERF_MAX_KIND];
	uint64_t came[PERF_MAX_KIND];
	bool has_clock, approx;
	struct offcpu *offcpu; /* NULL: not asked for */
	uint64_t pc[UNWIND_FRAMES];
};

static const struct perf_kind *const only_clock[] = { &perf_kind_clock };
static const uint64_t one[] = { 1 };

struct perf_sampler *
perf_sampler_new(struct tally *t, struct shm_process *count,
		 const struct perf_kernel *kernel, unsigned labels)
{
	struct perf_sampler *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->kind = only_clock;
	s->period = one;
	s->n_kind = 1;
	s->has_clock = true;
	s->tally = t;
	s->count = count;
	s->spaces = spaces_new(t, kernel);
	s->walker = walker_new();
	s->labeler = labeler_new(t, labels);
	if (s->spaces && s->walker && s->labeler)
		return s;
	perf_sampler_free(s);
	return NULL;
}

void
perf_sampler_free(struct perf_sampler *s)
{
	if (!s)
		return;
	spaces_free(s->spaces);
	walker_free(s->walker);
	labeler_free(s->labeler);
	offcpu_free(s->offcpu);
	free(s);
}

/* Name the columns in the tally, and set those of the kinds. */
static bool
set_columns(struct perf_sampler *s, struct tally *t)
{
	struct tally_column column[PERF_MAX_KIND];
	size_t n = 0;

	for (size_t i = 0; i < s->n_kind; i++) {
		const struct perf_kind *k = s->kind[i];

		if (k == &perf_kind_clock || k == &perf_kind_none)
			continue;
		s->column[i] = n;
		column[n++] = (struct tally_column){ k->name, k->unit };
	}
	return tally_columns(t, column, n, s->has_clock);
}

bool
perf_sampler_kinds(struct perf_sampler *s, const struct perf_kind *const *kind,
		   const uint64_t *period, size_t n, bool approx)
{
	s->kind = kind;
	s->period = period;
	s->n_kind = n;
	s->has_clock = false;
	s->approx = approx;
	for (size_t i = 0; i < n; i++)
		s->has_clock |= kind[i] == &perf_kind_clock;
	if (!set_columns(s, s->tally))
		return false;
	for (size_t i = 0; i < n && !s->offcpu; i++)
		if (kind[i] == &perf_kind_offcpu) {
			s->offcpu =
				offcpu_new(s->tally, s->labeler, s->column[i]);
			return s->offcpu != NULL;
		}
	return true;
}

void
perf_sampler_family(struct perf_sampler *s, struct perf_config *config)
{
	s->config = config;
	s->family = config->family;
}

bool
perf_sampler_turn(struct perf_sampler *s, struct tally *t)
{
	if (!set_columns(s, t) || !labeler_turn(s->labeler, t))
		return false;
	s->tally = t;
	spaces_turn(s->spaces, t);
	if (s->offcpu)
		offcpu_turn(s->offcpu, t, s->spaces);
	return true;
}

uint64_t
perf_sampler_total(const struct perf_sampler *s, size_t kind)
{
	return s->total[kind];
}

uint64_t
perf_sampler_lost(const struct perf_sampler *s, size_t kind)
{
	return s->lost[kind];
}

uint64_t
perf_sampler_came(const struct perf_sampler *s, size_t kind)
{
	return s->came[kind];
}

bool
perf_sampler_is_rate(const struct perf_sampler *s, size_t kind)
{
	return s->kind[kind] == &perf_kind_clock || !s->has_clock;
}

void
perf_sampler_until(struct perf_sampler *s, uint64_t time_ns)
{
	if (s->offcpu)
		offcpu_until(s->offcpu, time_ns);
}

struct spaces *
perf_sampler_spaces(struct perf_sampler *s)
{
	return s->spaces;
}

uint64_t
perf_record_time(const struct perf_event_header *h)
{
	const char *at = (const char *)h;
	uint64_t time = 0;

	/* A sample: header, ip, tid, time. Other records have the time near the
	 * end. */
	if (h->size >= sizeof(*h) + TRAILER)
		memcpy(&time,
		       h->type == PERF_RECORD_SAMPLE ? at + 24
						     : at + h->size - 16,
		       sizeof(time));
	return time;
}

/* The rest of a record. */
struct words {
	const char *p;
	size_t n; /* bytes */
};

static bool
take_words(struct words *w, void *out, size_t n)
{
	if (n > w->n)
		return false;
	memcpy(out, w->p, n);
	w->p += n;
	w->n -= n;
	return true;
}

static uint64_t
word(struct words *w)
{
	uint64_t v = 0;

	take_words(w, &v, sizeof(v));
	return v;
}

/* A parsed sample. */
struct sampled {
	uint64_t ip, period;
	uint64_t count; /* of its clock, if that is phased */
	int32_t pid, tid;
	uint32_t cpu;
	struct words chain; /* of the kernel, and what it saw of the program */
	bool has_user;      /* has 64-bit registers and the stack */
	struct walk_stack stack;
};

static bool
parse_sample(const struct perf_event_header *h, uint64_t period, bool has_count,
	     struct sampled *s)
{
	struct words w = { (const char *)(h + 1), h->size - sizeof(*h) };
	uint64_t n, abi, reg[64];
	unsigned n_reg = (unsigned)__builtin_popcountll(WALK_PERF_MASK);

	s->ip = word(&w);
	if (!take_words(&w, &s->pid, 4) || !take_words(&w, &s->tid, 4))
		return false;
	word(&w); /* time */
	s->cpu = (uint32_t)word(&w);
	s->period = period ? period : word(&w);
	s->count = has_count ? word(&w) : 0;
	n = word(&w);
	if (n > w.n / 8)
		return false;
	s->chain = (struct words){ w.p, 8 * n };
	w.p += 8 * n;
	w.n -= 8 * n;
	abi = word(&w);
	if (abi != PERF_SAMPLE_REGS_ABI_NONE && !take_words(&w, reg, 8 * n_reg))
		return false;
	s->has_user = abi == PERF_SAMPLE_REGS_ABI_64 &&
		      walk_perf_regs(&s->stack, WALK_PERF_MASK, reg, n_reg);
	n = word(&w);
	s->stack.bytes = w.p;
	s->stack.n = 0;
	if (n > w.n)
		return false;
	w.p += n;
	w.n -= n;
	if (n)
		s->stack.n = word(&w);
	return s->stack.n <= n;
}

/* Write the frames of a context, PERF_CONTEXT_KERNEL or _USER, to pc. Returns
 * their number. */
static size_t
chain_frames(struct words chain, uint64_t context, uint64_t *pc)
{
	bool is_it = false;
	size_t n = 0;

	while (chain.n && n < UNWIND_FRAMES / 2) {
		uint64_t v = word(&chain);

		if (v >= FIRST_MARKER)
			is_it = v == context;
		else if (is_it)
			pc[n++] = v;
	}
	return n;
}

/* Those of the program, at s->pc + first. Of a stack that is longer than its
 * copy, or goes on elsewhere, the kernel may know more: it follows frame
 * pointers to the end. */
static size_t
user_frames(struct perf_sampler *s, struct process_space *space,
	    const struct sampled *sample, size_t first,
	    struct unwind_info *info)
{
	uint64_t chain[UNWIND_FRAMES / 2], *pc = s->pc + first;
	size_t max = UNWIND_FRAMES - 1 - first;
	size_t n = walk_frames(s->walker, &sample->stack, space_code, space, pc,
			       max, info);

	if ((info->end == UNWIND_TRUNCATED || info->end == UNWIND_SWITCHED) &&
	    !info->is_cut)
		n = chain_continue(
			space_code, space, chain,
			chain_frames(sample->chain, PERF_CONTEXT_USER, chain),
			pc, n, max, info);
	return n;
}

/* The stack of a sample into s->pc: how many frames. */
static size_t
frames_of(struct perf_sampler *s, struct process_space *space,
	  struct sampled *sample, struct unwind_info *info)
{
	size_t n = chain_frames(sample->chain, PERF_CONTEXT_KERNEL, s->pc),
	       first = n;
	struct walk_code code;

	/* In the middle of exec(), the registers are still the last program's,
	 * and before the command's first, the code is ours. */
	if (n && sample->has_user &&
	    !space_code(space, sample->stack.reg[WALK_PC], &code))
		return n;
	if (n == 0 && s->family && family_is_ours(s->family, sample->pid)) {
		s->pc[n++] = UNWIND_OWN;
		return n;
	}
	if (!sample->has_user) {
		if (n == 0)
			s->pc[n++] = sample->ip;
		return n;
	}
	n += user_frames(s, space, sample, n, info);
	/* The copy ended before the root. */
	if (info->end == UNWIND_TRUNCATED && !info->is_cut && n > 0)
		s->pc[n++] = UNWIND_GAP;
	/* The frame that entered the kernel is at its pc, not at a return
	 * address: plus one, as for what a signal interrupted. */
	s->pc[first] += first > 0;
	return n;
}

/*
 * Is this a sample of what others count? Of a process that libsample has joined
 * only its end is left, when its timers and its memory are gone, so that there
 * is no stack to copy.
 */
static bool
is_counted(const struct perf_sampler *s, size_t kind,
	   const struct sampled *sample, uint64_t time_ns)
{
	bool is_of_cpu = kind == FAMILY_CPU;

	if (!s->family)
		return false;
	switch (family_sampler(s->family, sample->pid, time_ns)) {
	case FAMILY_JOINED:
		return !is_of_cpu || sample->stack.n;
	case FAMILY_BY_TASK:
		return is_of_cpu;
	case FAMILY_BY_CPU:
		break;
	}
	return !is_of_cpu;
}

/* Is it one of the ticks of an inherited clock that are left out? */
static bool
is_between(struct perf_sampler *s, size_t kind, struct sampled *sample)
{
	uint64_t ns = sample->period;

	if (!perf_is_phased(s->config, kind))
		return false;
	sample->period = 1;
	return !phase_takes(&s->config->phase, ns, sample->count);
}

static bool
take_sample(struct perf_sampler *s, size_t kind,
	    const struct perf_event_header *h)
{
	const struct perf_kind *k = s->kind[kind];
	bool is_clock = k == &perf_kind_clock;
	struct process_space *space;
	struct unwind_info info = { .end = UNWIND_ROOT };
	struct sampled sample;
	bool is_whole = parse_sample(h, s->period[kind],
				     perf_is_phased(s->config, kind), &sample);
	bool is_late = false;
	uint32_t number = 0;
	uint64_t key;
	size_t n = 0;

	if (is_whole && (is_between(s, kind, &sample) ||
			 is_counted(s, kind, &sample, perf_record_time(h))))
		return true;
	space = is_whole ? spaces_find(s->spaces, sample.pid) : NULL;
	if (space) {
		number = space_number(space);
		n = frames_of(s, space, &sample, &info);
		if (!files_ready(spaces_files(s->spaces), &is_late))
			return false;
	}
	if (perf_sampler_is_rate(s, kind)) {
		atomic_fetch_add(&s->count->n_tick, 1);
		atomic_fetch_add(&s->count->n_signal, 1);
	}
	if (!space) {
		atomic_fetch_add(&s->count->n_lost, 1);
		return true;
	}
	s->total[kind] += sample.period;
	/* Shares of the ticks. */
	if (perf_sampler_is_rate(s, kind)) {
		atomic_fetch_add(&s->count->n_truncated,
				 info.end == UNWIND_TRUNCATED || info.is_cut);
		atomic_fetch_add(&s->count->n_failed,
				 info.end >= UNWIND_FAILED || is_late);
	}
	if (s->offcpu && (k == &perf_kind_offcpu || s->approx) &&
	    !offcpu_stack(s->offcpu, sample.pid, sample.tid, number, s->pc, n))
		atomic_fetch_add(&s->count->n_lost, 1);
	if (k == &perf_kind_offcpu)
		return true;
	key = SHM_KEY(SHM_TICK, number,
		      labeler_number(s->labeler, sample.pid, sample.tid,
				     sample.cpu, false),
		      n);
	if (is_clock && s->family && kind == FAMILY_CPU)
		tally_chance(s->tally, key, s->pc);
	else if (is_clock)
		tally_stack(s->tally, key, s->pc, 1, 1);
	else
		tally_value(s->tally, key, s->pc, s->column[kind],
			    sample.period);
	return true;
}

bool
perf_sampler_waits(struct perf_sampler *s, int32_t pid, int32_t tid,
		   const struct walk_stack *stack, uint64_t time_ns)
{
	struct process_space *space = spaces_find(s->spaces, pid);
	struct unwind_info info;
	bool is_late;
	size_t n;

	if (!s->offcpu || !space || offcpu_knows(s->offcpu, tid))
		return true;
	n = walk_frames(s->walker, stack, space_code, space, s->pc,
			UNWIND_FRAMES, &info);
	if (!files_ready(spaces_files(s->spaces), &is_late))
		return false;
	if (offcpu_stack(s->offcpu, pid, tid, space_number(space), s->pc, n))
		offcpu_out(s->offcpu, tid, 0, time_ns, false);
	return true;
}

/* The kernel says of its own accord whose thread it is. */
static void
take_switch(struct perf_sampler *s, const struct perf_event_header *h)
{
	const char *end = (const char *)h + h->size;
	int32_t tid;
	uint32_t cpu;

	if (!s->offcpu || h->size < sizeof(*h) + TRAILER)
		return;
	memcpy(&tid, end - TRAILER + 4, sizeof(tid));
	memcpy(&cpu, end - 8, sizeof(cpu));
	if (h->misc & PERF_RECORD_MISC_SWITCH_OUT)
		offcpu_out(s->offcpu, tid, cpu, perf_record_time(h),
			   h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	else
		offcpu_in(s->offcpu, tid, perf_record_time(h));
}

static void
take_map(struct perf_sampler *s, const struct perf_event_header *h)
{
	const char *at = (const char *)h;
	char id[2 * MAX_BUILD_ID + 1] = "";
	struct space_map m = { .build_id = id, .path = at + MAP_NAME };
	uint8_t n_id;

	if (h->size <= MAP_NAME + TRAILER ||
	    !memchr(m.path, '\0', h->size - MAP_NAME - TRAILER) ||
	    h->misc & PERF_RECORD_MISC_MMAP_DATA)
		return;
	n_id = (uint8_t)at[MAP_BUILD_ID];
	memcpy(&m.pid, at + 8, sizeof(m.pid));
	memcpy(&m.start, at + 16, sizeof(m.start));
	memcpy(&m.limit, at + 24, sizeof(m.limit));
	memcpy(&m.offset, at + 32, sizeof(m.offset));
	m.limit += m.start;
	if (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		build_id_hex((const uint8_t *)at + MAP_BUILD_ID + 4,
			     n_id < MAX_BUILD_ID ? n_id : MAX_BUILD_ID, id);
	else
		memcpy(&m.inode, at + MAP_INODE, 2 * sizeof(uint64_t));
	m.inode.mapped_ns = (int64_t)perf_record_time(h);
	spaces_map(s->spaces, &m);
}

static void
take_comm(struct perf_sampler *s, const struct perf_event_header *h)
{
	const char *at = (const char *)h;
	char name[17] = "";
	int32_t pid, tid;

	if (h->size <= 16 + TRAILER)
		return;
	memcpy(&pid, at + 8, sizeof(pid));
	memcpy(&tid, at + 12, sizeof(tid));
	snprintf(name, sizeof(name), "%.*s", (int)(h->size - 16 - TRAILER),
		 at + 16);
	labeler_name(s->labeler, tid, name);
	if (h->misc & PERF_RECORD_MISC_COMM_EXEC) {
		labeler_exec(s->labeler, pid);
		spaces_exec(s->spaces, pid, name);
	}
}

/* FORK and EXIT, which have the same four numbers. */
static void
take_task(struct perf_sampler *s, const struct perf_event_header *h)
{
	struct perf_task t;

	if (h->size < sizeof(*h) + sizeof(t))
		return;
	memcpy(&t, h + 1, sizeof(t));
	if (h->type == PERF_RECORD_FORK) {
		spaces_fork(s->spaces, t.pid, t.parent);
		labeler_fork(s->labeler, &t);
		return;
	}
	labeler_exit(s->labeler, t.tid);
	if (s->offcpu)
		offcpu_exit(s->offcpu, t.tid);
	if (t.pid == t.tid)
		spaces_exit(s->spaces, t.pid);
}

/* Is this a name that libsample gives to a thread? */
static bool
is_mark(const struct perf_event_header *h, const char *mark)
{
	return h->size > 16 + strlen(mark) &&
	       !memcmp((const char *)h + 16, mark, strlen(mark) + 1);
}

/* Keep the family up to date. False: the record is of a stranger. */
static bool
is_of_family(struct perf_sampler *s, const struct perf_event_header *h)
{
	bool is_sample = h->type == PERF_RECORD_SAMPLE; /* ip, pid, tid */
	bool has_pid = is_sample || h->type == PERF_RECORD_MMAP2 ||
		       h->type == PERF_RECORD_COMM ||
		       h->type == PERF_RECORD_FORK ||
		       h->type == PERF_RECORD_EXIT;
	int32_t v[4]; /* pid, then parent or tid, tid */

	if (!has_pid || h->size < sizeof(*h) + 8 + sizeof(v))
		return true;
	memcpy(v, (const char *)(h + 1) + (is_sample ? 8 : 0), sizeof(v));
	if (h->type == PERF_RECORD_FORK)
		family_fork(s->family, v[0], v[1]);
	else if (h->type == PERF_RECORD_EXIT)
		family_exit(s->family, v[0]);
	else if (h->type == PERF_RECORD_MMAP2)
		family_map(s->family, v[0]);
	else if (h->type == PERF_RECORD_COMM && is_mark(h, SHM_LOADS))
		family_load(s->family, v[0]);
	else if (h->type == PERF_RECORD_COMM && is_mark(h, SHM_JOINS))
		family_join(s->family, v[0]);
	else if (h->type == PERF_RECORD_COMM &&
		 h->misc & PERF_RECORD_MISC_COMM_EXEC)
		family_exec(s->family, v[0]);
	return family_has(s->family, v[0]);
}

bool
perf_sampler_take(struct perf_sampler *s, size_t kind,
		  const struct perf_event_header *h)
{
	struct words w = { (const char *)(h + 1),
			   h->size < sizeof(*h) ? 0 : h->size - sizeof(*h) };

	s->came[kind] += h->type == PERF_RECORD_SAMPLE;
	if (s->family && !is_of_family(s, h))
		return true;
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(s, kind, h);
	case PERF_RECORD_MMAP2:
		take_map(s, h);
		break;
	case PERF_RECORD_COMM:
		take_comm(s, h);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(s, h);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(s, h);
		break;
	case PERF_RECORD_LOST:
		word(&w); /* the event */
		s->lost[kind] += word(&w);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		s->lost[kind] += word(&w);
		break;
	}
	return true;
}
