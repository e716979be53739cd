/* every.c - see every.h. */
#include "config.h"

#include "every.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "archive/archive.h"
#include "cli/cli.h"
#include "lib/base/now.h"
#include "lib/model/profile.h"
#include "record/recording.h"

enum {
	WAIT_S = 2,           /* for another command */
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

/* --- writing --- */

struct writing {
	const struct every *e;
	struct profile *p;
	enum prof_status status;
	struct prof_err err;
	atomic_bool is_done;
};

static void *
write_named(void *ctx)
{
	struct writing *w = ctx;

	names_add(w->e->recording, w->p);
	w->status = write_file(w->e, w->p, &w->err);
	atomic_store(&w->is_done, true);
	return NULL;
}

/*
 * Write the profile in a thread, while this one goes on emptying the rings: a
 * large file may take many seconds to name, and so may a slow disk.
 */
static void
write_beside(struct writing *w)
{
	static const struct timespec pause = { .tv_nsec = 20000000 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_named, w) != 0) {
		write_named(w);
		return;
	}
	while (!atomic_load(&w->is_done)) {
		nanosleep(&pause, NULL);
		recording_keep(w->e->recording);
	}
	pthread_join(thread, NULL);
}

bool
every_write(struct every *e)
{
	struct writing w = { .e = e,
			     .p = recording_now(e->recording, TALLY_CPU) };
	bool is_written, is_full;
	struct prof_err err;

	if (w.p)
		write_beside(&w);
	else
		w.status = prof_nomem(&w.err);
	is_written = w.status == PROF_OK;
	profile_free(w.p);
	is_full = recording_size(e->recording) > MAX_STACKS;
	if (!is_written)
		complain("%s; its samples %s", w.err.msg,
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
