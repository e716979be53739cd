/* exchange.c - see exchange.h. */
#include "config.h"

#include "exchange.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/budget.h"
#include "lib/base/retry.h"
#include "lib/wire/compress.h"
#include "s3.h"

#define MAX_REDIRECTS 10
#define CONNECT_TIMEOUT 10L /* seconds */
#define MAX_ERROR_TEXT 300  /* of a refusal's body */
#define MAX_HEADERS 262144  /* bytes, of all replies to one request */

/* --- callbacks --- */

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
	struct exchange *x = ctx;
	size_t all = size * n;
	const char *value;

	x->n_header += all;
	if (x->n_header > MAX_HEADERS) {
		x->is_refused = true;
		prof_fail(&x->f->err, PROF_ELIMIT,
			  "the server sends headers without end");
		return 0;
	}
	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	if (is_header(line, n, "HTTP/", &value)) {
		/* A new reply, perhaps after a redirection. */
		const char *sp = memchr(line, ' ', n);
		size_t len = sp ? n - (size_t)(sp + 1 - line) : 0;

		if (len >= sizeof(x->status))
			len = sizeof(x->status) - 1;
		memcpy(x->status, sp ? sp + 1 : "", len);
		x->status[len] = 0;
		x->f->code = atoi(x->status);
		x->is_go = false;
		x->f->body.n = x->n_body = 0;
	} else if (is_header(line, n, "X-Go-Pprof:", &value)) {
		x->is_go = true;
	}
	return all;
}

/* Of compressed bodies curl counts the received bytes. */
static bool
is_bomb(const struct exchange *x)
{
	curl_off_t arrived = 0;

	if (x->n_body <= COMPRESS_SMALL)
		return false;
	x->curl->easy_getinfo(x->easy, CURLINFO_SIZE_DOWNLOAD_T, &arrived);
	return arrived > 0 && x->n_body / COMPRESS_MAX_RATIO > (size_t)arrived;
}

static enum prof_status
keep(struct exchange *x, const char *data, size_t n)
{
	struct fetch *f = x->f;

	if (n > x->o->max_bytes - x->n_body)
		return prof_fail(&f->err, PROF_ELIMIT,
				 "larger than the limit of %zu bytes "
				 "(--max-size)",
				 x->o->max_bytes);
	x->n_body += n;
	/* All servers together may take what one may send. */
	if (budget_bytes() < x->o->max_bytes)
		budget_read(n);
	if (is_bomb(x))
		return prof_fail(&f->err, PROF_ELIMIT,
				 "inflates to more than %d times what is sent",
				 COMPRESS_MAX_RATIO);
	if (f->to_fd && f->code == 200)
		return write_all(f->to_fd, data, n, &f->err);
	return buf_add(&f->body, data, n) < 0 ? prof_nomem(&f->err) : PROF_OK;
}

static size_t
on_body(char *data, size_t size, size_t n, void *ctx)
{
	struct exchange *x = ctx;

	(void)size; /* always 1 */
	/* The beginning of a refusal is enough; it may be endless. */
	if (x->f->code != 200 && x->n_body >= MAX_ERROR_TEXT)
		return 0;
	x->is_refused = keep(x, data, n) != PROF_OK;
	return x->is_refused ? 0 : n;
}

/* --- the request --- */

/* Options with constant values cannot fail. */
#define SET(x, option, value)                                                  \
	((x)->curl->easy_setopt((x)->easy, (option), (value)))

static void
set_proxy(struct exchange *x)
{
	const struct source *s = &x->f->source;
	const char *upper = getenv("HTTP_PROXY");

	if (s->is_local)
		SET(x, CURLOPT_NOPROXY, "*");
	if (s->socket)
		SET(x, CURLOPT_UNIX_SOCKET_PATH, s->socket);
	/*
	 * curl ignores this variable, because a client of a CGI program could
	 * set it with a header. pprof reads it unless it runs as CGI.
	 */
	if (!s->is_local && upper && !getenv("http_proxy") &&
	    !getenv("REQUEST_METHOD") && !strcmp(s->scheme, "http"))
		SET(x, CURLOPT_PROXY, upper);
}

static void
set_tls(struct exchange *x)
{
	const struct source *s = &x->f->source;
	const struct fetch_options *o = x->o;

	if (o->tls_cert) {
		SET(x, CURLOPT_SSLCERT, o->tls_cert);
		SET(x, CURLOPT_SSLKEY, o->tls_key);
	}
	if (o->tls_ca) {
		SET(x, CURLOPT_CAINFO, o->tls_ca);
		SET(x, CURLOPT_CAPATH, NULL);
	}
	if (s->is_insecure) {
		SET(x, CURLOPT_SSL_VERIFYPEER, 0L);
		SET(x, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static void
set_protocols(struct exchange *x)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	SET(x, CURLOPT_PROTOCOLS_STR, "http,https");
	SET(x, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
	long both = CURLPROTO_HTTP | CURLPROTO_HTTPS;

	SET(x, CURLOPT_PROTOCOLS, both);
	SET(x, CURLOPT_REDIR_PROTOCOLS, both);
#endif
}

static bool
add_header(struct exchange *x, const char *line)
{
	struct curl_slist *longer = x->curl->slist_append(x->header, line);

	if (longer)
		x->header = longer;
	return longer != NULL;
}

/*
 * As in pprof, but a redirected POST remains one. C++ servers do not know
 * "Expect: 100-continue", for which curl would wait a second.
 */
static bool
set_post(struct exchange *x)
{
	SET(x, CURLOPT_POSTFIELDS, x->f->post);
	SET(x, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
	return add_header(x, "Content-Type: application/octet-stream") &&
	       add_header(x, "Expect:");
}

/*
 * As in pprof, use a connection for each request, and ask the server to close
 * it: some send no length, and would wait for more requests.
 */
static bool
set_get(struct exchange *x)
{
	SET(x, CURLOPT_FORBID_REUSE, 1L);
	return add_header(x, "Connection: close");
}

/*
 * Sign it. No other header of ours is added, as a proxy may change one. A
 * redirection would need another signature, and a key is not a path.
 */
static enum prof_status
set_s3(struct exchange *x)
{
	char *lines, *line, *rest = NULL;
	enum prof_status st =
		s3_sign(&x->f->source, time(NULL), &lines, &x->f->err);

	if (st != PROF_OK)
		return st;
	for (line = strtok_r(lines, "\n", &rest); line && st == PROF_OK;
	     line = strtok_r(NULL, "\n", &rest))
		if (!add_header(x, line))
			st = prof_nomem(&x->f->err);
	SET(x, CURLOPT_FOLLOWLOCATION, 0L);
	SET(x, CURLOPT_PATH_AS_IS, 1L);
	free(lines);
	return st;
}

/* Add the headers of the user, which no other server may get. */
static bool
set_headers(struct exchange *x)
{
	for (size_t i = 0; i < x->o->n_header; i++)
		if (!add_header(x, x->o->header[i]))
			return false;
	if (x->o->n_header)
		SET(x, CURLOPT_FOLLOWLOCATION, 0L);
	return true;
}

/* Set the request and its method. */
static enum prof_status
set_request(struct exchange *x)
{
	if (x->f->source.is_s3)
		return set_s3(x);
	return (x->f->post ? set_post(x) : set_get(x)) && set_headers(x)
		       ? PROF_OK
		       : prof_nomem(&x->f->err);
}

static void
set_connection(struct exchange *x)
{
	SET(x, CURLOPT_NOSIGNAL, 1L);
	/* Detect a host that is down long before the profile would be
	 * complete. */
	SET(x, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT);
	/* Detect a host that vanishes during an hour's measurement. */
	SET(x, CURLOPT_TCP_KEEPALIVE, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Do not wait for name resolution when giving up. */
	SET(x, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static void
end_easy(struct exchange *x)
{
	x->curl->easy_cleanup(x->easy);
	x->curl->slist_free_all(x->header);
	x->easy = NULL;
	x->header = NULL;
}

enum prof_status
exchange_begin(struct exchange *x, CURLM *multi, const char *url, void *ctx)
{
	enum prof_status st;

	x->easy = x->curl->easy_init();
	if (!x->easy)
		return prof_nomem(&x->f->err);
	x->f->body.n = x->n_body = x->n_header = 0;
	x->f->code = 0;
	x->is_go = x->is_refused = false;
	x->message[0] = x->status[0] = 0;
	SET(x, CURLOPT_URL, url);
	SET(x, CURLOPT_PRIVATE, ctx);
	SET(x, CURLOPT_ERRORBUFFER, x->message);
	SET(x, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	SET(x, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(x, CURLOPT_ACCEPT_ENCODING, "gzip");
	SET(x, CURLOPT_FOLLOWLOCATION, 1L);
	SET(x, CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
	SET(x, CURLOPT_HEADERFUNCTION, on_header);
	SET(x, CURLOPT_HEADERDATA, x);
	SET(x, CURLOPT_WRITEFUNCTION, on_body);
	SET(x, CURLOPT_WRITEDATA, x);
	set_connection(x);
	set_protocols(x);
	set_proxy(x);
	set_tls(x);
	st = set_request(x);
	if (st != PROF_OK) {
		end_easy(x);
		return st;
	}
	SET(x, CURLOPT_HTTPHEADER, x->header);
	if (x->curl->multi_add_handle(multi, x->easy) == CURLM_OK)
		return PROF_OK;
	end_easy(x);
	return prof_fail(&x->f->err, PROF_EIO, "cannot begin the transfer");
}

void
exchange_end(struct exchange *x, CURLM *multi)
{
	curl_off_t after = 0;

	x->curl->easy_getinfo(x->easy, CURLINFO_RETRY_AFTER, &after);
	x->retry_after = (double)after;
	x->curl->multi_remove_handle(multi, x->easy);
	end_easy(x);
}

/* --- the outcome --- */

/* Is the reply something other than the requested data? r: the result of the
 * exchange. */
static bool
is_refusal(const struct exchange *x, CURLcode r)
{
	/* A redirection that curl does not follow has a message of curl's. */
	return x->f->code && x->f->code != 200 && (x->f->code / 100 != 3 || !r);
}

bool
exchange_may_pass(const struct exchange *x, CURLcode r)
{
	if (x->is_refused)
		return false;
	if (is_refusal(x, r))
		return x->f->code == 429 ||
		       (x->f->code >= 500 && x->f->code <= 504 &&
			x->f->code != 501);
	switch (r) {
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		return true;
	default:
		return false;
	}
}

/*
 * The text of a refusal: the beginning of its body on one line, unless that is
 * a web page or not text.
 */
static void
refusal_text(const struct buf *body, char *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < body->n && n < max - 1; i++) {
		unsigned char c = body->data[i];

		if (n == 0 && c == '<')
			break;
		if (isspace(c))
			c = ' ';
		else if (c < ' ' || c == 0x7f)
			break;
		if (c != ' ' || (n && out[n - 1] != ' '))
			out[n++] = (char)c;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
}

/* Does text repeat a header of the user, or the last word of one? */
static bool
has_secret(const struct fetch_options *o, const char *text)
{
	for (size_t i = 0; i < o->n_header; i++) {
		const char *value = strchr(o->header[i], ':') + 1;
		const char *last = strrchr(value, ' ');

		value += strspn(value, " \t");
		if (strstr(text, last && last[1] ? last + 1 : value))
			return true;
	}
	return false;
}

/* Why a request failed that a server of HTTP, not HTTPS, answered. */
static bool
is_plain_http(const char *message)
{
	return strstr(message, "wrong version number") ||
	       strstr(message, "unexpected TLS packet") ||
	       strstr(message, "packet length too long") ||
	       strstr(message, "record too long");
}

/* A server that knows no TLS may also hang up. */
static bool
has_hung_up(const char *message)
{
	return strstr(message, "SSL_ERROR_SYSCALL") ||
	       strstr(message, "unexpected eof") ||
	       strstr(message, "Connection reset");
}

/* Adapt a message of curl for use in our line. */
static void
tidy(char *m)
{
	size_t n = strlen(m), word = 1;

	while (n && (isspace((unsigned char)m[n - 1]) || m[n - 1] == '.'))
		m[--n] = 0;
	while (islower((unsigned char)m[word]))
		word++;
	if (!isalnum((unsigned char)m[word]))
		m[0] = (char)tolower((unsigned char)m[0]);
}

/* curl's message has not the reason, and of a socket a port that nobody gave.
 */
static enum prof_status
no_connection(struct exchange *x, const char *suffix)
{
	const struct source *s = &x->f->source;
	long error = 0;

	x->curl->easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &error);
	return prof_fail(&x->f->err, PROF_EIO,
			 "failed to connect to %s%s%s; does a server run "
			 "there?%s",
			 s->socket ? s->socket : s->host, error ? ": " : "",
			 error ? strerror((int)error) : "", suffix);
}

enum prof_status
exchange_status(struct exchange *x, CURLcode r, const char *suffix)
{
	char text[MAX_ERROR_TEXT], *m = x->message;

	if (x->is_refused)
		return x->f->err.status;
	if (is_refusal(x, r)) {
		if (x->f->source.is_s3)
			s3_error_code(x->f->body.data, x->f->body.n, text,
				      sizeof(text));
		else
			refusal_text(&x->f->body, text, sizeof(text));
		if (has_secret(x->o, text))
			*text = '\0';
		return prof_fail(&x->f->err, PROF_EIO,
				 "server response: %s%s%s%s%s", x->status,
				 *text ? " - " : "", text,
				 x->f->code / 100 == 3 && x->o->n_header
					 ? "; with headers of yours, no "
					   "redirection is followed"
					 : "",
				 suffix);
	}
	if (r == CURLE_OK)
		return PROF_OK;
	if (!*m)
		strncat(m, x->curl->easy_strerror(r), sizeof(x->message) - 1);
	if (r == CURLE_SSL_CONNECT_ERROR && is_plain_http(m))
		return prof_fail(&x->f->err, PROF_EIO,
				 "the server does not speak TLS at this port; "
				 "use http://%s%s",
				 x->f->source.host, suffix);
	if (r == CURLE_SSL_CONNECT_ERROR && has_hung_up(m))
		return prof_fail(&x->f->err, PROF_EIO,
				 "the server hung up instead of speaking TLS; "
				 "is it http://%s?%s",
				 x->f->source.host, suffix);
	if (r == CURLE_COULDNT_CONNECT)
		return no_connection(x, suffix);
	tidy(m);
	return prof_fail(&x->f->err, PROF_EIO, "%s%s", m, suffix);
}
