/*
 * tally-int.h - what a tally holds, for the files that are one:
 *
 *	tally.c		stacks and labels, counted
 *	tally-event.c	the same for what is no tick: allocations, waits
 *	tally-space.c	address spaces: which module an address is in
 *	tally-maps.c	the same, for code that no loader mapped
 *	tally-mark.c	what was counted up to some moment
 *	tally-profile.c	a profile of what was counted so far
 */
#ifndef TALLY_INT_H
#define TALLY_INT_H

#include <stdbool.h>

#include "lib/base/hashtab.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"
#include "libsample/shm.h"
#include "tally.h"

/* Strings are indices of tally.strings everywhere here. */

struct module {
	uint32_t file;
	uint32_t build_id;
	uint64_t offset;
	uint64_t start; /* where it was seen first */
	uint64_t size;
	bool is_self; /* libsample */
};

struct range {
	uint64_t start; /* first, for place_of() */
	uint64_t limit;
	uint32_t module;
};

struct space {
	uint64_t id; /* first, for place_of() */
	uint32_t process;
	uint32_t next; /* space of the same process that replaced it, or 0 */
	struct range *range; /* sorted by start */
	size_t n_range;
	int64_t maps_ns; /* when /proc/PID/maps may be read again */
};

struct process {
	int32_t pid;
	uint32_t name;
	uint32_t program; /* module; PROF_NONE: not known yet */
};

/* A set of labels: n in tally.label from at on. */
struct labels {
	size_t at;
	size_t n;
};

/* An address, moved to where its module was seen first. */
struct place {
	uint64_t address;
	uint32_t module; /* PROF_NONE: in none */
};

/* The module of no address, but of frames that are missing in a stack. */
#define PLACE_GAP (PROF_NONE - 1)

struct stack {
	uint32_t process;
	uint32_t labels; /* and 1; 0: none */
	uint32_t n;
	size_t at; /* in a pool of frames */
	uint64_t ticks;
};

/* The stacks of stacks: indices of tally.place. */
struct frames {
	uint32_t *frame;
	size_t n, room;
};

/* A stack that was counted for something else than ticks. */
struct event {
	struct stack stack; /* ticks: allocations; KiB; waits */
	enum shm_event event;
	uint64_t number; /* bytes; enum shm_lock */
	uint64_t live;   /* SHM_ALLOC: not freed */
	uint64_t left;   /* ... by processes that are gone */
	uint64_t ended;  /* ... of which this is known here alone */
	uint64_t delay;  /* SHM_WAIT: microseconds */
};

/* The event that a stack of the shared memory belongs to, by its hash: it may
 * be asked for again when its space is forgotten. */
struct raw {
	uint64_t hash;
	uint32_t event;
};

struct tally {
	struct arena *arena; /* of the strings */
	struct strtab strings;
	bool failed;     /* for want of memory */
	uint64_t key[2]; /* of tally_mix() */

	struct module *module;
	size_t n_module, room_module;
	struct hashtab modules;
	struct space *space; /* sorted by id */
	size_t n_space, room_space, n_swept;
	size_t n_range; /* in all spaces */
	struct process *process;
	size_t n_process, room_process;
	struct hashtab processes;
	struct label *label;
	size_t n_label, room_label;
	struct labels *labels;
	size_t n_labels, room_labels;
	struct hashtab label_sets;
	uint32_t *labels_of; /* from the sampler's number: index and 1 */
	size_t n_number, room_number;
	struct place *place;
	size_t n_place, room_place;
	struct hashtab places;
	struct stack *stack; /* of ticks */
	size_t n_stack, room_stack;
	struct hashtab stacks;
	struct frames frames; /* of these */
	struct event *event;
	size_t n_event, room_event;
	struct hashtab events;
	struct frames event_frames;
	struct raw *raw;
	size_t n_raw, room_raw;
	struct hashtab raws;
};

/* What an event had. */
struct event_mark {
	uint64_t ticks, live, left, delay;
};

/* One of the arrays is there: that which its kind needs. */
struct tally_mark {
	enum tally_kind kind;
	struct sampling sampling;
	size_t n_stack, n_event;
	uint64_t *ticks; /* of each stack */
	struct event_mark *event;
};

/*
 * Room for n more of size bytes in the array whose address array is; false,
 * and failed, without.
 */
bool tally_reserve(struct tally *t, void *array, size_t *room, size_t used,
		   size_t n, size_t size);

/* The string, or STRTAB_NONE, and failed. */
uint32_t tally_intern(struct tally *t, const char *s);

/* hashtab_intern(), with want of memory remembered. */
uint32_t tally_add(struct tally *t, struct hashtab *s, uint64_t hash,
		   hashtab_same_fn *same, const void *key, size_t next);

/* Fold one word into a hash. Keyed, as the program chooses what is hashed. */
static inline uint64_t
tally_mix(const struct tally *t, uint64_t h, uint64_t x)
{
	unsigned __int128 p =
		(unsigned __int128)(h ^ x ^ t->key[0]) * t->key[1];

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* a + b, but no more than fits an int64_t. */
static inline uint64_t
tally_plus(uint64_t a, uint64_t b)
{
	return a > INT64_MAX - (b > INT64_MAX ? INT64_MAX : b) ? INT64_MAX
							       : a + b;
}

/* The same for a * b, as a value of a sample. */
static inline int64_t
tally_times(uint64_t a, uint64_t b)
{
	return b && a > INT64_MAX / b ? INT64_MAX : (int64_t)(a * b);
}

/* The space with this id, or NULL. */
struct space *tally_find_space(const struct tally *t, uint32_t id);

/* The module of s that address is in, or PROF_NONE; *address is moved to where
 * that was seen first. */
uint32_t tally_module_at(const struct tally *t, const struct space *s,
			 uint64_t *address);

/* Add a module, of strings of the tally, where it lies in s. */
void tally_add_module(struct tally *t, struct space *s, const struct module *m);

/*
 * tally-maps.c. An address of s is in no module: look for more of them in the
 * process itself. Returns true if there are new ones; false, without a look, if
 * the last one was less than a second ago.
 */
bool tally_read_maps(struct tally *t, struct space *s);

/*
 * The stack that key and pc mean, without ticks, and its hash. Its frames are
 * put after the last of pool, and are there to stay if pool->n is raised by
 * stack->n. Returns false without memory.
 */
bool tally_frames(struct tally *t, struct frames *pool, uint64_t key,
		  const uint64_t *pc, struct stack *stack, uint64_t *hash);

/* But for their ticks, and both in pool. */
bool tally_same_stack(const struct frames *pool, const struct stack *a,
		      const struct stack *b);

/* tally_stack() of what is no tick. */
void tally_event(struct tally *t, uint64_t key, const uint64_t *pc,
		 uint64_t count);
void tally_event_release(struct tally *t);

/* A profile in the making. */
struct build {
	const struct tally *t;
	const struct tally_info *info;
	struct profile *p;
	uint32_t *mapping;     /* of each module; PROF_NONE: not there yet */
	uint32_t *location;    /* of each place; the same */
	uint32_t process, pid; /* strings: label keys */
};

/*
 * Add a sample, with the labels of its process if of_process, and one more
 * label, unless that is NULL. Returns false without memory.
 */
bool build_sample(struct build *b, const struct frames *pool,
		  const struct stack *s, bool of_process, const int64_t *value,
		  const struct label *more);

/* Is the profile about this process, too? */
bool build_is_of(const struct build *b, uint32_t process);

/* Add everything of kinds other than TALLY_CPU. */
bool build_events(struct build *b);

/* Add the comment on sampling. */
bool build_comment(struct build *b);

/*
 * Readers take the first mapping for the program: so add it first. Of those
 * that the processes ran, it is the one with the most weight (an array with a
 * number for each module), so that it is not the shell that started it.
 * Returns false without memory.
 */
bool build_program(struct build *b, const uint64_t *weight);

/*
 * Code that is in no file can only be named by what its process left: say
 * which one that was, where no label does. process: the only one, or PROF_NONE.
 * Call it last. Returns false without memory.
 */
bool build_pid(struct build *b, uint32_t process);

#endif
