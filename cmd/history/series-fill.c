/* series-fill.c - see series-fill.h. */
#include "config.h"

#include "series-fill.h"

#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "entry-where.h"
#include "lib/base/buf.h"
#include "lib/model/programs.h"
#include "lib/model/units.h"

/* The column of the block types `types` that the series is about, or n. */
static size_t
column_of(const struct series *s, const struct catalog *a, uint32_t types)
{
	struct word_type type[BLOCK_MAX_COLUMN];
	size_t n = word_types(&a->words.t.str[types], type), c;

	for (c = 0; c < n; c++)
		if (!strcmp(type[c].type, s->type) &&
		    !strcmp(type[c].unit, s->unit))
			break;
	return c;
}

struct adding {
	struct series *s;
	struct catalog *a;
	const struct question *q;
	uint32_t *wanted; /* functions of the archive, n of them */
	uint32_t *as;     /* ... and which of s->fn they are */
	size_t n;
	uint32_t
		*fn_of; /* by function: 1 + its index in s->fn; 0: not wanted */
	size_t n_fn_of;
	uint32_t at[BLOCK_MAX]; /* bucket of each profile, or PAIRS_NONE */
	uint32_t *at_build;     /* ... of each build, n_word of them */
	size_t n_word;
	unsigned char choice[BLOCK_MAX]; /* by q->where */
	bool has_any[BLOCK_MAX]; /* has the profile a wanted function? */
	size_t n_chosen;         /* profiles of the block */
	uint32_t unknown;        /* 1 + the last file that n_unknown counts */
	struct series_fn *fn;    /* of the cells that are read */
};

static enum prof_status
want(struct adding *x, uint32_t i, struct prof_err *err)
{
	const struct series_fn *f =
		series_function(x->s, names_str(&x->a->functions, i));

	if (!f)
		return prof_nomem(err);
	x->as[x->n] = (uint32_t)(f - x->s->fn);
	x->fn_of[i] = x->as[x->n] + 1;
	x->wanted[x->n++] = i;
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
	x->n_word = x->a->words.t.n_str;
	x->at_build = malloc((x->n_word + 1) * sizeof(*x->at_build));
	if (!x->wanted || !x->as || !x->fn_of || !x->at_build)
		return prof_nomem(err);
	for (size_t i = 0; i <= x->n_word; i++)
		x->at_build[i] = PAIRS_NONE;
	/* 0 is no name. */
	for (uint32_t i = 1; i < n && st == PROF_OK; i++) {
		bool wanted = !x->q->wants;

		if (!wanted)
			st = x->q->wants(x->q->wants_ctx,
					 names_str(&x->a->functions, i),
					 &wanted, err);
		if (st == PROF_OK && wanted)
			st = want(x, i, err);
	}
	return st;
}

static uint32_t
key_with_build(struct adding *x, const struct entry *e, const char *first)
{
	const struct str *id = names_str(&x->a->words, e->build);
	struct buf b = { 0 };
	uint32_t key = STRTAB_NONE;

	if (buf_add(&b, first, strlen(first) + 1) == 0 &&
	    buf_add(&b, id->s, id->len) == 0)
		key = strtab_add(&x->s->keys.t, (const char *)b.data, b.n);
	buf_release(&b);
	return key;
}

/* The key of the row that profile e is counted in. */
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
	case SERIES_HOST_BUILD:
		return key_with_build(x, e, names_str(words, e->host)->s);
	case SERIES_LABEL:
		value = word_label(names_str(words, e->labels), x->q->label,
				   &n);
		return strtab_add(&keys->t, value ? value : "", n);
	}
	return strtab_add(&keys->t, word->s, word->len);
}

/* Count the host of a profile in its bucket. */
static int
add_host(struct adding *x, const struct entry *e, struct bucket *b, size_t at)
{
	const struct str *host = names_str(&x->a->words, e->host);
	uint32_t word = strtab_add(&x->s->words.t, host->s, host->len);
	struct pair_slot *pair;

	if (word == STRTAB_NONE)
		return -1;
	if (!host->len)
		return 0;
	pair = pairs_add(&x->s->hosts, (uint32_t)at, word);
	if (!pair)
		return -1;
	b->n_host += !pair->stamp;
	pair->stamp = 1;
	return 0;
}

/* The program of an entry: one of several, whose label the entry has. */
static uint32_t
program_of(struct adding *x, const struct entry *e)
{
	size_t n = 0;
	const char *name = word_label(names_str(&x->a->words, e->labels),
				      PROGRAMS_LABEL, &n);

	return strtab_add(&x->s->words.t, name ? name : "", n);
}

/* Count the build of a profile in its bucket. */
static int
add_build(struct adding *x, const struct entry *e, size_t at)
{
	const struct str *id = names_str(&x->a->words, e->build);
	struct series *s = x->s;
	uint32_t word = strtab_add(&s->words.t, id->s, id->len);
	uint32_t program = program_of(x, e);
	struct series_build *build;

	if (word == STRTAB_NONE || program == STRTAB_NONE)
		return -1;
	if (!id->len)
		return 0;
	build = series_build(s, word);
	if (!build || !pairs_add(&s->builds, (uint32_t)at, word))
		return -1;
	build->n++;
	build->program = program;
	build->is_whole |= !e->part;
	if (e->time_ns < build->first_ns)
		build->first_ns = e->time_ns;
	if (e->time_ns > build->last_ns)
		build->last_ns = e->time_ns;
	return 0;
}

/* Is this another program of a profile that is in the bucket already? */
static bool
is_counted(const struct adding *x, const struct block *b, size_t i)
{
	for (size_t k = i; k && b->entry[k].part > 1; k--)
		if (x->at[k - 1] == x->at[i])
			return true;
	return false;
}

/* Programs of one profile follow each other. */
static void
add_unknown(struct adding *x, const struct entry *e)
{
	x->s->n_unknown += !e->part || e->file + 1 != x->unknown;
	x->s->has_unknown_program |= e->part > 0;
	x->unknown = e->file + 1;
}

/* Count profile i of b in the bucket x->at[i]. */
static enum prof_status
add_entry(struct adding *x, const struct block *b, size_t column, size_t i,
	  struct prof_err *err)
{
	const struct entry *e = &b->entry[i];
	const struct entry_column *c = &b->column[i * b->n_column + column];
	struct bucket *to;
	uint32_t key;

	x->at[i] = PAIRS_NONE;
	if (e->build >= x->n_word)
		return prof_fail(err, PROF_EFORMAT, "damaged");
	if (e->time_ns < x->q->from || e->time_ns >= x->q->to)
		return PROF_OK;
	if ((x->q->where && x->choice[i] == CHOICE_UNKNOWN) ||
	    (x->q->by == SERIES_LABEL &&
	     word_is_mixed(names_str(&x->a->words, e->labels), x->q->label)))
		add_unknown(x, e);
	if (x->q->where && x->choice[i] != CHOICE_YES)
		return PROF_OK;
	x->n_chosen++;
	key = key_of(x, e);
	to = key == STRTAB_NONE ? NULL : series_bucket(x->s, key);
	if (!to)
		return prof_nomem(err);
	x->at[i] = (uint32_t)(to - x->s->bucket);
	to->n += !is_counted(x, b, i);
	to->samples = units_add(to->samples, c->samples);
	to->total = units_add(to->total, c->total);
	if (e->time_ns < to->first_ns)
		to->first_ns = e->time_ns;
	if (e->time_ns > to->last_ns)
		to->last_ns = e->time_ns;
	if (add_host(x, e, to, x->at[i]) < 0 || add_build(x, e, x->at[i]) < 0)
		return prof_nomem(err);
	return PROF_OK;
}

/* Note the programs that have a wanted function. */
static enum prof_status
note_programs(struct adding *x, const struct block *b, struct prof_err *err)
{
	for (size_t i = 0; i < b->n_entry; i++) {
		x->s->has_programs |= b->entry[i].part > 0;
		if (b->entry[i].part && x->has_any[i] &&
		    series_note_program(x->s, program_of(x, &b->entry[i])) < 0)
			return prof_nomem(err);
	}
	return PROF_OK;
}

static void
visit_cell(void *ctx, const struct cell *c)
{
	struct adding *x = ctx;
	uint32_t at = x->at[c->pos];

	if (at == PAIRS_NONE)
		return;
	x->has_any[c->pos] |= c->flat || c->cum;
	x->fn->flat[at] = units_add(x->fn->flat[at], c->flat);
	x->fn->cum[at] = units_add(x->fn->cum[at], c->cum);
}

struct summing {
	struct adding *x;
	size_t column;
	bool is_short, is_damaged;
};

static void
visit_sum(void *ctx, const struct block_sum *b)
{
	struct summing *s = ctx;
	uint32_t i = b->fn < s->x->n_fn_of ? s->x->fn_of[b->fn] : 0;
	uint32_t at = PAIRS_NONE;
	struct series_fn *f;

	if (b->build < s->x->n_word)
		at = s->x->at_build[b->build];
	else
		s->is_damaged = true;
	if (!i || at == PAIRS_NONE)
		return;
	f = &s->x->s->fn[i - 1];
	if (series_widen(f, s->x->s->n_bucket) < 0) {
		s->is_short = true;
		return;
	}
	f->flat[at] = units_add(f->flat[at], b->sum[2 * s->column]);
	f->cum[at] = units_add(f->cum[at], b->sum[2 * s->column + 1]);
}

/* The sums of the block, by build: all functions at once. */
static enum prof_status
add_sums(struct adding *x, const struct block *b, size_t column,
	 const struct store_block *sb, struct prof_err *err)
{
	struct summing s = { .x = x, .column = column };
	enum prof_status st = block_read_sums(b->n_column, sb->sums, sb->n_sums,
					      visit_sum, &s, err);

	if (st == PROF_OK && s.is_damaged)
		return prof_fail(err, PROF_EFORMAT, "damaged");
	return st == PROF_OK && s.is_short ? prof_nomem(err) : st;
}

/*
 * Is each build of the block in one bucket, or in none? Sets at_build, which
 * has nothing for builds of no entry, whatever the sums say.
 */
static bool
is_by_build(struct adding *x, const struct block *b)
{
	/* Which of a profile's programs have the function, only cells tell. */
	for (size_t i = 0; i < b->n_entry && !x->q->is_list; i++)
		if (b->entry[i].part)
			return false;
	for (size_t i = 0; i < b->n_entry; i++)
		x->at_build[b->entry[i].build] = x->at[i];
	for (size_t i = 0; i < b->n_entry; i++)
		if (x->at_build[b->entry[i].build] != x->at[i])
			return false;
	return true;
}

/* The wanted functions, profile by profile. */
static enum prof_status
add_cells(struct adding *x, const struct block *b, size_t column, size_t stored,
	  struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < x->n && st == PROF_OK; i++) {
		const void *data;
		size_t n;

		x->fn = &x->s->fn[x->as[i]];
		if (series_widen(x->fn, x->s->n_bucket) < 0) {
			st = prof_nomem(err);
			break;
		}
		st = store_post(x->a->store, b->id, x->wanted[i], stored, &data,
				&n, err);
		if (st == PROF_OK && n)
			st = block_read_post(b, column, x->wanted[i], data, n,
					     visit_cell, x, err);
		store_post_done(x->a->store);
	}
	return st;
}

/* The functions of the profiles that are counted. */
static enum prof_status
add_functions(struct adding *x, const struct block *b, size_t column,
	      size_t stored, const struct store_block *sb, struct prof_err *err)
{
	enum prof_status st;

	memset(x->has_any, 0, sizeof(x->has_any));
	st = is_by_build(x, b) ? add_sums(x, b, column, sb, err)
			       : add_cells(x, b, column, stored, err);
	if (st == PROF_OK)
		st = note_programs(x, b, err);

	for (size_t i = 0; i < b->n_entry; i++)
		x->at_build[b->entry[i].build] = PAIRS_NONE;
	return st;
}

static enum prof_status
add_block(void *ctx, const struct store_block *sb, struct prof_err *err)
{
	struct adding *x = ctx;
	struct block b = { 0 };
	size_t shared[BLOCK_MAX_COLUMN], column;
	enum prof_status st = catalog_read_meta(x->a, sb, &b, shared, err);

	column = st == PROF_OK ? column_of(x->s, x->a, sb->types) : 0;
	if (st == PROF_OK && column < b.n_column) {
		x->n_chosen = 0;
		if (x->q->where)
			st = entries_where(x->q->where, x->a, &b, x->choice,
					   err);
		for (size_t i = 0; i < b.n_entry && st == PROF_OK; i++)
			st = add_entry(x, &b, column, i, err);
		if (st == PROF_OK && x->n_chosen)
			st = add_functions(x, &b, column, shared[column], sb,
					   err);
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
series_fill(struct series *s, struct catalog *a, const struct question *q,
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
	free(x->at_build);
	free(x);
	return st;
}
