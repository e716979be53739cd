/*
 * source.h - what an operand of prof-fetch names, if no file is called so: a
 * URL, by pprof's rules. This is work on strings; fetch.h does the fetching.
 *
 *	host:80  host:80/pprof/heap  [::1]:80  :9001/x  user:pw@host:80/x
 *	http://host/x  https://host/x  https+insecure://host/x
 *
 * Without a scheme there must be a port: "host" alone is a file.
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
	char *query;      /* what follows '?', or "" */
	unsigned seconds; /* of the query; 0: none */
	bool is_insecure; /* certificates are not checked */
	bool is_local;    /* the host is this machine: no proxy */
	bool is_bare;     /* no page is asked for */
};

/*
 * Parse text into *s, to end with source_release(). PROF_EUSAGE: it is not a
 * URL; PROF_ENOTSUP: it is one, of a kind that is not fetched; PROF_ENOMEM.
 */
enum prof_status source_parse(struct source *s, const char *text,
			      struct prof_err *err) MUST_USE;
void source_release(struct source *s);

/*
 * The URL, for free(); NULL without memory. path NULL: that of s. seconds not
 * 0: ask for so many, whatever the query says. secret: for the server, with the
 * user and password; else for people and profiles, without, and without the
 * values in the query but those of seconds and debug, which may be secrets,
 * too; but https+insecure is called so.
 */
char *source_url(const struct source *s, const char *path, unsigned seconds,
		 bool secret);

#endif
