/* gather.c - see gather.h. */
#include "config.h"

#include "gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "lib/formats/legacy/legacy.h"
#include "lib/model/origin.h"
#include "lib/model/profile.h"
#include "net/s3.h"

/* --- operands --- */

static enum prof_status
classify(struct gather *g, struct gather_item *item, struct prof_err *err)
{
	struct fetch *f = &g->url[g->n_url];
	struct prof_err why;
	struct stat sb;

	if (!strcmp(item->name, "-"))
		return PROF_OK;
	if (stat(item->name, &sb) == 0)
		return S_ISSOCK(sb.st_mode)
			       ? prof_fail(err, PROF_EUSAGE,
					   "%s: a socket; use unix:%s:/PAGE",
					   item->name, item->name)
			       : PROF_OK;
	switch (s3_is_url(item->name)
			? s3_source(&f->source, item->name, &why)
			: source_parse(&f->source, item->name, &why)) {
	case PROF_OK:
		item->fetch = f;
		g->n_url++;
		break;
	case PROF_EUSAGE:
		return PROF_OK; /* opening it reports the error */
	default:
		return prof_fail(err, why.status, "%s: %s", item->name,
				 why.msg);
	}
	if (!f->source.is_s3 && (*f->source.user || *f->source.query)) {
		item->safe_name = source_url(&f->source, NULL, 0, false);
		if (!item->safe_name)
			return prof_nomem(err);
		item->name = item->safe_name;
	}
	return PROF_OK;
}

enum prof_status
gather_init(struct gather *g, const char *const *operand, size_t n,
	    struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	g->item = calloc(n + 1, sizeof(*g->item));
	g->url = calloc(n + 1, sizeof(*g->url));
	if (!g->item || !g->url)
		return prof_nomem(err);
	for (; g->n < n && st == PROF_OK; g->n++) {
		g->item[g->n].name = operand[g->n];
		st = classify(g, &g->item[g->n], err);
	}
	return st;
}

static void
release_item(struct gather_item *item)
{
	free(item->safe_name);
	free(item->url);
	buf_release(&item->body);
}

void
gather_release(struct gather *g)
{
	for (size_t i = 0; i < g->n; i++)
		release_item(&g->item[i]);
	for (size_t i = 0; i < g->n_url; i++)
		fetch_release(&g->url[i]);
	free(g->item);
	free(g->url);
	g->item = NULL;
	g->url = NULL;
	g->n = g->n_url = 0;
}

/* --- reading --- */

static enum prof_status
inflate(const struct gather *g, const struct buf *body, struct buf *raw,
	struct prof_err *err)
{
	if (body->n == 0)
		return prof_fail(err, PROF_EFORMAT,
				 "the server's answer is empty");
	return stream_inflate(body->data, body->n, g->max_size, raw, err);
}

static enum prof_status
read_raw(const struct gather *g, const struct gather_item *item,
	 struct buf *raw, struct prof_err *err)
{
	const struct fetch *f = item->fetch;
	enum prof_status st;
	int fd;

	if (item->url)
		return inflate(g, &item->body, raw, err);
	if (f) {
		*err = f->err;
		if (f->status != PROF_OK)
			return f->status;
		return inflate(g, &f->body, raw, err);
	}
	fd = cli_try_open(item->name, err);
	if (fd < 0 && strcmp(item->name, "-") && !strpbrk(item->name, "./:;") &&
	    !strchr(err->msg, ';'))
		return prof_fail(err, PROF_EIO,
				 "no such file; a server needs a port: "
				 "prof-fetch %s:PORT",
				 item->name);
	if (fd < 0)
		return PROF_EIO;
	st = stream_read(fd, g->max_size, raw, err);
	cli_close(fd);
	return st;
}

/* Add the server of p and, if it was asked, the program. */
static enum prof_status
add_origin(const struct gather_item *item, struct profile *p,
	   struct prof_err *err)
{
	const struct fetch *f = item->fetch;
	enum prof_status st = PROF_OK;

	if (item->url && f->status == PROF_OK)
		st = origin_add_program(p, item->url, f->body.data, f->body.n,
					err);
	if (st == PROF_OK)
		st = origin_add(p, item->url ? item->url : f->url, err);
	return st;
}

static enum prof_status
parse_answer(const struct gather *g, const struct gather_item *item,
	     struct profile **out, struct prof_err *err)
{
	struct buf raw = { 0 };
	enum prof_status st = read_raw(g, item, &raw, err);

	*out = NULL;
	if (st == PROF_OK && legacy_sniff(raw.data, raw.n) == LEGACY_CPU)
		st = legacy_parse(raw.data, raw.n, g->legacy_flags, out, err);
	else if (st == PROF_OK)
		st = profile_parse(raw.data, raw.n, out, err);
	/* An object is a file that another place has. */
	if (st == PROF_OK && item->fetch && !item->fetch->source.is_s3)
		st = add_origin(item, *out, err);
	if (st != PROF_OK) {
		profile_free(*out);
		*out = NULL;
	}
	if (st == PROF_EFORMAT && item->fetch && raw.n &&
	    !strstr(err->msg, "/pprof/"))
		strncat(err->msg,
			"; a profile's address ends in /debug/pprof/NAME or "
			"/pprof/NAME",
			sizeof(err->msg) - strlen(err->msg) - 1);
	buf_release(&raw);
	return st;
}

static void
deliver(struct gather *g, size_t i)
{
	struct gather_item *item = &g->item[i];
	struct prof_err err = { 0 };
	struct profile *p;

	item->is_taken = true;
	parse_answer(g, item, &p, &err);
	if (item->fetch)
		buf_release(&item->fetch->body);
	buf_release(&item->body);
	g->take(i, p, &err, g->ctx);
}

/*
 * The page /x/pprof/cmdline for the URL of a page of /x/pprof/; NULL if it
 * isn't one, or without memory.
 */
static char *
cmdline_page(const char *url)
{
	static const char folder[] = "/pprof/";
	const char *path = source_url_page(url), *end;
	size_t n = path ? strcspn(path, "?") : 0;
	char *page;

	for (end = path + n; n && end[-1] != '/'; n--)
		end--;
	if (n < strlen(folder) ||
	    strncmp(end - strlen(folder), folder, strlen(folder)) != 0)
		return NULL;
	return asprintf(&page, "%.*scmdline", (int)n, path) < 0 ? NULL : page;
}

/*
 * Formats older than profile.proto often do not name the program; a server with
 * gperftools can be asked. false: not needed, or not possible.
 */
static bool
ask_program(struct gather_item *item)
{
	struct fetch *f = item->fetch;
	char *page;

	if (f->status != PROF_OK || !f->body.n || item->url ||
	    f->source.is_s3 ||
	    legacy_sniff(f->body.data, f->body.n) == LEGACY_NONE)
		return false;
	page = cmdline_page(f->url);
	if (!page)
		return false;
	item->url = f->url;
	item->body = f->body;
	f->url = NULL;
	f->body = (struct buf){ 0 };
	free(f->source.path);
	f->source.path = page;
	f->source.query[0] = 0;
	f->source.is_bare = false;
	f->is_aside = true;
	return true;
}

/* A server is done. Files, which may be pipes, are read after all servers. */
static bool
on_done(struct fetch *f, void *ctx)
{
	struct gather *g = ctx;
	size_t i = 0;

	while (g->item[i].fetch != f)
		i++;
	if (ask_program(&g->item[i]))
		return true;
	g->item[i].is_done = true;
	if (!g->is_ordered)
		deliver(g, i);
	else
		while (g->next < g->n && g->item[g->next].is_done)
			deliver(g, g->next++);
	return false;
}

void
gather_run(struct gather *g)
{
	g->fetch.done = on_done;
	g->fetch.ctx = g;
	if (g->n_url)
		fetch_all(g->url, g->n_url, &g->fetch);
	for (size_t i = 0; i < g->n; i++)
		if (!g->item[i].is_taken)
			deliver(g, i);
}
