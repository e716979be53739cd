/*
 * segment.h - the executable segments that the recorder knows of: module.c adds
 * what is loaded; what was unloaded is removed here, also by signal handlers.
 */
#ifndef SEGMENT_H
#define SEGMENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
} segments;

/*
 * Remove those that the last pass has not seen from the space, which is a new
 * one, and from the unwinder's tables: up to 32. False: there is no room in the
 * log. Async-signal-safe; with is_taken.
 */
bool segments_forget(void);

#endif
