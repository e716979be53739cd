/* answers.c - see answers.h. */
#include "config.h"

#include "answers.h"

#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "locate.h"
#include "symbols/binary/symcache.h"
#include "symbols/elf/apart.h"

enum {
	LOOKING = APART_ANSWER,
	FAILED, /* a string */
	TRIED,  /* two strings */
	FOUND,  /* a path */
	LINES,  /* struct lines, locations, and for each frame its numbers and
		 * two strings */
	KEEP,   /* a key, and the entry of the cache */
	MISSED, /* a file was not found */
};

struct lines {
	uint32_t n_location, n_frame;
};

struct numbers {
	int64_t line, column, start_line;
};

/* --- in the reader --- */

void
answers_found(struct apart *a, uint32_t m, const char *path)
{
	apart_tell(a, FOUND, m, path, strlen(path) + 1, "", 0);
}

void
answers_lines(struct apart *a, const struct wants *w, size_t i,
	      const struct symbol_frame *frame, size_t n)
{
	const struct lines head = { (uint32_t)(w->first[i + 1] - w->first[i]),
				    (uint32_t)n };
	size_t size = sizeof(head) + head.n_location * sizeof(uint32_t);
	char *to;

	for (size_t k = 0; k < n; k++)
		size += sizeof(struct numbers) + strlen(frame[k].name) + 1 +
			strlen(frame[k].file) + 1;
	to = apart_begin(a, LINES, 0, size);
	to = mempcpy(to, &head, sizeof(head));
	for (size_t k = w->first[i]; k < w->first[i + 1]; k++)
		to = mempcpy(to, &w->want[k].location, sizeof(uint32_t));
	for (size_t k = 0; k < n; k++) {
		const struct numbers of = { frame[k].line, frame[k].column,
					    frame[k].start_line };

		to = mempcpy(to, &of, sizeof(of));
		to = stpcpy(to, frame[k].name) + 1;
		to = stpcpy(to, frame[k].file) + 1;
	}
	apart_end(a);
}

static void
tell_looking(void *ctx, uint32_t m)
{
	apart_tell(ctx, LOOKING, m, "", 0, "", 0);
	apart_flush(ctx);
}

static void
tell_failed(void *ctx, uint32_t m, const char *why)
{
	apart_tell(ctx, FAILED, m, why, strlen(why) + 1, "", 0);
}

static void
tell_tried(void *ctx, const char *path, const char *why)
{
	apart_tell(ctx, TRIED, 0, path, strlen(path) + 1, why, strlen(why) + 1);
}

static void
tell_entry(void *ctx, const char *key, const struct buf *entry)
{
	apart_tell(ctx, KEEP, 0, key, strlen(key) + 1, entry->data, entry->n);
}

struct job {
	struct resolve *r;
	enum prof_status (*work)(struct resolve *r, struct prof_err *err);
	uint32_t at;    /* the mapping that is looked at */
	bool *is_ended; /* by mapping: a file of it ended the reader */
};

/* The options of the job's r, but with what is to be told elsewhere. */
static enum prof_status
work_apart(void *ctx, struct apart *a, bool is_careful, struct prof_err *err)
{
	const struct job *job = ctx;
	struct resolve *r = job->r;
	struct resolve_options o = *r->o;
	struct locate locate = *o.locate;
	enum prof_status st;

	locate.ctx = o.report = a;
	if (locate.tried)
		locate.tried = tell_tried;
	o.locate = &locate;
	o.failed = tell_failed;
	o.looking = tell_looking;
	o.warn = apart_warn;
	if (o.find)
		o.find = apart_find;
	if (o.cache)
		o.cache = symcache_apart(o.cache, tell_entry, a);
	if (is_careful)
		o.n_thread = 1;
	r->o = &o;
	r->apart = a;
	st = job->work(r, err);
	if (r->missed)
		apart_tell(a, MISSED, 0, "", 0, "", 0);
	return r->wants.nomem ? prof_nomem(err) : st;
}

/* --- in this process --- */

static bool
take_lines(struct resolve *r, const char *at, const char *past)
{
	struct wants *w = &r->wants;
	struct symbol_frame *frame;
	struct numbers of;
	struct lines n;
	bool ok = true;

	if ((size_t)(past - at) < sizeof(n))
		return false;
	memcpy(&n, at, sizeof(n));
	at += sizeof(n);
	if (n.n_location > r->p->n_location || !n.n_frame ||
	    n.n_location > (size_t)(past - at) / sizeof(uint32_t) ||
	    n.n_frame > (size_t)(past - at) / sizeof(of))
		return false;
	w->n = 0;
	for (uint32_t i = 0, l; i < n.n_location && ok; i++) {
		memcpy(&l, at, sizeof(l));
		at += sizeof(l);
		ok = l < r->p->n_location;
		wants_add(w, 0, l);
	}
	if (array_reserve(&w->frame, &w->cap_frame, n.n_frame,
			  sizeof(*w->frame)) < 0) {
		w->nomem = true;
		return ok;
	}
	frame = w->frame;
	for (uint32_t i = 0; ok && i < n.n_frame; i++) {
		ok = (size_t)(past - at) > sizeof(of);
		if (!ok)
			break;
		memcpy(&of, at, sizeof(of));
		at += sizeof(of);
		frame[i] = (struct symbol_frame){ .line = of.line,
						  .column = of.column,
						  .start_line = of.start_line };
		frame[i].name = apart_string(&at, past);
		frame[i].file = apart_string(&at, past);
		ok = frame[i].name && frame[i].file;
	}
	if (ok && n.n_location) { /* they are one address */
		w->first[0] = 0;
		w->first[1] = w->n;
		wants_answer(w, 0, frame, n.n_frame);
	}
	return ok;
}

static void
take_path(struct resolve *r, uint32_t m, const char *path)
{
	uint32_t file = profile_intern(r->p, path);

	r->wants.nomem |= file == STRTAB_NONE;
	if (file != STRTAB_NONE)
		r->p->mapping[m].file = file;
}

static void
take_failed(const struct resolve *r, uint32_t m, const char *why)
{
	struct prof_err err;

	prof_fail(&err, PROF_EFORMAT, "%s", why);
	resolve_warn(r, m, &err);
}

bool
answers_take(void *ctx, uint32_t kind, uint32_t m, const char *at, size_t n)
{
	struct resolve *r = ctx;
	const struct resolve_options *o = r->o;
	const char *past = at + n, *first, *second;

	if (kind == MISSED)
		return r->missed = true;
	if (kind == LINES)
		return take_lines(r, at, past);
	if (kind != TRIED && kind != KEEP && m >= r->p->n_mapping)
		return false;
	if (kind == LOOKING) {
		if (o->looking)
			o->looking(o->report, m);
		return true;
	}
	first = n ? apart_string(&at, past) : NULL;
	if (!first)
		return false;
	switch (kind) {
	case FAILED:
		take_failed(r, m, first);
		return true;
	case FOUND:
		take_path(r, m, first);
		return true;
	case TRIED:
		second = at < past ? apart_string(&at, past) : NULL;
		if (second && o->locate->tried)
			o->locate->tried(o->locate->ctx, first, second);
		return second;
	case KEEP:
		if (o->cache)
			symcache_keep(o->cache, first, at, (size_t)(past - at));
		return o->cache;
	default:
		return false;
	}
}

static bool
answer_take(void *ctx, uint32_t kind, uint32_t m, const char *at, size_t n)
{
	struct job *job = ctx;

	/* The next reader only knows that there is no such file. */
	if (kind == FAILED && m < job->r->p->n_mapping && job->is_ended[m])
		return true;
	if (!answers_take(job->r, kind, m, at, n))
		return false;
	if (kind == LOOKING)
		job->at = m;
	return true;
}

static void
take_end(void *ctx)
{
	struct job *job = ctx;
	struct prof_err err;

	if (job->at == PROF_NONE || job->is_ended[job->at])
		return;
	job->is_ended[job->at] = true;
	prof_fail(&err, PROF_EFORMAT,
		  "the process that read its files was ended");
	if (job->r->o->failed)
		resolve_warn(job->r, job->at, &err);
}

/* A file of mapping m and those of the same object was left out. Symbol tables
 * may have its names, so say what is missing. */
static void
warn_missing(const struct resolve *r, uint32_t m)
{
	const char *file = profile_str(r->p, r->p->mapping[m].file);
	size_t n = 0, all = 0;

	for (; m != PROF_NONE; m = r->next[m])
		for (size_t k = r->place[m]; k < r->place[m + 1]; k++, all++) {
			const struct location *l =
				&r->p->location[r->wanted[k]];

			n += !l->n_line ||
			     (!r->o->no_lines && !profile_line(r->p, l)->line);
		}
	if (n)
		r->o->warn("%s: addresses without a %s: %zu of %zu", file,
			   r->o->no_lines ? "name" : "line", n, all);
}

static int
open_entry(void *ctx, const char *name)
{
	const struct symcache *cache = ((struct job *)ctx)->r->o->cache;

	return cache ? symcache_entry(cache, name) : -1;
}

enum prof_status
answers_run(struct resolve *r,
	    enum prof_status (*work)(struct resolve *, struct prof_err *),
	    struct prof_err *err)
{
	struct job job = { .r = r,
			   .work = work,
			   .at = PROF_NONE,
			   .is_ended = calloc(r->p->n_mapping + 1, 1) };
	enum prof_status st;
	const struct apart_job apart = { .ctx = &job,
					 .work = work_apart,
					 .take = answer_take,
					 .list = r->o->kallsyms,
					 .find = r->o->find,
					 .find_ctx = r->o->find_ctx,
					 .entry = open_entry,
					 .ended = take_end,
					 .warn = r->o->warn,
					 .n_thread = r->o->n_thread,
					 .n_bytes = group_n_bytes(r->p) };

	st = job.is_ended ? apart_run(&apart, err) : prof_nomem(err);
	for (uint32_t m = 0; st == PROF_OK && m < r->p->n_mapping; m++)
		if (job.is_ended[m])
			warn_missing(r, m);
	free(job.is_ended);
	return st;
}
