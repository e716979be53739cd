/*
 * readers.h - threads that read files for a rowstore: a slow file delays the
 * stacks that need its rows, and no others. Small files go first.
 */
#ifndef READERS_H
#define READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "lib/base/status.h"

struct question;
struct readers;
struct rows;
struct rowstore;

enum { READERS_MAX = 4 };

/* NULL without memory. The store is the caller's, until readers_free(). */
struct readers *readers_new(struct rowstore *s);

/* The threads end, and the store reads no more. What is asked from then on is
 * refused. */
void readers_stop(struct readers *r);

/* What is asked is forgotten. NULL is allowed. */
void readers_free(struct readers *r);

/*
 * rowstore_read() of the first of n parcels that has rows; they become the
 * readers', which close them. user is the process's: those of one have neither
 * all threads nor all questions. The answer is for readers_answer() or
 * readers_forget(). NULL: too much was asked already, or there is no memory.
 */
struct question *readers_ask(struct readers *r, const int *parcel,
			     const struct stat *sb, size_t n,
			     const char *build_id, uid_t user);

/* false: there is no answer yet. Else q is gone, and *rows is for
 * rowstore_put(), or NULL with the reason in *err. */
bool readers_answer(struct readers *r, struct question *q,
		    const struct rows **rows, struct prof_err *err);
void readers_forget(struct readers *r, struct question *q);

/* Wait for an answer that came since the last call, at most so long. */
void readers_wait(struct readers *r, int ms);

#endif
