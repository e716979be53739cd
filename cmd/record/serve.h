/*
 * serve.h - the pages of the profile server, with the names of gperftools,
 * under /pprof/, and of Go, under /debug/pprof/. listen.c receives requests and
 * sends answers.
 */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>

#include "lib/base/buf.h"

struct launch;
struct lookup;
struct recording;
struct recording_mark;

struct serve {
	struct recording *recording;
	const struct launch *launch;
	char *const *argv; /* of the program */
	struct lookup *lookup;
};

enum serve_method { SERVE_GET, SERVE_HEAD, SERVE_POST, SERVE_OTHER };

struct serve_request {
	enum serve_method method;
	const char *path;
	const char *seconds; /* of the query, or NULL */
	const char *debug;
	const char *query; /* the first word of the query that has no value */
	bool takes_gzip;
	struct buf body; /* of a POST */
};

struct serve_reply {
	unsigned status;
	const char *type;  /* content type */
	const char *file;  /* file name for saving, or NULL */
	const char *allow; /* methods, or NULL */
	struct buf body;   /* freed by the reply's owner */
};

/*
 * Answer a request. Returns 0 if *reply is complete. For a profile of the
 * coming seconds, returns their number: then call serve_mark() now and
 * serve_window() after that time.
 */
unsigned serve_answer(struct serve *s, const struct serve_request *req,
		      struct serve_reply *reply);

/* Mark the beginning of that time: for recording_mark_free(). NULL without
 * memory. */
struct recording_mark *serve_mark(struct serve *s,
				  const struct serve_request *req);

/* Answer the request with the profile of the samples since the mark. */
void serve_window(struct serve *s, const struct serve_request *req,
		  const struct recording_mark *mark, struct serve_reply *reply);

/* An error: a line of text. */
void serve_error(struct serve_reply *reply, unsigned status, const char *fmt,
		 ...) __attribute__((format(printf, 3, 4)));

#endif
