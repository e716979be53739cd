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
#include "translate.h"

typedef __int128 wide;

struct merge {
	struct profile *out;
	struct columns columns;
	struct translation tables; /* of the profile being added, to out */
	struct hashtab samples, comments;
	/*
	 * Values are sums of 128 bits, so that it does not matter in which
	 * order large ones of both signs come: the lower half is in out->value,
	 * and the upper one here, from the first overflow on.
	 */
	int64_t *upper;
	size_t n_upper;
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
	free(m->upper);
	free(m);
}

/* --- sums of 128 bits --- */

static wide
wide_add(wide a, wide b)
{
	const wide max = (wide)1 << 126;
	wide sum;

	if (__builtin_add_overflow(a, b, &sum) || sum > max || sum < -max)
		return b > 0 ? max : -max;
	return sum;
}

static wide
wide_mul(wide a, wide b)
{
	const wide max = (wide)1 << 126;
	wide product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) == (b < 0) ? max : -max;
	return product;
}

static int64_t
narrow(wide v, size_t *n_saturated)
{
	if (v >= INT64_MIN && v <= INT64_MAX)
		return (int64_t)v;
	++*n_saturated;
	return v < 0 ? INT64_MIN : INT64_MAX;
}

static wide
get_value(const struct merge *m, size_t i)
{
	wide upper = i < m->n_upper ? m->upper[i] : 0;

	return m->out->value[i] + upper * ((wide)1 << 64);
}

/* Returns -1 without memory. */
static int
set_value(struct merge *m, size_t i, wide v)
{
	int64_t lower = (int64_t)(uint64_t)v;
	int64_t upper = (int64_t)((v - lower) >> 64);

	m->out->value[i] = lower;
	if (i >= m->n_upper && upper) {
		size_t n = m->out->room.value;
		int64_t *grown = realloc(m->upper, n * sizeof(*grown));

		if (!grown)
			return -1;
		memset(grown + m->n_upper, 0,
		       (n - m->n_upper) * sizeof(*grown));
		m->upper = grown;
		m->n_upper = n;
	}
	if (i < m->n_upper)
		m->upper[i] = upper;
	return 0;
}

/* --- samples --- */

/* Translate the stack into the pool of the sum, past its end. */
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
 * The sample of the sum with the stack and labels of s, whose counts are those
 * of s and which are translated past the end of the pools; PROF_NONE without
 * memory.
 */
static uint32_t
find_sample(struct merge *m, const struct sample *s)
{
	struct profile *out = m->out;
	const uint32_t *stack = out->stack + out->n_stack;
	const struct label *label = out->label + out->n_label;
	uint32_t hash =
		hash_sample(&m->samples, stack, s->n_stack, label, s->n_label);
	size_t at = hashtab_start(&m->samples, hash);
	uint32_t i;

	while ((i = hashtab_next(&m->samples, hash, &at)) != HASHTAB_NONE) {
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
	    hashtab_add(&m->samples, hash, i) < 0)
		return PROF_NONE;
	out->sample[i] = (struct sample){ out->n_stack, out->n_label,
					  s->n_stack, s->n_label };
	for (size_t k = 0; k < out->n_type; k++) {
		size_t v = i * out->n_type + k;

		out->value[v] = 0;
		if (v < m->n_upper)
			m->upper[v] = 0;
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
		if (v && set_value(m, i, wide_add(get_value(m, i), v)) < 0)
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

static int
add_sample(struct merge *m, size_t i, const struct columns_plan *plan,
	   int weight)
{
	const struct sample *s = &m->tables.from->sample[i];
	const int64_t *value = profile_value(m->tables.from, i);
	struct profile *out = m->out;
	bool is_simple = plan->fresh_is_same && weight == 1;
	uint32_t to;

	if (is_zero(value, m->tables.from->n_type))
		return 0;
	if (POOL_RESERVE(out, stack, out->n_stack, stack, s->n_stack) < 0 ||
	    POOL_RESERVE(out, label, out->n_label, label, s->n_label) < 0 ||
	    map_stack(m, s, out->stack + out->n_stack) < 0 ||
	    map_labels(m, s, out->label + out->n_label) < 0)
		return -1;
	to = find_sample(m, s);
	if (to == PROF_NONE)
		return -1;
	if (is_simple &&
	    add_simple(out->value + to * out->n_type, value, out->n_type))
		return 0;
	return add_values(m, to, value, plan, weight);
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
						  get_value(
							  m,
							  i * n_old +
								  (size_t)from),
						  plan->old[k].factor);
		}
		for (size_t k = 0; k < n; k++)
			if (set_value(m, i * n + k, row[k]) < 0)
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
	for (size_t i = 0; i < p->n_sample; i++)
		if (add_sample(m, i, &plan, weight) < 0)
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
	bool is_simple = !m->upper;

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
			row[k] = get_value(m, i * n + order[k]);
		for (size_t k = 0; k < n; k++)
			out->value[i * n + k] = narrow(row[k], n_saturated);
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
			      : narrow(m->period, n_saturated);
	out->duration_ns = narrow(m->duration, n_saturated);
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
