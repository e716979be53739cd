/*
 * shm.h - the memory that a sampled process shares with its recorder: their
 * only connection. It is a sealed memfd made by the recorder
 * (cmd/record/drain.c) and written by the sampler (table.c); all processes of a
 * session map the same one. doc/sampling.md describes the whole.
 *
 * A writer may be killed between any two instructions, and several processes
 * write at the same time. So all shared words are atomic, no writer waits for
 * another, and each structure defines when a sample counts as taken.
 */
#ifndef SHM_H
#define SHM_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interp/frame.h"
#include "unwind/frames.h"

#define SHM_MAGIC UINT64_C(0x31656c706d617370) /* "psample1" */
#define SHM_VERSION 15

/*
 * Environment variable of a sampled process: the path of the memory, and a
 * number that must equal the one inside, in hexadecimal:
 * "/proc/1234/fd/5,89abcdef".
 */
#define SHM_ENV "SAMPLE_SESSION"

/* The name of the memory: a process that has joined has a mapping of it. */
#define SHM_NAME "libsample"

/*
 * With `marks`, names that a thread has for a moment: when libsample is loaded
 * into its process, and when it samples that from now on. The kernel writes
 * names of threads into the records of perf_event, with the time, and numbers
 * processes as the recorder sees them, in whatever namespace they are.
 */
#define SHM_LOADS "libsample-loads"
#define SHM_JOINS "libsample-joins"

enum shm_marks {
	SHM_MARKS_NONE,
	SHM_MARKS_START, /* libsample joins when it is loaded, */
	SHM_MARKS_TICK,  /* or with its first tick, as the kernel's clocks run:
			    see timer_ticks() */
};

/*
 * The tables' sizes. With SHM_SMALL, of the fuzz target, they are soon full,
 * and quickly walked.
 */
#ifdef SHM_SMALL
enum {
	SHM_N_ENTRY = 64,
	SHM_N_SLOT = 32,
	SHM_N_PROCESS = 64,
	SHM_LIVE_FIRST = 64
};
#else
enum {
	SHM_N_ENTRY = 4096,    /* a multiple of SHM_WAYS, a power of two */
	SHM_N_SLOT = 4096,     /* slots of the log; a power of two */
	SHM_N_PROCESS = 32768, /* processes with separate counts */
	SHM_LIVE_FIRST = 65536 /* places of level 0 of struct shm_heap */
};
#endif

enum {
	SHM_DEPTH = UNWIND_FRAMES + 1, /* frames of a stack, plus a number */
	SHM_WAYS = 4,                  /* entries that a given stack may use */
	SHM_ENTRY_DEPTH = 63           /* deeper stacks go to the log */
};

/* PERF is CPU time, too, but by clocks that are not limited by the kernel's
 * tick. */
enum shm_clock { SHM_CLOCK_CPU, SHM_CLOCK_WALL, SHM_CLOCK_PERF };
enum shm_children { SHM_CHILDREN_MERGE, SHM_CHILDREN_NONE };

/* What is recorded; or-ed. */
enum shm_what { SHM_CPU = 1, SHM_HEAP = 2, SHM_LOCK = 4 };

/* What samples are labelled by; or-ed. */
enum shm_label_key {
	SHM_LABEL_THREAD = 1, /* the thread's current name */
	SHM_LABEL_TID = 2,
};

/* The libraries preloaded with libsample.so: the same bits, and one for a
 * clock. */
enum { SHM_PRELOAD_WAIT = 8 };

/* The events of which stacks are counted. */
enum shm_event {
	SHM_TICK,  /* periods of the clock */
	SHM_ALLOC, /* sampled allocations */
	SHM_GROW,  /* KiB by which the heap exceeds its largest size so far */
	SHM_WAIT,  /* waits for locks */
	SHM_DELAY, /* microseconds of them */
};

/* Whether functions of interpreters are read. */
enum shm_interp_mode { SHM_INTERP_ONLY, SHM_INTERP_MIXED, SHM_INTERP_OFF };

/* The kinds of locks. */
enum shm_lock {
	SHM_LOCK_MUTEX,
	SHM_LOCK_RWLOCK,
	SHM_LOCK_CONDITION,
	SHM_LOCK_SEMAPHORE,
	SHM_N_LOCK
};

/*
 * The identity of a stack besides its addresses: the event, the address space,
 * the labels of the thread, and the number of frames. For events other than
 * SHM_TICK, the last "frame" is a number: the size of an allocation in bytes,
 * or an enum shm_lock. A frame may be UNWIND_GAP; the first one of a tick,
 * UNWIND_OWN or UNWIND_FORK.
 */
#define SHM_KEY(event, space, label, depth)                                    \
	((uint64_t)(event) << 61 | (uint64_t)(space) << 35 |                   \
	 (uint64_t)(label) << 11 | (uint64_t)(depth))
/* The same key with another event. */
#define SHM_KEY_AS(event, key)                                                 \
	((uint64_t)(event) << 61 | ((key) & ((UINT64_C(1) << 61) - 1)))
#define SHM_KEY_EVENT(key) ((enum shm_event)((key) >> 61))
#define SHM_KEY_SPACE(key) ((uint32_t)((key) >> 35 & SHM_MAX_SPACE))
#define SHM_KEY_LABEL(key) ((uint32_t)((key) >> 11 & SHM_MAX_LABEL))
#define SHM_KEY_DEPTH(key) ((uint32_t)((key)&0x7ff))
#define SHM_MAX_SPACE UINT32_C(0x3ffffff)
#define SHM_MAX_LABEL UINT32_C(0xffffff)

/*
 * An entry of the table: a stack, and its count since the recorder last read
 * it. It has two parts, so that a look-up reads one cache line for the four
 * places of a stack, and the recorder finds counts in 64 KB.
 *
 * state is generation << 46 | calls << 26 | count. A call adds a count: a
 * signal adds the ticks that it represents. The generation is odd while the
 * stack is being written. A count is added by compare-and-swap of the whole
 * word, so it can only reach the stack that was compared; the recorder takes it
 * the same way. An entry may be given to another stack only if its count is 0:
 * whenever a writer dies, no count is lost or counted twice. A count that does
 * not fit goes to the log; the number of calls stays at its limit. An entry
 * changes its generation at most once after each read, so 18 bits last for
 * hours.
 */
struct shm_mark {
	_Atomic uint64_t state;
	_Atomic uint64_t hash;
};

struct shm_entry {
	_Atomic uint64_t key;
	_Atomic uint64_t pc[SHM_ENTRY_DEPTH];
};

#define SHM_COUNT_MAX ((UINT64_C(1) << 26) - 1)
#define SHM_CALLS_MAX ((UINT64_C(1) << 20) - 1)
#define SHM_COUNT(state) ((state)&SHM_COUNT_MAX)
#define SHM_CALLS(state) ((state) >> 26 & SHM_CALLS_MAX)
#define SHM_GENERATION(state) ((state) >> 46)
#define SHM_STATE(generation, calls, count)                                    \
	((uint64_t)(generation) << 46 | (uint64_t)(calls) << 26 |              \
	 (uint64_t)(count))

/* Code in memory: an executable segment of a loaded object. */
struct shm_module {
	uint32_t space;
	uint16_t is_self; /* it is libsample */
	/* It is an interpreter, whose frames are to be left out where a stack
	 * has frames of its functions. */
	uint16_t hide;
	uint64_t start;
	uint64_t limit;
	uint64_t offset; /* in the file */
	uint32_t n_build_id;
	uint8_t build_id[36];
	char path[]; /* ended by NUL */
};

/*
 * A new space. A space gives addresses their meaning: it has the modules of one
 * process, or also of processes forked from it that have loaded nothing since.
 * Unloading a module creates a new space, because other code may get its
 * addresses later.
 */
struct shm_space {
	uint32_t space;
	uint32_t base; /* it includes the modules of this one; 0: none */
	int32_t pid;
	/* The CPU time of the process when sampling began in it: of the loader,
	 * of constructors that ran before ours, and of programs that the
	 * process executed before this one. 0: it has begun before. */
	uint64_t early_ns;
	char name[]; /* the program's; ended by NUL */
};

/* The segment at start is no longer part of space (but was of its base). */
struct shm_gone {
	uint32_t space;
	uint64_t start;
};

/* The labels of a number, each key NUL value NUL. */
struct shm_label {
	uint32_t label;
	char text[];
};

/*
 * Code of an interpreter: a function's name and file, each of n units of so
 * many bytes (as Unicode), and its table of lines, which came before this in
 * pieces.
 */
struct shm_code {
	uint32_t code;
	uint8_t interp;    /* enum interp_number */
	uint8_t lines_are; /* enum interp_lines */
	uint8_t name_unit, file_unit;
	uint16_t n_scope, n_name, n_file; /* units; a scope's are a name's */
	uint16_t n_before; /* units of the name that are before the scope */
	char join;         /* Ruby's, between scope and the rest of the name */
	int32_t first_line;
	uint32_t n_lines; /* bytes */
	char text[];      /* the scope, the name, the file */
};

/* A piece of the table of lines of code that is to come. */
struct shm_lines_part {
	uint32_t code;
	uint32_t at;
	uint8_t bytes[];
};

enum shm_kind {
	SHM_STACK = 1, /* pc: a stack with count ticks, by one signal */
	SHM_SPACE,
	SHM_MODULE,
	SHM_GONE,
	SHM_LABEL,
	SHM_NOTE, /* bytes: a line of text for the user */
	SHM_CODE,
	SHM_LINES_PART
};

/*
 * A slot of the log, a ring with many writers that the recorder reads. The
 * state of a slot is turn: SHM_TURN(position): free, a writer claims it by
 * advancing head; one more: it holds a record; SHM_N_SLOT more: it was read and
 * is free for the next lap. So memory that was never written is valid. A record
 * counts from the moment when turn becomes SHM_TURN + 1. If a slot stays
 * claimed (its writer was killed), the recorder frees it after a while, and
 * adds 1 to n_lost of process[0]. A writer that was only stopped finds on
 * return that its turn is gone, and subtracts the 1; the hash exposes a record
 * that it wrote in between.
 */
#define SHM_TURN(position) ((position) - (position) % SHM_N_SLOT)

struct shm_slot {
	_Atomic uint64_t turn;
	uint32_t kind;  /* enum shm_kind */
	uint32_t count; /* ticks of a stack, else length in bytes */
	uint64_t hash;  /* shm_hash() of a stack */
	union {
		struct {
			uint64_t key;
			uint64_t pc[SHM_DEPTH];
		} stack;
		struct shm_space space;
		struct shm_module module;
		struct shm_gone gone;
		struct shm_label label;
		struct shm_code code;
		struct shm_lines_part lines;
		char bytes[(SHM_DEPTH + 1) * 8];
	} u;
};

/*
 * The live sampled allocations, after struct shm if the heap is recorded: hash
 * tables, called levels, each four times as large as the one before. A pointer
 * has SHM_LIVE_WAYS possible places in each level; if all are used, it goes to
 * the next level. mark.pointer is 0 while the place is free, and 1 while a
 * process changes it; it is set last, and cleared by compare-and-swap. owner is
 * the process that may free it, with its pid in the upper half: the same
 * pointer in another process, or after exec, is another allocation. Its stack
 * is in the table, or the log, with that hash.
 *
 * A process whose address space is limited (RLIMIT_AS) maps the first levels
 * only, and uses no others.
 */
enum {
	SHM_LIVE_WAYS = 16,
	SHM_LIVE_LEVELS = 5,
	SHM_N_LIVE = 341 * SHM_LIVE_FIRST /* 1 + 4 + 16 + 64 + 256 */
};

struct shm_live {
	_Atomic uint64_t pointer;
	_Atomic uint64_t owner;
	uint64_t hash; /* shm_hash() of a stack of SHM_ALLOC */
	uint64_t size; /* in bytes, the last number in the stack */
};

struct shm_heap {
	_Alignas(64) _Atomic uint32_t level; /* the last level in use */
	_Alignas(64) struct shm_live live[SHM_N_LIVE]; /* or fewer levels */
};

#define SHM_OWNER_PID(owner) ((int32_t)((owner) >> 32))

/* Counts of one kind of samples besides ticks. */
struct shm_count {
	_Atomic uint64_t n_taken;
	_Atomic uint64_t n_lost;      /* samples without room */
	_Atomic uint64_t n_truncated; /* see shm_process */
	_Atomic uint64_t n_failed;
	_Atomic uint64_t lost_bytes; /* bytes that lost samples represent */
};

/*
 * Counts of one process, for the comments of profiles. process[0] belongs to no
 * process: it has the recorder's own counts, and those of processes that found
 * no other free. Untouched entries take no memory.
 */
struct shm_process {
	_Alignas(64) _Atomic uint64_t pid;
	_Atomic uint64_t n_signal;    /* signals received */
	_Atomic uint64_t n_tick;      /* ticks with overruns */
	_Atomic uint64_t n_lost;      /* ticks without room */
	_Atomic uint64_t n_truncated; /* stacks with more frames than fit */
	_Atomic uint64_t n_failed;    /* stacks whose root was not found */
	_Atomic uint64_t n_untimed;   /* threads without a timer */
	_Atomic uint64_t n_perf;      /* signals of perf clocks */
	_Atomic uint64_t n_unread; /* ticks with frames of an interpreter that
				      were not read */
	_Atomic uint64_t n_merged; /* ticks that the next sample counts */
	_Atomic uint64_t n_dear;   /* samples that made ticks wait for that */
	_Atomic uint64_t dear_ns;  /* ... and the CPU time that they took */
	struct shm_count heap, lock;
};

/*
 * The recorder's settings. Written once, before there is another reader. The
 * recorder keeps its own copy, as programs can write here.
 */
struct shm_settings {
	uint64_t magic;
	uint32_t version;
	uint32_t signal; /* 0: SIGPROF */
	uint64_t size;   /* of the whole memory, in bytes */
	uint64_t nonce;
	uint64_t period_ns; /* between ticks of one thread */
	uint32_t clock;     /* enum shm_clock */
	uint32_t children;  /* enum shm_children */
	int32_t owner;      /* the process that started the session, if not the
			       recorder */
	uint32_t what;      /* enum shm_what, or-ed */
	uint64_t heap_period; /* mean bytes between samples */
	uint64_t lock_period; /* ns of waiting between samples */
	uint32_t labels;      /* enum shm_label_key, or-ed */
	uint32_t live_levels; /* of the heap's tables, in this memory */
	uint32_t interp;      /* enum shm_interp_mode */
};

struct shm {
	struct shm_settings set;

	/* Set by the recorder when it stops taking samples. */
	_Alignas(64) _Atomic uint32_t stop;
	_Atomic uint32_t marks; /* enum shm_marks, also by the recorder */

	/* Allocated by the sampler with fetch_add. */
	_Atomic uint32_t next_space; /* 0 is never a space */
	_Atomic uint32_t next_label; /* 0 means no labels */
	_Atomic uint32_t next_code;  /* of an interpreter; 0 is none */
	_Atomic uint32_t next_owner; /* of live allocations */
	_Atomic uint32_t n_program;  /* programs that loaded the sampler */
	_Atomic uint32_t n_process;  /* that asked for counts */
	_Atomic uint32_t n_thread;   /* that a clock was asked for */
	_Atomic uint32_t n_fork;     /* children without a program of their own,
					sampled or not */

	/* In the page of the settings, which each process has touched. */
	_Alignas(64) _Atomic uint64_t head; /* next position to write */

	_Alignas(64) struct shm_process process[SHM_N_PROCESS];

	_Alignas(64) struct shm_mark mark[SHM_N_ENTRY];
	_Alignas(64) struct shm_entry entry[SHM_N_ENTRY];
	_Alignas(64) struct shm_slot slot[SHM_N_SLOT];
};

_Static_assert(sizeof(struct shm_mark) * SHM_WAYS == 64, "one line a bucket");
_Static_assert(sizeof(struct shm_entry) == 512, "two entries a kilobyte");
_Static_assert(sizeof(struct shm_slot) <= 8256, "two pages and a bit");
_Static_assert(sizeof(struct shm_process) % 64 == 0, "no line is of two");
_Static_assert(SHM_DEPTH <= 0x7ff, "the depth must fit its field of the key");

/* The start of level, which is the end of those before it. */
static inline size_t
shm_live_begin(unsigned level)
{
	return (((size_t)1 << 2 * level) - 1) / 3 * SHM_LIVE_FIRST;
}

/* The size of the memory to record this, an enum shm_what, or-ed, with so many
 * levels of live allocations. */
static inline size_t
shm_size(uint32_t what, unsigned levels)
{
	return sizeof(struct shm) +
	       (what & SHM_HEAP ? offsetof(struct shm_heap, live) +
					  shm_live_begin(levels) *
						  sizeof(struct shm_live)
				: 0);
}

/* NULL if the heap is not recorded. */
static inline struct shm_heap *
shm_heap(struct shm *shm, uint32_t what)
{
	return what & SHM_HEAP ? (struct shm_heap *)(shm + 1) : NULL;
}

/* The number of places that may be in use, of a memory with so many levels. */
static inline size_t
shm_n_live(const struct shm_heap *heap, unsigned levels)
{
	uint32_t level =
		atomic_load_explicit(&heap->level, memory_order_relaxed);

	return shm_live_begin(level < levels ? level + 1 : levels);
}

/* Place number `way` for a pointer in a level. */
static inline size_t
shm_live_place(uint64_t owner, uint64_t pointer, unsigned level, size_t way)
{
	uint64_t h = (pointer >> 4 ^ owner * 0x9e3779b1) *
		     UINT64_C(0x9e3779b97f4a7c15);
	size_t mask = ((size_t)SHM_LIVE_FIRST << 2 * level) - 1;

	return shm_live_begin(level) + (((size_t)(h >> 40) + way) & mask);
}

/* The hash of a stack; never 0. Its low bits select the bucket. */
static inline uint64_t
shm_hash(uint64_t key, const uintptr_t *pc, size_t n)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < n; i++) {
		h = (h ^ pc[i]) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	return h ? h : 1;
}

/* The index of the first of SHM_WAYS entries for a hash. */
static inline size_t
shm_bucket(uint64_t hash)
{
	return (size_t)(hash % (SHM_N_ENTRY / SHM_WAYS)) * SHM_WAYS;
}

/*
 * ftruncate() for shared memory. The limit on file sizes (ulimit -f) applies to
 * memory, too, and exceeding it raises SIGXFSZ in this thread, which is
 * consumed here. Returns 0, or -1 with errno. Uses system calls, as libsample
 * interposes libc's functions.
 */
static inline int
shm_resize(int fd, size_t size)
{
	static const struct timespec now;
	sigset_t set, old;
	int rc, saved;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &old, _NSIG / 8);
	rc = ftruncate(fd, (off_t)size);
	saved = errno;
	if (rc != 0 && saved == EFBIG)
		syscall(SYS_rt_sigtimedwait, &set, NULL, &now, _NSIG / 8);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, _NSIG / 8);
	errno = saved;
	return rc;
}

#endif
