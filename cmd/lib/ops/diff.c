/*
 * diff.c - see diff.h. Both profiles are converted to common columns and units;
 * the new one is scaled and the base labelled; the rest is a merge with weights
 * 1 and -1.
 */
#include "config.h"

#include "diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "lib/model/profile.h"
#include "merge.h"

/* --- columns --- */

static int64_t
times(int64_t v, int64_t factor, size_t *n_saturated)
{
	int64_t product;

	if (!__builtin_mul_overflow(v, factor, &product))
		return product;
	++*n_saturated;
	return (v < 0) == (factor < 0) ? INT64_MAX : INT64_MIN;
}

/* Give p the n columns of c, from the sources src. Returns -1 without
 * memory. */
static int
convert(struct profile *p, const struct columns *c,
	const struct column_source *src, size_t n, bool is_same,
	size_t *n_saturated)
{
	size_t n_old = p->n_type;
	int64_t *row = malloc((n_old + 1) * sizeof(*row));

	/* Only common columns are kept: n <= n_old. */
	for (size_t i = 0; row && !is_same && i < p->n_sample; i++) {
		int64_t *to = p->value + i * n;

		memcpy(row, p->value + i * n_old, n_old * sizeof(*row));
		for (size_t k = 0; k < n; k++)
			to[k] = times(row[src[k].from], src[k].factor,
				      n_saturated);
	}
	for (size_t k = 0; row && k < n; k++) {
		const struct str *str = c->strings->str;
		const struct str *t = &str[c->column[k].type];
		const struct str *u = &str[c->column[k].unit];

		p->type[k].type = strtab_add(&p->strings, t->s, t->len);
		p->type[k].unit = strtab_add(&p->strings, u->s, u->len);
		if (p->type[k].type == STRTAB_NONE ||
		    p->type[k].unit == STRTAB_NONE) {
			free(row);
			row = NULL;
		}
	}
	if (!row)
		return -1;
	free(row);
	p->n_type = n;
	return 0;
}

static enum prof_status
unify(struct profile *base, struct profile *new, struct diff_notes *notes,
      struct prof_err *err)
{
	struct columns_plan first = { 0 }, second = { 0 };
	struct profile *words = profile_new(); /* for its strings */
	struct columns c;
	enum prof_status st;

	if (!words)
		return prof_nomem(err);
	columns_init(&c, COLUMNS_COMMON, &words->strings);
	st = columns_add(&c, new, &first, err);
	if (st == PROF_OK)
		st = columns_add(&c, base, &second, err);
	if (st == PROF_OK &&
	    (convert(new, &c, second.old, second.n, second.old_is_same,
		     &notes->n_saturated) < 0 ||
	     convert(base, &c, second.fresh, second.n, second.fresh_is_same,
		     &notes->n_saturated) < 0))
		st = prof_nomem(err);
	if (st == PROF_OK)
		columns_list(&c, c.dropped, c.n_dropped, notes->dropped,
			     sizeof(notes->dropped));
	columns_plan_release(&first);
	columns_plan_release(&second);
	columns_release(&c);
	profile_free(words);
	return st;
}

/* --- scale --- */

static double
total(const struct profile *p, size_t column)
{
	__int128 sum = 0;

	for (size_t i = 0; i < p->n_sample; i++)
		sum += profile_value(p, i)[column];
	return (double)sum;
}

/* Multiply column k by r, rounding half away from zero. */
static void
scale_column(struct profile *p, size_t k, double r, size_t *n_saturated)
{
	if (r == 1)
		return;
	for (size_t i = 0; i < p->n_sample; i++) {
		int64_t *v = &profile_value(p, i)[k];
		double x = round((double)*v * r);

		/* 2^63 is exact as a double, INT64_MAX is not. */
		if (x >= -0x1p63 && x < 0x1p63) {
			*v = (int64_t)x;
		} else {
			*v = x < 0 ? INT64_MIN : INT64_MAX;
			++*n_saturated;
		}
	}
}

static double
ratio(double base, double new)
{
	return new == 0 ? 0 : base / new;
}

/* Scale each column by its own ratio, as pprof -normalize does. */
static void
scale_columns(const struct profile *base, struct profile *new,
	      struct diff_notes *notes)
{
	size_t len = 0;

	notes->ratio = 1;
	for (size_t k = 0; k < new->n_type; k++) {
		double r = ratio(total(base, k), total(new, k));

		if (len < sizeof(notes->scaled))
			len += (size_t)snprintf(
				notes->scaled + len,
				sizeof(notes->scaled) - len, "%s%s by %.6g",
				k ? ", " : "",
				profile_str(new, new->type[k].type), r);
		scale_column(new, k, r, &notes->n_saturated);
	}
}

static enum prof_status
scale_new(const struct profile *base, struct profile *new,
	  const struct diff_opts *opts, struct diff_notes *notes,
	  struct prof_err *err)
{
	enum prof_status st;
	double a, b;
	size_t k;

	switch (opts->scale) {
	case DIFF_SCALE_NONE:
		return PROF_OK;
	case DIFF_SCALE_COLUMNS:
		scale_columns(base, new, notes);
		return PROF_OK;
	case DIFF_SCALE_TOTAL:
		st = profile_sample_index(new, NULL, &k, err);
		if (st != PROF_OK)
			return st;
		a = total(base, k);
		b = total(new, k);
		if (b == 0)
			return prof_fail(err, PROF_EUSAGE,
					 "the total of %s is 0: it can't be "
					 "scaled",
					 profile_str(new, new->type[k].type));
		snprintf(notes->scaled, sizeof(notes->scaled),
			 "by %.6g, total %s of %.15g to %.15g", a / b,
			 profile_str(new, new->type[k].type), b, a);
		notes->ratio = a / b;
		break;
	case DIFF_SCALE_DURATION:
		if (base->duration_ns <= 0 || new->duration_ns <= 0)
			return prof_fail(err, PROF_EUSAGE,
					 "a profile does not say how long it "
					 "took: it can't be scaled");
		notes->ratio =
			(double)base->duration_ns / (double)new->duration_ns;
		snprintf(notes->scaled, sizeof(notes->scaled),
			 "by %.6g, duration of %" PRId64 "ns to %" PRId64 "ns",
			 notes->ratio, new->duration_ns, base->duration_ns);
		break;
	case DIFF_SCALE_OPS:
		notes->ratio = 1 / opts->ops;
		snprintf(notes->scaled, sizeof(notes->scaled),
			 "by %.6g, for %.6g times the operations", notes->ratio,
			 opts->ops);
		break;
	}
	for (k = 0; k < new->n_type; k++)
		scale_column(new, k, notes->ratio, &notes->n_saturated);
	return PROF_OK;
}

/* --- delta --- */

static enum prof_status
prepare_delta(struct profile *base, struct prof_err *err)
{
	static const char *const cumulative[] = { "alloc_objects",
						  "alloc_space", "contentions",
						  "delay" };
	size_t n_kept = 0;

	for (size_t k = 0; k < base->n_type; k++) {
		const char *name = profile_str(base, base->type[k].type);
		bool is_sum = false;

		for (size_t i = 0; i < 4; i++)
			is_sum |= !strcmp(name, cumulative[i]);
		if (is_sum)
			continue;
		if (strncmp(name, "inuse_", 6) != 0)
			return prof_fail(err, PROF_EUSAGE,
					 "%s is not measured since the start "
					 "of a process: no delta",
					 name);
		n_kept++;
		for (size_t i = 0; i < base->n_sample; i++)
			profile_value(base, i)[k] = 0;
	}
	if (n_kept == base->n_type)
		return prof_fail(err, PROF_EUSAGE,
				 "no sample type is measured since the start "
				 "of a process: no delta");
	return PROF_OK;
}

static void
finish_delta(struct profile *out, int64_t base_ns, int64_t new_ns,
	     struct diff_notes *notes)
{
	out->time_ns = new_ns;
	if (base_ns && new_ns > base_ns)
		out->duration_ns = new_ns - base_ns;
	for (size_t i = 0; i < out->n_sample; i++)
		for (size_t k = 0; k < out->n_type; k++)
			notes->n_shrunk += profile_value(out, i)[k] < 0;
}

/* --- the difference --- */

static enum prof_status
subtract(const struct profile *base, const struct profile *new,
	 struct profile **out, struct diff_notes *notes, struct prof_err *err)
{
	struct merge_notes merged = { 0 };
	struct merge *m = merge_new(COLUMNS_STRICT);
	enum prof_status st;

	*out = NULL;
	if (!m)
		return prof_nomem(err);
	st = merge_add(m, new, 1, err);
	if (st == PROF_OK)
		st = merge_add(m, base, -1, err);
	if (st == PROF_OK)
		st = merge_result(m, out, &merged, err);
	notes->n_saturated += merged.n_saturated;
	merge_free(m);
	return st;
}

/* Set whether the two differ, before samples are labelled. */
static enum prof_status
judge(const struct profile *base, const struct profile *new,
      struct diff_notes *notes, struct prof_err *err)
{
	struct diff_notes ignored = { 0 };
	struct profile *rest;
	enum prof_status st = subtract(base, new, &rest, &ignored, err);

	if (st == PROF_OK)
		notes->differ = rest->n_sample != 0;
	profile_free(rest);
	return st;
}

/* Take from new the header fields for which a merge takes the value that sorts
 * first. */
static int
take_header(struct profile *out, const struct profile *new)
{
	const struct str *s = new->strings.str;
	struct strtab *t = &out->strings;

	out->drop_frames =
		strtab_add(t, s[new->drop_frames].s, s[new->drop_frames].len);
	out->keep_frames =
		strtab_add(t, s[new->keep_frames].s, s[new->keep_frames].len);
	if (new->default_type)
		out->default_type = strtab_add(t, s[new->default_type].s,
					       s[new->default_type].len);
	if (new->doc_url)
		out->doc_url =
			strtab_add(t, s[new->doc_url].s, s[new->doc_url].len);
	return out->drop_frames == STRTAB_NONE ||
			       out->keep_frames == STRTAB_NONE ||
			       out->default_type == STRTAB_NONE ||
			       out->doc_url == STRTAB_NONE
		       ? -1
		       : 0;
}

enum prof_status
profile_diff(struct profile *base, struct profile *new,
	     const struct diff_opts *opts, struct profile **out,
	     struct diff_notes *notes, struct prof_err *err)
{
	enum prof_status st;

	*out = NULL;
	memset(notes, 0, sizeof(*notes));
	notes->ratio = 1;
	st = unify(base, new, notes, err);
	if (st == PROF_OK)
		st = scale_new(base, new, opts, notes, err);
	if (st == PROF_OK && opts->verdict)
		st = judge(base, new, notes, err);
	if (st == PROF_OK && opts->delta)
		st = prepare_delta(base, err);
	if (st == PROF_OK && opts->kind == DIFF_LABEL &&
	    profile_set_label(base, "pprof::base", "true") < 0)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = subtract(base, new, out, notes, err);
	if (st == PROF_OK && take_header(*out, new) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK && opts->delta)
		finish_delta(*out, base->time_ns, new->time_ns, notes);
	if (st != PROF_OK) {
		profile_free(*out);
		*out = NULL;
	}
	return st;
}
