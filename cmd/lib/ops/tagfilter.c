/* tagfilter.c - see tagfilter.h. */
#include "config.h"

#include "tagfilter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/ascii.h"
#include "lib/base/buf.h"
#include "lib/base/idmap.h"
#include "lib/model/labels.h"

/* --- ranges --- */

struct number {
	int64_t v;
	const char *unit; /* n_unit letters, perhaps none */
	int n_unit;
};

/* Read an integer and a unit at *s: 1, or 0 if there is none, -1 too large. */
static int
read_number(const char **s, struct number *n)
{
	const char *at = *s;
	char *end;

	if (!is_digit(at[(*at == '+' || *at == '-')]))
		return 0;
	errno = 0;
	n->v = strtoll(at, &end, 10);
	n->unit = end;
	while (is_letter(*end))
		end++;
	n->n_unit = (int)(end - n->unit);
	*s = end;
	return errno == ERANGE ? -1 : 1;
}

/* Split text at the colon; false: it is not a range. */
static int
split_range(const char *s, struct tag_range *r, struct number *a,
	    struct number *b)
{
	int ra = read_number(&s, a), rb = 0;

	if (*s == ':') {
		s++;
		rb = read_number(&s, b);
		r->has_low = ra != 0;
		r->has_high = rb != 0;
	} else {
		r->has_low = r->has_high = true;
		*b = *a;
	}
	if (*s || (!ra && !rb))
		return 0;
	return ra < 0 || rb < 0 ? -1 : 1;
}

enum prof_status
tag_range_parse(const char *text, struct tag_range *out, bool *is_range,
		struct prof_err *err)
{
	struct number a = { 0 }, b = { 0 };
	struct measure low, high;
	char unit[sizeof(out->unit)];
	int r;

	memset(out, 0, sizeof(*out));
	r = split_range(text, out, &a, &b);
	*is_range = r != 0;
	if (!r)
		return PROF_OK;
	if (r < 0)
		return prof_fail(err, PROF_EUSAGE, "'%s': number too large",
				 text);
	if (a.n_unit >= (int)sizeof(unit) || b.n_unit >= (int)sizeof(unit))
		return prof_fail(err, PROF_EUSAGE, "'%s': no such unit", text);
	snprintf(out->text, sizeof(out->text), "%s", text);
	if (!out->has_low)
		a = b;
	if (!b.n_unit) {
		b.unit = a.unit;
		b.n_unit = a.n_unit;
	}
	snprintf(out->unit, sizeof(out->unit), "%.*s", a.n_unit, a.unit);
	snprintf(unit, sizeof(unit), "%.*s", b.n_unit, b.unit);
	low = measure_of((long double)a.v, out->unit);
	high = measure_of((long double)b.v, unit);
	if (measure_relation(&low, &high) == MEASURE_BARE)
		return prof_fail(err, PROF_EUSAGE,
				 "'%s': the first number has no unit; write "
				 "%jd%s:%jd%s",
				 text, (intmax_t)a.v, unit, (intmax_t)b.v,
				 unit);
	if (measure_relation(&low, &high) != MEASURE_COMPARABLE)
		return prof_fail(err, PROF_EUSAGE,
				 "'%s': the units '%s' and '%s' don't convert "
				 "into each other",
				 text, out->unit, unit);
	out->low = low;
	out->high = high;
	return PROF_OK;
}

/* --- one expression over many samples --- */

enum { UNKNOWN, NO, YES };

struct work {
	const struct profile *p;
	const struct tag_filter *f;
	struct measures measures;
	uint32_t key;          /* string, if the filter has one */
	uint32_t base;         /* string: else all keys but this */
	unsigned char *string; /* with a key, by string: UNKNOWN, NO, YES */
	struct idmap pair;     /* else by key, string: into passed */
	uint64_t *passed;      /* a bit for each test */
	size_t n_passed, cap;
	struct buf text;
	struct prof_err *err;
};

static enum prof_status
work_init(struct work *w, const struct profile *p, const struct tag_filter *f,
	  struct prof_err *err)
{
	memset(w, 0, sizeof(*w));
	w->p = p;
	w->f = f;
	w->err = err;
	w->base = base_mark_of(p).key;
	w->string = calloc(p->strings.n_str, 1);
	if (!w->string || idmap_init(&w->pair, 0) < 0 ||
	    measures_init(&w->measures, p) < 0)
		return prof_nomem(err);
	if (f && f->key)
		w->key = strtab_find(&p->strings, f->key, strlen(f->key));
	return PROF_OK;
}

static void
work_release(struct work *w)
{
	measures_release(&w->measures);
	free(w->string);
	idmap_release(&w->pair);
	free(w->passed);
	buf_release(&w->text);
}

static enum prof_status
in_range(struct work *w, const struct label *l, bool *yes)
{
	const struct tag_range *r = &w->f->range;
	struct measure m = measures_label(&w->measures, l);
	enum measure_relation rel = measure_relation(&r->low, &m);

	*yes = false;
	if (rel == MEASURE_BARE && w->f->key)
		return prof_fail(w->err, PROF_EUSAGE,
				 "label '%s' is in %s, but '%s' has no unit",
				 w->f->key, m.unit, r->text);
	*yes = rel == MEASURE_COMPARABLE && (!r->has_low || m.x >= r->low.x) &&
	       (!r->has_high || m.x <= r->high.x);
	return PROF_OK;
}

/* Does some test pass the string of l, whose key is right? */
static enum prof_status
any_passes(struct work *w, const struct label *l, bool *yes)
{
	const struct str *str = &w->p->strings.str[l->str];
	enum prof_status st = PROF_OK;

	if (w->string[l->str] == UNKNOWN) {
		bool hit = false;

		for (size_t i = 0; i < w->f->n_test && !hit; i++) {
			const struct filter_test *t = &w->f->test[i];

			st = t->match(t->ctx, str->s, str->len, &hit, w->err);
			if (st != PROF_OK)
				return st;
		}
		w->string[l->str] = hit ? YES : NO;
	}
	*yes = w->string[l->str] == YES;
	return PROF_OK;
}

/* The tests that "key:string" passes. */
static enum prof_status
tests_passed(struct work *w, const struct label *l, uint64_t *bits)
{
	uint64_t id = (uint64_t)l->key << 32 | l->str;
	uint32_t at = idmap_find(&w->pair, id);
	const struct str *key = &w->p->strings.str[l->key];
	const struct str *str = &w->p->strings.str[l->str];

	if (at != IDMAP_NONE) {
		*bits = w->passed[at];
		return PROF_OK;
	}
	*bits = 0;
	w->text.n = 0;
	if (buf_add(&w->text, key->s, key->len) < 0 ||
	    buf_add(&w->text, ":", 1) < 0 ||
	    buf_add(&w->text, str->s, str->len) < 0)
		return prof_nomem(w->err);
	for (size_t i = 0; i < w->f->n_test; i++) {
		const struct filter_test *t = &w->f->test[i];
		bool hit;
		enum prof_status st =
			t->match(t->ctx, (const char *)w->text.data, w->text.n,
				 &hit, w->err);

		if (st != PROF_OK)
			return st;
		*bits |= (uint64_t)hit << i;
	}
	if (array_reserve(&w->passed, &w->cap, w->n_passed + 1,
			  sizeof(*w->passed)) < 0)
		return prof_nomem(w->err);
	w->passed[w->n_passed] = *bits;
	if (idmap_add(&w->pair, id, (uint32_t)w->n_passed++) < 0)
		return prof_nomem(w->err);
	return PROF_OK;
}

/* Does the filter accept sample s? */
static enum prof_status
accepts(struct work *w, const struct sample *s, bool *yes)
{
	const struct tag_filter *f = w->f;
	const struct label *l = profile_label(w->p, s);
	uint64_t all = 0, want = UINT64_MAX; /* for a range: never reached */
	enum prof_status st = PROF_OK;

	*yes = false;
	if (f->n_test)
		want >>= TAG_MAX_TEST - f->n_test;
	for (uint32_t k = 0; k < s->n_label && st == PROF_OK && !*yes; k++) {
		uint64_t bits = 0;

		if ((f->key ? l[k].key != w->key : l[k].key == w->base) ||
		    f->is_range != (l[k].str == 0))
			continue;
		if (f->is_range) {
			st = in_range(w, &l[k], yes);
		} else if (f->key) {
			st = any_passes(w, &l[k], yes);
		} else {
			st = tests_passed(w, &l[k], &bits);
			all |= bits;
			*yes = all == want;
		}
	}
	return st;
}

enum prof_status
filter_by_tag(struct profile *p, const struct tag_filter *focus,
	      const struct tag_filter *ignore, bool found[2],
	      struct prof_err *err)
{
	unsigned char *keep = malloc(p->n_sample + 1);
	struct work w[2];
	enum prof_status st = work_init(&w[0], p, focus, err);
	enum prof_status st2 = work_init(&w[1], p, ignore, err);

	found[0] = found[1] = false;
	if (st == PROF_OK)
		st = keep ? st2 : prof_nomem(err);
	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		bool focused = true, ignored = false;

		if (focus)
			st = accepts(&w[0], &p->sample[i], &focused);
		if (ignore && st == PROF_OK)
			st = accepts(&w[1], &p->sample[i], &ignored);
		found[0] = found[0] || focused;
		found[1] = found[1] || ignored;
		keep[i] = focused && !ignored;
	}
	if (st == PROF_OK)
		filter_keep(p, keep);
	work_release(&w[0]);
	work_release(&w[1]);
	free(keep);
	return st;
}
