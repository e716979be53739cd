/*
 * rowstore.h - the rows of all files: each is compiled once, for all processes
 * and mappings. Any number of threads may use one store.
 */
#ifndef ROWSTORE_H
#define ROWSTORE_H

#include <stddef.h>

#include <sys/stat.h>

#include "lib/base/status.h"

struct rows;
struct rowstore;

/*
 * max_bytes: unused rows are kept as long as all rows together are at most this
 * large. NULL without memory; for rowstore_free().
 */
struct rowstore *rowstore_new(size_t max_bytes);

/* Files that other threads read just now fail, and all later ones. */
void rowstore_stop(struct rowstore *s);

/* All rows must have been returned. NULL is allowed. */
void rowstore_free(struct rowstore *s);

/*
 * The rows of the file of which sb is the stat(), for rowstore_put(); NULL if
 * they are not there. build_id is the required one, or "". Files with one
 * build-id have the same rows if one user owns them: anybody can give his the
 * build-id of another's. Those of root and of this user count as one.
 */
const struct rows *rowstore_find(struct rowstore *s, const struct stat *sb,
				 const char *build_id);

/*
 * The rows of the regular file in a parcel (lib/base/fdpass.h), which the
 * caller closes, and of which sb is the stat(); build_id is the required one,
 * or "". The file itself is asked only by jail_rows(), if that is possible.
 * *out is for rowstore_put(). PROF_EIO; PROF_EFORMAT: not a 64-bit ELF file,
 * damaged, or for another machine; PROF_EDIFFER: another build-id; PROF_ELIMIT;
 * PROF_ENOMEM.
 */
enum prof_status rowstore_read(struct rowstore *s, int parcel,
			       const struct stat *sb, const char *build_id,
			       const struct rows **out,
			       struct prof_err *err) MUST_USE;

/* The same for the file path, which may be a pipe: does not wait for it. */
enum prof_status rowstore_open(struct rowstore *s, const char *path,
			       const char *build_id, const struct rows **out,
			       struct prof_err *err) MUST_USE;

/* The same for n bytes, a complete file: the vDSO. */
enum prof_status rowstore_image(struct rowstore *s, const void *data, size_t n,
				const struct rows **out,
				struct prof_err *err) MUST_USE;

/* Return rows. NULL is allowed. */
void rowstore_put(struct rowstore *s, const struct rows *r);

#endif
