/*
 * rowstore.h - the rows of all files that were met, by build-id: each is
 * compiled once, however many processes run it and however often it is mapped.
 * Any number of threads may use one store.
 */
#ifndef ROWSTORE_H
#define ROWSTORE_H

#include <stddef.h>

#include "lib/base/status.h"

struct rows;
struct rowstore;

/*
 * max_bytes: rows that nobody holds are kept for the next who asks as long as
 * all together take no more than this. NULL without memory; for
 * rowstore_free().
 */
struct rowstore *rowstore_new(size_t max_bytes);

/* All rows must have been given back. NULL is allowed. */
void rowstore_free(struct rowstore *s);

/* The rows with that build-id, if they are there: for rowstore_put(). NULL: no,
 * or build_id is "". */
const struct rows *rowstore_find(struct rowstore *s, const char *build_id);

/*
 * The rows of the file in fd, which stays the caller's; build_id is what it
 * must be, or "" if that is not known. *out is for rowstore_put(). PROF_EIO;
 * PROF_EFORMAT: not an ELF file of 64 bits, or damaged; PROF_ENOTSUP: for
 * another machine; PROF_EDIFFER: it is another build; PROF_ENOMEM.
 */
enum prof_status rowstore_read(struct rowstore *s, int fd, const char *build_id,
			       const struct rows **out,
			       struct prof_err *err) MUST_USE;

/* The same of a file by its path, which may be a pipe: it is not waited for. */
enum prof_status rowstore_open(struct rowstore *s, const char *path,
			       const char *build_id, const struct rows **out,
			       struct prof_err *err) MUST_USE;

/* The same of n bytes, which must hold a whole file: the vDSO's. */
enum prof_status rowstore_image(struct rowstore *s, const void *data, size_t n,
				const struct rows **out,
				struct prof_err *err) MUST_USE;

/* Give back. NULL is allowed. */
void rowstore_put(struct rowstore *s, const struct rows *r);

#endif
