/* source.c - see source.h. */
#include "config.h"

#include "source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key_seconds[] = "seconds=";
static const char key_unix[] = "unix:";

/* The end of the scheme of text, after "://"; NULL if it has none. */
static const char *
after_scheme(const char *text)
{
	const char *p = text;

	while (isalnum((unsigned char)*p) || (*p && strchr("+.-", *p)))
		p++;
	return p > text && isalpha((unsigned char)*text) &&
			       !strncmp(p, "://", 3)
		       ? p + 3
		       : NULL;
}

/*
 * The start of the port in the n bytes of host, after the ':'; n if there is no
 * port; (size_t)-1 if it is not a host.
 */
static size_t
find_port(const char *host, size_t n)
{
	const char *end = host + n, *p = host;

	if (*host == '[') {
		p = memchr(host, ']', n);
		if (!p)
			return (size_t)-1;
		p++;
	} else {
		while (p < end && *p != ':' && *p != '[' && *p != ']')
			p++;
	}
	if (p == end)
		return n;
	if (*p != ':')
		return (size_t)-1;
	p++;
	for (const char *d = p; d < end; d++)
		if (!isdigit((unsigned char)*d))
			return (size_t)-1;
	return end - p > 5 || atoi(p) > 65535 ? (size_t)-1 : (size_t)(p - host);
}

/* Escape bytes that are not allowed in a URL as %xx. */
static char *
escape(const char *s, size_t n)
{
	char *out = malloc(3 * n + 1), *to = out;

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c <= ' ' || c >= 0x7f)
			to += sprintf(to, "%%%02X", c);
		else
			*to++ = (char)c;
	}
	*to = 0;
	return out;
}

/* "host:port", completed: an empty host is localhost, an empty port is
 * dropped. */
static char *
full_host(const char *host, size_t n, size_t port)
{
	size_t name = port < n || (n && host[n - 1] == ':') ? port - 1 : n;
	char *out = NULL;

	if (asprintf(&out, "%.*s%s%.*s", name ? (int)name : 9,
		     name ? host : "localhost", port < n ? ":" : "",
		     (int)(n - port), host + port) < 0)
		return NULL;
	return out;
}

static bool
is_local_host(const char *host)
{
	return !strncmp(host, "localhost:", 10) || !strcmp(host, "localhost") ||
	       !strncmp(host, "127.", 4) || !strncmp(host, "[::1]", 5);
}

/* The value of the first "seconds=" in the query, or 0. */
static unsigned
query_seconds(const char *query)
{
	while (query) {
		if (!strncmp(query, key_seconds, strlen(key_seconds))) {
			char *end;
			unsigned long v;

			v = strtoul(query + strlen(key_seconds), &end, 10);
			return (*end && *end != '&') || v > 1000000
				       ? 0
				       : (unsigned)v;
		}
		query = strchr(query, '&');
		query = query ? query + 1 : NULL;
	}
	return 0;
}

static enum prof_status
set_scheme(struct source *s, const char *text, size_t n, struct prof_err *err)
{
	static const char *const known[] = { "http", "https",
					     "https+insecure" };

	for (int i = 0; i < 3; i++) {
		if (strlen(known[i]) == n && !strncasecmp(text, known[i], n)) {
			s->is_insecure = i == 2;
			s->scheme = strdup(i ? "https" : "http");
			return s->scheme ? PROF_OK : prof_nomem(err);
		}
	}
	if (n == 4 && !strncasecmp(text, "file", 4))
		return prof_fail(err, PROF_EUSAGE, "not a URL to fetch");
	return prof_fail(err, PROF_ENOTSUP,
			 "unsupported protocol '%.*s'; use http, https, "
			 "unix:/SOCKET or s3",
			 (int)n, text);
}

/* Parse the rest after the scheme:
 * [user[:password]@]host[:port][/path][?query]. */
static enum prof_status
set_rest(struct source *s, const char *rest, bool need_port,
	 struct prof_err *err)
{
	size_t n = strcspn(rest, "/?#"), port, path;
	const char *host = rest, *at = memrchr(rest, '@', n);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)rest[i] <= ' ' || rest[i] == 0x7f)
			return prof_fail(err, PROF_EUSAGE, "not a URL");
	if (at)
		host = at + 1;
	port = find_port(host, n - (size_t)(host - rest));
	path = strcspn(rest + n, "?#");
	n -= (size_t)(host - rest);
	if (port == (size_t)-1 || n == 0 ||
	    (need_port && port == n && host[n - 1] != ':'))
		return prof_fail(err, PROF_EUSAGE, "not a URL");
	s->user = strndup(rest, (size_t)(host - rest));
	s->host = full_host(host, n, port);
	s->path = escape(host + n, path);
	rest = host + n + path;
	rest += *rest == '?';
	s->query = escape(rest, strcspn(rest, "#"));
	if (!s->user || !s->host || !s->path || !s->query)
		return prof_nomem(err);
	s->seconds = query_seconds(s->query);
	s->is_local = is_local_host(s->host);
	s->is_bare = (!*s->path || !strcmp(s->path, "/")) &&
		     (!*s->query || (s->seconds && !strchr(s->query, '&')));
	return PROF_OK;
}

/* Parse the rest after "unix:": PATH[:/page][?query]. */
static enum prof_status
set_socket(struct source *s, const char *rest, struct prof_err *err)
{
	size_t n = strcspn(rest, ":");
	const char *page = rest + n + (rest[n] == ':');
	enum prof_status st;
	char *url;

	if (*rest != '/' || (*page && *page != '/'))
		return prof_fail(err, PROF_ENOTSUP,
				 "expected unix:/PATH or unix:/PATH:/PAGE");
	s->scheme = strdup("http");
	s->socket = strndup(rest, n);
	if (!s->scheme || !s->socket || asprintf(&url, "localhost%s", page) < 0)
		return prof_nomem(err);
	st = set_rest(s, url, false, err);
	free(url);
	return st;
}

enum prof_status
source_parse(struct source *s, const char *text, struct prof_err *err)
{
	const char *rest = after_scheme(text);
	enum prof_status st;

	memset(s, 0, sizeof(*s));
	if (!strncmp(text, key_unix, strlen(key_unix))) {
		st = set_socket(s, text + strlen(key_unix), err);
		if (st != PROF_OK)
			source_release(s);
		return st;
	}
	if (!rest &&
	    (!strncmp(text, "http:/", 6) || !strncmp(text, "https:/", 7)))
		return prof_fail(err, PROF_EUSAGE, "not a URL");
	if (rest)
		st = set_scheme(s, text, (size_t)(rest - text) - 3, err);
	else
		st = set_scheme(s, "http", 4, err);
	if (st == PROF_OK)
		st = set_rest(s, rest ? rest : text, !rest, err);
	if (st != PROF_OK)
		source_release(s);
	return st;
}

void
source_release(struct source *s)
{
	free(s->scheme);
	free(s->user);
	free(s->host);
	free(s->path);
	free(s->query);
	free(s->socket);
	memset(s, 0, sizeof(*s));
}

/* Append the query to url, without any "seconds=". */
static char *
add_query(char *url, const char *query)
{
	char joint = '?';

	while (*query) {
		size_t n = strcspn(query, "&");
		char *longer = NULL;

		if (strncmp(query, key_seconds, strlen(key_seconds))) {
			if (asprintf(&longer, "%s%c%.*s", url, joint, (int)n,
				     query) < 0)
				longer = NULL;
			free(url);
			if (!longer)
				return NULL;
			url = longer;
			joint = '&';
		}
		query += n + (query[n] == '&');
	}
	return url;
}

/*
 * The query for messages and profiles, without possible secrets:
 * "token=abc&seconds=5" becomes "token=...&seconds=5".
 */
static char *
public_query(const char *query)
{
	char *out = malloc(4 * strlen(query) + 4), *to = out;

	while (out && *query) {
		size_t n = strcspn(query, "&"), key = strcspn(query, "=&");
		bool is_plain = !strncmp(query, "seconds=", 8) ||
				!strncmp(query, "debug=", 6);

		if (is_plain)
			key = n;
		else if (query[key] == '=')
			key++;
		else
			key = 0; /* not a key, but perhaps a secret */
		to = stpncpy(to, query, key);
		if (n > key && !is_plain)
			to = stpcpy(to, "...");
		query += n + (query[n] == '&');
		if (*query)
			*to++ = '&';
	}
	if (out)
		*to = '\0';
	return out;
}

/* source_url() of s, with nothing hidden. */
static char *
whole_url(const struct source *s, const char *path, unsigned seconds,
	  bool secret)
{
	const char *more = s->is_insecure && !secret ? "+insecure" : "";
	char *url, *longer;
	int n;

	if (!path)
		path = s->path;
	if (s->socket && !secret)
		n = asprintf(&url, "%s%s%s%s", key_unix, s->socket,
			     *path ? ":" : "", path);
	else
		n = asprintf(&url, "%s%s://%s%s%s", s->scheme, more,
			     secret ? s->user : "", s->host, path);
	if (n < 0)
		return NULL;
	if (!seconds) {
		n = asprintf(&longer, "%s%s%s", url, *s->query ? "?" : "",
			     s->query);
		free(url);
		return n < 0 ? NULL : longer;
	}
	url = add_query(url, s->query);
	if (!url)
		return NULL;
	n = asprintf(&longer, "%s%cseconds=%u", url,
		     strchr(url, '?') ? '&' : '?', seconds);
	free(url);
	return n < 0 ? NULL : longer;
}

const char *
source_url_page(const char *url)
{
	const char *host = strstr(url, "://");

	if (!strncmp(url, key_unix, strlen(key_unix))) {
		url = strchr(url + strlen(key_unix), ':');
		return url ? url + 1 : NULL;
	}
	return host ? strchr(host + 3, '/') : NULL;
}

char *
source_url(const struct source *s, const char *path, unsigned seconds,
	   bool secret)
{
	struct source shown = *s;
	char *url;

	if (secret)
		return whole_url(s, path, seconds, true);
	shown.query = public_query(s->query);
	url = shown.query ? whole_url(&shown, path, seconds, false) : NULL;
	free(shown.query);
	return url;
}
