/*
 * remote.h - names from the servers that a profile came from: gperftools' and
 * Go's /pprof/symbol. The format of the answers: lib/formats/symbolz.h; the
 * choice of the server: lib/model/origin.h.
 */
#ifndef REMOTE_H
#define REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/fetch.h"

struct profile;
struct remote;

struct remote_options {
	const char *server; /* the URL of the profile, instead of those in its
			       comments; NULL: those */
	struct fetch_options fetch; /* its timeout is for all servers */
	bool force;                 /* see remote_new() */

	/* Called with each mapping that gets no answer, and why. */
	void (*failed)(void *ctx, uint32_t mapping, const char *why);
	void *report;
	/* Reports servers that fail, a line for each. */
	void (*warn)(const char *fmt, ...)
		__attribute__((format(printf, 1, 2)));
};

/*
 * Prepare to ask about p. Call it before anything else names or renames:
 * mappings that have names already are skipped, unless forced, and the file
 * names of mappings may change when local files are found. *out is the
 * caller's; o must live as long. PROF_EUSAGE: server is no URL; PROF_ENOMEM.
 */
enum prof_status remote_new(struct profile *p, const struct remote_options *o,
			    struct remote **out, struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void remote_free(struct remote *r);

/*
 * Ask for the addresses of p that have no lines. Answers are functions without
 * file and line. Failures are reported; those addresses stay unnamed.
 * PROF_ENOMEM.
 */
enum prof_status remote_run(struct remote *r, struct prof_err *err) MUST_USE;

#endif
