/*
 * serve.c - the pages of a profile server; see serve.h.
 *
 * Profiles under /pprof/ come in one of two formats: google-pprof reads only
 * gperftools' own, and does not accept gzip; clients that read profile.proto,
 * which is gzip, accept it. Under /debug/pprof/, as in Go programs, the format
 * is profile.proto, unless debug=1 asks for text.
 */
#include "config.h"

#include "serve.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch.h"
#include "lib/formats/legacy/write.h"
#include "lib/model/profile.h"
#include "lib/stream/stream.h"
#include "libsample/shm.h"
#include "lookup.h"
#include "recording.h"

enum {
	DEFAULT_SECONDS = 30, /* the usual default */
	MAX_SECONDS = 3600,
	GZIP_LEVEL = 6,
};

enum page_kind { PAGE_INDEX, PAGE_CPU, PAGE_NOW, PAGE_CMDLINE, PAGE_SYMBOL };

struct page {
	const char *path;
	enum page_kind kind;
	bool is_go;
	enum tally_kind tally; /* of PAGE_NOW */
	const char *about;
};

static const struct page pages[] = {
	{ "/", PAGE_INDEX, false, 0, NULL },
	{ "/pprof", PAGE_INDEX, false, 0, NULL },
	{ "/pprof/", PAGE_INDEX, false, 0, NULL },
	{ "/debug/pprof", PAGE_INDEX, true, 0, NULL },
	{ "/debug/pprof/", PAGE_INDEX, true, 0, NULL },
	{ "/pprof/profile", PAGE_CPU, false, TALLY_CPU,
	  "where the next ?seconds=30 are spent" },
	{ "/pprof/heap", PAGE_NOW, false, TALLY_HEAP,
	  "what was allocated, and is in use" },
	{ "/pprof/growth", PAGE_NOW, false, TALLY_GROWTH,
	  "what made the heap grow" },
	{ "/pprof/contention", PAGE_NOW, false, TALLY_LOCK,
	  "where threads waited for locks" },
	{ "/pprof/cmdline", PAGE_CMDLINE, false, 0,
	  "the program's command line" },
	{ "/pprof/symbol", PAGE_SYMBOL, false, 0,
	  "POST 0x401136+0x401140: names of addresses" },
	{ "/debug/pprof/profile", PAGE_CPU, true, TALLY_CPU,
	  "the same, by Go's names" },
	{ "/debug/pprof/heap", PAGE_NOW, true, TALLY_HEAP, NULL },
	{ "/debug/pprof/allocs", PAGE_NOW, true, TALLY_HEAP, NULL },
	{ "/debug/pprof/growth", PAGE_NOW, true, TALLY_GROWTH, NULL },
	{ "/debug/pprof/mutex", PAGE_NOW, true, TALLY_LOCK, NULL },
	{ "/debug/pprof/block", PAGE_NOW, true, TALLY_LOCK, NULL },
	{ "/debug/pprof/cmdline", PAGE_CMDLINE, true, 0, NULL },
	{ "/debug/pprof/symbol", PAGE_SYMBOL, true, 0, NULL },
};

/* What must be recorded for a page, and the option for it. */
static const struct {
	uint32_t what;
	const char *option;
	enum legacy_kind legacy;
} kinds[] = {
	[TALLY_CPU] = { SHM_CPU, "", LEGACY_CPU },
	[TALLY_HEAP] = { SHM_HEAP, "--heap", LEGACY_HEAP },
	[TALLY_GROWTH] = { SHM_HEAP, "--growth", LEGACY_HEAP },
	[TALLY_LOCK] = { SHM_LOCK, "--lock", LEGACY_CONTENTION },
};

static const char text_plain[] = "text/plain; charset=utf-8";

static const struct page *
find_page(const char *path)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		if (!strcmp(pages[i].path, path))
			return &pages[i];
	return NULL;
}

/* Append text, if there is memory: only prose can be missing. */
__attribute__((format(printf, 2, 3))) static void
add_text(struct buf *b, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	(void)!buf_add(b, text, (size_t)n);
	free(text);
}

void
serve_error(struct serve_reply *reply, unsigned status, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_release(&reply->body);
	reply->status = status;
	reply->type = text_plain;
	reply->file = NULL;
	add_text(&reply->body, "%s\n", line);
}

static bool
is_recorded(const struct serve *s, const struct page *page)
{
	return s->recording->source.set->what & kinds[page->tally].what;
}

static void
list_pages(const struct serve *s, struct buf *b)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		const struct page *page = &pages[i];

		if (page->kind == PAGE_INDEX ||
		    (page->kind == PAGE_NOW && !is_recorded(s, page)))
			continue;
		add_text(b, "%-22s%s%s\n", page->path, page->about ? "  " : "",
			 page->about ? page->about : "");
	}
}

static void
not_found(const struct serve *s, const struct page *page,
	  struct serve_reply *reply)
{
	if (page)
		serve_error(reply, 404,
			    "this is not recorded, without prof-record %s; "
			    "there are:",
			    kinds[page->tally].option);
	else
		serve_error(reply, 404,
			    "there is no such page, but there are:");
	list_pages(s, &reply->body);
}

static void
index_page(const struct serve *s, struct serve_reply *reply)
{
	reply->type = text_plain;
	add_text(&reply->body,
		 "process %d, recorded by " PACKAGE_STRING
		 "\nprofiles under way: %zu\n\n",
		 (int)s->launch->pid, recording_marks(s->recording));
	list_pages(s, &reply->body);
}

/* The program is named by its path. Go separates words by NUL, gperftools ends
 * each with a newline. */
static void
cmdline_page(const struct serve *s, bool is_go, struct serve_reply *reply)
{
	struct buf *b = &reply->body;

	reply->type = text_plain;
	for (size_t i = 0; s->argv[i]; i++) {
		const char *word = i ? s->argv[i] : s->launch->path;

		if (i && is_go)
			(void)!buf_add(b, "", 1);
		(void)!buf_add(b, word, strlen(word));
		if (!is_go)
			(void)!buf_add(b, "\n", 1);
	}
}

static void
symbol_page(struct serve *s, const struct serve_request *req,
	    struct serve_reply *reply)
{
	const char *text = req->query;
	size_t n = text ? strlen(text) : 0;
	struct profile *maps;
	struct prof_err err;

	reply->type = text_plain;
	add_text(&reply->body, "num_symbols: %d\n", lookup_works());
	if (req->method == SERVE_POST) {
		text = (const char *)req->body.data;
		n = req->body.n;
	}
	if (req->method == SERVE_HEAD || !n)
		return;
	maps = recording_modules(s->recording);
	if (!maps || lookup_answer(s->lookup, maps, text, n, &reply->body,
				   &err) != PROF_OK)
		serve_error(reply, 503, "out of memory");
	profile_free(maps);
}

/* Read the whole file fd. */
static enum prof_status
read_back(int fd, struct buf *out, struct prof_err *err)
{
	off_t size = lseek(fd, 0, SEEK_CUR);

	if (size < 0 || buf_reserve(out, (size_t)size) < 0)
		return prof_nomem(err);
	while (out->n < (size_t)size) {
		ssize_t n = pread(fd, out->data + out->n, (size_t)size - out->n,
				  (off_t)out->n);

		if (n <= 0)
			return prof_fail(err, PROF_EIO, "%s", strerror(errno));
		out->n += (size_t)n;
	}
	return PROF_OK;
}

/* Append p as a gzipped profile.proto, through a file, as streams are written
 * to descriptors. */
static enum prof_status
write_proto(const struct profile *p, struct buf *out, struct prof_err *err)
{
	struct stream_format format = { .kind = STREAM_GZIP,
					.level = GZIP_LEVEL };
	int fd = memfd_create("reply", MFD_CLOEXEC);
	enum prof_status st;

	if (fd < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	st = profile_write(fd, p, format, err);
	if (st == PROF_OK)
		st = read_back(fd, out, err);
	close(fd);
	return st;
}

static bool
is_debug(const struct serve_request *req)
{
	return req->debug && strcmp(req->debug, "0") != 0;
}

/* Is it a difference over some seconds? Memory in use may decrease, and
 * gperftools' formats have no negative numbers. */
static bool
is_difference(const struct page *page, const struct serve_request *req)
{
	return page->kind == PAGE_NOW && req->seconds && *req->seconds;
}

/* Answer with p, in a format that the client can read; frees p. */
static void
profile_page(const struct page *page, const struct serve_request *req,
	     struct profile *p, struct serve_reply *reply)
{
	enum legacy_kind kind = kinds[page->tally].legacy;
	struct prof_err err;
	enum prof_status st = prof_nomem(&err);

	reply->status = 200;
	reply->type = "application/octet-stream";
	reply->file = strrchr(page->path, '/') + 1;
	if (p && !is_debug(req) &&
	    (page->is_go || req->takes_gzip || is_difference(page, req))) {
		st = write_proto(p, &reply->body, &err);
	} else if (p) {
		if (kind != LEGACY_CPU) {
			reply->type = text_plain;
			reply->file = NULL;
		}
		st = legacy_write(p, kind, &reply->body, &err);
	}
	if (st != PROF_OK)
		serve_error(reply, 503, "%s", err.msg);
	profile_free(p);
}

/* Go's page of allocations is the same profile, with another default type. */
static void
set_default(const struct page *page, struct profile *p)
{
	if (p && !strcmp(page->path, "/debug/pprof/allocs"))
		p->default_type = profile_intern(p, "alloc_space");
}

static void
now_page(struct serve *s, const struct page *page,
	 const struct serve_request *req, struct serve_reply *reply)
{
	struct profile *p = recording_now(s->recording, page->tally);

	set_default(page, p);
	profile_page(page, req, p, reply);
}

/* The requested duration of a profile; 0: *reply has an error. */
static unsigned
window_of(const struct serve_request *req, struct serve_reply *reply)
{
	const char *text = req->seconds;
	unsigned long seconds;
	char *end;

	if (is_debug(req)) {
		serve_error(reply, 400,
			    "there is no text form of this profile: ask "
			    "without debug=%.8s",
			    req->debug);
		return 0;
	}
	if (!text || !*text)
		return DEFAULT_SECONDS;
	seconds = strtoul(text, &end, 10);
	if (*end || *text < '0' || *text > '9' || seconds < 1 ||
	    seconds > MAX_SECONDS) {
		serve_error(reply, 400, "seconds must be from 1 to %d",
			    MAX_SECONDS);
		return 0;
	}
	return (unsigned)seconds;
}

unsigned
serve_answer(struct serve *s, const struct serve_request *req,
	     struct serve_reply *reply)
{
	const struct page *page = find_page(req->path);
	unsigned seconds;

	*reply = (struct serve_reply){ .status = 200 };
	if (!page || (page->kind == PAGE_NOW && !is_recorded(s, page))) {
		not_found(s, page, reply);
		return 0;
	}
	if (req->method == SERVE_OTHER ||
	    (req->method == SERVE_POST && page->kind != PAGE_SYMBOL)) {
		serve_error(reply, 405, "this page only answers GET%s",
			    page->kind == PAGE_SYMBOL ? " and POST" : "");
		reply->allow = page->kind == PAGE_SYMBOL ? "GET, HEAD, POST"
							 : "GET, HEAD";
		return 0;
	}
	switch (page->kind) {
	case PAGE_INDEX:
		index_page(s, reply);
		break;
	case PAGE_CMDLINE:
		cmdline_page(s, page->is_go, reply);
		break;
	case PAGE_SYMBOL:
		symbol_page(s, req, reply);
		break;
	case PAGE_NOW:
		if (!is_difference(page, req)) {
			now_page(s, page, req, reply);
			break;
		}
		/* fall through */
	case PAGE_CPU:
		seconds = window_of(req, reply);
		reply->type =
			seconds ? "application/octet-stream" : reply->type;
		return req->method == SERVE_HEAD ? 0 : seconds;
	}
	return 0;
}

struct recording_mark *
serve_mark(struct serve *s, const struct serve_request *req)
{
	return recording_mark(s->recording, find_page(req->path)->tally);
}

void
serve_window(struct serve *s, const struct serve_request *req,
	     const struct recording_mark *mark, struct serve_reply *reply)
{
	const struct page *page = find_page(req->path);
	struct profile *p = recording_since(s->recording, mark);

	*reply = (struct serve_reply){ 0 };
	set_default(page, p);
	profile_page(page, req, p, reply);
}
