/*
 * split.h - split a profile by the value of a label. Each sample goes to one
 * part, so the parts add up to the whole.
 */
#ifndef SPLIT_H
#define SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/filename.h"
#include "lib/model/profile.h"

struct split_part {
	const char *value; /* n_value bytes: the values of the label, joined by
			      commas; NULL: there is none */
	size_t n_value;
	uint32_t *sample; /* n of them, ascending */
	size_t n;
};

struct split {
	const struct profile *p;
	struct split_part *part; /* in order of their first samples */
	size_t n_part;
	uint32_t *sample; /* holds the samples of all parts */
	char *values;     /* holds the values */
};

/*
 * Find the parts of p, which must outlive the result, by the label `key`. End
 * with split_release(), even after an error. PROF_ELIMIT: more than max parts.
 */
enum prof_status split_init(struct split *s, const struct profile *p,
			    const char *key, size_t max,
			    struct prof_err *err) MUST_USE;
void split_release(struct split *s);

/*
 * Make a profile of part i, without entries that its samples don't use. *out is
 * the caller's. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status split_part(const struct split *s, size_t i,
			    struct profile **out,
			    struct prof_err *err) MUST_USE;

#define SPLIT_NAME_MAX FILENAME_SAFE_MAX

/*
 * A file name, or a part of one, for part i, different for each value:
 * filename_safe() of the value; "none" only for samples without the label.
 */
void split_name(const struct split *s, size_t i, char name[SPLIT_NAME_MAX]);

#endif
