/*
 * prof-fetch.c - get profiles from servers and files, in any format, as one
 * stream or as files of an archive. Operands are parsed in net/source.c and
 * read in fetch/gather.c; net/fetch.c talks to servers, archive/archive.c
 * writes archives; formats are in lib/stream/stream.c and lib/formats.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fetch/options.h"
#include "lib/base/filename.h"
#include "lib/base/now.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"

struct job {
	struct fetch_args args;
	struct gather *gather; /* that of args */
	bool is_shown;         /* a progress line is on the terminal */
	bool is_bad;           /* failed, but not because of a source */
	size_t n_good;         /* sources */

	/* One stream: the first profile; sum: all, from the second one on. */
	struct profile *first;
	struct merge *sum;

	/* An archive, and the file of each source in it. */
	struct archive *archive;
	char **file;
	size_t n_unwritten; /* sources that a full disk had no place for */
};

/* Replace the progress line, which is erased before other output. */
static void
show_waiting(size_t n_done, size_t n, double elapsed_s, double left_s)
{
	bool is_known = left_s >= 0;

	fprintf(stderr, "\rprof-fetch: %zu of %zu fetched, %.0f s%s ", n_done,
		n, is_known ? left_s : elapsed_s, is_known ? " left" : "");
}

static void
wipe(const struct job *job)
{
	if (job->is_shown)
		fprintf(stderr, "\r%60s\r", "");
}

static void
refuse(const struct job *job, size_t i, const struct prof_err *err)
{
	const char *name = cli_name(job->gather->item[i].name);

	wipe(job);
	if (job->args.is_partial_ok)
		warn("%s: %s", name, err->msg);
	else
		complain("%s: %s", name, err->msg);
}

static void
tell_doubt(const struct job *job, size_t i, const struct profile *p)
{
	if (!p || !p->n_doubt)
		return;
	wipe(job);
	cli_doubts(job->gather->item[i].name, p);
}

/* --- one stream --- */

static enum prof_status
profile_add(struct job *job, struct profile *p, struct prof_err *err)
{
	enum prof_status st;

	if (!job->sum && !job->first) {
		job->first = p;
		return PROF_OK;
	}
	if (!job->sum) {
		job->sum = merge_new(COLUMNS_COMMON);
		if (!job->sum ||
		    merge_add(job->sum, job->first, 1, err) != PROF_OK)
			die_nomem();
		profile_free(job->first);
		job->first = NULL;
	}
	st = merge_add(job->sum, p, 1, err);
	profile_free(p);
	return st;
}

static void
take_part(size_t i, struct profile *p, const struct prof_err *err, void *ctx)
{
	struct job *job = ctx;
	struct prof_err why;

	tell_doubt(job, i, p);
	if (p && profile_add(job, p, &why) == PROF_OK)
		job->n_good++;
	else
		refuse(job, i, p ? &why : err);
}

static void
write_stream(struct job *job)
{
	struct profile *p;

	job->gather->is_ordered = true;
	job->gather->take = take_part;
	if (job->gather->n_url)
		cli_check_output(&job->args.cli, CLI_PROFILE);
	gather_run(job->gather);
	wipe(job);
	p = job->sum ? cli_sum_end(job->sum) : job->first;
	if (p)
		cli_write(&job->args.cli, p);
	profile_free(p);
}

/* --- an archive --- */

/* The server of an item; NULL: it is a file, or an object, which is like one.
 */
static const struct source *
source_of(const struct gather_item *item)
{
	return item->fetch && !item->fetch->source.is_s3 ? &item->fetch->source
							 : NULL;
}

/* Find the file of source i, whose profile is p (NULL: not read yet). Fails if
 * two sources have the same file. */
static enum prof_status
name_file(struct job *job, size_t i, const struct profile *p,
	  struct prof_err *err)
{
	static const char hint[] = "; can %p, the port, or %q, the query, tell "
				   "them apart?"; /* both 0 for a file */
	const struct gather_item *item = job->gather->item;

	if (!job->file[i])
		job->file[i] =
			archive_name(job->archive, source_of(&item[i]), p);
	if (!job->file[i])
		return prof_nomem(err);
	for (size_t k = 0; k < job->gather->n; k++)
		if (k != i && job->file[k] &&
		    !strcmp(job->file[i], job->file[k]))
			return prof_fail(err, PROF_EUSAGE,
					 "'%s' is the file of %s too%s",
					 job->file[i], cli_name(item[k].name),
					 source_of(&item[i]) ? hint : "");
	return PROF_OK;
}

/* Does an error of archive_put() say that the disk is full? */
static bool
is_full(const struct prof_err *err)
{
	return filename_ends_in(err->msg, strerror(ENOSPC)) ||
	       filename_ends_in(err->msg, strerror(EDQUOT));
}

static void
take_file(size_t i, struct profile *p, const struct prof_err *err, void *ctx)
{
	struct stream_format format = { .kind = STREAM_GZIP, .level = 6 };
	struct job *job = ctx;
	struct prof_err why;

	if (job->args.cli.has_format)
		format = job->args.cli.format;
	tell_doubt(job, i, p);
	if (!p) {
		refuse(job, i, err);
		return;
	}
	if (name_file(job, i, p, &why) == PROF_OK &&
	    archive_put(job->archive, job->file[i], p, format, &why) ==
		    PROF_OK) {
		job->n_good++;
	} else {
		job->is_bad = true;
		if (!is_full(&why) || !job->n_unwritten++) {
			wipe(job);
			complain("%s: %s", cli_name(job->gather->item[i].name),
				 why.msg);
		}
	}
	profile_free(p);
}

static void
write_archive(struct job *job)
{
	struct gather *g = job->gather;
	double start = now_seconds();
	char note[LEDGER_NOTE];
	struct prof_err err;

	job->args.archive.now_s = time(NULL);
	job->file = calloc(g->n + 1, sizeof(*job->file));
	if (!job->file)
		die_nomem();
	if (archive_open(&job->archive, job->args.cli.output,
			 &job->args.archive, &err) != PROF_OK)
		die("%s", err.msg);
	/* --wait is for another run, --deadline for the servers. */
	g->fetch.begun += now_seconds() - start;
	/* Detect equal names before servers are asked. */
	for (size_t i = 0; i < g->n; i++)
		if (source_of(&g->item[i]) &&
		    name_file(job, i, NULL, &err) != PROF_OK)
			die("%s: %s", g->item[i].name, err.msg);
	g->take = take_file;
	gather_run(g);
	wipe(job);
	if (job->n_unwritten > 1)
		complain("no space for %zu more profiles",
			 job->n_unwritten - 1);
	if (archive_prune(job->archive, note, &err) != PROF_OK) {
		complain("%s", err.msg);
		job->is_bad = true;
	}
	if (*note)
		complain("%s", note);
	archive_close(job->archive);
	for (size_t i = 0; i < g->n; i++)
		free(job->file[i]);
	free(job->file);
}

int
main(int argc, char **argv)
{
	struct job job = { .gather = &job.args.gather };
	const char *term = getenv("TERM");
	int status = EXIT_SUCCESS;

	fetch_args_parse(&job.args, argc, argv);
	job.is_shown = !job.args.cli.is_quiet && isatty(STDERR_FILENO) &&
		       term && strcmp(term, "dumb");
	if (job.is_shown)
		job.gather->fetch.waiting = show_waiting;
	job.gather->ctx = &job;
	if (job.args.is_archive)
		write_archive(&job);
	else
		write_stream(&job);
	if (job.is_bad || !job.n_good)
		status = CLI_TROUBLE;
	else if (job.n_good < job.gather->n && !job.args.is_partial_ok)
		status = CLI_SKIPPED;
	gather_release(job.gather);
	fetch_objects_release(&job.args.objects);
	headers_release(&job.args.headers);
	return cli_finish(&job.args.cli, status);
}
