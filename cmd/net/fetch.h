/*
 * fetch.h - getting profiles, symbols and files from servers, many at once.
 * Only this and exchange.c know libcurl; without it every URL fails with
 * PROF_ENOTSUP.
 */
#ifndef FETCH_H
#define FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "source.h"

/* One URL, and what became of it. */
struct fetch {
	struct source source; /* the caller's */
	const char *post;     /* what to POST; NULL: GET */
	bool is_aside;        /* a question that is worth 5 seconds and one
			       * try, and that --seconds is not for */
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
	unsigned timeout;     /* seconds for one exchange; 0: by pprof's rule,
			       * from what is asked for */
	unsigned deadline;    /* seconds for all of it; 0: none */
	unsigned retries;     /* of what may pass: see fetch_all() */
	size_t max_bytes;     /* of a body, counted while it arrives */
	unsigned per_host;    /* connections to one server; 0: any number */
	const char *tls_cert; /* files; NULL: none */
	const char *tls_key;
	const char *tls_ca; /* in place of the system's; NULL: those */

	/*
	 * May be NULL. f has its outcome, for good, unless this returns true
	 * after changing f->source: then that is asked for. The time that the
	 * call takes is nobody's timeout.
	 */
	bool (*done)(struct fetch *f, void *ctx);
	void *ctx;

	/*
	 * May be NULL; called about four times a second. left_s: until all
	 * that was asked for can be there; negative if that is unknown.
	 */
	void (*waiting)(size_t n_done, size_t n, double elapsed_s,
			double left_s);
};

/*
 * Fetch the n URLs at f, all at the same time; each has its own outcome. A
 * URL without a page means a CPU profile: /debug/pprof/profile, or
 * /pprof/profile where there is no such page.
 *
 * What may pass is asked again, after a pause that doubles and is never quite
 * the same: a host that is not found or not reached, a connection that breaks,
 * the answers 429 and 500 to 504 (but not 501). What took too long, what is
 * too large, and other refusals are not.
 */
void fetch_all(struct fetch *f, size_t n, const struct fetch_options *o);

/* Free what a fetch owns, with its source. */
void fetch_release(struct fetch *f);

#endif
