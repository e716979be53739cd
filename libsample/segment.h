/*
 * segment.h - the executable segments that the recorder knows of. All functions
 * are async-signal-safe, and need is_taken.
 */
#ifndef SEGMENT_H
#define SEGMENT_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm.h"

struct segment {
	uint64_t start;
	uint64_t limit;
	uint64_t id;   /* identifies the object and the address */
	unsigned pass; /* the last that saw it */
};

extern struct segments {
	_Atomic bool is_taken; /* whoever set it uses the members below */
	struct segment *at;
	size_t n;
	unsigned pass;           /* over the loaded objects */
	_Atomic size_t n_unseen; /* that were unloaded */
	/* What unwind_note() has noted is not listed yet. */
	_Atomic bool is_noted;
	/* The program's path under the name that was executed; NULL: that is no
	 * link. */
	const char *run;
} segments;

/* Is what this header shows in memory, by one of the n headers of its object? A
 * note that the loader does not use need not be. */
bool segment_is_loaded(const ElfW(Phdr) * part, const ElfW(Phdr) * header,
		       size_t n);

/*
 * Append a record that must not be lost: wait for room, as the recorder empties
 * the log many times a second. If it has not for a while, it is dead; later
 * calls do not wait.
 */
bool segments_tell(enum shm_kind kind, const void *data, size_t size,
		   const void *tail, size_t n_tail);

/*
 * Add what was loaded, and count what was unloaded: that stays in the space and
 * in the unwinder's tables until the next tick (segments_update) or until
 * something new is loaded. So a program that loads and unloads the same in a
 * loop costs a look at the loader's list. may_skip: if the loader has done
 * nothing since.
 */
void segments_refresh(bool may_skip);

/* Add what was noted at the start of the program, if that is not done. */
void segments_list_noted(void);

/* Forget all: there will be a new recorder. */
void segments_reset(void);

#endif
