/*
 * backlog.h - records of rings that are not taken yet, in memory and in their
 * order, so that the rings go on being emptied.
 */
#ifndef PERF_BACKLOG_H
#define PERF_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"

struct backlog_part;

/* All 0 is empty. */
struct backlog {
	struct backlog_part *first, *last;
	size_t n_bytes; /* of records */
};

/* Append a copy of a record of an event of that kind. false: there is no room,
 * or no memory. */
bool backlog_add(struct backlog *b, size_t kind,
		 const struct perf_event_header *h);

/* The first record, and its kind; or NULL. It is valid until backlog_next(),
 * which removes it. */
const struct perf_event_header *backlog_peek(const struct backlog *b,
					     size_t *kind);
void backlog_next(struct backlog *b);

/* Remove all. */
void backlog_clear(struct backlog *b);

#endif
