/* run.c - see run.h. */
#include "config.h"

#include "run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive.h"
#include "cli/match.h"
#include "find.h"
#include "gate/stats.h"
#include "lib/model/units.h"
#include "print.h"
#include "shifts.h"
#include "sweep.h"

#define CHANGE_LEVEL 0.01 /* chance of a false alarm of a question */
#define AROUND_DAYS 7     /* builds are compared so long around a change */

struct run {
	struct history_settings *s;
	struct cli *cli;
	struct archive *archive; /* n of them */
	size_t n;
	bool has_bad; /* files that could not be read */
};

/* --- opening --- */

static void
tell_bad(const char *root, const char *path, const char *why)
{
	if (root)
		complain("%s/%s: %s", root, path, why);
	else
		complain("%s: %s", path, why);
}

static void
tell_news(const char *root, const struct archive_news *n, bool is_asked)
{
	const char *name = root ? root : "the files";

	if (n->was_damaged)
		warn("%s: the cache was damaged and has been made anew", name);
	if (n->no_cache && root)
		warn("%s: no cache, so all profiles are read each time: %s",
		     name, n->no_cache);
	if (n->n_no_time)
		warn("%s: %zu profiles have no time, nor their paths a date: "
		     "the times of the files are used",
		     name, n->n_no_time);
	if (n->n_bad)
		complain("%s: %zu files are left out, as they cannot be read, "
			 "such as %s",
			 name, n->n_bad, n->bad ? n->bad : "");
	if (is_asked)
		warn("%s: %zu profiles read, %zu gone, %zu summed by prof-thin",
		     name, n->n_read, n->n_gone - n->n_handed, n->n_handed);
}

static void
open_one(struct run *r, struct archive *a, const char *root)
{
	const struct archive_options o = { .max_size = r->cli->max_size,
					   .is_rebuild = r->s->is_rebuild,
					   .is_check = r->s->is_check,
					   .tell_bad = tell_bad };
	struct archive_news news;
	struct prof_err err;

	if (archive_open(a, root, &o, &news, &err) != PROF_OK)
		die("%s", err.msg);
	tell_news(root, &news, r->s->task == HISTORY_INDEX);
	r->has_bad |= news.n_bad || news.n_new_bad;
	archive_news_release(&news);
}

/* Is folder `inner` the folder `outer`, or below it? Both are absolute. */
static bool
is_within(const char *inner, const char *outer)
{
	size_t n = strlen(outer);

	return !strncmp(inner, outer, n) &&
	       (!inner[n] || inner[n] == '/' || (n && outer[n - 1] == '/'));
}

/* No profile may be counted twice. */
static void
check_apart(char **path, char **operand, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (i != k && is_within(path[i], path[k]))
				die("%s is in %s, or the same: its profiles "
				    "would count twice",
				    operand[i], operand[k]);
}

/* Folders are archives; all files that are named are one more. */
static void
open_all(struct run *r)
{
	size_t n = (size_t)r->cli->n_operand, n_folder = 0;
	char **operand = r->cli->operand;
	char **path = allocated(calloc(n + 1, sizeof(*path)));
	char **folder = allocated(calloc(n + 1, sizeof(*folder)));
	struct walk files = { 0 };
	struct prof_err err;
	struct stat sb;

	for (size_t i = 0; i < n; i++) {
		path[i] = realpath(operand[i], NULL);
		if (!path[i] || stat(operand[i], &sb) < 0)
			die("%s: %s", operand[i], strerror(errno));
		if (S_ISDIR(sb.st_mode))
			folder[n_folder++] = operand[i];
		else if (walk_add(&files, operand[i], &err) != PROF_OK)
			die("%s", err.msg);
	}
	check_apart(path, operand, n);
	if (walk_sort(&files, &err) != PROF_OK)
		die("%s", err.msg);
	r->archive = allocated(calloc(n + 1, sizeof(*r->archive)));
	for (r->n = 0; r->n < n_folder; r->n++)
		open_one(r, &r->archive[r->n], folder[r->n]);
	if (files.n) {
		r->archive[r->n].walk = files;
		open_one(r, &r->archive[r->n++], NULL);
	}
	for (size_t i = 0; i < n; i++)
		free(path[i]);
	free(path);
	free(folder);
}

/* --- the question --- */

/* What there is; dies if that is nothing. */
static void
find_span(struct run *r, struct span *x)
{
	struct prof_err err;

	if (span_init(x, &err) != PROF_OK)
		die("%s", err.msg);
	for (size_t i = 0; i < r->n; i++)
		if (span_add(x, &r->archive[i], &err) != PROF_OK)
			die("%s", err.msg);
	if (x->first_ns > x->last_ns)
		die("no profiles in %s", r->n == 1 && r->archive[0].root
						 ? r->archive[0].root
						 : "the archives");
}

static enum prof_status
wants_match(void *ctx, const struct str *name, bool *wanted,
	    struct prof_err *err)
{
	return match_bytes(ctx, name->s, name->len, wanted, err);
}

static enum prof_status
wants_all(void *ctx, const struct str *name, bool *wanted, struct prof_err *err)
{
	(void)ctx;
	(void)name;
	(void)err;
	*wanted = true;
	return PROF_OK;
}

/* The answer to q, which series_release() ends. */
static void
ask(struct run *r, const struct span *span, const struct question *q,
    struct series *x)
{
	struct prof_err err;

	if (series_init(x, span, q, &err) != PROF_OK)
		die("%s", err.msg);
	for (size_t i = 0; i < r->n; i++)
		if (series_add(x, &r->archive[i], q, &err) != PROF_OK)
			die("%s", err.msg);
	if (series_sort(x, q->by, &err) != PROF_OK)
		die("%s", err.msg);
	if (!x->n_bucket)
		die("no profiles between --since and --until");
}

static const struct gate_dist *
distributions(void)
{
	const struct gate_dist *d = stats_dist();

	if (!d)
		die("--change: this build has no gsl");
	return d;
}

/* Which build may be the reason of a change of function f of x. */
static void
find_builds(struct run *r, const struct span *span, const struct series *x,
	    const struct series_fn *f, const struct shifts_options *o,
	    struct shifts_one *one)
{
	struct find name = { *names_str(&x->functions, f->name) };
	size_t before = one->shift.first > 0 ? one->shift.first - 1 : 0;
	const struct question q = {
		.type = x->type,
		.by = SERIES_HOUR_BUILD,
		.from = units_sub(x->bucket[before].first_ns,
				  AROUND_DAYS * BLOCK_DAY_NS),
		.to = units_add(x->bucket[one->shift.last].last_ns,
				AROUND_DAYS * BLOCK_DAY_NS),
		.wants = find_wants,
		.wants_ctx = &name,
	};
	struct series hours;
	struct prof_err err;

	ask(r, span, &q, &hours);
	if (hours.n_fn == 1 &&
	    shifts_builds(one, x, &hours, o, distributions(), &err) != PROF_OK)
		die("%s", err.msg);
	series_release(&hours);
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
		for (size_t i = 0; i < all[k].n && x->n_build > 1; i++)
			find_builds(r, span, x, &x->fn[k], &o, &all[k].one[i]);
	}
	return all;
}

/* Functions that were named: the exit status. */
static int
show(struct run *r, const struct span *span)
{
	struct history_settings *s = r->s;
	struct shifts *shifts = NULL;
	bool found = false;
	struct series x;
	struct find find;

	if (s->function) {
		find_function(&find, s->function, r->archive, r->n);
		s->q.wants = find_wants;
		s->q.wants_ctx = &find;
	} else {
		s->q.wants = wants_match;
		s->q.wants_ctx = s->match;
	}
	ask(r, span, &s->q, &x);
	if (!x.n_fn)
		die("no function matches");
	if (s->finds_changes)
		shifts = find_shifts(r, span, &x, &found);
	print_series(&x, s, shifts, cli_text(r->cli));
	for (size_t k = 0; shifts && k < x.n_fn; k++)
		shifts_release(&shifts[k]);
	free(shifts);
	series_release(&x);
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

	s->q.wants = wants_all;
	ask(r, span, &s->q, &x);
	if (sweep_make(&w, &x, s, from,
		       s->task == HISTORY_CHANGES ? distributions() : NULL,
		       &err) != PROF_OK)
		die("%s", err.msg);
	sweep_print(&w, &x, s, cli_text(r->cli));
	sweep_release(&w);
	series_release(&x);
}

int
history_run(struct history_settings *s, struct cli *cli)
{
	struct run r = { .s = s, .cli = cli };
	int status = EXIT_SUCCESS;
	struct span span;

	open_all(&r);
	if (s->task != HISTORY_INDEX) {
		find_span(&r, &span);
		history_times(s, span.last_ns);
		if (s->task == HISTORY_SHOW)
			status = show(&r, &span);
		else
			list(&r, &span);
		span_release(&span);
	}
	for (size_t i = 0; i < r.n; i++)
		archive_close(&r.archive[i]);
	free(r.archive);
	return status == EXIT_SUCCESS && r.has_bad ? CLI_SKIPPED : status;
}
