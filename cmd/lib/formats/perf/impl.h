/*
 * impl.h - what the files of the perf.data reader share, and only they
 * include. From bytes to the profile:
 *
 *	perf.c		streams of bytes, the file's header, compressed pieces
 *	attr.c		events, and the features behind the records
 *	order.c		records of several CPUs in order of time
 *	records.c	records that say what runs where
 *	space.c		processes, their address spaces, mapped objects
 *	sample.c		a sample's fields
 *	chain.c		a call chain's frames
 *	tally.c		stacks and samples, added up
 *	profile.c	columns, labels, comments
 */
#ifndef PERF_IMPL_H
#define PERF_IMPL_H

#include <endian.h>
#include <string.h>

#include "lib/base/hashtab.h"
#include "lib/base/idmap.h"
#include "lib/model/profile.h"
#include "perf.h"

/* linux/perf_event.h, and perf's own records from 64 on. */
enum perf_record {
	REC_MMAP = 1,
	REC_LOST = 2,
	REC_COMM = 3,
	REC_EXIT = 4,
	REC_THROTTLE = 5,
	REC_FORK = 7,
	REC_SAMPLE = 9,
	REC_MMAP2 = 10,
	REC_AUX = 11,
	REC_LOST_SAMPLES = 13,
	REC_KSYMBOL = 17,
	REC_CGROUP = 19,
	REC_CALLCHAIN_DEFERRED = 22,
	REC_USER_TYPES = 64,
	REC_HEADER_ATTR = 64,
	REC_TRACING_DATA = 66,
	REC_BUILD_ID = 67,
	REC_FINISHED_ROUND = 68,
	REC_AUXTRACE_INFO = 70,
	REC_AUXTRACE = 71,
	REC_EVENT_UPDATE = 78,
	REC_FEATURE = 80,
	REC_COMPRESSED = 81,
	REC_COMPRESSED2 = 83,
};

enum perf_sample_bits {
	S_IP = 1 << 0,
	S_TID = 1 << 1,
	S_TIME = 1 << 2,
	S_ADDR = 1 << 3,
	S_READ = 1 << 4,
	S_CALLCHAIN = 1 << 5,
	S_ID = 1 << 6,
	S_CPU = 1 << 7,
	S_PERIOD = 1 << 8,
	S_STREAM_ID = 1 << 9,
	S_RAW = 1 << 10,
	S_BRANCH = 1 << 11,
	S_REGS_USER = 1 << 12,
	S_STACK_USER = 1 << 13,
	S_WEIGHT = 1 << 14,
	S_DATA_SRC = 1 << 15,
	S_IDENTIFIER = 1 << 16,
	S_TRANSACTION = 1 << 17,
	S_REGS_INTR = 1 << 18,
	S_PHYS_ADDR = 1 << 19,
	S_AUX = 1 << 20,
	S_CGROUP = 1 << 21,
	S_DATA_PAGE = 1 << 22,
	S_CODE_PAGE = 1 << 23,
	S_WEIGHT_STRUCT = 1 << 24,
	S_KNOWN = (1 << 25) - 1,
};

enum perf_flag_bits {
	FLAG_FREQ = 10,
	FLAG_PRECISE = 15, /* and 16 */
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_COMM_EXEC = 24,
	FLAG_BUILD_ID = 34,
};

enum perf_cpumode {
	MODE_UNKNOWN,
	MODE_KERNEL,
	MODE_USER,
	MODE_HYPERVISOR,
	MODE_GUEST_KERNEL,
	MODE_GUEST_USER,
};

#define BRANCH_CALL_STACK (1 << 11)
#define BRANCH_HW_INDEX (1 << 17)
#define BRANCH_COUNTERS (1 << 19)

#define PERF_MAX_ATTR 65536
#define PERF_MAX_COLUMNS 256       /* events that have samples */
#define PERF_MAX_VMA (1u << 24)    /* in all address spaces together */
#define PERF_MAX_STACK 127         /* entries of a chain, by default */
#define PERF_MAX_QUEUE (64u << 20) /* bytes that wait for their turn */

/* An event: its name, and the fields of perf_event_attr that matter. */
struct perf_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, branch_type;
	uint64_t flags; /* bit k is flag k, whatever the machine */
	uint64_t regs_user, regs_intr;
	uint16_t max_stack;
	uint32_t name;  /* string; 0: none was recorded */
	uint32_t event; /* 1 + index among those with samples, or 0 */
};

/* A part of a file, or of memory, that some process mapped: a mapping. */
struct perf_object {
	uint64_t start, limit, offset;
	uint32_t file, build_id; /* strings */
	uint32_t mapping;        /* of the profile, PROF_NONE before its use */
	uint32_t pid;            /* of memory without a file; 0 for files */
	bool is_kernel;
	bool is_main_like; /* may be the main program */
	uint32_t symbol;   /* string: a BPF program's name, 0: none */
	uint64_t reach;    /* of the kernel: past its last address in use */
	uint64_t n_main;   /* samples of processes whose program it is */
};

struct perf_vma {
	uint64_t start, limit;
	uint64_t shift; /* to add to an address, modulo 2^64 */
	uint32_t object;
};

/* An address space; forked processes share it until one of them maps. */
struct perf_space {
	struct perf_vma *vma; /* sorted, none overlap */
	uint32_t n;
	size_t cap;
	uint32_t refs;
	uint64_t generation; /* differs between any two states of any two */
};

struct perf_process {
	uint32_t pid;
	uint32_t comm; /* string */
	uint32_t main; /* object, or PROF_NONE */
	uint32_t dead; /* number of its end, 0: alive */
	bool has_mapped;
	bool is_stale; /* after exec: the next mapping drops all others */
	struct perf_space *space; /* or NULL */
};

/* What a sample can be labelled with; strings of the profile. */
struct perf_tags {
	uint32_t pid, comm, tid, thread, cpu, mode;
	uint64_t cgroup; /* id */
	uint64_t time, code_page, data_page, data_src;
};

enum perf_stack_flags { STACK_ANON = 1 };

struct perf_stack {
	uint64_t at; /* in stack_pool */
	uint32_t n;
	uint32_t flags;
};

/* Samples with the same stack, labels and event. */
struct perf_row {
	uint32_t stack, tags, event;
	uint64_t count, weight, latency;
};

/* A field of a sample is 0 if the sample has none. */
struct perf_sample {
	const struct perf_attr *attr;
	unsigned mode; /* enum perf_cpumode */
	uint64_t ip, time, period, weight, cgroup;
	uint64_t code_page, data_page, data_src;
	uint32_t pid, tid, cpu;
	bool has_period;
	const uint8_t *chain, *branch;
	uint64_t n_chain, n_branch;
	uint64_t regs_abi;
	const uint8_t *regs;    /* as many as regs_user has bits, or NULL */
	const uint8_t *dump_at; /* bytes of the stack */
	uint64_t dump;          /* how many */
};

/* A sample whose user frames come later, in a record of their own. */
struct perf_waiting {
	uint64_t cookie;
	uint32_t tid, pid;
	uint32_t stack; /* kernel part */
	uint32_t tags, event;
	uint64_t count, weight, latency;
};

/* A chain whose frames are known: a cache in front of everything else. */
#define PERF_CACHE_SLOTS 65536
#define PERF_CACHE_WORDS ((size_t)1 << 21) /* of all chains in it */
#define PERF_CACHE_CHAIN 1024              /* longer ones are not kept */
struct perf_cached {
	uint64_t hash, generation, kernel_generation, ip;
	uint64_t at; /* of its words: see perf_cache.end */
	uint32_t n, mode, stack;
	uint32_t notes; /* enum perf_chain_notes */
};

/*
 * Words are in a ring: chains that come later overwrite the oldest. at and end
 * count all words that were ever put there, so a chain is whole as long as end
 * is not more than a ring ahead of it.
 */
struct perf_cache {
	struct perf_cached *slot;
	uint64_t *word;
	uint64_t end;
};

enum perf_chain_notes {
	CHAIN_TRUNCATED = 1,
	CHAIN_UNMAPPED = 2,
	CHAIN_FAILED = 4,  /* the unwinder did not reach the root */
	CHAIN_NO_WALK = 8, /* a copy of the stack was not used */
};

struct perf_stream {
	struct buf carry; /* a record that is not complete */
	struct buf plain; /* inflated, not complete */
	void *z;
	uint64_t at;   /* offset of the next byte, for messages */
	uint64_t skip; /* bytes to pass over */
	uint64_t time; /* of its newest record */
	bool is_done, is_dead;
};

/* A record that waits for its turn. */
struct perf_queued {
	uint64_t time;
	uint64_t at; /* in the queue's bytes */
};

enum perf_state { PERF_START, PERF_HEADER, PERF_RECORDS, PERF_TAIL };

struct perf {
	struct perf_options o;
	struct prof_err *err; /* of the call in progress */
	struct perf_notes notes;
	struct profile *p; /* its strings, locations and mappings */
	bool big;          /* the recording machine's byte order */

	/* perf.c */
	enum perf_state state;
	bool is_pipe;
	struct perf_stream *stream;
	size_t n_stream, cap_stream;
	uint64_t data_at, data_left, inflated;
	uint64_t header_features[4];
	struct buf tail;

	/* attr.c */
	struct perf_attr *attr;
	size_t n_attr, cap_attr;
	struct idmap by_id; /* id */
	uint32_t perf_version, os_release, arch;
	struct buf command; /* words, blanks between */
	bool has_clock;
	uint64_t wall_ns, clock_ns;
	struct perf_build_id *build_id;
	size_t n_build_id, cap_build_id;

	/* order.c */
	struct buf queue_bytes;
	struct perf_queued *queue;
	size_t n_queue, cap_queue;
	uint64_t newest, newest_before, emitted;

	/* space.c */
	struct perf_process *process;
	size_t n_process, cap_process;
	struct idmap by_pid;   /* pid */
	struct idmap thread;   /* tid: index into thread_name */
	uint32_t *thread_name; /* strings */
	size_t n_thread, cap_thread;
	struct perf_object *object;
	size_t n_object, cap_object;
	struct hashtab object_table;
	struct perf_space *kernel;
	uint64_t generation, n_vma;
	uint32_t n_dead;
	uint32_t grave[1024]; /* processes that ended, a ring */
	uint32_t grave_mark[1024];
	struct idmap cgroup; /* id: string */

	/* tally.c */
	uint32_t *frame; /* the stack in work */
	size_t n_frame, cap_frame;
	unsigned frame_flags;
	uint32_t *location_object; /* of each location: object, or PROF_NONE */
	size_t cap_location;
	struct hashtab location_table;
	uint32_t *pool;
	size_t n_pool, cap_pool;
	struct perf_stack *stack;
	size_t n_stack, cap_stack;
	struct hashtab stack_table;
	struct perf_tags *tags;
	size_t n_tags, cap_tags;
	struct hashtab tags_table;
	struct perf_row *row;
	size_t n_row, cap_row;
	struct hashtab row_table;
	struct perf_waiting *waiting;
	size_t n_waiting, cap_waiting;
	struct perf_cache cache;
	uint32_t n_event;
	uint64_t first_time, last_time;
	uint64_t lost_records, lost_samples;
	bool has_lost_samples;
	/* Locations of the folded kernel, and of what is missing in a stack;
	 * or PROF_NONE. */
	uint32_t fold, gap;
};

struct perf_build_id {
	uint32_t file, build_id; /* strings */
	bool is_kernel;
};

/* Numbers in the recording machine's byte order. */
static inline uint16_t
perf_u16(const struct perf *r, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return r->big ? be16toh(v) : le16toh(v);
}

static inline uint32_t
perf_u32(const struct perf *r, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return r->big ? be32toh(v) : le32toh(v);
}

static inline uint64_t
perf_u64(const struct perf *r, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return r->big ? be64toh(v) : le64toh(v);
}

static inline bool
perf_flag(const struct perf_attr *a, unsigned bit)
{
	return a->flags >> bit & 1;
}

/* Has any event that flag? */
static inline bool
perf_any_flag(const struct perf *r, unsigned bit)
{
	for (size_t i = 0; i < r->n_attr; i++)
		if (perf_flag(&r->attr[i], bit))
			return true;
	return false;
}

/* A record: type, misc and size at its front, all of it in memory. */
#define REC_TYPE(r, rec) perf_u32(r, rec)
#define REC_MISC(r, rec) perf_u16(r, (rec) + 4)
#define REC_SIZE(r, rec) perf_u16(r, (rec) + 6)
#define MISC_MODE 7
#define MISC_EXEC (1 << 13)      /* COMM; in MMAP: not executable */
#define MISC_FORK_EXEC (1 << 13) /* FORK that perf made up */
#define MISC_BUILD_ID (1 << 14)  /* MMAP2 */
#define MISC_BPF_LOST (1 << 15)  /* LOST_SAMPLES */

/* All below: PROF_OK, or prof_fail() into r->err. */

/* Count a record or place that makes no sense; an error with is_strict. */
enum prof_status perf_damage(struct perf *r, uint64_t at,
			     const char *what) MUST_USE;

/* --- attr.c --- */

/* One attr, of n bytes at p, and the n_id ids at id. */
enum prof_status perf_add_attr(struct perf *r, const uint8_t *p, size_t n,
			       const uint8_t *id, size_t n_id) MUST_USE;
enum prof_status perf_feature(struct perf *r, uint64_t number, const uint8_t *p,
			      size_t n) MUST_USE;
enum prof_status perf_read_tail(struct perf *r) MUST_USE;
enum prof_status perf_event_update(struct perf *r, const uint8_t *rec,
				   size_t n) MUST_USE;
enum prof_status perf_build_id(struct perf *r, const uint8_t *rec,
			       size_t n) MUST_USE;
/* The event's name without modifiers, as a string of the profile. */
enum prof_status perf_attr_name(struct perf *r, size_t attr, bool modifiers,
				uint32_t *name) MUST_USE;
/* The string of a build-id of n bytes. */
uint32_t perf_hex(struct perf *r, const uint8_t *id, size_t n);
/* The attr that a record is of: NULL if its id is unknown. */
const struct perf_attr *perf_attr_of(const struct perf *r, const uint8_t *rec,
				     size_t n);

/* --- order.c --- */

/* A record of n bytes, to be handled now or when its time has come. */
enum prof_status perf_order(struct perf *r, struct perf_stream *s,
			    const uint8_t *rec, size_t n) MUST_USE;
/* Handle what waits and is not newer than limit. */
enum prof_status perf_flush(struct perf *r, uint64_t limit) MUST_USE;

/* --- records.c --- */

enum prof_status perf_handle(struct perf *r, const uint8_t *rec,
			     size_t n) MUST_USE;

/* Keep a sample until its user frames come, or can come no more. */
enum prof_status perf_wait(struct perf *r,
			   const struct perf_waiting *w) MUST_USE;
enum prof_status perf_end_waiting(struct perf *r) MUST_USE;

/* --- space.c --- */

struct perf_map {
	uint32_t pid;
	bool is_kernel, is_exec;
	uint64_t start, size, offset;
	const char *name;
	size_t n_name;
	uint32_t build_id; /* string */
	uint32_t symbol;   /* string, of a BPF program */
};

/* The process of that pid, made if it is new; NULL without memory. */
struct perf_process *perf_process(struct perf *r, uint32_t pid);
enum prof_status perf_map(struct perf *r, const struct perf_map *m) MUST_USE;
enum prof_status perf_unmap_kernel(struct perf *r, uint64_t start) MUST_USE;
enum prof_status perf_fork(struct perf *r, uint32_t pid, uint32_t parent,
			   bool copy) MUST_USE;
void perf_exec(struct perf_process *p);
void perf_exit(struct perf *r, uint32_t pid);
const struct perf_vma *perf_find(const struct perf_space *s, uint64_t address);
/* The same for the kernel, whose image goes on past what perf says: to the code
 * that starts it. */
const struct perf_vma *perf_find_kernel(struct perf *r, uint64_t address);
void perf_space_release(struct perf *r, struct perf_space *s);

/* --- sample.c --- */

enum prof_status perf_sample(struct perf *r, const uint8_t *rec,
			     size_t n) MUST_USE;

/* --- chain.c --- */

/* The stack of a sample, as an index, and notes about it. */
enum prof_status perf_chain(struct perf *r, const struct perf_sample *s,
			    uint32_t *stack, uint32_t *notes) MUST_USE;
/* User frames of a chain that was deferred, below the kernel part. */
enum prof_status perf_chain_join(struct perf *r, uint32_t kernel, uint32_t pid,
				 const uint8_t *chain, uint64_t n,
				 uint32_t *stack) MUST_USE;

/* --- tally.c --- */

/* Append a frame to the stack in work: an address, moved by shift, of an
 * object or PROF_NONE. */
enum prof_status perf_push(struct perf *r, uint64_t address,
			   uint32_t object) MUST_USE;
/* The frame of the folded kernel, unless it is the last already. */
enum prof_status perf_push_kernel(struct perf *r) MUST_USE;
enum prof_status perf_push_gap(struct perf *r) MUST_USE;
/* The index of the stack in work, which is then empty. */
enum prof_status perf_take_stack(struct perf *r, uint32_t *stack) MUST_USE;
enum prof_status perf_add_tags(struct perf *r, const struct perf_tags *t,
			       uint32_t *tags) MUST_USE;
enum prof_status perf_add_row(struct perf *r,
			      const struct perf_row *row) MUST_USE;

/* --- profile.c --- */

enum prof_status perf_build(struct perf *r) MUST_USE;

#endif
