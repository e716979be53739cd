/*
 * fetch.h - getting profiles, symbols and files from servers, many at once.
 * The only module that knows libcurl; without it every URL fails with
 * PROF_ENOTSUP.
 */
#ifndef FETCH_H
#define FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "source.h"

/* One URL, and what became of it. */
struct fetch {
	struct source source; /* the caller's */
	const char *post;     /* what to POST; NULL: GET */
	int to_fd;            /* not 0: where the body is written while it
			       * arrives, in place of body */

	enum prof_status status;
	struct prof_err err; /* unless status is PROF_OK */
	struct buf body;     /* as the server sent it; the caller's */
	char *url; /* it came from; the caller's. No user, no password */
	int code;  /* HTTP's of the last reply; 0: there was none */
};

struct fetch_options {
	unsigned seconds;     /* to ask for; 0: whatever the URL says */
	unsigned timeout;     /* seconds for the whole exchange; 0: by pprof's
			       * rule, from what is asked for */
	size_t max_bytes;     /* of a body, counted while it arrives */
	const char *tls_cert; /* files; NULL: none */
	const char *tls_key;
	const char *tls_ca; /* in place of the system's; NULL: those */

	/* Called about four times a second while there is something to wait
	 * for; may be NULL. expected: the longest that was asked for, or 0. */
	void (*waiting)(size_t n_done, size_t n, double elapsed_s,
			unsigned expected_s);
};

/*
 * Fetch the n URLs at f, all at the same time; each has its own outcome. A
 * URL without a page means a CPU profile: /debug/pprof/profile, or
 * /pprof/profile where there is no such page.
 */
void fetch_all(struct fetch *f, size_t n, const struct fetch_options *o);

/* Free what a fetch owns, with its source. */
void fetch_release(struct fetch *f);

#endif
