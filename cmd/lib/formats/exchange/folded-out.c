/* folded-out.c - writing folded stacks; see folded.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/base/escape.h"
#include "lib/base/hashtab.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "named.h"

/* A line: its text in folds.text, and the sums of its samples. */
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
	struct buf text;
	struct fold *fold;
	size_t n_fold, cap_fold;
	struct hashtab table;
	uint32_t *frame;
	size_t cap_frame;
};

static bool
put(struct folds *w, const char *s)
{
	return buf_add(&w->text, s, strlen(s)) == 0;
}

static bool
put_escaped(struct folds *w, const char *s, size_t n)
{
	return escape_add(&w->text, ESCAPE_FOLDED, s, n) == 0;
}

static bool
put_string(struct folds *w, uint32_t s)
{
	const struct str *str = &w->p->strings.str[s];

	return put_escaped(w, str->s, str->len);
}

static bool
put_label(struct folds *w, const struct label *l)
{
	char num[32];

	if (w->style->is_diff && l->key == w->base.key)
		return true;
	if (!put_string(w, l->key))
		return false;
	if (l->str)
		return put(w, "=") && put_string(w, l->str) && put(w, "|;");
	snprintf(num, sizeof(num), ":=%" PRId64 " ", l->num);
	return put(w, num) && put_string(w, l->unit) && put(w, "|;");
}

/* The frames before the stack's: labels. */
static bool
put_front(struct folds *w, const struct sample *s)
{
	const struct label *l = profile_label(w->p, s);
	char num[32];

	for (uint32_t i = 0; i < s->n_label; i++) {
		if (w->style->has_headers && !put_label(w, &l[i]))
			return false;
		if (!w->style->root ||
		    strcmp(profile_str(w->p, l[i].key), w->style->root) != 0)
			continue;
		snprintf(num, sizeof(num), "%" PRId64, l[i].num);
		return (l[i].str ? put_string(w, l[i].str) : put(w, num)) &&
		       put(w, ";");
	}
	return true;
}

static bool
put_frame(struct folds *w, const struct named_frame *f)
{
	const struct str *name = named_str(w->names, f->name);

	if (!put_escaped(w, name->s, name->len))
		return false;
	if (!w->style->annotate)
		return true;
	return put(w, f->is_inlined             ? "_[i]"
		      : f->kind == NAMED_KERNEL ? "_[k]"
		      : f->kind == NAMED_JIT    ? "_[j]"
						: "");
}

/* The fold of the text that was put from `at` on. */
static struct fold *
find(struct folds *w, size_t at)
{
	struct hashtab *t = &w->table;
	size_t n = w->text.n - at, slot;
	uint64_t h = n;
	uint32_t i;

	for (size_t k = 0; k < n; k += 8) {
		uint64_t word = 0;

		memcpy(&word, w->text.data + at + k, n - k < 8 ? n - k : 8);
		h = hashtab_mix(t, h, word);
	}
	slot = hashtab_start(t, (uint32_t)h);
	while ((i = hashtab_next(t, (uint32_t)h, &slot)) != HASHTAB_NONE) {
		struct fold *f = &w->fold[i];

		if (f->n == n &&
		    !memcmp(w->text.data + f->at, w->text.data + at, n)) {
			w->text.n = at;
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

static int64_t
add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static bool
fold_sample(struct folds *w, size_t i)
{
	const struct sample *s = &w->p->sample[i];
	int64_t v = profile_value(w->p, i)[w->column];
	size_t at = w->text.n, n;
	struct fold *f;

	if (!put_front(w, s))
		return false;
	n = named_stack(w->names, i, &w->frame, &w->cap_frame);
	if (n == SIZE_MAX)
		return false;
	for (size_t k = 0; k < n; k++)
		if ((k && !put(w, ";")) ||
		    !put_frame(w, &w->names->frame[w->frame[k]]))
			return false;
	f = find(w, at);
	if (!f)
		return false;
	if (w->style->is_diff && base_mark_on(&w->base, w->p, s))
		f->before = add(f->before, v == INT64_MIN ? INT64_MAX : -v);
	else
		f->value = add(f->value, v);
	return true;
}

static int
by_text(const void *a, const void *b, void *ctx)
{
	const struct folds *w = ctx;
	const struct fold *x = a, *y = b;
	int c = memcmp(w->text.data + x->at, w->text.data + y->at,
		       x->n < y->n ? x->n : y->n);

	return c ? c : (x->n > y->n) - (x->n < y->n);
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

static void
put_lines(FILE *out, struct folds *w)
{
	if (w->style->is_sorted && w->n_fold)
		qsort_r(w->fold, w->n_fold, sizeof(*w->fold), by_text, w);
	for (size_t i = 0; i < w->n_fold; i++) {
		const struct fold *f = &w->fold[i];

		if ((!f->value && !f->before) || !f->n)
			continue;
		fwrite(w->text.data + f->at, 1, f->n, out);
		if (w->style->is_diff)
			fprintf(out, " %" PRId64, f->before);
		fprintf(out, " %" PRId64 "\n", f->value);
	}
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
	st = named_new(p, 0, &w.names, err);
	for (size_t i = 0; st == PROF_OK && i < p->n_sample; i++)
		if (!fold_sample(&w, i))
			st = prof_nomem(err);
	if (st == PROF_OK)
		st = refuse_negative(&w, err);
	if (st == PROF_OK && style->has_headers)
		put_headers(out, p, column);
	if (st == PROF_OK)
		put_lines(out, &w);
	named_free(w.names);
	hashtab_release(&w.table);
	buf_release(&w.text);
	free(w.fold);
	free(w.frame);
	return st;
}
