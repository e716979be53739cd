/*
 * merge-sample.c - samples are added to a sum. A stack is translated straight
 * into the sum's pool, looked for among those that are there, and stays if it
 * is new. -1 is always: no memory.
 */
#include "config.h"

#include "merge-impl.h"

#include <string.h>

#include "lib/model/pool.h"

/*
 * Samples are looked up in batches: where each may be found is asked for ahead
 * of time, as the sum is larger than any cache.
 */
enum { BATCH = 16 };

/* A sample to be added, translated past the end of the pools of the sum. */
struct pending {
	const struct sample *from;
	const int64_t *value;
	size_t stack, label; /* where, in the pools */
	uint32_t hash;
};

/* Translate a stack into the pool of the sum. */
static int
map_stack(struct merge *m, const struct sample *s, uint32_t *to)
{
	const uint32_t *stack = profile_stack(m->tables.from, s);

	for (uint32_t k = 0; k < s->n_stack; k++) {
		to[k] = translate_location(&m->tables, stack[k]);
		if (to[k] == PROF_NONE)
			return -1;
	}
	return 0;
}

static int
map_labels(struct merge *m, const struct sample *s, struct label *to)
{
	const struct label *label = profile_label(m->tables.from, s);

	for (uint32_t k = 0; k < s->n_label; k++) {
		to[k] = (struct label){
			translate_string(&m->tables, label[k].key),
			translate_string(&m->tables, label[k].str),
			translate_string(&m->tables, label[k].unit),
			label[k].num
		};
		if (to[k].key == STRTAB_NONE || to[k].str == STRTAB_NONE ||
		    to[k].unit == STRTAB_NONE)
			return -1;
	}
	return 0;
}

static uint32_t
hash_sample(const struct hashtab *t, const uint32_t *stack, uint32_t n_stack,
	    const struct label *label, uint32_t n_label)
{
	uint64_t h = (uint64_t)n_stack << 32 | n_label, two;
	uint32_t k;

	for (k = 0; k + 1 < n_stack; k += 2) {
		memcpy(&two, stack + k, sizeof(two));
		h = hashtab_mix(t, h, two);
	}
	if (k < n_stack)
		h = hashtab_mix(t, h, stack[k]);
	for (k = 0; k < n_label; k++) {
		h = hashtab_mix(t, h,
				(uint64_t)label[k].key << 32 | label[k].str);
		h = hashtab_mix(t, h, (uint64_t)label[k].num);
		h = hashtab_mix(t, h, label[k].unit);
	}
	return (uint32_t)h;
}

static bool
same_labels(const struct label *a, const struct label *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (a[k].key != b[k].key || a[k].str != b[k].str ||
		    a[k].num != b[k].num || a[k].unit != b[k].unit)
			return false;
	return true;
}

/*
 * The sample of the sum with the stack and labels of b. If it is new, what was
 * translated stays, moved to the end of what is in use. PROF_NONE without
 * memory.
 */
static uint32_t
find_sample(struct merge *m, const struct pending *b)
{
	struct profile *out = m->out;
	const struct sample *s = b->from;
	const uint32_t *stack = out->stack + b->stack;
	const struct label *label = out->label + b->label;
	size_t at = hashtab_start(&m->samples, b->hash);
	uint32_t i;

	while ((i = hashtab_next(&m->samples, b->hash, &at)) != HASHTAB_NONE) {
		const struct sample *old = &out->sample[i];

		if (s->n_stack == old->n_stack && s->n_label == old->n_label &&
		    !memcmp(stack, profile_stack(out, old),
			    s->n_stack * sizeof(*stack)) &&
		    same_labels(label, profile_label(out, old), s->n_label))
			return i;
	}
	i = (uint32_t)out->n_sample;
	if (out->n_sample >= PROF_NONE - 1 ||
	    POOL_RESERVE(out, sample, out->n_sample, sample, 1) < 0 ||
	    POOL_RESERVE(out, value, out->n_sample * out->n_type, value,
			 out->n_type) < 0 ||
	    hashtab_add(&m->samples, b->hash, i) < 0)
		return PROF_NONE;
	if (b->stack != out->n_stack)
		memmove(out->stack + out->n_stack, stack,
			s->n_stack * sizeof(*stack));
	if (b->label != out->n_label)
		memmove(out->label + out->n_label, label,
			s->n_label * sizeof(*label));
	out->sample[i] = (struct sample){ out->n_stack, out->n_label,
					  s->n_stack, s->n_label };
	for (size_t k = 0; k < out->n_type; k++) {
		if (sums_set(&m->sums, out, i * out->n_type + k, 0) < 0)
			return PROF_NONE;
	}
	out->n_stack += s->n_stack;
	out->n_label += s->n_label;
	out->n_sample++;
	return i;
}

/* Add the values of a sample, in the general case. */
static int
add_values(struct merge *m, uint32_t to, const int64_t *value,
	   const struct columns_plan *plan, int weight)
{
	for (size_t k = 0; k < plan->n; k++) {
		const struct column_source *src = &plan->fresh[k];
		size_t i = to * plan->n + k;
		wide v;

		if (src->from < 0)
			continue;
		v = wide_mul((wide)value[src->from] * weight, src->factor);
		if (v &&
		    sums_set(&m->sums, m->out, i,
			     wide_add(sums_get(&m->sums, m->out, i), v)) < 0)
			return -1;
	}
	return 0;
}

/* Add n values one to one; false, and nothing done, if one overflows. */
static bool
add_simple(int64_t *sum, const int64_t *value, size_t n)
{
	int64_t v;

	for (size_t k = 0; k < n; k++)
		if (__builtin_add_overflow(sum[k], value[k], &v))
			return false;
	for (size_t k = 0; k < n; k++)
		sum[k] += value[k];
	return true;
}

/* The next samples of m->tables.from, from *next on, that are not all zero. */
static size_t
collect(const struct merge *m, size_t *next, struct pending *batch)
{
	const struct profile *from = m->tables.from;
	size_t stack = m->out->n_stack, label = m->out->n_label, n = 0;

	for (; *next < from->n_sample && n < BATCH; ++*next) {
		const struct sample *s = &from->sample[*next];
		const int64_t *value = profile_value(from, *next);

		if (merge_is_zero(value, from->n_type))
			continue;
		batch[n++] = (struct pending){ s, value, stack, label, 0 };
		stack += s->n_stack;
		label += s->n_label;
	}
	return n;
}

static int
translate_batch(struct merge *m, struct pending *batch, size_t n)
{
	struct profile *out = m->out;
	const struct pending *last = &batch[n - 1];
	size_t stack = last->stack + last->from->n_stack;
	size_t label = last->label + last->from->n_label;

	if (POOL_RESERVE(out, stack, 0, stack, stack) < 0 ||
	    POOL_RESERVE(out, label, 0, label, label) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct pending *b = &batch[i];

		if (map_stack(m, b->from, out->stack + b->stack) < 0 ||
		    map_labels(m, b->from, out->label + b->label) < 0)
			return -1;
		b->hash = hash_sample(&m->samples, out->stack + b->stack,
				      b->from->n_stack, out->label + b->label,
				      b->from->n_label);
		__builtin_prefetch(
			&m->samples.slot[hashtab_start(&m->samples, b->hash)]);
	}
	return 0;
}

/* Ask for the samples that the batch will be compared with, if any. */
static inline __attribute__((always_inline)) void
prefetch_batch(const struct merge *m, const struct pending *batch, size_t n)
{
	const struct profile *out = m->out;
	uint32_t likely[BATCH];

	for (size_t i = 0; i < n; i++) {
		size_t at = hashtab_start(&m->samples, batch[i].hash);

		likely[i] = hashtab_next(&m->samples, batch[i].hash, &at);
		if (likely[i] != HASHTAB_NONE) {
			__builtin_prefetch(&out->sample[likely[i]]);
			__builtin_prefetch(profile_value(out, likely[i]));
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &out->sample[likely[i]];

		if (likely[i] == HASHTAB_NONE)
			continue;
		for (uint32_t k = 0; k < s->n_stack && k < 64; k += 16)
			__builtin_prefetch(profile_stack(out, s) + k);
		__builtin_prefetch(profile_label(out, s));
	}
}

int
merge_add_samples(struct merge *m, const struct columns_plan *plan, int weight)
{
	bool is_simple = plan->fresh_is_same && weight == 1;
	struct profile *out = m->out;
	struct pending batch[BATCH];
	size_t next = 0, n;

	while ((n = collect(m, &next, batch)) > 0) {
		if (translate_batch(m, batch, n) < 0)
			return -1;
		prefetch_batch(m, batch, n);
		for (size_t i = 0; i < n; i++) {
			uint32_t to = find_sample(m, &batch[i]);

			if (to == PROF_NONE)
				return -1;
			if (is_simple &&
			    add_simple(profile_value(out, to), batch[i].value,
				       out->n_type))
				continue;
			if (add_values(m, to, batch[i].value, plan, weight) < 0)
				return -1;
		}
	}
	return 0;
}

/* --- columns --- */

/* What a row of the sum, which starts at value i, has for a column. */
static wide
old_value(const struct merge *m, size_t i, const struct column_source *source)
{
	size_t from = (size_t)source->from;

	if (source->from < 0)
		return 0;
	return wide_mul(sums_get(&m->sums, m->out, i + from), source->factor);
}

int
merge_change_columns(struct merge *m, const struct columns_plan *plan)
{
	struct profile *out = m->out;
	size_t n_old = out->n_type, n = plan->n;
	wide row[COLUMNS_MAX];

	if (POOL_RESERVE(out, value, 0, value, out->n_sample * n) < 0 ||
	    POOL_RESERVE(out, type, 0, type, n) < 0)
		return -1;
	/* Rows that grow are moved from the last on, others from the first. */
	for (size_t done = 0; done < out->n_sample; done++) {
		size_t i = n > n_old ? out->n_sample - 1 - done : done;

		for (size_t k = 0; k < n; k++)
			row[k] = old_value(m, i * n_old, &plan->old[k]);
		for (size_t k = 0; k < n; k++)
			if (sums_set(&m->sums, m->out, i * n + k, row[k]) < 0)
				return -1;
	}
	out->n_type = n;
	return 0;
}
