/* report-open.c - see report-open.h. */
#include "config.h"

#include "report-open.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/model/account.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"
#include "lib/model/unnamed.h"
#include "lib/report/frames.h"

/* Warn about a badly sampled profile. */
static void
warn_of_sampling(const struct profile *p)
{
	struct sampling s;

	if (sampling_sum(p, &s))
		account_quality(&s, warn_sentence);
}

void
report_take(struct report_settings *s, struct profile *p)
{
	s->o.filter = refine_active(&s->refine, &s->o.n_filter);
	refine_frames(&s->refine, p, s->o.unit);
}

/* Warn about addresses instead of functions, but only people, not scripts. */
static void
warn_of_names(const struct profile *p)
{
	struct prof_err err;
	struct unnamed u;

	if (!isatty(STDERR_FILENO))
		return;
	if (unnamed_count(&u, p, &err) != PROF_OK)
		die("%s", err.msg);
	if (u.share > 0.5 && unnamed_is_raw(p))
		warn("no names yet: prof-symbolize FILE | ...");
	else if (u.share > 0.5)
		warn("%.0f%% of the samples have no names: %s", 100 * u.share,
		     unnamed_remedy(p));
	unnamed_release(&u);
}

/* Warn if all values of the column are 0, and others are not: what a program
 * holds when it ends, when it has freed all. */
static void
warn_of_zeros(const struct report *r)
{
	const struct profile *p = r->p;
	size_t other = p->n_type;

	for (size_t i = 0; i < p->n_sample && !r->total; i++)
		for (size_t k = p->n_type; k-- > 0;) {
			if (!profile_value(p, i)[k])
				continue;
			if (k == r->column)
				return;
			if (other == p->n_type ||
			    p->type[k].unit == p->type[r->column].unit)
				other = k;
		}
	if (other < p->n_type)
		warn("%s is 0 in all samples, %s is not: see --sample-index",
		     profile_str(p, p->type[r->column].type),
		     profile_str(p, p->type[other].type));
}

void
report_begin(struct report *r, const struct report_settings *s,
	     struct profile *p)
{
	struct prof_err err;

	warn_of_sampling(p);
	warn_of_names(p);
	if (s->is_relative)
		refine_filter(&s->refine, p);
	if (report_init(r, p, &s->o, &err) != PROF_OK)
		die("%s", err.msg);
	if (s->o.unit &&
	    units_check(s->o.unit, r->sample_unit, &err) != PROF_OK)
		die("--unit: %s", err.msg);
	warn_of_zeros(r);
	if (r->is_saturated)
		warn("sums overflow 64 bits; clamped to the limit");
	if (s->o.divide_by > 0 && s->o.divide_by < 1 &&
	    (double)r->total / s->o.divide_by >= 0x1p63)
		warn("--divide-by=%g: values overflow 64 bits; clamped to the "
		     "limit",
		     s->o.divide_by);
	if (!s->is_relative)
		refine_filter(&s->refine, p);
}

void
report_need_base(const struct profile *p)
{
	if (!profile_has_base(p))
		die("no difference: no sample has the label pprof::base=true "
		    "that prof-diff --diff-base sets");
}

void
report_open(struct report *r, struct report_settings *s, struct profile *p)
{
	report_take(s, p);
	report_begin(r, s, p);
}

void
report_open_graph(struct report *r, struct frames **f, struct graph **g)
{
	struct prof_err err;

	if (report_graph(r, f, g, &err) != PROF_OK)
		die("%s", err.msg);
	report_choose_unit(r, *g);
}

char *
report_title(const struct report *r)
{
	const struct profile *p = r->p;
	const char *base = "profile";
	size_t len = strlen(base);
	char *title;

	if (p->n_mapping && p->mapping[0].file)
		base = frames_base(profile_str(p, p->mapping[0].file), &len);
	if (asprintf(&title, "%.*s: %s", (int)len, base,
		     profile_str(p, p->type[r->column].type)) < 0)
		die_nomem();
	return title;
}

void
report_close(struct report *r, struct report_settings *s)
{
	profile_free(r->p);
	report_settings_release(s);
}
