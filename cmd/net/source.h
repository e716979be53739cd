/*
 * source.h - parse an operand of prof-fetch as a URL, by pprof's rules, if no
 * file has that name. fetch.h does the fetching.
 *
 *	host:80  host:80/pprof/heap  [::1]:80  :9001/x  user:pw@host:80/x
 *	http://host/x  https://host/x  https+insecure://host/x
 *
 *	unix:/run/x.sock  unix:/run/x.sock:/pprof/heap
 *
 * Without a scheme there must be a port: "host" alone is a file. A path of a
 * socket ends at the first colon.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>

#include "lib/base/status.h"

struct source {
	char *scheme;     /* "http" or "https" */
	char *user;       /* "user:pw@", or "" */
	char *host;       /* with the port: "host:80" */
	char *path;       /* "" or "/..." */
	char *query;      /* after the '?', or "" */
	char *socket;     /* a path; NULL: the host says where to connect */
	unsigned seconds; /* of the query; 0: none */
	bool is_insecure; /* certificates are not checked */
	bool is_local;    /* the host is this machine: no proxy */
	bool is_bare;     /* it names no page */
	bool is_s3;       /* requests are signed: s3.h */
};

/*
 * Parse text into *s, to end with source_release(). PROF_EUSAGE: not a URL;
 * PROF_ENOTSUP: a URL of an unsupported kind; PROF_ENOMEM.
 */
enum prof_status source_parse(struct source *s, const char *text,
			      struct prof_err *err) MUST_USE;
void source_release(struct source *s);

/*
 * The URL, for free(); NULL without memory. path NULL: that of s. seconds not
 * 0: replaces the query's. secret: the URL for the server, with user and
 * password. Otherwise it is for messages and profiles: without them, and
 * without values in the query, which may be secrets, too, except those of
 * seconds and debug; the scheme https+insecure is kept.
 */
char *source_url(const struct source *s, const char *path, unsigned seconds,
		 bool secret);

/* Where the page begins in a URL of source_url(), "/..."; NULL: it has none. */
const char *source_url_page(const char *url);

#endif
