/*
 * unpack.h - data that is stored compressed, in any of the ways that object
 * files use: gzip, zstd and xz.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

/*
 * How many bytes may still be unpacked for one run, whatever the files. A small
 * file that unpacks to much is a bomb or zeros; so there is less for what goes
 * beyond sixteen times the packed size, which debug information never does.
 * Shared by threads. Where a pointer to one is NULL, the limits of one file are
 * the only ones.
 */
struct unpack_budget {
	_Atomic int64_t total, excess;
};

/* Allow max bytes, of them 256 MiB in excess. */
void unpack_budget_init(struct unpack_budget *b, size_t max);

/* Account for n_packed bytes that become n. false: there was not so much. */
bool unpack_spend(struct unpack_budget *b, size_t n_packed, uint64_t n);

#define UNPACK_MAGIC 6 /* bytes: enough to tell */

/* Do the n bytes at data begin like something of that kind? */
bool unpack_is(const void *data, size_t n);

/*
 * Unpack the n bytes at data and append the result to out, which then holds at
 * most max bytes, or fewer if the budget has no more. PROF_EFORMAT,
 * PROF_ELIMIT, PROF_ENOTSUP (this build lacks the library) or PROF_ENOMEM.
 */
enum prof_status unpack(const void *data, size_t n, size_t max,
			struct unpack_budget *budget, struct buf *out,
			struct prof_err *err) MUST_USE;

#endif
