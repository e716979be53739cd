/*
 * serve.c - the pages of a profile server; see serve.h.
 *
 * The CPU profile of /pprof/profile comes in one of two formats: google-pprof
 * reads nothing but gperftools' own. It does not say that it takes gzip, and
 * all who read profile.proto, which is gzip, do. Under /debug/pprof/, where Go
 * programs have theirs, there is only profile.proto.
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
#include "lib/legacy-write.h"
#include "lib/profile.h"
#include "lib/stream.h"
#include "lookup.h"
#include "recording.h"

enum {
	DEFAULT_SECONDS = 30, /* as everywhere */
	MAX_SECONDS = 3600,
	GZIP_LEVEL = 6,
};

enum page_kind { PAGE_INDEX, PAGE_CPU, PAGE_CMDLINE, PAGE_SYMBOL };

struct page {
	const char *path;
	enum page_kind kind;
	bool is_go;
	const char *about;
};

static const struct page pages[] = {
	{ "/", PAGE_INDEX, false, NULL },
	{ "/pprof", PAGE_INDEX, false, NULL },
	{ "/pprof/", PAGE_INDEX, false, NULL },
	{ "/debug/pprof", PAGE_INDEX, true, NULL },
	{ "/debug/pprof/", PAGE_INDEX, true, NULL },
	{ "/pprof/profile", PAGE_CPU, false,
	  "where the next ?seconds=30 are spent" },
	{ "/pprof/cmdline", PAGE_CMDLINE, false, "the program's command line" },
	{ "/pprof/symbol", PAGE_SYMBOL, false,
	  "POST 0x401136+0x401140: names of addresses" },
	{ "/debug/pprof/profile", PAGE_CPU, true, "the same, by Go's names" },
	{ "/debug/pprof/cmdline", PAGE_CMDLINE, true, NULL },
	{ "/debug/pprof/symbol", PAGE_SYMBOL, true, NULL },
};

static const char text_plain[] = "text/plain; charset=utf-8";

static const struct page *
find_page(const char *path)
{
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
		if (strcmp(pages[i].path, path) == 0)
			return &pages[i];
	return NULL;
}

/* Append text, as far as memory allows: what is missing then is prose. */
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
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	buf_release(&reply->body);
	reply->status = status;
	reply->type = text_plain;
	reply->file = NULL;
	add_text(&reply->body, "%s\n", line);
}

static void
list_pages(struct buf *b)
{
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
		if (pages[i].kind != PAGE_INDEX)
			add_text(b, "%-22s%s%s\n", pages[i].path,
				 pages[i].about ? "  " : "",
				 pages[i].about ? pages[i].about : "");
}

static void
not_found(struct serve_reply *reply)
{
	serve_error(reply, 404, "there is no such page, but there are:");
	list_pages(&reply->body);
}

static void
index_page(const struct serve *s, struct serve_reply *reply)
{
	reply->type = text_plain;
	add_text(&reply->body,
		 "process %d, recorded by " PACKAGE_STRING
		 "\nprofiles under way: %zu\n\n",
		 (int)s->launch->pid, recording_marks(s->recording));
	list_pages(&reply->body);
}

/* By the path at which the program was found. Go separates words by NUL,
 * gperftools ends each by a newline. */
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

/* How long a profile is asked for; 0: *reply says what is wrong. */
static unsigned
window_of(const struct serve_request *req, struct serve_reply *reply)
{
	const char *text = req->seconds;
	unsigned long seconds;
	char *end;

	if (req->debug && strcmp(req->debug, "0") != 0) {
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
	if (!page) {
		not_found(reply);
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
	case PAGE_CPU:
		seconds = window_of(req, reply);
		reply->type =
			seconds ? "application/octet-stream" : reply->type;
		return req->method == SERVE_HEAD ? 0 : seconds;
	}
	return 0;
}

/* All of the file fd. */
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

/* p as a gzipped profile.proto. Streams are written to descriptors. */
static enum prof_status
write_proto(const struct profile *p, struct buf *out, struct prof_err *err)
{
	struct stream_format format = { .kind = STREAM_GZIP,
					.level = GZIP_LEVEL };
	int fd = memfd_create("reply", MFD_CLOEXEC);
	enum prof_status rc;

	if (fd < 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	rc = profile_write(fd, p, format, err);
	if (rc == PROF_OK)
		rc = read_back(fd, out, err);
	close(fd);
	return rc;
}

void
serve_window(struct serve *s, const struct serve_request *req,
	     const struct recording_mark *mark, struct serve_reply *reply)
{
	const struct page *page = find_page(req->path);
	struct profile *p = recording_since(s->recording, mark);
	struct prof_err err;
	enum prof_status rc = prof_nomem(&err);

	*reply = (struct serve_reply){ .status = 200,
				       .type = "application/octet-stream",
				       .file = "profile" };
	if (p && (page->is_go || req->takes_gzip))
		rc = write_proto(p, &reply->body, &err);
	else if (p)
		rc = legacy_write_cpu(p, &reply->body, &err);
	if (rc != PROF_OK)
		serve_error(reply, 503, "%s", err.msg);
	profile_free(p);
}
