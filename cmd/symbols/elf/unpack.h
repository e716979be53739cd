/*
 * unpack.h - data that is stored compressed, in any of the ways that object
 * files use: gzip, zstd and xz.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/*
 * How many bytes may still be unpacked in this run, over all files. Data that
 * unpacks to more than sixteen times its size is a bomb or zeros, as debug
 * information never does; it has a smaller limit. Shared by threads. Where a
 * pointer to a budget is NULL, only the limits for one file hold.
 */
struct unpack_budget {
	_Atomic int64_t total, excess;
	_Atomic int lack; /* errno: memory or descriptors ran out */
	/*
	 * Files that could not be read; the first one by name, whichever thread
	 * was faster:
	 */
	pthread_mutex_t lock;
	int n_unread;
	int error;
	char path[512];
};

/* Allow max bytes, of which 256 MiB in excess of that ratio. */
void unpack_budget_init(struct unpack_budget *b, size_t max);

/*
 * The file at path is there and could not be read (errno), or was not found and
 * has names that nothing else has (ENOENT). That must not pass for a file that
 * is not there, even if the search went on meanwhile: without memory or
 * descriptors binary_run() fails, and the rest is counted, to be said.
 */
void unpack_unread(struct unpack_budget *b, const char *path, int error);

/* Charge n bytes unpacked from n_packed. false: the budget is exhausted. */
bool unpack_spend(struct unpack_budget *b, size_t n_packed, uint64_t n);

#define UNPACK_MAGIC 6 /* bytes that identify the format */

/* Do the n bytes at data begin like one of the formats? */
bool unpack_is(const void *data, size_t n);

/*
 * Unpack the n bytes at data and append them to out, which may then hold at
 * most max bytes, or fewer if the budget is smaller. PROF_EFORMAT, PROF_ELIMIT,
 * PROF_ENOTSUP (this build lacks the library) or PROF_ENOMEM.
 */
enum prof_status unpack(const void *data, size_t n, size_t max,
			struct unpack_budget *budget, struct buf *out,
			struct prof_err *err) MUST_USE;

#endif
