/* series.c - see series.h. */
#include "config.h"

#include "series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/array.h"

#define SECOND INT64_C(1000000000)

void
series_time(int64_t t_ns, bool only_day, char text[SERIES_TIME])
{
	time_t t = (time_t)(t_ns / SECOND - (t_ns % SECOND < 0));
	struct tm tm;

	if (!gmtime_r(&t, &tm))
		memset(&tm, 0, sizeof(tm));
	if (only_day)
		strftime(text, SERIES_TIME, "%F", &tm);
	else
		strftime(text, SERIES_TIME, "%FT%TZ", &tm);
}

const char *
series_by_name(const struct question *q)
{
	static const char *const name[] = { "day", "hour", "profile", "build",
					    "host" };

	return q->by == SERIES_LABEL ? q->label : name[q->by];
}

double
series_share(const struct series *x, const struct series_fn *f, size_t i,
	     bool is_flat)
{
	int64_t v = is_flat ? f->flat[i] : f->cum[i];

	return x->bucket[i].total ? (double)v / (double)x->bucket[i].total : 0;
}

/* "cpu, samples": the names of types, up to n bytes. */
static void
list_types(const struct span *x, char *out, size_t n)
{
	size_t at = 0;

	*out = '\0';
	for (uint32_t i = 1; i < x->types.t.n_str && at < n; i++) {
		const char *type = x->types.t.str[i].s;

		at += (size_t)snprintf(out + at, n - at, "%s%s/%s",
				       i > 1 ? ", " : "", type,
				       type + strlen(type) + 1);
	}
}

enum prof_status
series_init(struct series *s, const struct span *x, const struct question *q,
	    struct prof_err *err)
{
	const char *found = NULL;
	char list[256];

	memset(s, 0, sizeof(*s));
	if (names_init(&s->keys) < 0 || names_init(&s->functions) < 0 ||
	    names_init(&s->words) < 0 || pairs_init(&s->hosts, 1) < 0 ||
	    pairs_init(&s->builds, 1) < 0)
		return prof_nomem(err);
	list_types(x, list, sizeof(list));
	for (uint32_t i = 1; i < x->types.t.n_str; i++) {
		const char *type = x->types.t.str[i].s;

		if (q->type ? strcmp(q->type, type) != 0 : !x->is_default[i])
			continue;
		if (found)
			return prof_fail(
				err, PROF_EUSAGE,
				q->type ? "type '%s' has several "
					  "units: %s"
					: "%sthe profiles have several "
					  "types: choose one with "
					  "--type: %s",
				q->type ? q->type : "", list);
		found = type;
	}
	if (!found)
		return prof_fail(err, PROF_EUSAGE, "no type '%s' in %s",
				 q->type ? q->type : "", list);
	s->type = strdup(found);
	s->unit = strdup(found + strlen(found) + 1);
	return s->type && s->unit ? PROF_OK : prof_nomem(err);
}

void
series_release(struct series *s)
{
	for (size_t i = 0; i < s->n_fn; i++) {
		free(s->fn[i].flat);
		free(s->fn[i].cum);
	}
	free(s->type);
	free(s->unit);
	free(s->bucket);
	free(s->fn);
	free(s->build);
	free(s->of_key.slot);
	free(s->of_fn.slot);
	free(s->of_build.slot);
	free(s->of_program.slot);
	names_release(&s->keys);
	names_release(&s->functions);
	names_release(&s->words);
	pairs_release(&s->hosts);
	pairs_release(&s->builds);
	memset(s, 0, sizeof(*s));
}

/* --- building --- */

/* The slot of a number in a map, which grows; NULL without memory. */
static uint32_t *
slot_of(struct series_map *m, uint32_t i)
{
	size_t cap = m->cap;

	if (array_reserve(&m->slot, &m->cap, (size_t)i + 1, sizeof(*m->slot)) <
	    0)
		return NULL;
	if (m->cap > cap)
		memset(m->slot + cap, 0, (m->cap - cap) * sizeof(*m->slot));
	return &m->slot[i];
}

struct bucket *
series_bucket(struct series *s, uint32_t key)
{
	uint32_t *slot = slot_of(&s->of_key, key);

	if (!slot)
		return NULL;
	if (!*slot) {
		if (array_reserve(&s->bucket, &s->cap_bucket, s->n_bucket + 1,
				  sizeof(*s->bucket)) < 0)
			return NULL;
		s->bucket[s->n_bucket] = (struct bucket){
			.key = key, .first_ns = INT64_MAX, .last_ns = INT64_MIN
		};
		*slot = (uint32_t)++s->n_bucket;
	}
	return &s->bucket[*slot - 1];
}

struct series_build *
series_build(struct series *s, uint32_t name)
{
	uint32_t *slot = slot_of(&s->of_build, name);

	if (!slot)
		return NULL;
	if (!*slot) {
		if (array_reserve(&s->build, &s->cap_build, s->n_build + 1,
				  sizeof(*s->build)) < 0)
			return NULL;
		s->build[s->n_build] = (struct series_build){
			.name = name,
			.first_ns = INT64_MAX,
			.last_ns = INT64_MIN,
		};
		*slot = (uint32_t)++s->n_build;
	}
	return &s->build[*slot - 1];
}

int
series_note_program(struct series *s, uint32_t word)
{
	uint32_t *slot =
		word == STRTAB_NONE ? NULL : slot_of(&s->of_program, word);

	if (!slot)
		return -1;
	*slot = 1;
	return 0;
}

struct series_fn *
series_function(struct series *s, const struct str *name)
{
	uint32_t i = strtab_add(&s->functions.t, name->s, name->len);
	uint32_t *slot = i == STRTAB_NONE ? NULL : slot_of(&s->of_fn, i);

	if (!slot)
		return NULL;
	if (!*slot) {
		if (array_reserve(&s->fn, &s->cap_fn, s->n_fn + 1,
				  sizeof(*s->fn)) < 0)
			return NULL;
		s->fn[s->n_fn] = (struct series_fn){ .name = i };
		*slot = (uint32_t)++s->n_fn;
	}
	return &s->fn[*slot - 1];
}

int
series_widen(struct series_fn *f, size_t n)
{
	if (f->n >= n)
		return 0;
	if (array_reserve(&f->flat, &f->cap[0], n, sizeof(*f->flat)) < 0 ||
	    array_reserve(&f->cum, &f->cap[1], n, sizeof(*f->cum)) < 0)
		return -1;
	memset(f->flat + f->n, 0, (n - f->n) * sizeof(*f->flat));
	memset(f->cum + f->n, 0, (n - f->n) * sizeof(*f->cum));
	f->n = n;
	return 0;
}

/* --- order --- */

struct ordering {
	const struct series *s;
	bool by_first;
};

static int
by_key(const void *a, const void *b, void *ctx)
{
	const struct ordering *o = ctx;
	const struct bucket *x = &o->s->bucket[*(const uint32_t *)a];
	const struct bucket *y = &o->s->bucket[*(const uint32_t *)b];

	if (o->by_first && x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return strtab_cmp(&o->s->keys.t, x->key, y->key);
}

static int
by_name(const void *a, const void *b, void *ctx)
{
	const struct series *s = ctx;
	const struct series_fn *x = a, *y = b;

	return strtab_cmp(&s->functions.t, x->name, y->name);
}

static int
by_build(const void *a, const void *b, void *ctx)
{
	const struct series *s = ctx;
	const struct series_build *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return strtab_cmp(&s->words.t, x->name, y->name);
}

/* Is it a build of a program that has one of the functions, as far as known? */
static bool
is_asked_for(struct series *s, const struct series_build *b)
{
	return b->is_whole || (b->program < s->of_program.cap &&
			       s->of_program.slot[b->program]);
}

/*
 * The build of each bucket that began last, and how many there are. Functions
 * of several programs may have several in a bucket: none is then named.
 */
static void
name_builds(struct series *s)
{
	bool is_any = s->has_programs && s->n_fn > 1;
	size_t n = 0;

	for (size_t i = 0; i < s->builds.n_slot && !is_any; i++) {
		const struct pair_slot *p = &s->builds.slot[i];
		const struct series_build *its, *old;
		struct bucket *b;

		if (!p->index)
			continue;
		b = &s->bucket[p->a];
		its = series_build(s, p->b);
		if (!is_asked_for(s, its))
			continue;
		b->n_build++;
		old = b->build ? series_build(s, b->build) : NULL;
		if (!old || its->first_ns > old->first_ns ||
		    (its->first_ns == old->first_ns &&
		     strtab_cmp(&s->words.t, its->name, old->name) > 0))
			b->build = p->b;
	}
	for (size_t i = 0; i < s->n_build; i++)
		if (is_asked_for(s, &s->build[i]))
			s->build[n++] = s->build[i];
	s->n_build = n;
}

static void
permute(int64_t *v, const uint32_t *order, int64_t *scratch, size_t n)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = v[order[i]];
	memcpy(v, scratch, n * sizeof(*v));
}

enum prof_status
series_sort(struct series *s, enum series_by by, struct prof_err *err)
{
	struct ordering o = { s, by == SERIES_BUILD };
	size_t n = s->n_bucket;
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	int64_t *scratch = malloc((n + 1) * sizeof(*scratch));
	struct bucket *sorted = malloc((n + 1) * sizeof(*sorted));
	enum prof_status st = PROF_OK;

	if (!order || !scratch || !sorted) {
		st = prof_nomem(err);
		n = 0;
	}
	for (size_t i = 0; i < s->n_fn && st == PROF_OK; i++)
		if (series_widen(&s->fn[i], n) < 0)
			st = prof_nomem(err);
	if (st == PROF_OK && n) {
		name_builds(s);
		for (size_t i = 0; i < n; i++)
			order[i] = (uint32_t)i;
		qsort_r(order, n, sizeof(*order), by_key, &o);
		for (size_t i = 0; i < s->n_fn; i++) {
			permute(s->fn[i].flat, order, scratch, n);
			permute(s->fn[i].cum, order, scratch, n);
		}
		for (size_t i = 0; i < n; i++)
			sorted[i] = s->bucket[order[i]];
		memcpy(s->bucket, sorted, n * sizeof(*sorted));
		if (s->n_build)
			qsort_r(s->build, s->n_build, sizeof(*s->build),
				by_build, s);
	}
	if (st == PROF_OK && s->n_fn)
		qsort_r(s->fn, s->n_fn, sizeof(*s->fn), by_name, s);
	free(order);
	free(scratch);
	free(sorted);
	return st;
}
