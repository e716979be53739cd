/*
 * listen.c - see listen.h. libmicrohttpd implements the protocol. Limits that
 * it lacks are here: a client could send, or read, a byte now and then forever,
 * and a client that closes the connection while its answer is made would not be
 * noticed.
 *
 * One thread does everything. It waits for libmicrohttpd's epoll descriptor,
 * for the end of the next profile, and for the next client's timeout.
 */
#include "config.h"

#include "listen.h"

#ifdef HAVE_MICROHTTPD

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "address.h"
#include "host.h"
#include "lib/base/now.h"
#include "mhd-load.h"
#include "recording.h"
#include "serve.h"

enum {
	MAX_CLIENTS = 64,
	MAX_DYING = 16,      /* more clients: cut, but not yet gone */
	MAX_WINDOWS = 16,    /* profiles being recorded */
	MAX_HEAD = 16 << 10, /* bytes of a request without its body */
	MAX_BODY = 1 << 20,
	MAX_UNREAD = 64 << 20, /* bytes of unread answers */
	REQUEST_MS = 10000,    /* to send a request */
	REPLY_MS = 60000,      /* to take the answer */
	GRACE_MS = 2000,       /* the same, at the end */
};

/* A connection, for one request. */
struct client {
	struct client *next;
	const struct listen *listen;
	struct MHD_Connection *connection;
	int fd;
	int64_t deadline; /* ms; 0: none, while we make the answer */
	bool is_seen;     /* a request has begun */
	bool is_cut;      /* it timed out */
	bool is_gone;     /* it closed the connection while waiting */
	bool is_too_large;
	bool is_foreign; /* its Host is not ours */
	bool is_cross_site;
	struct serve_request req;
	struct recording_mark *mark; /* start of the profile it waits for */
	int64_t due;                 /* ms */
	size_t unread;
};

struct listen {
	char address[ADDRESS_MAX];
	const char *name[4]; /* names of our host, ended by NULL */
	char *asked;         /* the host given to --listen */
	char own[HOST_NAME_MAX + 1];
	struct addrinfo *full; /* with the canonical name */
	struct serve *serve;
	struct mhd_calls mhd;
	struct MHD_Daemon *daemon;
	pthread_t thread;
	int socket;
	int stop; /* eventfd */
	bool is_started;
	/* Used by the thread only. */
	struct client *client;
	size_t n_client, n_window;
	size_t unread;
	int64_t replied; /* ms: when the last answer was made */
	bool is_ending;
	bool is_freed; /* a connection ended in the last turn */
};

static int64_t
now_ms(void)
{
	return now_ns(CLOCK_MONOTONIC) / 1000000;
}

/* --- requests --- */

static enum serve_method
method_of(const char *method)
{
	if (!strcmp(method, "GET"))
		return SERVE_GET;
	if (!strcmp(method, "HEAD"))
		return SERVE_HEAD;
	return !strcmp(method, "POST") ? SERVE_POST : SERVE_OTHER;
}

/* The first word of the query that has no value: "?0x401136+0x401140". */
static enum MHD_Result
take_word(void *cls, enum MHD_ValueKind kind, const char *key,
	  const char *value)
{
	const char **word = cls;

	(void)kind;
	if (!value && !*word)
		*word = key;
	return MHD_YES;
}

/*
 * Check each Host of a request: one that is not ours suffices to refuse.
 * Without any, it is from HTTP/1.0, which no browser uses. Browsers also mark
 * what the page of another site asks for: it cannot read the answer, but would
 * begin profiles.
 */
static enum MHD_Result
check_header(void *cls, enum MHD_ValueKind kind, const char *key,
	     const char *value)
{
	struct client *k = cls;

	(void)kind;
	if (!strcasecmp(key, "Host") &&
	    !host_is_ours(value ? value : "", k->listen->name))
		k->is_foreign = true;
	if (!strcasecmp(key, "Origin") ||
	    (!strcasecmp(key, "Sec-Fetch-Site") && value &&
	     !strcasecmp(value, "cross-site")))
		k->is_cross_site = true;
	return MHD_YES;
}

/* The request's head is complete; its strings live as long as it. */
static void
begin_request(struct client *k, const char *url, const char *method)
{
	const struct mhd_calls *mhd = &k->listen->mhd;
	struct MHD_Connection *c = k->connection;
	const char *encoding, *length;

	k->is_seen = true;
	mhd->get_connection_values(c, MHD_HEADER_KIND, check_header, k);
	k->req.method = method_of(method);
	k->req.path = url;
	k->req.seconds = mhd->lookup_connection_value(c, MHD_GET_ARGUMENT_KIND,
						      "seconds");
	k->req.debug =
		mhd->lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "debug");
	mhd->get_connection_values(c, MHD_GET_ARGUMENT_KIND, take_word,
				   &k->req.query);
	encoding = mhd->lookup_connection_value(c, MHD_HEADER_KIND,
						"Accept-Encoding");
	k->req.takes_gzip = encoding && strcasestr(encoding, "gzip");
	length = mhd->lookup_connection_value(c, MHD_HEADER_KIND,
					      "Content-Length");
	k->is_too_large = length && strtoull(length, NULL, 10) > MAX_BODY;
}

static void
take_body(struct client *k, const char *data, size_t n)
{
	if (k->is_too_large)
		return;
	if (n > MAX_BODY - k->req.body.n || buf_add(&k->req.body, data, n) < 0)
		k->is_too_large = true;
}

/* --- answers --- */

/* Queue the reply; libmicrohttpd frees its body. */
static enum MHD_Result
send_reply(struct listen *l, struct client *k, struct serve_reply *reply)
{
	struct MHD_Response *r;
	enum MHD_Result st;
	char name[64];

	if (l->unread && l->unread + reply->body.n > MAX_UNREAD)
		serve_error(reply, 503, "too much is being sent: try later");
	k->unread = reply->body.n;
	l->unread += k->unread;
	l->replied = now_ms();
	k->deadline = l->replied + (l->is_ending ? GRACE_MS : REPLY_MS);
	r = l->mhd.create_response_from_buffer(reply->body.n, reply->body.data,
					       MHD_RESPMEM_MUST_FREE);
	if (!r) {
		buf_release(&reply->body);
		return MHD_NO;
	}
	l->mhd.add_response_header(r, "Content-Type", reply->type);
	l->mhd.add_response_header(r, "X-Content-Type-Options", "nosniff");
	l->mhd.add_response_header(r, "Cache-Control", "no-store");
	l->mhd.add_response_header(r, "Connection", "close");
	if (reply->file) {
		snprintf(name, sizeof(name), "attachment; filename=\"%s\"",
			 reply->file);
		l->mhd.add_response_header(r, "Content-Disposition", name);
		l->mhd.add_response_header(r, "Vary", "Accept-Encoding");
	}
	if (reply->allow)
		l->mhd.add_response_header(r, "Allow", reply->allow);
	if (reply->status >= 400) /* then Go's clients show the text */
		l->mhd.add_response_header(r, "X-Go-Pprof", "1");
	st = l->mhd.queue_response(k->connection, reply->status, r);
	l->mhd.destroy_response(r);
	return st;
}

static enum MHD_Result
send_error(struct listen *l, struct client *k, unsigned status,
	   const char *text)
{
	struct serve_reply reply = { 0 };

	serve_error(&reply, status, "%s", text);
	return send_reply(l, k, &reply);
}

static void
end_mark(struct listen *l, struct client *k)
{
	recording_mark_free(l->serve->recording, k->mark);
	k->mark = NULL;
	l->n_window--;
}

/* Drop a waiting client that closed the connection, by revents of poll(). */
static bool
drop_if_gone(struct listen *l, struct client *k, short revents)
{
	if (!(revents & (POLLRDHUP | POLLHUP | POLLERR)))
		return false;
	k->is_gone = true;
	end_mark(l, k);
	l->mhd.resume_connection(k->connection);
	return true;
}

/* Is there room for one more profile? */
static bool
has_place(struct listen *l)
{
	if (l->n_window < MAX_WINDOWS)
		return true;
	for (struct client *k = l->client; k; k = k->next) {
		struct pollfd fd = { .fd = k->fd, .events = POLLRDHUP };

		if (k->mark && poll(&fd, 1, 0) > 0)
			drop_if_gone(l, k, fd.revents);
	}
	return l->n_window < MAX_WINDOWS;
}

/* Begin the client's profile. */
static enum MHD_Result
begin_window(struct listen *l, struct client *k, unsigned seconds)
{
	if (l->is_ending)
		return send_error(l, k, 503, "the program has ended");
	if (!has_place(l))
		return send_error(l, k, 503,
				  "too many profiles are under way: try later");
	k->mark = serve_mark(l->serve, &k->req);
	if (!k->mark)
		return send_error(l, k, 503, "out of memory");
	l->n_window++;
	k->deadline = 0;
	/* now_ms() rounds down, and a profile must not be shorter than
	 * requested. */
	k->due = now_ms() + 1 + (int64_t)seconds * 1000;
	l->mhd.suspend_connection(k->connection);
	return MHD_YES;
}

/* The profile is complete. */
static enum MHD_Result
end_window(struct listen *l, struct client *k)
{
	struct serve_reply reply;

	serve_window(l->serve, &k->req, k->mark, &reply);
	end_mark(l, k);
	return send_reply(l, k, &reply);
}

static struct client *
client_of(const struct listen *l, struct MHD_Connection *c)
{
	return l->mhd
		.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

/*
 * Called by libmicrohttpd when the head of a request is complete, for each
 * piece of its body (n bytes), at its end, and after a suspension.
 */
static enum MHD_Result
on_request(void *cls, struct MHD_Connection *c, const char *url,
	   const char *method, const char *version, const char *data, size_t *n,
	   void **state)
{
	struct listen *l = cls;
	struct client *k = client_of(l, c);
	struct serve_reply reply;
	unsigned seconds;

	(void)version;
	(void)state;
	if (!k || k->is_gone)
		return MHD_NO;
	if (k->mark)
		return end_window(l, k);
	if (!k->is_seen) {
		begin_request(k, url, method);
		if (k->is_foreign)
			return send_error(l, k, 403,
					  "the request is for another host: "
					  "use an address, localhost or the "
					  "name given to --listen");
		if (k->is_cross_site)
			return send_error(l, k, 403,
					  "pages of other sites may not ask");
		return k->is_too_large ? send_error(l, k, 413,
						    "the request is too long")
				       : MHD_YES;
	}
	if (*n) {
		take_body(k, data, *n);
		*n = 0;
		return MHD_YES;
	}
	if (k->is_too_large)
		return send_error(l, k, 413, "the request is too long");
	seconds = serve_answer(l->serve, &k->req, &reply);
	return seconds ? begin_window(l, k, seconds) : send_reply(l, k, &reply);
}

/* --- connections --- */

static void
cut(struct client *k)
{
	k->is_cut = true;
	shutdown(k->fd, SHUT_RDWR); /* libmicrohttpd detects it */
}

/*
 * All connections are in use: drop the oldest client that has not sent its
 * request, or else the oldest that does not read its answer. Clients waiting
 * for a profile stay; they are fewer than connections.
 */
static void
make_room(struct listen *l)
{
	struct client *oldest = NULL;

	for (struct client *k = l->client; k; k = k->next)
		if (!k->mark && !k->is_cut &&
		    (!oldest || !k->is_seen || oldest->is_seen))
			oldest = k; /* sorted, newest first */
	if (oldest)
		cut(oldest);
}

static void
on_connection(void *cls, struct MHD_Connection *c, void **context,
	      enum MHD_ConnectionNotificationCode what)
{
	struct listen *l = cls;
	struct client *k = *context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		k = calloc(1, sizeof(*k));
		*context = k;
		if (!k)
			return;
		k->listen = l;
		k->connection = c;
		k->fd = l->mhd.get_connection_info(
				      c, MHD_CONNECTION_INFO_CONNECTION_FD)
				->connect_fd;
		k->deadline = now_ms() + REQUEST_MS;
		if (++l->n_client > MAX_CLIENTS)
			make_room(l);
		k->next = l->client;
		l->client = k;
	} else if (k) {
		struct client **at = &l->client;

		while (*at != k)
			at = &(*at)->next;
		*at = k->next;
		l->n_client--;
		l->unread -= k->unread;
		if (k->mark)
			end_mark(l, k);
		l->is_freed = true;
		buf_release(&k->req.body);
		free(k);
	}
}

/* Handle poll()'s events of a waiting client, and the time limits of all. */
static void
look_after(struct listen *l, struct client *k, short revents, int64_t now)
{
	if (k->mark) {
		if (!drop_if_gone(l, k, revents) &&
		    (l->is_ending || now >= k->due))
			l->mhd.resume_connection(k->connection);
	} else if (k->deadline && now >= k->deadline && !k->is_cut) {
		cut(k);
	}
}

/* The timeout of poll(): -1 is forever. */
static int
patience(const struct listen *l, int64_t now)
{
	int64_t next = l->is_ending ? now + GRACE_MS : INT64_MAX;
	MHD_UNSIGNED_LONG_LONG ms;

	/* libmicrohttpd was full, and only now accepts others. */
	if (l->is_freed)
		return 0;
	if (l->mhd.get_timeout(l->daemon, &ms) == MHD_YES && ms < GRACE_MS)
		next = now + (int64_t)ms;
	for (const struct client *k = l->client; k; k = k->next) {
		int64_t end = k->mark ? k->due : k->deadline;

		if (end && !k->is_cut && end < next)
			next = end;
	}
	if (next == INT64_MAX)
		return -1;
	return next <= now ? 0 : (int)(next - now);
}

/* One iteration of the loop. */
static void
turn(struct listen *l)
{
	struct pollfd fds[2 + MAX_CLIENTS + MAX_DYING];
	nfds_t n = 0;
	int64_t now;

	fds[n++] = (struct pollfd){
		.fd = l->mhd.get_daemon_info(l->daemon,
					     MHD_DAEMON_INFO_EPOLL_FD)
			      ->epoll_fd,
		.events = POLLIN,
	};
	fds[n++] = (struct pollfd){ .fd = l->is_ending ? -1 : l->stop,
				    .events = POLLIN };
	for (const struct client *k = l->client; k; k = k->next)
		if (n < sizeof(fds) / sizeof(*fds))
			fds[n++] = (struct pollfd){ .fd = k->mark ? k->fd : -1,
						    .events = POLLRDHUP };
	if (poll(fds, n, patience(l, now_ms())) < 0)
		return;
	if (fds[1].revents)
		l->is_ending = true;
	l->is_freed = false;
	now = now_ms();
	n = 2;
	for (struct client *k = l->client; k; k = k->next, n++)
		if (n < sizeof(fds) / sizeof(*fds))
			look_after(l, k, fds[n].revents, now);
	l->mhd.run(l->daemon);
}

/* The last iteration has woken the waiting clients. */
static void *
serve_clients(void *arg)
{
	struct listen *l = arg;

	while (!l->is_ending)
		turn(l);
	l->mhd.quiesce_daemon(l->daemon);
	l->replied = now_ms();
	for (struct client *k = l->client; k; k = k->next)
		k->deadline = l->replied + GRACE_MS;
	while (l->n_client && now_ms() < l->replied + 2 * GRACE_MS)
		turn(l);
	l->mhd.stop_daemon(l->daemon);
	return NULL;
}

/* --- beginning and end --- */

/* The names for us in requests: the one given to --listen; if that is not a
 * single host ("*"), this machine's, short and full. */
static void
find_names(struct listen *l, const char *where)
{
	struct addrinfo hints = { .ai_flags = AI_CANONNAME,
				  .ai_socktype = SOCK_STREAM };
	size_t n = 0;

	l->asked = address_host(where);
	if (l->asked) {
		l->name[n++] = l->asked;
	} else if (*where == '*' && gethostname(l->own, sizeof(l->own)) == 0) {
		l->own[sizeof(l->own) - 1] = '\0';
		l->name[n++] = l->own;
		if (getaddrinfo(l->own, NULL, &hints, &l->full) == 0 &&
		    l->full->ai_canonname)
			l->name[n++] = l->full->ai_canonname;
	}
	l->name[n] = NULL;
}

enum prof_status
listen_open(const char *where, struct listen **out, struct prof_err *err)
{
	struct listen *l = calloc(1, sizeof(*l));
	enum prof_status st;

	*out = NULL;
	if (!l)
		return prof_nomem(err);
	find_names(l, where);
	l->socket = -1;
	l->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	st = l->stop < 0 ? prof_fail(err, PROF_EIO, "%s", strerror(errno))
			 : mhd_load(&l->mhd, err);
	if (st == PROF_OK)
		st = address_listen(where, &l->socket, l->address, err);
	if (st == PROF_OK)
		*out = l;
	else
		listen_close(l);
	return st;
}

const char *
listen_address(const struct listen *l)
{
	return l->address;
}

enum prof_status
listen_start(struct listen *l, struct serve *s, struct prof_err *err)
{
	sigset_t all, mask;
	int st;

	l->serve = s;
	l->daemon = l->mhd.start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
		on_request, l, MHD_OPTION_LISTEN_SOCKET, l->socket,
		MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)(MAX_CLIENTS + MAX_DYING),
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_HEAD,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, l, MHD_OPTION_END);
	if (!l->daemon)
		return prof_fail(err, PROF_EIO, "cannot serve at %s: %s",
				 l->address, strerror(errno));
	/* The recorder's first thread handles signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	st = pthread_create(&l->thread, NULL, serve_clients, l);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	l->is_started = st == 0;
	if (st == 0)
		return PROF_OK;
	l->mhd.stop_daemon(l->daemon);
	l->socket = -1; /* closed with it */
	return prof_fail(err, PROF_EIO, "cannot start a thread: %s",
			 strerror(st));
}

void
listen_close(struct listen *l)
{
	if (!l)
		return;
	if (l->is_started) {
		eventfd_write(l->stop, 1);
		pthread_join(l->thread, NULL);
	}
	if (l->socket >= 0)
		close(l->socket);
	if (l->stop >= 0)
		close(l->stop);
	if (l->full)
		freeaddrinfo(l->full);
	free(l->asked);
	free(l);
}

#else

#include <stddef.h>

struct listen {
	char nothing;
};

enum prof_status
listen_open(const char *where, struct listen **out, struct prof_err *err)
{
	(void)where;
	*out = NULL;
	return prof_fail(err, PROF_ENOTSUP, "this build has no libmicrohttpd");
}

const char *
listen_address(const struct listen *l)
{
	(void)l;
	return "";
}

enum prof_status
listen_start(struct listen *l, struct serve *s, struct prof_err *err)
{
	(void)l;
	(void)s;
	return prof_fail(err, PROF_ENOTSUP, "this build has no libmicrohttpd");
}

void
listen_close(struct listen *l)
{
	(void)l;
}

#endif
