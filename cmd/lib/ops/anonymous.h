/* anonymous.h - a profile without the names that are in it. */
#ifndef ANONYMOUS_H
#define ANONYMOUS_H

#include "lib/model/profile.h"

#define ANONYMOUS_MAX 64

/*
 * Makes another name of the n bytes at s: text that the key of ctx alone can
 * tell, the same for equal bytes.
 */
struct anonymous_hash {
	void (*name)(void *ctx, const char *s, size_t n,
		     char out[ANONYMOUS_MAX]);
	void *ctx;
};

/*
 * Replace the names of functions, files, binaries, build ids, and the values of
 * string labels; names that are empty stay so. Numeric labels, with their
 * units, comments, the patterns of drop_frames and keep_frames, and the URL go.
 * What stays are sample types and values, keys of string labels, and the shape
 * of the stacks: so two profiles with one key can still be compared.
 * PROF_ENOMEM.
 */
enum prof_status profile_anonymize(struct profile *p,
				   const struct anonymous_hash *h,
				   struct prof_err *err) MUST_USE;

#endif
