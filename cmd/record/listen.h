/*
 * listen.h - serve profiles over HTTP while a program is recorded. The only
 * user of libmicrohttpd. The contents of the pages: serve.h.
 *
 * Everything that a client can make large or slow is bounded: the number of
 * clients, the size of requests, the time to send and to read, the number of
 * profiles being recorded and the bytes waiting to be sent. A separate thread
 * serves clients, so neither the recording nor the program waits for them.
 */
#ifndef LISTEN_H
#define LISTEN_H

#include "lib/base/status.h"

struct listen;
struct serve;

/*
 * Listen at where, "[HOST:]PORT": at the loopback address without a host; port
 * 0 is any free port. *out is the caller's, for listen_close(). PROF_EIO,
 * PROF_EUSAGE, PROF_ENOMEM; PROF_ENOTSUP: this build has no libmicrohttpd.
 */
enum prof_status listen_open(const char *where, struct listen **out,
			     struct prof_err *err) MUST_USE;

/* The address, "127.0.0.1:43211". */
const char *listen_address(const struct listen *l);

/* Serve the pages of s, which must live until listen_close(). PROF_EIO. */
enum prof_status listen_start(struct listen *l, struct serve *s,
			      struct prof_err *err) MUST_USE;

/*
 * Answer clients that wait for a profile with the samples so far, give them a
 * moment to read it, and end. NULL is allowed.
 */
void listen_close(struct listen *l);

#endif
