/*
 * tally-int.h - the contents of a tally, for the files that implement it:
 *
 *	tally.c		stacks and labels, counted
 *	tally-event.c	the same for events other than ticks: allocations, waits
 *	tally-space.c	address spaces: the module of an address
 *	tally-maps.c	the same, for code that no loader mapped
 *	tally-code.c	the code of interpreters
 *	tally-mark.c	the counts at a moment
 *	tally-early.c	what programs used before they were sampled
 *	tally-profile.c	a profile of the counts so far
 */
#ifndef TALLY_INT_H
#define TALLY_INT_H

#include <stdbool.h>

#include "lib/base/hash.h"
#include "lib/base/hashtab.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"
#include "libsample/shm.h"
#include "lines.h"
#include "tally.h"

/* Strings are indices in tally.strings. */

struct module {
	uint32_t file;
	uint32_t build_id;
	uint64_t offset;
	uint64_t start; /* where it was first seen */
	uint64_t size;
	bool is_self; /* libsample */
	bool hide;    /* see struct shm_module */
	int held;     /* a descriptor of its file; 0: none is wanted; -1: it is
			 refused */
	uint64_t held_dev, held_ino;
};

struct range {
	uint64_t start;
	uint64_t limit;
	uint32_t module;
};

struct space {
	uint64_t id;
	uint32_t process;
	uint32_t next;       /* the space that replaced it, or 0 */
	struct range *range; /* sorted by start */
	size_t n_range;
	bool is_used;    /* something has named it since the last sweep */
	int64_t maps_ns; /* when /proc/PID/maps may be read again */
};

struct process {
	int32_t pid;
	uint32_t name;
	uint32_t program; /* module; PROF_NONE: not yet known */
};

/* The CPU time of a process when it began to be sampled. */
struct early {
	uint32_t process;
	uint64_t ns;
};

/* A set of labels: n in tally.label, from index at on. */
struct labels {
	size_t at;
	size_t n;
};

/* An address, moved to where its module was first seen. */
struct place {
	uint64_t address;
	uint32_t module; /* PROF_NONE: in none */
};

/* Instead of a module: frames that are missing in a stack. */
#define PLACE_GAP (PROF_NONE - 1)
/* The same: the recorder's own work in the program. */
#define PLACE_OWN (PROF_NONE - 2)
/* The same: code of an interpreter; the address is its index in tally.code and,
 * in the lower half, the line. */
#define PLACE_CODE (PROF_NONE - 3)
/* The same: frames of an interpreter that were not read; the address is an enum
 * shm_interp. */
#define PLACE_UNREAD (PROF_NONE - 4)
/* Below it are modules. */
#define PLACE_FIRST PLACE_UNREAD

struct stack {
	uint32_t process;
	uint32_t labels; /* index + 1; 0: none */
	uint32_t n;
	size_t at; /* in a pool of frames */
	uint64_t ticks;
	uint64_t signals; /* that brought the ticks */
	uint64_t chances; /* ticks among them that came by tally_chance() */
};

/* The frames of stacks: indices of tally.place. */
struct frames {
	uint32_t *frame;
	size_t n, room;
};

/* A stack counted for an event other than ticks. */
struct event {
	struct stack stack; /* ticks: allocations; KiB; waits */
	enum shm_event event;
	uint64_t number; /* bytes; enum shm_lock */
	uint64_t live;   /* SHM_ALLOC: not freed */
	uint64_t left;   /* ... by ended processes */
	uint64_t ended;  /* ... of these, no longer in the shared memory */
	uint64_t delay;  /* SHM_WAIT: microseconds */
};

/* The event of a stack in the shared memory, by its hash: it may be needed
 * after its space is forgotten. */
struct raw {
	uint64_t hash;
	uint32_t event;
};

/* A function of an interpreter. */
struct code {
	uint32_t name, file;
	uint32_t interp; /* enum interp_number */
	int32_t first_line;
	bool has_lines; /* row; else the place is the line */
	uint64_t table; /* a hash of its lines as they came */
	struct line_row *row;
	size_t n_row;
};

/* The beginning of a table of lines of code that is still to come. */
struct table {
	uint32_t code; /* a sampler's number; 0: none */
	uint8_t *bytes;
	size_t n, room;
};

/* Samplers send tables in pieces, and others in between. */
enum { TALLY_TABLES = 64 };

/* The code that a process has mapped. */
struct maps {
	int32_t pid;
	char *text; /* of the paths in the rows */
	struct procfs_map *row;
	size_t n, room;
};

struct tally {
	struct arena *arena; /* holds the strings */
	struct strtab strings;
	bool failed; /* there was no memory */
	const struct launch *launch;
	bool holds; /* tally_hold() */
	size_t n_held,
		n_refused; /* files that are held; that would have been */
	int64_t hold_ns, spent_ns; /* since when; on looking for ... */
	int32_t pid, host; /* ... the number here of pid, the last; 0: none */
	struct maps maps;  /* that were read last */
	uint64_t key[2];   /* of hash_mix(): the program chooses words */

	struct module *module;
	size_t n_module, room_module;
	struct hashtab modules;
	struct space *space; /* sorted by id */
	size_t n_space, room_space;
	size_t n_range; /* in all spaces */
	size_t n_swept; /* of both, after the last sweep */
	struct process *process;
	size_t n_process, room_process;
	uint64_t n_chance; /* of all stacks */
	struct hashtab processes;
	struct early *early; /* in order of arrival */
	size_t n_early, room_early;
	struct label *label;
	size_t n_label, room_label;
	struct labels *labels;
	size_t n_labels, room_labels;
	struct hashtab label_sets;
	uint32_t *labels_of; /* by the sampler's number: index + 1 */
	size_t n_number, room_number;
	struct code *code;
	size_t n_code, room_code;
	struct hashtab codes;
	uint32_t *code_of; /* by the sampler's number; PROF_NONE: unknown */
	size_t n_number_of_code, room_number_of_code;
	struct table table[TALLY_TABLES];
	unsigned next_table;
	struct place *place;
	size_t n_place, room_place;
	struct hashtab places;
	struct stack *stack; /* of ticks */
	size_t n_stack, room_stack;
	struct hashtab stacks;
	struct frames frames; /* of stack */
	struct tally_column column[TALLY_MAX_COLUMN];
	size_t n_column;
	bool no_ticks;
	uint64_t *value; /* n_column of each stack */
	size_t room_value;
	struct event *event;
	size_t n_event, room_event;
	struct hashtab events;
	struct frames event_frames;
	struct raw *raw;
	size_t n_raw, room_raw;
	struct hashtab raws;
};

/* The counts of a stack at a mark. */
struct tick_mark {
	uint64_t ticks, signals;
};

/* The counts of an event at a mark. */
struct event_mark {
	uint64_t ticks, live, left, delay;
};

/* Only the arrays for its kind are set. */
struct tally_mark {
	enum tally_kind kind;
	struct sampling sampling;
	size_t n_stack, n_event;
	struct tick_mark *tick; /* by stack */
	uint64_t *value;        /* columns, by stack */
	struct event_mark *event;
};

/*
 * Make room for n more elements of size bytes in the array whose address is
 * `array`; false, and t->failed, without memory.
 */
bool tally_reserve(struct tally *t, void *array, size_t *room, size_t used,
		   size_t n, size_t size);

/* Intern a string; STRTAB_NONE, and t->failed, without memory. */
uint32_t tally_intern(struct tally *t, const char *s);

/* hashtab_intern(), which sets t->failed without memory. */
uint32_t tally_add(struct tally *t, struct hashtab *s, uint64_t hash,
		   hashtab_same_fn *same, const void *key, size_t next);

/* a + b, clamped to the range of int64_t. */
static inline uint64_t
tally_plus(uint64_t a, uint64_t b)
{
	return a > INT64_MAX - (b > INT64_MAX ? INT64_MAX : b) ? INT64_MAX
							       : a + b;
}

/* a * b, clamped, as a value of a sample. */
static inline int64_t
tally_times(uint64_t a, uint64_t b)
{
	return b && a > INT64_MAX / b ? INT64_MAX : (int64_t)(a * b);
}

/* The space with this id, or NULL. */
struct space *tally_find_space(const struct tally *t, uint32_t id);

/* Sampling began in a process, by index, when it had used so much; 0: it had
 * begun before. */
void tally_early(struct tally *t, uint32_t process, uint64_t ns);

/* The module of s that address is in, or PROF_NONE; *address is moved to where
 * that was seen first. */
uint32_t tally_module_at(const struct tally *t, const struct space *s,
			 uint64_t *address);

/* Add a module, with strings of the tally, at its address in s. */
void tally_add_module(struct tally *t, struct space *s, const struct module *m);

/* tally-hold.c: hold the file of a new module of s, if it should be. */
void tally_hold_file(struct tally *t, const struct space *s, struct module *m);
void tally_release_files(struct tally *t);

/*
 * tally-maps.c. An address of s is in no module: look for more of them in the
 * process itself. Returns true if there are new ones; false, without a look, if
 * the last one was less than a second ago.
 */
bool tally_read_maps(struct tally *t, struct space *s);

/* tally-code.c: the place of a frame of an interpreter. */
uint32_t tally_code_at(const struct tally *t, uint64_t frame,
		       uint64_t *address);
void tally_code_release(struct tally *t);

/*
 * The stack that key and pc mean, without ticks, and its hash. Its frames are
 * put after the last of pool, and are there to stay if pool->n is raised by
 * stack->n. Returns false without memory.
 */
bool tally_frames(struct tally *t, struct frames *pool, uint64_t key,
		  const uint64_t *pc, struct stack *stack, uint64_t *hash);

/* Compares all but their ticks; both are in pool. */
bool tally_same_stack(const struct frames *pool, const struct stack *a,
		      const struct stack *b);

/* tally_stack() for events other than ticks. */
void tally_event(struct tally *t, uint64_t key, const uint64_t *pc,
		 uint64_t count);
void tally_event_release(struct tally *t);

/* The state of building a profile. */
struct build {
	const struct tally *t;
	const struct tally_info *info;
	struct profile *p;
	uint32_t *mapping;  /* by module; PROF_NONE: not added yet */
	uint32_t *location; /* by place; the same */
	uint32_t *function; /* by code, and of what was not read */
	uint32_t language[INTERP_NUMBERS]; /* mappings; the same */
	uint32_t process, pid;             /* strings: label keys */
};

/*
 * Add a sample, with the labels of its process if of_process, and one more
 * label, unless that is NULL. Returns false without memory.
 */
bool build_sample(struct build *b, const struct frames *pool,
		  const struct stack *s, bool of_process, const int64_t *value,
		  const struct label *more);

/* The location of a place that is PLACE_CODE or PLACE_UNREAD; PROF_NONE without
 * memory. */
uint32_t build_code(struct build *b, const struct place *at);

/* Does the profile include this process? */
bool build_is_of(const struct build *b, uint32_t process);

/* Add everything of kinds other than TALLY_CPU. */
bool build_events(struct build *b);

/* Add the comment on sampling. */
bool build_comment(struct build *b);

/*
 * Readers take the first mapping for the program: so add it first. It is the
 * program of a process with the most weight (an array with a number for each
 * module), so that it is not the shell that started it. Returns false without
 * memory.
 */
bool build_program(struct build *b, const uint64_t *weight);

/*
 * Names of code without a file come from files that its process leaves: add a
 * comment with its pid, unless labels have it. process: the only one, or
 * PROF_NONE. Call it last. Returns false without memory.
 */
bool build_pid(struct build *b, uint32_t process);

#endif
