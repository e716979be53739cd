/*
 * merge.c - see merge.h. The sum is a profile under construction. A stack is
 * translated straight into the sum's pool, looked for among those that are
 * there, and stays if it is new. How indices are translated is in translate.c,
 * which columns belong together in columns.c, the order of the result in
 * canon.c.
 */
#include "config.h"

#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "canon.h"
#include "hashtab.h"
#include "pool.h"
#include "profile.h"
#include "sums.h"
#include "translate.h"

struct merge {
	struct profile *out;
	struct columns columns;
	struct translation tables; /* of the profile being added, to out */
	struct hashtab samples, comments;
	struct sums sums; /* the upper halves of the values */
	wide duration, period;
};

struct merge *
merge_new(enum columns_mode mode)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->out = profile_new();
	if (!m->out || translation_init(&m->tables, m->out) < 0 ||
	    hashtab_init(&m->samples) < 0 || hashtab_init(&m->comments) < 0) {
		merge_free(m);
		return NULL;
	}
	columns_init(&m->columns, mode, &m->out->strings);
	return m;
}

void
merge_free(struct merge *m)
{
	if (!m)
		return;
	profile_free(m->out);
	columns_release(&m->columns);
	translation_release(&m->tables);
	hashtab_release(&m->samples);
	hashtab_release(&m->comments);
	sums_release(&m->sums);
	free(m);
}

/* --- samples --- */

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

static bool
is_zero(const int64_t *value, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (value[k])
			return false;
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

		if (is_zero(value, from->n_type))
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

static int
add_samples(struct merge *m, const struct columns_plan *plan, int weight)
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

/* Rewrite the rows of the sum for the columns that there are now. */
static int
change_columns(struct merge *m, const struct columns_plan *plan)
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

		for (size_t k = 0; k < n; k++) {
			int32_t from = plan->old[k].from;

			row[k] =
				from < 0
					? 0
					: wide_mul(
						  sums_get(
							  &m->sums, out,
							  i * n_old +
								  (size_t)from),
						  plan->old[k].factor);
		}
		for (size_t k = 0; k < n; k++)
			if (sums_set(&m->sums, m->out, i * n + k, row[k]) < 0)
				return -1;
	}
	out->n_type = n;
	return 0;
}

/* --- header --- */

/* Whether string a of the sum goes before b: any text goes before none. */
static bool
sorts_first(const struct merge *m, uint32_t a, uint32_t b)
{
	return a && (!b || strtab_cmp(&m->out->strings, a, b) < 0);
}

static int
add_comments(struct merge *m)
{
	struct profile *out = m->out;

	for (size_t i = 0; i < m->tables.from->n_comment; i++) {
		uint32_t s = translate_string(&m->tables,
					      m->tables.from->comment[i]),
			 k;
		uint32_t hash = (uint32_t)hashtab_mix(&m->comments, 0, s);
		size_t at = hashtab_start(&m->comments, hash);

		if (s == STRTAB_NONE ||
		    POOL_RESERVE(out, comment, out->n_comment, comment, 1) < 0)
			return -1;
		while ((k = hashtab_next(&m->comments, hash, &at)) !=
		       HASHTAB_NONE)
			if (k == s)
				break;
		if (k != HASHTAB_NONE)
			continue;
		if (hashtab_add(&m->comments, hash, s) < 0)
			return -1;
		out->comment[out->n_comment++] = s;
	}
	return 0;
}

static int
add_header(struct merge *m, const struct columns_plan *plan, int weight)
{
	const struct profile *from = m->tables.from;
	struct profile *out = m->out;
	wide period = wide_mul(from->period, plan->period_factor);
	uint32_t drop = translate_string(&m->tables, from->drop_frames);
	uint32_t keep = translate_string(&m->tables, from->keep_frames);
	uint32_t type = translate_string(&m->tables, from->default_type);
	uint32_t url = translate_string(&m->tables, from->doc_url);

	if (drop == STRTAB_NONE || keep == STRTAB_NONE || type == STRTAB_NONE ||
	    url == STRTAB_NONE)
		return -1;
	if (from->time_ns && (!out->time_ns || from->time_ns < out->time_ns))
		out->time_ns = from->time_ns;
	m->duration =
		wide_add(m->duration, (wide)from->duration_ns *
					      (weight < 0 ? -weight : weight));
	m->period = wide_mul(m->period, plan->old_period_factor);
	if (m->columns.n_profile == 1 || period > m->period)
		m->period = period;
	if (sorts_first(m, drop, out->drop_frames) ||
	    (drop == out->drop_frames &&
	     sorts_first(m, keep, out->keep_frames))) {
		out->drop_frames = drop;
		out->keep_frames = keep;
	}
	if (sorts_first(m, type, out->default_type))
		out->default_type = type;
	if (sorts_first(m, url, out->doc_url))
		out->doc_url = url;
	return add_comments(m);
}

/* --- adding --- */

static int
start_adding(struct merge *m, const struct profile *p)
{
	struct profile *out = m->out;

	if (translation_begin(&m->tables, p) < 0)
		return -1;
	/* The sum is about as large as the first profile. */
	if (out->n_sample == 0 &&
	    (POOL_RESERVE(out, stack, 0, stack, p->n_stack) < 0 ||
	     POOL_RESERVE(out, label, 0, label, p->n_label) < 0 ||
	     POOL_RESERVE(out, sample, 0, sample, p->n_sample) < 0 ||
	     POOL_RESERVE(out, value, 0, value, p->n_sample * p->n_type) < 0 ||
	     hashtab_reserve(&m->samples, p->n_sample) < 0))
		return -1;
	return 0;
}

enum prof_status
merge_add(struct merge *m, const struct profile *p, int weight,
	  struct prof_err *err)
{
	struct columns_plan plan;
	enum prof_status st = columns_add(&m->columns, p, &plan, err);
	int r = -1;

	if (st != PROF_OK)
		return st;
	if (start_adding(m, p) < 0)
		goto out;
	if (!plan.old_is_same && change_columns(m, &plan) < 0)
		goto out;
	if (add_header(m, &plan, weight) < 0)
		goto out;
	if (add_samples(m, &plan, weight) < 0)
		goto out;
	r = 0;
out:
	columns_plan_release(&plan);
	return r < 0 ? prof_nomem(err) : PROF_OK;
}

/* --- the result --- */

/* Put the columns in order and bring the values back into 64 bits. */
static int
finish_values(struct merge *m, size_t *n_saturated)
{
	struct profile *out = m->out;
	size_t n = out->n_type;
	uint32_t order[COLUMNS_MAX];
	wide row[COLUMNS_MAX];
	bool is_simple = !m->sums.upper;

	if (columns_order(&m->columns, order) < 0)
		return -1;
	for (size_t k = 0; k < n; k++) {
		const struct column *col = &m->columns.column[order[k]];

		out->type[k] = (struct value_type){ col->type, col->unit };
		if (order[k] != k)
			is_simple = false;
	}
	for (size_t i = 0; !is_simple && i < out->n_sample; i++) {
		for (size_t k = 0; k < n; k++)
			row[k] = sums_get(&m->sums, m->out, i * n + order[k]);
		for (size_t k = 0; k < n; k++)
			out->value[i * n + k] =
				wide_narrow(row[k], n_saturated);
	}
	return 0;
}

/* Drop the samples that are all zero. Returns how many. */
static size_t
drop_zeros(struct profile *p)
{
	size_t n = 0, dropped;

	for (size_t i = 0; i < p->n_sample; i++) {
		if (is_zero(profile_value(p, i), p->n_type))
			continue;
		if (n != i) {
			p->sample[n] = p->sample[i];
			memcpy(profile_value(p, n), profile_value(p, i),
			       p->n_type * sizeof(*p->value));
		}
		n++;
	}
	dropped = p->n_sample - n;
	p->n_sample = n;
	return dropped;
}

static int
text_cmp(const void *a, const void *b, void *strings)
{
	return strtab_cmp(strings, *(const uint32_t *)a, *(const uint32_t *)b);
}

static void
finish_header(struct merge *m, size_t *n_saturated)
{
	struct profile *out = m->out;

	out->period_type = m->columns.period_type;
	out->period = m->columns.has_mixed_periods
			      ? 0
			      : wide_narrow(m->period, n_saturated);
	out->duration_ns = wide_narrow(m->duration, n_saturated);
	/* Those of one profile may be lines of one text. */
	if (out->n_comment && m->columns.n_profile > 1)
		qsort_r(out->comment, out->n_comment, sizeof(*out->comment),
			text_cmp, &out->strings);
}

enum prof_status
merge_result(struct merge *m, struct profile **out, struct merge_notes *notes,
	     struct prof_err *err)
{
	struct profile *p = m->out;
	size_t n_saturated = 0;
	uint32_t main_mapping;
	bool is_tight;

	*out = NULL;
	if (!m->columns.n_profile)
		return prof_fail(err, PROF_EUSAGE, "no profile to merge");
	if (finish_values(m, &n_saturated) < 0)
		return prof_nomem(err);
	finish_header(m, &n_saturated);
	main_mapping = translation_finish(&m->tables, &is_tight);
	if (drop_zeros(p))
		is_tight = false;
	if (profile_canonicalize(p, main_mapping, is_tight) < 0)
		return prof_nomem(err);
	if (notes) {
		notes->n_profile = m->columns.n_profile;
		notes->n_saturated = n_saturated;
		columns_list(&m->columns, m->columns.dropped,
			     m->columns.n_dropped, notes->dropped,
			     sizeof(notes->dropped));
	}
	*out = p;
	m->out = NULL;
	return PROF_OK;
}

enum prof_status
profile_compact(const struct profile *p, struct profile **out,
		struct prof_err *err)
{
	struct merge *m = merge_new(COLUMNS_STRICT);
	enum prof_status st = m ? merge_add(m, p, 1, err) : prof_nomem(err);

	*out = NULL;
	if (st == PROF_OK)
		st = merge_result(m, out, NULL, err);
	merge_free(m);
	return st;
}
