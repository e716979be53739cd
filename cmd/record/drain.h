/*
 * drain.h - the recorder's side of the shared memory of libsample/shm.h.
 */
#ifndef DRAIN_H
#define DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "libsample/shm.h"
#include "source.h"
#include "tally.h"

/* How to sample. */
struct drain_config {
	uint32_t what; /* enum shm_what, or-ed; 0: SHM_CPU */
	uint64_t period_ns;
	uint64_t heap_period; /* bytes */
	uint64_t lock_period; /* ns */
	enum shm_clock clock;
	enum shm_children children;
	int signal;      /* 0: SIGPROF */
	uint32_t labels; /* enum shm_label_key, or-ed */
	enum shm_interp_mode interp;
};

enum { DRAIN_PASS_MS = 100 };

/* A stack, its ticks and their signals, from the table. */
struct drain_entry {
	uint64_t key;
	uint64_t ticks, signals;
	uint64_t pc[SHM_ENTRY_DEPTH];
};

struct drain {
	struct shm *shm;
	struct shm_settings set; /* our copy: programs may change shm's */
	struct shm_heap *heap;   /* NULL: the heap is not recorded */
	bool is_damaged;         /* words have impossible values */
	int fd;
	uint64_t tail;   /* next position of the log to read */
	uint64_t n_read; /* positions that the last pass read */
	int pause_ms;    /* before the next pass */
	/* The unfinished position found last, and for how many passes it has
	 * been so. */
	uint64_t stuck;
	unsigned n_stuck;
	unsigned n_pass;
	struct drain_entry *taken; /* room for the whole table */
	size_t size;               /* of shm */
	/* Called with each message of a sampler for the user, up to a
	 * hundred. */
	void (*note)(const char *text);
	unsigned n_note;
};

/*
 * Create the shared memory. Returns PROF_OK, to end with drain_close(), or
 * PROF_EIO or PROF_ENOMEM.
 */
enum prof_status drain_open(struct drain *d, const struct drain_config *config,
			    struct prof_err *err) MUST_USE;

/* The same with memory created by libsample; the drain then owns fd. */
enum prof_status drain_attach(struct drain *d, int fd,
			      struct prof_err *err) MUST_USE;

void drain_close(struct drain *d);

/* The value of SHM_ENV for the program, valid while this process lives. */
void drain_name(const struct drain *d, char *text, size_t size);

/* The drain as the source of a recording. */
struct recording_source drain_source(struct drain *d);

/*
 * The time until the next drain_pass(), in ms: DRAIN_PASS_MS, but less while
 * many stacks come that are not in the table. Allocations and waits may come by
 * the million, and first when the program starts.
 */
int drain_pause_ms(struct drain *d);

/* Move new records to the tally: call it every DRAIN_PASS_MS, or after
 * drain_pause_ms(). */
void drain_pass(struct drain *d, struct tally *t);

/*
 * Empty the table, which drain_pass() does not do each time, and count the
 * memory in use in live processes: for a profile of this moment.
 */
void drain_table(struct drain *d, struct tally *t);

/* Count the memory in use now, replacing the last count. drain_table() and
 * drain_end() do this. */
void drain_live(struct drain *d, struct tally *t);

/* Remove allocations of ended processes, if they leave too little room.
 * drain_pass() does this. */
void drain_make_room(struct drain *d, struct tally *t);

/* Stop sampling; move all remaining records to the tally. */
void drain_end(struct drain *d, struct tally *t);

#endif
