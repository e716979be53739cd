/*
 * readers.h - threads that read files for a rowstore: a slow file delays who
 * needs its rows, and nobody else. Small files go first.
 */
#ifndef READERS_H
#define READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct question;
struct readers;
struct rows;
struct rowstore;

enum { READERS_MAX_FD = 4 };

/* NULL without memory. The store is the caller's, until readers_free(). */
struct readers *readers_new(struct rowstore *s);

/* The threads end, and the store reads no more. What is asked from then on is
 * refused. */
void readers_stop(struct readers *r);

/* What is asked is forgotten. NULL is allowed. */
void readers_free(struct readers *r);

/*
 * rowstore_read() of the first of n files that has rows; they become the
 * readers', who close them. size is the first one's. The answer is for readers_answer() or
 * readers_forget(). NULL: too much was asked already, or there is no memory.
 */
struct question *readers_ask(struct readers *r, const int *fd, size_t n,
			     int64_t size, const char *build_id);

/* false: there is no answer yet. Else q is gone, and *rows is for
 * rowstore_put(), or NULL with the reason in *err. */
bool readers_answer(struct readers *r, struct question *q,
		    const struct rows **rows, struct prof_err *err);
void readers_forget(struct readers *r, struct question *q);

/* Wait for an answer that came since the last call, at most so long. */
void readers_wait(struct readers *r, int ms);

#endif
