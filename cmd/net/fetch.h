/*
 * fetch.h - get profiles, symbols and files from many servers in parallel. Only
 * fetch.c and exchange.c use libcurl; without it every URL fails with
 * PROF_ENOTSUP.
 */
#ifndef FETCH_H
#define FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "source.h"

/* One URL with its outcome. */
struct fetch {
	struct source source; /* the caller's */
	const char *post;     /* data to POST; NULL: GET */
	bool is_aside;        /* a secondary request: 5 seconds, no retry,
			       * without --seconds */
	int to_fd; /* not 0: write the body there as it arrives, instead of to
		      body */

	enum prof_status status;
	struct prof_err err; /* unless status is PROF_OK */
	struct buf body;     /* as the server sent it; the caller's */
	char *url; /* where it came from, without user and password; the
		      caller's */
	int code;  /* HTTP status of the last reply; 0: there was none */
};

struct fetch_options {
	unsigned seconds;  /* to ask for; 0: as the URL says */
	unsigned timeout;  /* seconds for one exchange; 0: by pprof's rule, from
			      the requested duration */
	unsigned deadline; /* seconds for all of it, since begun; 0: none */
	double begun;      /* of now_seconds(); 0: with this call */
	unsigned retries;  /* after temporary failures: see fetch_all() */
	size_t max_bytes;  /* of a body, counted while it arrives */
	unsigned per_host; /* connections to one server; 0: any number */
	const char *tls_cert; /* files; NULL: none */
	const char *tls_key;
	const char *tls_ca; /* in place of the system's; NULL: the system's */

	/*
	 * n_header lines "Name: value" to add to each request, but not to those
	 * for objects, which are signed. They are for the servers of the
	 * sources alone, so no redirection is followed then.
	 */
	char *const *header;
	size_t n_header;

	/*
	 * May be NULL. Called when f has its outcome. If it changes f->source
	 * and returns true, the new source is fetched; else the outcome is
	 * final. Its time counts toward no timeout.
	 */
	bool (*done)(struct fetch *f, void *ctx);
	void *ctx;

	/*
	 * May be NULL; called about four times a second. left_s: seconds until
	 * all replies can be complete; negative if unknown.
	 */
	void (*waiting)(size_t n_done, size_t n, double elapsed_s,
			double left_s);
};

/*
 * Fetch the n URLs at f in parallel; each has its own outcome. A URL without a
 * page means a CPU profile: /debug/pprof/profile, or /pprof/profile if the
 * server lacks that page.
 *
 * Temporary failures are retried, after a pause that doubles and has a random
 * part: a host that is not found or not reached, a broken connection, and the
 * answers 429 and 500 to 504 (but not 501). Timeouts, bodies that are too
 * large, and other refusals are not retried.
 */
void fetch_all(struct fetch *f, size_t n, const struct fetch_options *o);

/* Free the contents of f, including its source. */
void fetch_release(struct fetch *f);

#endif
