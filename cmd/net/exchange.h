/*
 * exchange.h - one request and its reply, through libcurl. When to begin one,
 * when to give it up and when to try again is fetch.c's.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <curl/curl.h>
#include <stdbool.h>

#include "fetch.h"

struct exchange {
	const struct fetch_options *o;
	struct fetch *f; /* what to POST, the reply, what is wrong with it */
	CURL *easy;      /* NULL: not going on */
	struct curl_slist *header;
	bool is_go;         /* what the server says comes from Go's pprof */
	bool is_refused;    /* the reply, by us; f->err says why */
	double retry_after; /* seconds that the server asks for, when ended */
	size_t n_header;    /* bytes */
	size_t n_body;
	char status[128]; /* "404 Not Found" */
	char message[CURL_ERROR_SIZE];
};

/*
 * Begin to ask for url in multi. ctx is CURLINFO_PRIVATE of x->easy.
 * PROF_ENOMEM, PROF_EIO.
 */
enum prof_status exchange_begin(struct exchange *x, CURLM *multi,
				const char *url, void *ctx) MUST_USE;

/* It has ended, or is to end: take it from multi. */
void exchange_end(struct exchange *x, CURLM *multi);

/* Has the server answered with something else than what was asked for? r:
 * how the exchange ended. */
bool exchange_is_refusal(const struct exchange *x, CURLcode r);

/* Might the server, or the way to it, be better in a moment? */
bool exchange_may_pass(const struct exchange *x, CURLcode r);

/*
 * What an exchange that ended with r came to, said in x->f->err. suffix is put
 * behind the words.
 */
enum prof_status exchange_status(struct exchange *x, CURLcode r,
				 const char *suffix);

#endif
