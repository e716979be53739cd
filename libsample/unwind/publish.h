/*
 * publish.h - compiled tables as walks in any thread use them: table.c makes
 * them, publish.c replaces them. One thread at a time does either. All here is
 * async-signal-safe: a tick removes objects that were unloaded.
 */
#ifndef UNWIND_PUBLISH_H
#define UNWIND_PUBLISH_H

#include "row.h"
#include "unwind.h"

#define MAX_RETIRED 16

/* Rows of objects that were unloaded, as many are loaded again soon. */
#define N_SHELF 32

struct shelved {
	uint64_t id;
	struct cfi_rows rows; /* row NULL: free */
};

/* State of refreshes; one thread at a time uses it. */
extern struct unwind_refresher {
	struct shelved shelf[N_SHELF]; /* the newest first */
	atomic_uint pending; /* refreshes requested and not yet done */
	struct unwind_pool *pool;
	struct unwind_tables *retired;
	size_t n_retired;
	bool stuck;                    /* waiting for readers has failed */
	unsigned long long adds, subs; /* the loader's, last time */
	bool done;
} unwind_refresher;

/* Replace the tables by new ones. The old ones are retired. */
void unwind_publish(struct unwind_tables *new);

/* Unmap retired tables if no walk uses them. */
void unwind_free_retired(void);

/* Unmap tables that no walk has seen. */
void unwind_free_tables(struct unwind_tables *t);

/* Take the rows of this object off the shelf. False: they are not there. */
bool unwind_unshelve(const struct unwind_object *o, struct cfi_rows *rows);

#endif
