/*
 * exchange.h - one request and its reply, through libcurl. fetch.c decides when
 * to begin one, when to abandon it and when to retry.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <stdbool.h>

#include "curl-load.h"
#include "fetch.h"

struct exchange {
	const struct curl_calls *curl;
	const struct fetch_options *o;
	struct fetch *f; /* data to POST, the reply, and its error */
	CURL *easy;      /* NULL: not running */
	struct curl_slist *header;
	bool is_go;         /* the reply comes from Go's net/http/pprof */
	bool is_refused;    /* we refused the reply; f->err says why */
	double retry_after; /* at the end: seconds to wait, by the server */
	size_t n_header;    /* bytes */
	size_t n_body;
	char status[128]; /* "404 Not Found" */
	char message[CURL_ERROR_SIZE];
};

/*
 * Begin the request for url in multi. ctx is CURLINFO_PRIVATE of x->easy.
 * PROF_ENOMEM, PROF_EIO.
 */
enum prof_status exchange_begin(struct exchange *x, CURLM *multi,
				const char *url, void *ctx) MUST_USE;

/* End x, finished or not: remove it from multi. */
void exchange_end(struct exchange *x, CURLM *multi);

/* Is the failure temporary, so that a retry may succeed? */
bool exchange_may_pass(const struct exchange *x, CURLcode r);

/*
 * The status of an exchange that ended with r, and the message in x->f->err,
 * with suffix appended.
 */
enum prof_status exchange_status(struct exchange *x, CURLcode r,
				 const char *suffix);

#endif
