/* run.c - see run.h. */
#include "config.h"

#include "run.h"

#include <stdlib.h>
#include <time.h>

#include "catalogs.h"
#include "cli/match.h"
#include "function-name.h"
#include "lib/gate/stats.h"
#include "lib/model/units.h"
#include "print.h"
#include "series-fill.h"
#include "shifts.h"
#include "sweep.h"

#define CHANGE_LEVEL 0.01 /* chance of a false alarm of a question */
#define AROUND_DAYS 7     /* builds are compared so long around a change */

struct run {
	struct history_settings *s;
	struct cli *cli;
	struct catalogs a;
};

/* --- the question --- */

/*
 * Read all archives into something by add(), after begin() has emptied it. If a
 * cache turns out to be damaged it is rebuilt, and all are read again.
 */
static void
read_archives(struct run *r,
	      enum prof_status (*begin)(void *to, struct prof_err *err),
	      enum prof_status (*add)(void *to, struct catalog *a,
				      struct prof_err *err),
	      void *to)
{
	struct prof_err err;
	enum prof_status st;
	size_t i;

	do {
		if (begin(to, &err) != PROF_OK)
			die("%s", err.msg);
		for (i = 0, st = PROF_OK; i < r->a.n && st == PROF_OK; i++)
			st = add(to, &r->a.archive[i], &err);
		if (st != PROF_OK)
			catalogs_rebuild(&r->a, i - 1, st, &err);
	} while (st != PROF_OK);
}

static enum prof_status
begin_span(void *to, struct prof_err *err)
{
	span_release(to);
	return span_init(to, err);
}

static enum prof_status
add_span(void *to, struct catalog *a, struct prof_err *err)
{
	return span_add(to, a, err);
}

/* Sum up the types and times of all archives; dies if there are none. */
static void
find_span(struct run *r, struct span *x)
{
	const struct catalog *first = &r->a.archive[0];

	read_archives(r, begin_span, add_span, x);
	if (x->first_ns > x->last_ns)
		die("no profiles in %s",
		    r->a.n == 1 && first->root ? first->root : "the archives");
}

/* A series, while it is made. */
struct asking {
	const struct span *span;
	const struct question *q;
	struct series *x;
};

static enum prof_status
begin_series(void *to, struct prof_err *err)
{
	struct asking *a = to;

	series_release(a->x);
	return series_init(a->x, a->span, a->q, err);
}

static enum prof_status
add_series(void *to, struct catalog *archive, struct prof_err *err)
{
	struct asking *a = to;

	return series_fill(a->x, archive, a->q, err);
}

/* The answer to q, which series_release() ends. Dies. */
static void
ask(struct run *r, const struct span *span, const struct question *q,
    struct series *x)
{
	struct asking a = { span, q, x };
	struct prof_err err;

	*x = (struct series){ 0 };
	read_archives(r, begin_series, add_series, &a);
	if (series_sort(x, q->by, &err) != PROF_OK)
		die("%s", err.msg);
}

/* The same for the question of the user: dies if there is no answer. */
static void
ask_first(struct run *r, const struct span *span, const struct question *q,
	  struct series *x)
{
	ask(r, span, q, x);
	if (!x->n_bucket)
		die("no profiles %s", q->where ? "for which --where is true"
					       : "between --since and --until");
}

/* Profiles whose labels the cache has no value for; "week" is no label. */
static void
tell_unknown(const struct question *q, const struct series *x)
{
	const char *s = x->n_unknown == 1 ? "" : "s";
	const char *in_part =
		x->has_unknown_program ? " (at least in part)" : "";

	if (x->n_unknown && q->where)
		warn("left out %zu profile%s%s: the samples differ in a "
		     "label of --where",
		     x->n_unknown, s, in_part);
	else if (x->n_unknown)
		warn("put %zu profile%s%s into the row without a name: the "
		     "samples differ in label '%s'",
		     x->n_unknown, s, in_part, q->label);
	else if (q->by == SERIES_LABEL && x->n_bucket == 1 &&
		 !names_str(&x->keys, x->bucket[0].key)->len)
		die("--by: no profile has a label '%s'; one of day, hour, "
		    "profile, build, host, or a label",
		    q->label);
}

static const struct gate_dist *
distributions(void)
{
	const struct gate_dist *d = stats_dist();

	if (!d)
		die("--change: this build has no gsl");
	return d;
}

/* The start of the hour of t. */
static int64_t
hour_of(int64_t t_ns)
{
	int64_t rest = t_ns % BLOCK_HOUR_NS;

	return units_sub(t_ns, rest + (rest < 0 ? BLOCK_HOUR_NS : 0));
}

/*
 * The build that may be the reason of a change of function f of x, by whole
 * hours, so that the answer is the same if the cache has no more.
 */
static void
find_builds(struct run *r, const struct span *span, const struct series *x,
	    const struct series_fn *f, const struct shifts_options *o,
	    struct shifts_one *one)
{
	struct function_name name = { .name = *names_str(&x->functions,
							 f->name) };
	size_t before = one->shift.first > 0 ? one->shift.first - 1 : 0;
	struct question q = {
		.type = x->type,
		.by = SERIES_HOUR_BUILD,
		.from = hour_of(units_sub(x->bucket[before].first_ns,
					  AROUND_DAYS * BLOCK_DAY_NS)),
		.to = hour_of(units_add(x->bucket[one->shift.last].last_ns,
					AROUND_DAYS * BLOCK_DAY_NS +
						BLOCK_HOUR_NS - 1)),
		.wants = function_name_wants,
		.wants_ctx = &name,
		.where = r->s->q.where,
	};
	struct series hours, hosts;
	struct prof_err err;

	ask(r, span, &q, &hours);
	q.by = SERIES_HOST_BUILD;
	ask(r, span, &q, &hosts);
	if (hours.n_fn == 1 && shifts_builds(one, x, &hours, &hosts, o,
					     distributions(), &err) != PROF_OK)
		die("%s", err.msg);
	series_release(&hours);
	series_release(&hosts);
}

/* The host of a change that no build explains. */
static void
find_hosts(struct run *r, const struct span *span, const struct series *x,
	   const struct series_fn *f, const struct shifts_options *o,
	   struct shifts_one *one)
{
	struct function_name name = { .name = *names_str(&x->functions,
							 f->name) };
	struct question q = {
		.type = x->type,
		.by = SERIES_HOST,
		.from = x->bucket[one->shift.from].first_ns,
		.to = x->bucket[one->shift.at].first_ns,
		.wants = function_name_wants,
		.wants_ctx = &name,
		.where = r->s->q.where,
	};
	struct series before, after;

	ask(r, span, &q, &before);
	q.from = q.to;
	q.to = units_add(x->bucket[one->shift.to - 1].last_ns, 1);
	ask(r, span, &q, &after);
	if (before.n_fn == 1 && after.n_fn == 1)
		shifts_hosts(one, x, &before, &after, o);
	series_release(&before);
	series_release(&after);
}

/* The changes of each function of x, for free(), and shifts_release() of each.
 */
static struct shifts *
find_shifts(struct run *r, const struct span *span, const struct series *x,
	    bool *found)
{
	const struct shifts_options o = {
		.is_flat = r->s->is_flat,
		.is_hourly = r->s->q.by == SERIES_HOUR,
		.level = CHANGE_LEVEL,
		.min_share = r->s->function ? 0 : r->s->min_share,
	};
	struct shifts *all = allocated(calloc(x->n_fn + 1, sizeof(*all)));
	struct prof_err err;
	size_t n_test;

	*found = false;
	if (shifts_count(x, &o, &n_test, &err) != PROF_OK)
		die("%s", err.msg);
	for (size_t k = 0; k < x->n_fn; k++) {
		if (!shifts_matter(x, &x->fn[k], &o))
			continue;
		if (shifts_find(&all[k], x, &x->fn[k], &o, n_test,
				distributions(), &err) != PROF_OK)
			die("%s", err.msg);
		*found |= all[k].n > 0;
		for (size_t i = 0; i < all[k].n; i++) {
			struct shifts_one *one = &all[k].one[i];

			if (x->n_build > 1)
				find_builds(r, span, x, &x->fn[k], &o, one);
			if (!one->n_build)
				find_hosts(r, span, x, &x->fn[k], &o, one);
		}
	}
	return all;
}

/* Answer for named functions. Returns the exit status. */
static int
show_span(struct run *r, const struct span *span)
{
	struct history_settings *s = r->s;
	struct shifts *shifts = NULL;
	bool found = false;
	struct series x;
	struct function_name find = { 0 };

	if (s->function) {
		function_name_find(&find, s->function, r->a.archive, r->a.n);
		s->q.wants = function_name_wants;
		s->q.wants_ctx = &find;
	} else {
		s->q.wants = match_str;
		s->q.wants_ctx = s->match;
	}
	ask_first(r, span, &s->q, &x);
	tell_unknown(&s->q, &x);
	if (!x.n_fn)
		function_name_missing("no function matches", r->a.archive,
				      r->a.n);
	if (s->finds_changes)
		shifts = find_shifts(r, span, &x, &found);
	print_series(&x, s, shifts,
		     cli_report(r->cli, s->format <= HISTORY_SPARK));
	for (size_t k = 0; shifts && k < x.n_fn; k++)
		shifts_release(&shifts[k]);
	free(shifts);
	series_release(&x);
	function_name_release(&find);
	return found && s->has_exit_code ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A list of all functions. */
static void
list(struct run *r, const struct span *span)
{
	struct history_settings *s = r->s;
	int64_t from = history_days(s, span->last_ns);
	struct series x;
	struct sweep w;
	struct prof_err err;

	s->q.is_list = true;
	ask_first(r, span, &s->q, &x);
	tell_unknown(&s->q, &x);
	if (sweep_make(&w, &x, s, from,
		       s->task == HISTORY_CHANGES ? distributions() : NULL,
		       &err) != PROF_OK)
		die("%s", err.msg);
	sweep_print(&w, &x, s, cli_report(r->cli, s->format <= HISTORY_SPARK));
	sweep_release(&w);
	series_release(&x);
}

/* A host whose clock is wrong moves what "7d" means. */
static void
tell_future(const struct history_settings *s, int64_t newest_ns)
{
	char text[SERIES_TIME];

	if (!history_has_age(s) ||
	    newest_ns / BLOCK_DAY_NS <= time(NULL) / 86400 + 1)
		return;
	series_time(newest_ns, false, text);
	warn("the newest profile is of %s, in the future: ages such as 7d "
	     "count "
	     "back from it; --until=DATE leaves it out",
	     text);
}

int
history_run(struct history_settings *s, struct cli *cli)
{
	struct run r = { .s = s, .cli = cli };
	int status = EXIT_SUCCESS;
	struct span span = { 0 };

	catalogs_open(&r.a, cli,
		      &(const struct catalogs_options){
			      .is_rebuild = s->is_rebuild,
			      .index = s->index,
			      .is_told = s->task == HISTORY_INDEX });
	if (s->task != HISTORY_INDEX) {
		find_span(&r, &span);
		tell_future(s, span.last_ns);
		history_times(s, span.last_ns);
		if (s->task == HISTORY_SHOW)
			status = show_span(&r, &span);
		else
			list(&r, &span);
		span_release(&span);
	}
	if (r.a.has_failed)
		status = CLI_TROUBLE;
	catalogs_close(&r.a);
	return status == EXIT_SUCCESS && r.a.has_bad ? CLI_SKIPPED : status;
}
