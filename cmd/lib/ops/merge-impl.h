/* merge-impl.h - the sum, shared by merge.c and merge-sample.c. */
#ifndef MERGE_IMPL_H
#define MERGE_IMPL_H

#include <stdbool.h>

#include "lib/base/hashtab.h"
#include "lib/model/profile.h"
#include "lib/model/sums.h"
#include "merge.h"
#include "translate.h"

struct merge {
	struct profile *out;
	struct columns columns;
	struct translation tables; /* of the profile being added, to out */
	struct hashtab samples, comments;
	struct sums sums; /* the upper halves of the values */
	wide duration, period;
};

/* Rewrite the rows of the sum for the new set of columns. */
int merge_change_columns(struct merge *m, const struct columns_plan *plan);

/* Add the samples of m->tables.from, weight times. */
int merge_add_samples(struct merge *m, const struct columns_plan *plan,
		      int weight);

static inline bool
merge_is_zero(const int64_t *value, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (value[k])
			return false;
	return true;
}

#endif
