/*
 * listen.h - serves profiles over HTTP while a program is recorded. The only
 * user of libmicrohttpd. What is on the pages: serve.h.
 *
 * Everything that a client can make large or slow is bounded: how many there
 * are, what they send, how long they take to send and to read, how many
 * profiles are under way and what waits to be sent. They are served by a
 * thread of its own, so the recording does not wait for them, and neither
 * does the program, of which nothing runs here.
 */
#ifndef LISTEN_H
#define LISTEN_H

#include "lib/base/status.h"

struct listen;
struct serve;

/*
 * Listen at where, "[HOST:]PORT": at the loopback address without a host; port
 * 0 is any that is free. *out is the caller's, for listen_close(). PROF_EIO,
 * PROF_EUSAGE, PROF_ENOMEM; PROF_ENOTSUP: this build has no libmicrohttpd.
 */
enum prof_status listen_open(const char *where, struct listen **out,
			     struct prof_err *err) MUST_USE;

/* "127.0.0.1:43211": where it listens. */
const char *listen_address(const struct listen *l);

/* Serve the pages of s, which must live until listen_close(). PROF_EIO. */
enum prof_status listen_start(struct listen *l, struct serve *s,
			      struct prof_err *err) MUST_USE;

/*
 * Answer those who wait for a profile with what there is by now, give them a
 * moment to read it, and end. NULL is allowed.
 */
void listen_close(struct listen *l);

#endif
