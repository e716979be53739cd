/*
 * folded-out.c - writing folded stacks; see folded.h. A large profile has many
 * more bytes of names than frames, so equal lines are found by the numbers of
 * their pieces, and text is made once a line is written.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"
#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/base/decimal.h"
#include "lib/base/escape.h"
#include "lib/base/hashtab.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "named.h"

#define BLOCK 65536 /* bytes for fwrite() */

/* A line: its pieces in folds.list, and the sums of its samples. */
struct fold {
	size_t at, n;
	int64_t value, before;
};

struct folds {
	const struct profile *p;
	const struct folded_style *style;
	struct named *names;
	struct base_mark base;
	size_t column;
	struct arena *arena;
	struct strtab pieces; /* texts between semicolons, escaped */
	uint32_t *piece;      /* of each frame of names */
	struct buf text;      /* a piece in work, later lines */
	uint32_t *list;       /* pieces of all lines */
	size_t n_list, cap_list;
	struct fold *fold;
	size_t n_fold, cap_fold;
	struct hashtab table;
	uint32_t *frame;
	size_t cap_frame;
};

/* --- pieces --- */

static bool
put_name(struct folds *w, const char *s)
{
	return buf_add(&w->text, s, strlen(s)) == 0;
}

static bool
put_str(struct folds *w, const struct str *str)
{
	return escape_add(&w->text, ESCAPE_FOLDED, str->s, str->len) == 0;
}

static bool
put_string(struct folds *w, uint32_t s)
{
	return put_str(w, &w->p->strings.str[s]);
}

/* The number of the piece in w->text, which is then empty; STRTAB_NONE without
 * memory. */
static uint32_t
end_piece(struct folds *w)
{
	size_t n = w->text.n;

	w->text.n = 0;
	return n ? strtab_add(&w->pieces, (const char *)w->text.data, n) : 0;
}

static bool
push_piece(struct folds *w, uint32_t piece)
{
	if (piece == STRTAB_NONE ||
	    array_reserve(&w->list, &w->cap_list, w->n_list + 1,
			  sizeof(*w->list)) < 0)
		return false;
	w->list[w->n_list++] = piece;
	return true;
}

static bool
push_label(struct folds *w, const struct label *l)
{
	char num[32];
	bool ok;

	if (w->style->is_diff && l->key == w->base.key)
		return true;
	snprintf(num, sizeof(num), ":=%" PRId64 " ", l->num);
	ok = put_string(w, l->key) && put_name(w, l->str ? "=" : num) &&
	     put_string(w, l->str ? l->str : l->unit) && put_name(w, "|");
	return ok && push_piece(w, end_piece(w));
}

/* The pieces before the stack's frames: labels. */
static bool
push_front(struct folds *w, const struct sample *s)
{
	const struct label *l = profile_label(w->p, s);
	char num[32];

	for (uint32_t i = 0; i < s->n_label; i++) {
		if (w->style->has_headers && !push_label(w, &l[i]))
			return false;
		if (!w->style->root ||
		    strcmp(profile_str(w->p, l[i].key), w->style->root) != 0)
			continue;
		snprintf(num, sizeof(num), "%" PRId64, l[i].num);
		return (l[i].str ? put_string(w, l[i].str)
				 : put_name(w, num)) &&
		       push_piece(w, end_piece(w));
	}
	return true;
}

static const char *
mark(const struct folds *w, const struct named_frame *f)
{
	if (!w->style->annotate)
		return "";
	return f->is_inlined             ? "_[i]"
	       : f->kind == NAMED_KERNEL ? "_[k]"
	       : f->kind == NAMED_JIT    ? "_[j]"
					 : "";
}

static bool
make_pieces(struct folds *w)
{
	const struct named *names = w->names;

	w->arena = arena_new();
	w->piece = calloc(names->n_frame + 1, sizeof(*w->piece));
	if (!w->arena || !w->piece || strtab_init(&w->pieces, w->arena) < 0)
		return false;
	for (size_t i = 0; i < names->n_frame; i++) {
		const struct named_frame *f = &names->frame[i];

		if (!put_str(w, named_str(names, f->name)) ||
		    !put_name(w, mark(w, f)))
			return false;
		w->piece[i] = end_piece(w);
		if (w->piece[i] == STRTAB_NONE)
			return false;
	}
	return true;
}

/* --- lines --- */

/* The fold of the pieces that were pushed from `at` on. */
static struct fold *
find_fold(struct folds *w, size_t at)
{
	struct hashtab *t = &w->table;
	size_t n = w->n_list - at, slot;
	const uint32_t *list = w->list + at;
	uint64_t h = n;
	uint32_t i;

	for (size_t k = 0; k < n; k += 2)
		h = hashtab_mix(t, h,
				(uint64_t)list[k] << 32 |
					(k + 1 < n ? list[k + 1] : 0));
	slot = hashtab_start(t, (uint32_t)h);
	while ((i = hashtab_next(t, (uint32_t)h, &slot)) != HASHTAB_NONE) {
		struct fold *f = &w->fold[i];

		if (f->n == n &&
		    (!n || !memcmp(w->list + f->at, list, n * sizeof(*list)))) {
			w->n_list = at;
			return f;
		}
	}
	if (array_reserve(&w->fold, &w->cap_fold, w->n_fold + 1,
			  sizeof(*w->fold)) < 0 ||
	    hashtab_add(t, (uint32_t)h, (uint32_t)w->n_fold) < 0)
		return NULL;
	w->fold[w->n_fold] = (struct fold){ .at = at, .n = n };
	return &w->fold[w->n_fold++];
}

static bool
fold_sample(struct folds *w, size_t i)
{
	const struct sample *s = &w->p->sample[i];
	int64_t v = profile_value(w->p, i)[w->column];
	size_t at = w->n_list, n;
	struct fold *f;

	if (!push_front(w, s))
		return false;
	n = named_stack(w->names, i, &w->frame, &w->cap_frame);
	/* One more, as the list of no pieces must not be NULL. */
	if (n == SIZE_MAX ||
	    array_reserve(&w->list, &w->cap_list, w->n_list + n + 1,
			  sizeof(*w->list)) < 0)
		return false;
	for (size_t k = 0; k < n; k++)
		w->list[w->n_list++] = w->piece[w->frame[k]];
	/* An empty stack behind labels: the line ends in a semicolon. */
	if (!n && w->n_list > at && !push_piece(w, 0))
		return false;
	f = find_fold(w, at);
	if (!f)
		return false;
	if (w->style->is_diff && base_mark_on(&w->base, w->p, s))
		f->before =
			units_add(f->before, v == INT64_MIN ? INT64_MAX : -v);
	else
		f->value = units_add(f->value, v);
	return true;
}

static const struct str *
piece_of(const struct folds *w, const struct fold *f, size_t k)
{
	return &w->pieces.str[w->list[f->at + k]];
}

/* The character behind the first n of piece k: -1 behind the whole line. */
static int
after(const struct folds *w, const struct fold *f, size_t k, uint32_t n)
{
	const struct str *str = piece_of(w, f, k);

	if (n < str->len)
		return (unsigned char)str->s[n];
	return k + 1 < f->n ? ';' : -1;
}

/* Compare lines as text, the shorter first. */
static int
by_text(const void *a, const void *b, void *ctx)
{
	const struct folds *w = ctx;
	const struct fold *x = a, *y = b;
	size_t n = x->n < y->n ? x->n : y->n, k = 0;
	const struct str *s, *t;
	uint32_t len;
	int c;

	while (k < n && w->list[x->at + k] == w->list[y->at + k])
		k++;
	if (k == n)
		return (x->n > y->n) - (x->n < y->n);
	s = piece_of(w, x, k);
	t = piece_of(w, y, k);
	len = s->len < t->len ? s->len : t->len;
	c = memcmp(s->s, t->s, len);
	return c ? c : after(w, x, k, len) - after(w, y, k, len);
}

/* Name and unit, and the end of the line. */
static void
put_type(FILE *out, const struct profile *p, const struct value_type *t)
{
	const char *type = profile_str(p, t->type);
	const char *unit = profile_str(p, t->unit);

	escape_put(out, ESCAPE_TEXT, type, strlen(type));
	putc(' ', out);
	escape_put(out, ESCAPE_TEXT, unit, strlen(unit));
	putc('\n', out);
}

static void
put_headers(FILE *out, const struct profile *p, size_t column)
{
	fprintf(out, "# profpipe folded 1\n# type ");
	put_type(out, p, &p->type[column]);
	if (!p->period || !p->period_type.type || !p->period_type.unit)
		return;
	fprintf(out, "# period %" PRId64 " ", p->period);
	put_type(out, p, &p->period_type);
}

/* " 123" */
static void
put_number(struct folds *w, int64_t v)
{
	char text[DECIMAL_MAX], *end = text + sizeof(text);
	char *p = decimal(end, (uint64_t)v);

	w->text.data[w->text.n++] = ' ';
	memcpy(w->text.data + w->text.n, p, (size_t)(end - p));
	w->text.n += (size_t)(end - p);
}

/* Append the line of a fold to w->text. */
static bool
put_line(struct folds *w, const struct fold *f)
{
	for (size_t k = 0; k < f->n; k++) {
		const struct str *str = piece_of(w, f, k);

		if (buf_reserve(&w->text, str->len + 3 * DECIMAL_MAX) < 0)
			return false;
		memcpy(w->text.data + w->text.n, str->s, str->len);
		w->text.n += str->len;
		w->text.data[w->text.n++] = ';';
	}
	w->text.n--;
	if (w->style->is_diff)
		put_number(w, f->before);
	put_number(w, f->value);
	w->text.data[w->text.n++] = '\n';
	return true;
}

static bool
put_lines(FILE *out, struct folds *w)
{
	if (w->style->is_sorted && w->n_fold)
		qsort_r(w->fold, w->n_fold, sizeof(*w->fold), by_text, w);
	for (size_t i = 0; i < w->n_fold; i++) {
		const struct fold *f = &w->fold[i];

		if ((!f->value && !f->before) || !f->n ||
		    (f->n == 1 && !piece_of(w, f, 0)->len))
			continue;
		if (!put_line(w, f))
			return false;
		if (w->text.n >= BLOCK) {
			fwrite(w->text.data, 1, w->text.n, out);
			w->text.n = 0;
		}
	}
	if (w->text.n)
		fwrite(w->text.data, 1, w->text.n, out);
	return true;
}

static enum prof_status
refuse_negative(const struct folds *w, struct prof_err *err)
{
	for (size_t i = 0; i < w->n_fold; i++)
		if (w->fold[i].value < 0 || w->fold[i].before < 0)
			return prof_fail(
				err, PROF_EUSAGE,
				"folded stacks cannot hold negative "
				"values; --diff writes both sides of a "
				"difference");
	return PROF_OK;
}

enum prof_status
folded_write(FILE *out, const struct profile *p, size_t column,
	     const struct folded_style *style, struct prof_err *err)
{
	struct folds w = { .p = p, .style = style, .column = column };
	enum prof_status st = PROF_OK;

	w.base = base_mark_of(p);
	if (style->is_diff && !profile_has_base(p))
		return prof_fail(err, PROF_EUSAGE,
				 "--diff: no sample has the label "
				 "pprof::base=true that prof-diff --diff-base "
				 "sets");
	if (hashtab_init(&w.table) < 0)
		return prof_nomem(err);
	st = named_new(p, style->annotate ? NAMED_OBJECTS : 0, &w.names, err);
	if (st == PROF_OK && !make_pieces(&w))
		st = prof_nomem(err);
	for (size_t i = 0; st == PROF_OK && i < p->n_sample; i++)
		if (!fold_sample(&w, i))
			st = prof_nomem(err);
	if (st == PROF_OK)
		st = refuse_negative(&w, err);
	if (st == PROF_OK && style->has_headers)
		put_headers(out, p, column);
	if (st == PROF_OK && !put_lines(out, &w))
		st = prof_nomem(err);
	named_free(w.names);
	arena_free(w.arena);
	hashtab_release(&w.table);
	buf_release(&w.text);
	free(w.piece);
	free(w.list);
	free(w.fold);
	free(w.frame);
	return st;
}
