/* fetch.c - see fetch.h. */
#include "config.h"

#include "fetch.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
fetch_release(struct fetch *f)
{
	source_release(&f->source);
	buf_release(&f->body);
	free(f->url);
	f->url = NULL;
}

#if HAVE_CURL

#include <curl/curl.h>
#include <signal.h>
#include <time.h>

#define PARALLEL 256       /* sources at once: descriptors are limited */
#define DEFAULT_SECONDS 30 /* of a CPU profile, as servers have it */
#define DEFAULT_TIMEOUT 60 /* when nobody said how long it takes */
#define GRACE 5            /* on top of what is waited for */
#define MAX_REDIRECTS 10
#define MAX_ERROR_TEXT 512 /* of a refusal's body */

/* The pages that a source without one may mean: Go's, then gperftools'. */
static const char *const profile_page[] = { "/debug/pprof/profile",
					    "/pprof/profile" };

struct transfer {
	struct fetch *f;
	const struct fetch_options *o;
	CURL *easy;                /* NULL: not begun, or done */
	struct curl_slist *header; /* of a POST */
	unsigned page; /* index into profile_page, of a bare source */
	double deadline;

	/* The reply, as far as it is there. */
	char status[128]; /* "404 Not Found" */
	size_t n_body;
	bool is_go; /* what the server says comes from its pprof */
	bool is_text;
	bool too_large;
	int write_errno; /* not 0: to_fd took no more */
	char message[CURL_ERROR_SIZE];
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* How long the server has been asked to measure; 0: unknown. */
static unsigned
asked_for(const struct transfer *t)
{
	if (t->o->seconds)
		return t->o->seconds;
	if (t->f->source.seconds)
		return t->f->source.seconds;
	return t->f->source.is_bare ? DEFAULT_SECONDS : 0;
}

/* pprof's rule, but a limit that the user gives is one. */
static double
time_limit(const struct transfer *t)
{
	unsigned s = asked_for(t);

	if (t->o->timeout)
		return t->o->timeout;
	return (s ? 1.5 * s : DEFAULT_TIMEOUT) + GRACE;
}

/* --- callbacks of curl --- */

static bool
is_header(const char *line, size_t n, const char *name, const char **value)
{
	size_t len = strlen(name);

	if (n < len || strncasecmp(line, name, len))
		return false;
	*value = line + len;
	return true;
}

static size_t
on_header(char *line, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	size_t all = size * n;
	const char *value;

	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	if (is_header(line, n, "HTTP/", &value)) {
		/* A reply begins, perhaps after a redirection. */
		const char *sp = memchr(line, ' ', n);
		size_t len = sp ? n - (size_t)(sp + 1 - line) : 0;

		if (len >= sizeof(t->status))
			len = sizeof(t->status) - 1;
		memcpy(t->status, sp ? sp + 1 : "", len);
		t->status[len] = 0;
		t->f->code = atoi(t->status);
		t->is_go = t->is_text = false;
		t->f->body.n = t->n_body = 0;
	} else if (is_header(line, n, "X-Go-Pprof:", &value)) {
		t->is_go = true;
	} else if (is_header(line, n, "Content-Type:", &value)) {
		size_t left = n - (size_t)(value - line);

		while (left && *value == ' ')
			value++, left--;
		t->is_text =
			left >= 10 && !strncasecmp(value, "text/plain", 10);
	}
	return all;
}

/* Returns -1 when it can't. */
static int
write_body(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t w = write(fd, data, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return -1;
		data += w;
		n -= (size_t)w;
	}
	return 0;
}

static size_t
on_body(char *data, size_t size, size_t n, void *ctx)
{
	struct transfer *t = ctx;
	struct buf *body = &t->f->body;

	(void)size; /* always 1 */
	/* Of a refusal the beginning is enough; it may have no end. */
	if (t->f->code != 200 && body->n >= MAX_ERROR_TEXT)
		return 0;
	if (n > t->o->max_bytes - t->n_body) {
		t->too_large = true;
		return 0;
	}
	t->n_body += n;
	if (t->f->to_fd && t->f->code == 200) {
		if (write_body(t->f->to_fd, data, n) == 0)
			return n;
		t->write_errno = errno ? errno : EIO;
		return 0;
	}
	return buf_add(body, data, n) < 0 ? 0 : n;
}

/* --- one transfer --- */

static void
set_proxy(struct transfer *t)
{
	const struct source *s = &t->f->source;
	const char *upper = getenv("HTTP_PROXY");

	if (s->is_local)
		curl_easy_setopt(t->easy, CURLOPT_NOPROXY, "*");
	/*
	 * curl reads all variables but this one, which whoever calls a CGI
	 * program could set with a header. pprof reads it elsewhere.
	 */
	else if (upper && !getenv("http_proxy") && !getenv("REQUEST_METHOD") &&
		 !strcmp(s->scheme, "http"))
		curl_easy_setopt(t->easy, CURLOPT_PROXY, upper);
}

static void
set_tls(struct transfer *t)
{
	const struct fetch_options *o = t->o;

	if (o->tls_cert) {
		curl_easy_setopt(t->easy, CURLOPT_SSLCERT, o->tls_cert);
		curl_easy_setopt(t->easy, CURLOPT_SSLKEY, o->tls_key);
	}
	if (o->tls_ca) {
		curl_easy_setopt(t->easy, CURLOPT_CAINFO, o->tls_ca);
		curl_easy_setopt(t->easy, CURLOPT_CAPATH, NULL);
	}
	if (t->f->source.is_insecure) {
		curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static void
set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	long both = CURLPROTO_HTTP | CURLPROTO_HTTPS;

	curl_easy_setopt(easy, CURLOPT_PROTOCOLS, both);
	curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, both);
#endif
}

/*
 * As pprof sends it, but a redirected POST remains one. The servers in C++
 * know no "Expect: 100-continue", for which curl would wait a second.
 */
static void
set_post(struct transfer *t)
{
	static const char *const line[] = {
		"Content-Type: application/octet-stream", "Expect:"
	};

	if (!t->f->post)
		return;
	for (size_t i = 0; i < 2; i++) {
		struct curl_slist *l = curl_slist_append(t->header, line[i]);

		t->header = l ? l : t->header;
	}
	curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, t->f->post);
	curl_easy_setopt(t->easy, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->header);
}

static void
end_easy(struct transfer *t)
{
	curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->header);
	t->easy = NULL;
	t->header = NULL;
}

static void
transfer_fail(struct transfer *t, enum prof_status status, const char *what,
	      const char *more)
{
	t->f->status = prof_fail(&t->f->err, status, "%s%s", what, more);
}

/* Begin, or begin again with another page. */
static void
transfer_begin(struct transfer *t, CURLM *multi)
{
	const struct source *s = &t->f->source;
	const char *page = s->is_bare ? profile_page[t->page] : NULL;
	unsigned seconds = s->is_bare ? asked_for(t) : t->o->seconds;
	double left = t->deadline - now();
	char *url = source_url(s, page, seconds, true);

	free(t->f->url);
	t->f->url = source_url(s, page, seconds, false);
	t->easy = curl_easy_init();
	if (!url || !t->f->url || !t->easy) {
		free(url);
		end_easy(t);
		t->f->status = prof_nomem(&t->f->err);
		return;
	}
	t->f->body.n = t->n_body = 0;
	t->f->code = 0;
	t->message[0] = 0;
	curl_easy_setopt(t->easy, CURLOPT_URL, url);
	curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
	curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->message);
	curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS,
			 left > 0.001 ? (long)(left * 1000) : 1L);
	curl_easy_setopt(t->easy, CURLOPT_USERAGENT,
			 PACKAGE_NAME "/" PACKAGE_VERSION);
	curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION,
			 (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(t->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	curl_easy_setopt(t->easy, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(t->easy, CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
	curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
	set_post(t);
	set_protocols(t->easy);
	set_proxy(t);
	set_tls(t);
	free(url);
	if (curl_multi_add_handle(multi, t->easy) != CURLM_OK) {
		end_easy(t);
		transfer_fail(t, PROF_EIO, "cannot begin the transfer", "");
	}
}

/* "server response: 400 Bad Request", with the words of a Go server. */
static void
fail_response(struct transfer *t)
{
	struct buf *body = &t->f->body;
	size_t n = body->n;

	while (n && isspace(body->data[n - 1]))
		n--;
	t->f->status = prof_fail(
		&t->f->err, PROF_EIO, "server response: %s%s%.*s", t->status,
		t->is_go && t->is_text && n ? " - " : "",
		t->is_go && t->is_text
			? (int)(n < MAX_ERROR_TEXT ? n : MAX_ERROR_TEXT)
			: 0,
		n ? (const char *)body->data : "");
}

/* What curl says, as part of a line of ours. */
static void
fail_transport(struct transfer *t, CURLcode r)
{
	char *m = t->message;

	if (!*m)
		strncat(m, curl_easy_strerror(r), sizeof(t->message) - 1);
	if (isupper((unsigned char)m[0]) && !isupper((unsigned char)m[1]))
		m[0] = (char)tolower((unsigned char)m[0]);
	transfer_fail(t, PROF_EIO, m, "");
}

/* The transfer is over: true if there is another page to try. */
static bool
transfer_end(struct transfer *t, CURLcode r)
{
	bool missing = !t->is_go && (t->f->code == 404 || t->f->code == 405 ||
				     t->f->code == 501);

	end_easy(t);
	if (t->too_large)
		t->f->status = prof_fail(&t->f->err, PROF_ELIMIT,
					 "larger than the limit of %zu bytes "
					 "(--max-size)",
					 t->o->max_bytes);
	else if (t->write_errno)
		transfer_fail(t, PROF_EIO,
			      "cannot write: ", strerror(t->write_errno));
	else if (t->f->source.is_bare && missing && t->page == 0)
		return t->page++, true;
	else if (t->f->code && t->f->code != 200 &&
		 (t->f->code / 100 != 3 || !r))
		fail_response(t);
	else if (r != CURLE_OK)
		fail_transport(t, r);
	else
		t->f->status = PROF_OK;
	return false;
}

/* --- all of them --- */

/* Handle what has ended; how many of them are done for good. */
static size_t
reap(CURLM *multi)
{
	size_t n_done = 0;
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(multi, &left))) {
		CURLcode r = msg->data.result;
		struct transfer *t;

		if (msg->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE,
				  (char **)&t);
		curl_multi_remove_handle(multi, t->easy);
		if (transfer_end(t, r))
			transfer_begin(t, multi);
		n_done += t->easy == NULL;
	}
	return n_done;
}

static void
run(struct transfer *t, size_t n, CURLM *multi, const struct fetch_options *o)
{
	size_t n_begun = 0, n_done = 0;
	double start = now(), told = start;
	unsigned expected = 0;
	int running;

	for (size_t i = 0; i < n; i++)
		if (asked_for(&t[i]) > expected)
			expected = asked_for(&t[i]);
	while (n_done < n) {
		while (n_begun < n && n_begun - n_done < PARALLEL) {
			t[n_begun].deadline = now() + time_limit(&t[n_begun]);
			transfer_begin(&t[n_begun], multi);
			n_done += t[n_begun++].easy == NULL;
		}
		curl_multi_perform(multi, &running);
		n_done += reap(multi);
		if (n_done == n)
			break;
		if (o->waiting && now() - told >= 0.25) {
			told = now();
			o->waiting(n_done, n, told - start, expected);
		}
		curl_multi_poll(multi, NULL, 0, o->waiting ? 250 : 1000, NULL);
	}
}

void
fetch_all(struct fetch *f, size_t n, const struct fetch_options *o)
{
	struct transfer *t = calloc(n + 1, sizeof(*t));
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	CURLM *multi;

	/* A server that hangs up is an error, not a signal. */
	sigaction(SIGPIPE, &ignore, &before);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	multi = curl_multi_init();
	for (size_t i = 0; i < n && t; i++) {
		t[i].f = &f[i];
		t[i].o = o;
	}
	if (t && multi)
		run(t, n, multi, o);
	else
		for (size_t i = 0; i < n; i++)
			f[i].status = prof_nomem(&f[i].err);
	curl_multi_cleanup(multi);
	curl_global_cleanup();
	sigaction(SIGPIPE, &before, NULL);
	free(t);
}

#else

void
fetch_all(struct fetch *f, size_t n, const struct fetch_options *o)
{
	(void)o;
	for (size_t i = 0; i < n; i++)
		f[i].status = prof_fail(&f[i].err, PROF_ENOTSUP,
					"this build has no libcurl and reads "
					"files only");
}

#endif
