/* series.c - see series.h. */
#include "config.h"

#include "series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/model/units.h"
#include "take.h"

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
	names_release(&s->keys);
	names_release(&s->functions);
	names_release(&s->words);
	pairs_release(&s->hosts);
	pairs_release(&s->builds);
	memset(s, 0, sizeof(*s));
}

size_t
series_column(const struct series *s, const struct archive *a, uint32_t types)
{
	struct take_type type[BLOCK_MAX_COLUMN];
	size_t n = take_types(&a->words.t.str[types], type), c;

	for (c = 0; c < n; c++)
		if (!strcmp(type[c].type, s->type) &&
		    !strcmp(type[c].unit, s->unit))
			break;
	return c;
}

/* --- adding --- */

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

struct adding {
	struct series *s;
	struct archive *a;
	const struct question *q;
	uint32_t *wanted; /* functions of the archive, n of them */
	uint32_t *as;     /* ... and which of s->fn they are */
	size_t n;
	uint32_t *fn_of; /* of every function of the archive: of s->fn, and one;
			  * 0: it is not wanted */
	size_t n_fn_of;
	uint32_t at[BLOCK_MAX]; /* bucket of each profile, or PAIRS_NONE */
	struct series_fn *fn;   /* of the cells that are read */
};

static enum prof_status
want(struct adding *x, uint32_t i, struct prof_err *err)
{
	struct series *s = x->s;
	const struct str *name = names_str(&x->a->functions, i);
	uint32_t as = strtab_add(&s->functions.t, name->s, name->len);
	uint32_t *slot = as == STRTAB_NONE ? NULL : slot_of(&s->of_fn, as);

	if (!slot)
		return prof_nomem(err);
	if (!*slot) {
		if (array_reserve(&s->fn, &s->cap_fn, s->n_fn + 1,
				  sizeof(*s->fn)) < 0)
			return prof_nomem(err);
		s->fn[s->n_fn] = (struct series_fn){ .name = as };
		*slot = (uint32_t)++s->n_fn;
	}
	x->fn_of[i] = *slot;
	x->wanted[x->n] = i;
	x->as[x->n++] = *slot - 1;
	return PROF_OK;
}

static enum prof_status
find_wanted(struct adding *x, struct prof_err *err)
{
	size_t n = x->a->functions.t.n_str;
	enum prof_status st = PROF_OK;

	x->wanted = malloc(n * sizeof(*x->wanted));
	x->as = malloc(n * sizeof(*x->as));
	x->fn_of = calloc(n, sizeof(*x->fn_of));
	x->n_fn_of = n;
	if (!x->wanted || !x->as || !x->fn_of)
		return prof_nomem(err);
	for (uint32_t i = 0; i < n && st == PROF_OK; i++) {
		bool wanted = false;

		st = x->q->wants(x->q->wants_ctx,
				 names_str(&x->a->functions, i), &wanted, err);
		if (st == PROF_OK && wanted)
			st = want(x, i, err);
	}
	return st;
}

static uint32_t
key_with_build(struct adding *x, const struct entry *e, const char *hour)
{
	const struct str *id = names_str(&x->a->words, e->build);
	struct buf b = { 0 };
	uint32_t key = STRTAB_NONE;

	if (buf_add(&b, hour, strlen(hour) + 1) == 0 &&
	    buf_add(&b, id->s, id->len) == 0)
		key = strtab_add(&x->s->keys.t, (const char *)b.data, b.n);
	buf_release(&b);
	return key;
}

/* What profile e is counted under. */
static uint32_t
key_of(struct adding *x, const struct entry *e)
{
	const struct names *words = &x->a->words;
	struct names *keys = &x->s->keys;
	const struct str *word = NULL;
	char text[SERIES_TIME];
	size_t n = 0;
	const char *value;

	switch (x->q->by) {
	case SERIES_DAY:
		series_time(e->time_ns, true, text);
		return strtab_addz(&keys->t, text);
	case SERIES_HOUR:
	case SERIES_HOUR_BUILD:
		series_time(e->time_ns, false, text);
		strcpy(strchr(text, ':'), ":00Z");
		return x->q->by == SERIES_HOUR ? strtab_addz(&keys->t, text)
					       : key_with_build(x, e, text);
	case SERIES_PROFILE:
		series_time(e->time_ns, false, text);
		return strtab_addz(&keys->t, text);
	case SERIES_BUILD:
		word = names_str(words, e->build);
		break;
	case SERIES_HOST:
		word = names_str(words, e->host);
		break;
	case SERIES_LABEL:
		value = take_label(names_str(words, e->labels), x->q->label,
				   &n);
		return strtab_add(&keys->t, value ? value : "", n);
	}
	return strtab_add(&keys->t, word->s, word->len);
}

static struct bucket *
bucket_of(struct series *s, uint32_t key)
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

static struct series_build *
build_of(struct series *s, uint32_t name)
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

/* Count the build and the host of a profile in its bucket. */
static int
add_words(struct adding *x, const struct entry *e, struct bucket *b, size_t at)
{
	const struct str *host = names_str(&x->a->words, e->host);
	const struct str *id = names_str(&x->a->words, e->build);
	struct series *s = x->s;
	uint32_t word = strtab_add(&s->words.t, host->s, host->len);
	struct series_build *build;
	struct pair_slot *pair;

	if (word == STRTAB_NONE)
		return -1;
	if (host->len) {
		pair = pairs_add(&s->hosts, (uint32_t)at, word);
		if (!pair)
			return -1;
		b->n_host += !pair->stamp;
		pair->stamp = 1;
	}
	word = strtab_add(&s->words.t, id->s, id->len);
	if (word == STRTAB_NONE)
		return -1;
	if (!id->len)
		return 0;
	build = build_of(s, word);
	pair = build ? pairs_add(&s->builds, (uint32_t)at, word) : NULL;
	if (!pair)
		return -1;
	b->n_build += !pair->stamp;
	pair->stamp = 1;
	build->n++;
	if (e->time_ns < build->first_ns)
		build->first_ns = e->time_ns;
	if (e->time_ns > build->last_ns)
		build->last_ns = e->time_ns;
	return 0;
}

/* Count profile i of b; x->at[i] says where. */
static enum prof_status
add_entry(struct adding *x, const struct block *b, size_t column, size_t i,
	  struct prof_err *err)
{
	const struct entry *e = &b->entry[i];
	const struct entry_column *c = &b->column[i * b->n_column + column];
	struct bucket *to;
	uint32_t key;

	x->at[i] = PAIRS_NONE;
	if (e->time_ns < x->q->from || e->time_ns >= x->q->to)
		return PROF_OK;
	key = key_of(x, e);
	to = key == STRTAB_NONE ? NULL : bucket_of(x->s, key);
	if (!to)
		return prof_nomem(err);
	x->at[i] = (uint32_t)(to - x->s->bucket);
	to->n++;
	to->samples = units_add(to->samples, c->samples);
	to->total = units_add(to->total, c->total);
	if (e->time_ns < to->first_ns)
		to->first_ns = e->time_ns;
	if (e->time_ns > to->last_ns)
		to->last_ns = e->time_ns;
	return add_words(x, e, to, x->at[i]) < 0 ? prof_nomem(err) : PROF_OK;
}

static void
visit_cell(void *ctx, const struct cell *c)
{
	struct adding *x = ctx;
	uint32_t at = x->at[c->pos];

	if (at == PAIRS_NONE)
		return;
	x->fn->flat[at] = units_add(x->fn->flat[at], c->flat);
	x->fn->cum[at] = units_add(x->fn->cum[at], c->cum);
}

/* Room for all buckets, the new ones 0. */
static int
widen(struct series_fn *f, size_t n)
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

static enum prof_status
add_cells(struct adding *x, const struct block *b, size_t column, size_t stored,
	  struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < x->n && st == PROF_OK; i++) {
		const void *data;
		size_t n;

		x->fn = &x->s->fn[x->as[i]];
		if (widen(x->fn, x->s->n_bucket) < 0)
			return prof_nomem(err);
		st = store_post(x->a->store, b->id, x->wanted[i], stored, &data,
				&n, err);
		if (st == PROF_OK && n)
			st = block_read_post(b, column, x->wanted[i], data, n,
					     visit_cell, x, err);
		store_post_done(x->a->store);
	}
	return st;
}

struct summing {
	struct adding *x;
	size_t column;
	uint32_t at; /* the bucket that all profiles of the block are in */
	bool is_short;
};

static void
visit_sum(void *ctx, const struct block_sum *b)
{
	struct summing *s = ctx;
	uint32_t i = b->fn < s->x->n_fn_of ? s->x->fn_of[b->fn] : 0;
	struct series_fn *f = &s->x->s->fn[i - 1];

	if (!i)
		return;
	if (widen(f, s->x->s->n_bucket) < 0) {
		s->is_short = true;
		return;
	}
	f->flat[s->at] = units_add(f->flat[s->at], b->sum[2 * s->column]);
	f->cum[s->at] = units_add(f->cum[s->at], b->sum[2 * s->column + 1]);
}

/* A whole day: all functions at once, as the block is of one day. */
static enum prof_status
add_sums(struct adding *x, const struct block *b, size_t column,
	 const struct store_block *sb, struct prof_err *err)
{
	struct summing s = { x, column, x->at[0], false };
	enum prof_status st = block_read_sums(b->n_column, sb->sums, sb->n_sums,
					      visit_sum, &s, err);

	return st == PROF_OK && s.is_short ? prof_nomem(err) : st;
}

/* Are all profiles of the block in one bucket? */
static bool
is_whole(const struct adding *x, const struct block *b)
{
	int64_t from = b->day * BLOCK_DAY_NS;

	return x->q->by == SERIES_DAY && b->n_entry && x->q->from <= from &&
	       x->q->to >= units_add(from, BLOCK_DAY_NS);
}

static enum prof_status
add_block(void *ctx, const struct store_block *sb, struct prof_err *err)
{
	struct adding *x = ctx;
	struct block b = { 0 };
	size_t shared[BLOCK_MAX_COLUMN], column;
	enum prof_status st = archive_read_meta(x->a, sb, &b, shared, err);

	column = st == PROF_OK ? series_column(x->s, x->a, sb->types) : 0;
	if (st == PROF_OK && column < b.n_column) {
		for (size_t i = 0; i < b.n_entry && st == PROF_OK; i++)
			st = add_entry(x, &b, column, i, err);
		if (st == PROF_OK && is_whole(x, &b))
			st = add_sums(x, &b, column, sb, err);
		else if (st == PROF_OK)
			st = add_cells(x, &b, column, shared[column], err);
	}
	block_release(&b);
	return st;
}

/* The day of a time; the ends of time are days, too. */
static int64_t
day_of(int64_t t_ns)
{
	return t_ns / BLOCK_DAY_NS - (t_ns % BLOCK_DAY_NS < 0);
}

enum prof_status
series_add(struct series *s, struct archive *a, const struct question *q,
	   struct prof_err *err)
{
	struct adding *x = calloc(1, sizeof(*x));
	enum prof_status st;

	if (!x)
		return prof_nomem(err);
	x->s = s;
	x->a = a;
	x->q = q;
	st = find_wanted(x, err);
	if (st == PROF_OK)
		st = store_blocks(a->store, day_of(q->from), day_of(q->to),
				  add_block, x, err);
	free(x->wanted);
	free(x->as);
	free(x->fn_of);
	free(x);
	return st;
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

/* The build of each bucket that began last. */
static void
name_builds(struct series *s)
{
	for (size_t i = 0; i < s->builds.n_slot; i++) {
		const struct pair_slot *p = &s->builds.slot[i];
		const struct series_build *its, *old;
		struct bucket *b;

		if (!p->index)
			continue;
		b = &s->bucket[p->a];
		its = build_of(s, p->b);
		old = b->build ? build_of(s, b->build) : NULL;
		if (!old || its->first_ns > old->first_ns ||
		    (its->first_ns == old->first_ns &&
		     strtab_cmp(&s->words.t, its->name, old->name) > 0))
			b->build = p->b;
	}
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
		if (widen(&s->fn[i], n) < 0)
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
