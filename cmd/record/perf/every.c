/* every.c - see every.h. */
#include "config.h"

#include "every.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "archive/archive.h"
#include "cli/cli.h"
#include "lib/base/now.h"
#include "lib/model/profile.h"
#include "record/recording.h"

enum {
	WAIT_S = 2, /* for another command, while the rings hold the samples */
	MAX_STACKS = 1 << 20, /* kept if no file can be written */
};

static void
next_period(struct every *e)
{
	e->begin_s = (int64_t)time(NULL);
	e->limit_s = (e->begin_s / e->seconds + 1) * e->seconds;
	e->start_ns = now_ns(CLOCK_MONOTONIC);
}

static enum prof_status
open_archive(const struct every *e, struct archive **out, struct prof_err *err)
{
	const struct archive_options o = { .now_s = e->begin_s,
					   .keep_s = e->keep_s,
					   .wait_s = WAIT_S };

	return archive_open(out, e->cli->output, &o, err);
}

void
every_begin(struct every *e)
{
	struct archive *a;
	struct prof_err err;

	next_period(e);
	if (open_archive(e, &a, &err) != PROF_OK)
		die("%s", err.msg);
	archive_close(a);
}

bool
every_is_over(const struct every *e)
{
	int64_t now_s = (int64_t)time(NULL);
	int64_t passed = now_ns(CLOCK_MONOTONIC) - e->start_ns;

	return now_s >= e->limit_s || now_s < e->begin_s ||
	       passed / 1000000000 > e->seconds;
}

static enum prof_status
every_put(const struct every *e, struct archive *a, const struct profile *p,
	  struct prof_err *err)
{
	struct stream_format format = { .kind = STREAM_GZIP, .level = 6 };
	char *name = archive_name(a, NULL, p);
	enum prof_status st = name ? PROF_OK : prof_nomem(err);

	if (e->cli->has_format)
		format = e->cli->format;
	if (st == PROF_OK)
		st = archive_put(a, name, p, format, err);
	free(name);
	return st;
}

static enum prof_status
write_file(const struct every *e, const struct profile *p, struct prof_err *err)
{
	char note[LEDGER_NOTE];
	struct archive *a;
	struct prof_err why;
	enum prof_status st = open_archive(e, &a, err);

	if (st != PROF_OK)
		return st;
	st = every_put(e, a, p, err);
	if (st == PROF_OK && archive_prune(a, note, &why) != PROF_OK)
		complain("%s", why.msg);
	if (st == PROF_OK && *note)
		complain("%s", note);
	archive_close(a);
	return st;
}

/* --- names --- */

struct naming {
	struct recording *recording;
	struct profile *p;
	atomic_bool is_done;
};

static void *
add_names(void *ctx)
{
	struct naming *n = ctx;

	names_add(n->recording, n->p);
	atomic_store(&n->is_done, true);
	return NULL;
}

/*
 * Find the names of what was recorded so far, while this thread goes on reading
 * samples: a large file may take many seconds, for which the rings are too
 * small. The cache then has them.
 */
static void
prepare_names(struct every *e)
{
	static const struct timespec pause = { .tv_nsec = 50000000 };
	struct naming n = { .recording = e->recording };
	pthread_t thread;

	n.p = recording_profile(e->recording, 0);
	if (n.p && pthread_create(&thread, NULL, add_names, &n) == 0) {
		while (!atomic_load(&n.is_done)) {
			nanosleep(&pause, NULL);
			recording_pass(e->recording);
		}
		pthread_join(thread, NULL);
	}
	profile_free(n.p);
}

/* The profile of the period. NULL without memory. */
static struct profile *
named_profile(struct every *e)
{
	struct profile *p;

	if (e->recording->names == NAMES_ALL)
		prepare_names(e);
	p = recording_now(e->recording, TALLY_CPU);
	if (p)
		names_add(e->recording, p);
	return p;
}

bool
every_write(struct every *e)
{
	struct profile *p = named_profile(e);
	struct prof_err err;
	enum prof_status st = p ? write_file(e, p, &err) : prof_nomem(&err);
	bool is_written = st == PROF_OK, is_full;

	profile_free(p);
	is_full = recording_size(e->recording) > MAX_STACKS;
	if (!is_written)
		complain("%s; its samples %s", err.msg,
			 is_full ? "are dropped" : "stay for the next file");
	if ((is_written || is_full) &&
	    recording_turn(e->recording, &err) != PROF_OK)
		die("%s", err.msg);
	if (is_written || is_full) {
		next_period(e);
		return is_written;
	}
	/* The file that comes is that of the period which began first. */
	e->limit_s = ((int64_t)time(NULL) / e->seconds + 1) * e->seconds;
	e->start_ns = now_ns(CLOCK_MONOTONIC);
	return false;
}
