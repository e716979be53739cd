/* listing.c - see listing.h. */
#include "config.h"

#include "listing.h"

#include <stdlib.h>

#include "frames.h"
#include "graph.h"
#include "lib/base/arena.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "rowsum.h"

#define NONE UINT32_MAX

/* A row without its sums. */
struct place {
	uint32_t key;      /* of frames: the first of its keys */
	uint32_t block;    /* row of the block that a line belongs to */
	uint32_t location; /* one of its own */
	int64_t first;     /* first line of its listing */
};

struct builder {
	const struct frames *f;
	const struct graph_options *o;
	bool sides;
	struct prof_err *err;
	uint32_t *key; /* the n_key wanted keys, sorted */
	size_t n_key;
	uint32_t *row; /* by key of f; NONE: not wanted */
	struct place *place;
	struct rowsum *sum;  /* of lines: n_line, then of blocks */
	struct rowsum *base; /* the base side; NULL: no sides */
	size_t n_line, n_row;
	struct rowsum_entry *entry;
	size_t n_entry;
};

/* --- which keys --- */

static int
cmp_key(const void *p, const void *q, void *ctx)
{
	const struct builder *b = ctx;
	const struct frames *f = b->f;
	const struct frame_key *x = &f->key[*(const uint32_t *)p];
	const struct frame_key *y = &f->key[*(const uint32_t *)q];
	int r;

	if ((r = strtab_cmp(&f->strings, x->name, y->name)) ||
	    (r = strtab_cmp(&f->strings, x->file, y->file)))
		return r;
	return (x->line > y->line) - (x->line < y->line);
}

static enum prof_status
choose_keys(struct builder *b, bool (*wants)(const struct str *, void *),
	    void *ctx)
{
	enum { UNASKED, YES, NO };
	const struct frames *f = b->f;
	char *asked = calloc(f->strings.n_str + 1, 1);

	b->key = reallocarray(NULL, f->n_key + 1, sizeof(*b->key));
	b->row = reallocarray(NULL, f->n_key + 1, sizeof(*b->row));
	if (!asked || !b->key || !b->row) {
		free(asked);
		return prof_nomem(b->err);
	}
	for (uint32_t k = 0; k < f->n_key; k++) {
		uint32_t name = f->key[k].name;

		b->row[k] = NONE;
		if (asked[name] == UNASKED)
			asked[name] =
				wants(&f->strings.str[name], ctx) ? YES : NO;
		if (asked[name] == YES)
			b->key[b->n_key++] = k;
	}
	free(asked);
	qsort_r(b->key, b->n_key, sizeof(*b->key), cmp_key, b);
	return PROF_OK;
}

/* --- rows --- */

static int64_t
first_of(const struct frame_key *k)
{
	int64_t first = k->start_line ? k->start_line
				      : units_sub(k->line, LISTING_MARGIN);

	return first < 1 ? 1 : first;
}

/* Make a row for each line, followed by one for each block. */
static enum prof_status
make_rows(struct builder *b)
{
	const struct frames *f = b->f;
	const struct frame_key *last = NULL;
	uint32_t block = 0;

	b->place = calloc(2 * b->n_key + 1, sizeof(*b->place));
	b->sum = calloc(2 * b->n_key + 1, sizeof(*b->sum));
	if (b->sides)
		b->base = calloc(2 * b->n_key + 1, sizeof(*b->base));
	if (!b->place || !b->sum || (b->sides && !b->base))
		return prof_nomem(b->err);
	for (size_t i = 0; i < b->n_key; i++) {
		const struct frame_key *k = &f->key[b->key[i]];
		bool same =
			last && k->name == last->name && k->file == last->file;
		struct place *p;

		block += last && !same;
		if (!same || k->line != last->line)
			b->place[b->n_line++] =
				(struct place){ b->key[i], block, NONE,
						first_of(k) };
		p = &b->place[b->n_line - 1];
		if (first_of(k) < p->first)
			p->first = first_of(k);
		b->row[b->key[i]] = (uint32_t)b->n_line - 1;
		last = k;
	}
	b->n_row = b->n_line;
	for (size_t i = 0; i < b->n_line; i++) {
		struct place *p = &b->place[i];

		p->block += (uint32_t)b->n_line;
		if (p->block == b->n_row)
			b->place[b->n_row++] = *p;
	}
	return PROF_OK;
}

static void
add_entry(struct builder *b, size_t location, uint32_t row, bool is_flat)
{
	b->entry[b->n_entry++] =
		(struct rowsum_entry){ (uint32_t)location, row, is_flat };
}

/* Find the rows of each location. */
static enum prof_status
make_entries(struct builder *b)
{
	const struct frames *f = b->f;
	size_t n = f->first[f->p->n_location];

	b->entry = reallocarray(NULL, 2 * n + 1, sizeof(*b->entry));
	if (!b->entry)
		return prof_nomem(b->err);
	for (size_t l = 0; l < f->p->n_location; l++) {
		for (uint32_t at = f->first[l]; at < f->first[l + 1]; at++) {
			uint32_t row = b->row[f->node[at]];
			bool is_flat = at == f->first[l];

			if (row == NONE)
				continue;
			if (b->place[row].location == NONE)
				b->place[row].location = (uint32_t)l;
			add_entry(b, l, row, is_flat);
			add_entry(b, l, b->place[row].block, is_flat);
		}
	}
	return PROF_OK;
}

/* Sum one side; or all samples if sum is b->sum and there are no sides. */
static enum prof_status
add_side(struct builder *b, struct rowsum *sum)
{
	struct graph_options o = *b->o;
	bool *leave_out = NULL;
	enum prof_status st;

	if (b->sides) {
		leave_out = base_mark_samples(b->f->p, sum == b->sum);
		if (!leave_out)
			return prof_nomem(b->err);
		o.leave_out = leave_out;
	}
	st = rowsum_run(b->f->p, &o, b->entry, b->n_entry, sum, b->n_row,
			b->err);
	free(leave_out);
	return st;
}

static enum prof_status
add_sides(struct builder *b)
{
	enum prof_status st = add_side(b, b->sum);

	return st == PROF_OK && b->base ? add_side(b, b->base) : st;
}

/* A line is shown if its change is, or if either side has a value. */
static bool
is_shown(const struct builder *b, size_t row)
{
	struct rowsum change = b->sum[row];

	if (!b->base)
		return rowsum_is_shown(&change, b->o);
	if (!b->o->drop_negative)
		return rowsum_is_shown(&change, b->o) ||
		       rowsum_is_shown(&b->base[row], b->o);
	/* The base is negated: the sum is the change. */
	change.flat.value =
		units_add(change.flat.value, b->base[row].flat.value);
	change.cum.value = units_add(change.cum.value, b->base[row].cum.value);
	return rowsum_is_shown(&change, b->o);
}

/*
 * Sum, and repeat without lines that are hidden because they are negative: they
 * do not count for the block.
 */
static enum prof_status
add_up(struct builder *b)
{
	enum prof_status st;

	st = add_sides(b);
	if (st != PROF_OK || !b->o->drop_negative)
		return st;
	for (uint32_t k = 0; k < b->f->n_key; k++)
		if (b->row[k] != NONE && !is_shown(b, b->row[k]))
			b->row[k] = NONE;
	free(b->entry);
	b->entry = NULL;
	b->n_entry = 0;
	st = make_entries(b);
	return st == PROF_OK ? add_sides(b) : st;
}

/* --- the listing --- */

static void
begin_block(struct listing *l, const struct builder *b, const struct place *p)
{
	const struct frame_key *k = &b->f->key[p->key];

	struct listing_block *block = &l->block[l->n_block++];

	*block = (struct listing_block){
		.name = k->name,
		.file = k->file,
		.location = p->location,
		.flat = graph_value(b->sum[p->block].flat),
		.cum = graph_value(b->sum[p->block].cum),
		.first = INT64_MAX,
		.line = l->n_line,
	};
	if (b->base) {
		block->flat_before = graph_base_value(b->base[p->block].flat);
		block->cum_before = graph_base_value(b->base[p->block].cum);
	}
}

static struct listing_line
line_of(const struct builder *b, size_t i)
{
	struct listing_line v = {
		.line = b->f->key[b->place[i].key].line,
		.flat = graph_value(b->sum[i].flat),
		.cum = graph_value(b->sum[i].cum),
	};

	if (b->base) {
		v.flat_before = graph_base_value(b->base[i].flat);
		v.cum_before = graph_base_value(b->base[i].cum);
	}
	return v;
}

static void
fill_listing(struct listing *l, const struct builder *b)
{
	uint32_t row = NONE;

	for (size_t i = 0; i < b->n_line; i++) {
		const struct place *p = &b->place[i];
		const struct frame_key *k = &b->f->key[p->key];
		struct listing_block *block;
		int64_t last = units_add(k->line, LISTING_MARGIN);

		if (!is_shown(b, i))
			continue;
		if (p->block != row)
			begin_block(l, b, p);
		row = p->block;
		block = &l->block[l->n_block - 1];
		if (p->first < block->first)
			block->first = p->first;
		if (block->n_line == 0 || last > block->last)
			block->last = last;
		block->n_line++;
		l->line[l->n_line++] = line_of(b, i);
	}
}

static enum prof_status
make_listing(const struct builder *b, struct listing **out)
{
	struct arena *a = arena_new();
	struct listing *l = a ? arena_alloc(a, sizeof(*l)) : NULL;

	if (!l) {
		arena_free(a);
		return prof_nomem(b->err);
	}
	*l = (struct listing){ .frames = b->f,
			       .arena = a,
			       .has_sides = b->sides };
	l->block = arena_array(a, b->n_row - b->n_line, sizeof(*l->block));
	l->line = arena_array(a, b->n_line, sizeof(*l->line));
	if (!l->block || !l->line) {
		listing_free(l);
		return prof_nomem(b->err);
	}
	fill_listing(l, b);
	*out = l;
	return PROF_OK;
}

enum prof_status
listing_new(const struct frames *f, const struct graph_options *o, bool sides,
	    bool (*wants)(const struct str *name, void *ctx), void *ctx,
	    struct listing **out, struct prof_err *err)
{
	struct builder b = { .f = f, .o = o, .sides = sides, .err = err };
	enum prof_status st;

	*out = NULL;
	st = choose_keys(&b, wants, ctx);
	if (st == PROF_OK)
		st = make_rows(&b);
	if (st == PROF_OK)
		st = make_entries(&b);
	if (st == PROF_OK)
		st = add_up(&b);
	if (st == PROF_OK)
		st = make_listing(&b, out);
	free(b.key);
	free(b.row);
	free(b.place);
	free(b.sum);
	free(b.base);
	free(b.entry);
	return st;
}

void
listing_free(struct listing *l)
{
	if (l)
		arena_free(l->arena);
}
