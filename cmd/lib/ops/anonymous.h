/* anonymous.h - replace the names in a profile. */
#ifndef ANONYMOUS_H
#define ANONYMOUS_H

#include "lib/model/profile.h"

#define ANONYMOUS_MAX 64

/*
 * Makes a new name from the n bytes at s, which depends only on them and on a
 * key in ctx: equal bytes get equal names.
 */
struct anonymous_hash {
	void (*name)(void *ctx, const char *s, size_t n,
		     char out[ANONYMOUS_MAX]);
	void *ctx;
};

/*
 * Replace the names of functions, files, binaries, build ids, and the values of
 * string labels; empty names stay empty. Numeric labels with their units,
 * comments, the patterns of drop_frames and keep_frames, and the URL are
 * removed. The mark of a base (labels.h), sample types and values, keys of
 * string labels, and the shape of the stacks stay, so two profiles with the
 * same key can still be compared. PROF_ENOMEM.
 */
enum prof_status profile_anonymize(struct profile *p,
				   const struct anonymous_hash *h,
				   struct prof_err *err) MUST_USE;

#endif
