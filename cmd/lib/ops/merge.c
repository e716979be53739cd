/*
 * merge.c - see merge.h. The sum is a profile under construction. How samples
 * are added is in merge-sample.c, how indices are translated in translate.c,
 * which columns belong together in columns.c, the order of the result in
 * canon.c.
 */
#include "config.h"

#include "merge-impl.h"

#include <stdlib.h>
#include <string.h>

#include "canon.h"
#include "lib/model/pool.h"

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
	if (!plan.old_is_same && merge_change_columns(m, &plan) < 0)
		goto out;
	if (add_header(m, &plan, weight) < 0)
		goto out;
	if (merge_add_samples(m, &plan, weight) < 0)
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
		if (merge_is_zero(profile_value(p, i), p->n_type))
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
