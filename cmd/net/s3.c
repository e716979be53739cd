/* s3.c - see s3.h. */
#include "config.h"

#include "s3.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_NETTLE
#include <nettle/hmac.h>
#endif

#include "lib/base/array.h"
#include "lib/base/escape.h"

static const char scheme[] = "s3://";

bool
s3_is_url(const char *text)
{
	return !strncasecmp(text, scheme, strlen(scheme));
}

bool
s3_is_prefix(const char *text)
{
	const char *key = strchr(text + strlen(scheme), '/');

	return !key || key[strlen(key) - 1] == '/';
}

/* --- what a request is signed with --- */

static const char *
variable(const char *name)
{
	const char *v = getenv(name);

	/* Some become a line of a header. */
	return v && *v && !strpbrk(v, "\r\n") ? v : NULL;
}

static const char *
key_id(void)
{
	return variable("AWS_ACCESS_KEY_ID");
}

static const char *
secret(void)
{
	return variable("AWS_SECRET_ACCESS_KEY");
}

static const char *
region(void)
{
	const char *r = variable("AWS_REGION");

	return r ? r : "us-east-1";
}

#ifdef HAVE_NETTLE
/* Of no body, in hexadecimal. */
static const char no_body[] = "e3b0c44298fc1c149afbf4c8996fb924"
			      "27ae41e4649b934ca495991b7852b855";

static void
put_hex(char out[2 * SHA256_DIGEST_SIZE + 1],
	const uint8_t digest[SHA256_DIGEST_SIZE])
{
	for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++)
		sprintf(out + 2 * i, "%02x", digest[i]);
}

/* out = HMAC of text with a key of n bytes, which may be out itself. */
static void
mac(uint8_t out[SHA256_DIGEST_SIZE], const void *key, size_t n,
    const char *text)
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, n, key);
	hmac_sha256_update(&ctx, strlen(text), (const uint8_t *)text);
	hmac_sha256_digest(&ctx, SHA256_DIGEST_SIZE, out);
}

/* The signature of text for a day, "20260102"; false without memory. */
static bool
sign_text(const char *day, const char *text,
	  char signature[2 * SHA256_DIGEST_SIZE + 1])
{
	const char *scope[] = { day, region(), "s3", "aws4_request", text };
	uint8_t key[SHA256_DIGEST_SIZE];
	char *first;
	int n = asprintf(&first, "AWS4%s", secret());

	if (n < 0)
		return false;
	mac(key, first, (size_t)n, scope[0]);
	free(first);
	for (size_t i = 1; i < sizeof(scope) / sizeof(*scope); i++)
		mac(key, key, sizeof(key), scope[i]);
	put_hex(signature, key);
	return true;
}

/* The length of the host as an HTTP client names it: no usual port. */
static int
host_length(const struct source *s)
{
	const char *port = !strcmp(s->scheme, "https") ? ":443" : ":80";
	size_t n = strlen(s->host), m = strlen(port);

	return (int)(n > m && !strcmp(s->host + n - m, port) ? n - m : n);
}

/*
 * libcurl can sign, too (CURLOPT_AWS_SIGV4), but 8.13 and later neither a path
 * that they may not simplify nor a query that holds an encoded '+'.
 */
enum prof_status
s3_sign(const struct source *s, time_t now, char **lines, struct prof_err *err)
{
	const char *token = variable("AWS_SESSION_TOKEN");
	const char *more = token ? ";x-amz-security-token" : "";
	char date[32], hash[2 * SHA256_DIGEST_SIZE + 1], scope[300];
	char day[9], *request = NULL, *text = NULL;
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	struct tm tm;
	bool ok;

	*lines = NULL;
	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	snprintf(day, sizeof(day), "%.8s", date);
	snprintf(scope, sizeof(scope), "%s/%s/s3/aws4_request", day, region());
	ok = asprintf(&request,
		      "GET\n%s\n%s\nhost:%.*s\nx-amz-content-sha256:%s\n"
		      "x-amz-date:%s\n%s%s%s\n"
		      "host;x-amz-content-sha256;x-amz-date%s\n%s",
		      s->path, s->query, host_length(s), s->host, no_body, date,
		      token ? "x-amz-security-token:" : "", token ? token : "",
		      token ? "\n" : "", more, no_body) >= 0;
	if (ok) {
		sha256_init(&sha);
		sha256_update(&sha, strlen(request), (uint8_t *)request);
		sha256_digest(&sha, sizeof(digest), digest);
		put_hex(hash, digest);
		free(request);
		ok = asprintf(&text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", date,
			      scope, hash) >= 0;
	}
	if (ok) {
		ok = sign_text(day, text, hash);
		free(text);
	}
	if (ok)
		ok = asprintf(lines,
			      "x-amz-content-sha256: %s\nx-amz-date: %s\n"
			      "%s%s%sAuthorization: AWS4-HMAC-SHA256 "
			      "Credential=%s/%s, SignedHeaders=host;"
			      "x-amz-content-sha256;x-amz-date%s, "
			      "Signature=%s\n",
			      no_body, date,
			      token ? "x-amz-security-token: " : "",
			      token ? token : "", token ? "\n" : "", key_id(),
			      scope, more, hash) >= 0;
	return ok ? PROF_OK : prof_nomem(err);
}
#else
enum prof_status
s3_sign(const struct source *s, time_t now, char **lines, struct prof_err *err)
{
	(void)s;
	(void)now;
	*lines = NULL;
	return prof_fail(err, PROF_ENOTSUP, "this build has no nettle");
}
#endif

/* --- addresses --- */

/*
 * Percent-encode s for a path or, with is_query, for the value of a query. The
 * signature is of these bytes, and the server computes it from its own spelling
 * of them: so all is encoded that the protocol does not leave as it is.
 */
static char *
encode(const char *s, bool is_query)
{
	char *out = malloc(3 * strlen(s) + 1), *to = out;

	for (; out && *s; s++) {
		unsigned char c = (unsigned char)*s;
		bool is_plain = (c < 0x80 && isalnum(c)) || strchr("-_.~", c) ||
				(c == '/' && !is_query);

		if (is_plain)
			*to++ = (char)c;
		else
			to += sprintf(to, "%%%02X", c);
	}
	if (out)
		*to = '\0';
	return out;
}

/* A part of a host's name, which must not become another host. */
static bool
is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("-._", s[i]))
			return false;
	return n > 0 && n < 256;
}

/* Set scheme and host of s, and *base, the path before the key, of a bucket. */
static enum prof_status
set_endpoint(struct source *s, const char *bucket, size_t n, char **base,
	     struct prof_err *err)
{
	const char *url = variable("AWS_ENDPOINT_URL");
	bool is_path = memchr(bucket, '.', n); /* no certificate has its name */
	size_t len;

	*base = NULL;
	if (url) {
		if (!strstr(url, "://") ||
		    source_parse(s, url, err) != PROF_OK || *s->user ||
		    *s->query)
			return prof_fail(err, PROF_EINVALID,
					 "AWS_ENDPOINT_URL is not the URL of a "
					 "server");
		len = strlen(s->path);
		while (len && s->path[len - 1] == '/')
			len--;
		if (asprintf(base, "%.*s/%.*s", (int)len, s->path, (int)n,
			     bucket) < 0)
			*base = NULL;
		free(s->path);
		s->path = NULL;
		return *base ? PROF_OK : prof_nomem(err);
	}
	s->scheme = strdup("https");
	s->user = strdup("");
	s->query = strdup("");
	if (asprintf(&s->host, "%.*s%ss3.%s.amazonaws.com",
		     is_path ? 0 : (int)n, bucket, is_path ? "" : ".",
		     region()) < 0)
		s->host = NULL;
	if (asprintf(base, "%s%.*s", is_path ? "/" : "", is_path ? (int)n : 0,
		     bucket) < 0)
		*base = NULL;
	return s->scheme && s->user && s->query && s->host && *base
		       ? PROF_OK
		       : prof_nomem(err);
}

/* A source with an empty query, of the bucket in text and the key if is_key. */
static enum prof_status
begin(struct source *s, const char *text, bool is_key, struct prof_err *err)
{
	const char *bucket = text + strlen(scheme);
	size_t n = strcspn(bucket, "/");
	const char *key = bucket[n] ? bucket + n + 1 : "";
	char *base = NULL, *coded = NULL;
	enum prof_status st = PROF_OK;

	if (!is_name(bucket, n))
		return prof_fail(err, PROF_EINVALID, "s3 URL without a bucket");
	if (!is_name(region(), strlen(region())))
		return prof_fail(err, PROF_EINVALID,
				 "AWS_REGION is not the name of a region");
	if (!key_id() || !secret())
		return prof_fail(err, PROF_EINVALID,
				 "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY "
				 "are not set");
	st = set_endpoint(s, bucket, n, &base, err);
	if (st == PROF_OK) {
		coded = encode(is_key ? key : "", false);
		if (!coded || asprintf(&s->path, "%s/%s", base, coded) < 0) {
			s->path = NULL;
			st = prof_nomem(err);
		}
	}
	s->is_s3 = true;
	s->is_bare = false;
	free(base);
	free(coded);
	return st;
}

enum prof_status
s3_source(struct source *s, const char *text, struct prof_err *err)
{
	enum prof_status st;

	memset(s, 0, sizeof(*s));
	st = begin(s, text, true, err);
	if (st != PROF_OK)
		source_release(s);
	return st;
}

enum prof_status
s3_list_source(struct source *s, const char *text, const char *token,
	       struct prof_err *err)
{
	const char *slash = strchr(text + strlen(scheme), '/');
	char *prefix = encode(slash ? slash + 1 : "", true);
	char *next = encode(token ? token : "", true), *query = NULL;
	enum prof_status st;

	memset(s, 0, sizeof(*s));
	st = begin(s, text, false, err);
	/* Sorted by name, as they are signed. */
	if (st == PROF_OK && prefix && next &&
	    asprintf(&query, "%s%s%slist-type=2%s%s",
		     token ? "continuation-token=" : "", next, token ? "&" : "",
		     *prefix ? "&prefix=" : "", prefix) < 0)
		query = NULL;
	if (st == PROF_OK && !query)
		st = prof_nomem(err);
	free(prefix);
	free(next);
	if (st != PROF_OK) {
		source_release(s);
		return st;
	}
	free(s->query);
	s->query = query;
	return PROF_OK;
}

/* --- lists --- */

/* Where the text of an element is, and where the element ends. */
struct element {
	const char *text;
	size_t n;
	const char *end;
};

/*
 * The next <name>...</name> with only text in it: 1; 0 if there is none, -1 if
 * it is cut short.
 */
static int
next_element(const char *p, const char *end, const char *name,
	     struct element *e)
{
	size_t len = strlen(name);

	for (; (p = memchr(p, '<', (size_t)(end - p))); p++) {
		const char *text, *close;

		if (end - p < (ptrdiff_t)len + 2 || memcmp(p + 1, name, len) ||
		    p[len + 1] != '>')
			continue;
		text = p + len + 2;
		close = memchr(text, '<', (size_t)(end - text));
		if (!close || end - close < (ptrdiff_t)len + 3 ||
		    close[1] != '/' || memcmp(close + 2, name, len) ||
		    close[len + 2] != '>')
			return -1;
		*e = (struct element){ text, (size_t)(close - text),
				       close + len + 3 };
		return 1;
	}
	return 0;
}

/*
 * The character that the n bytes between '&' and ';' name; 0: none. Each is
 * shorter as UTF-8 than as it stands here.
 */
static unsigned long
character(const char *s, size_t n)
{
	static const struct {
		const char *name;
		char c;
	} named[] = { { "amp", '&' },
		      { "lt", '<' },
		      { "gt", '>' },
		      { "quot", '"' },
		      { "apos", '\'' } };
	unsigned long c = 0, base = n > 1 && s[1] == 'x' ? 16 : 10;

	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (n == strlen(named[i].name) && !memcmp(s, named[i].name, n))
			return (unsigned char)named[i].c;
	if (n < 2 || s[0] != '#')
		return 0;
	for (size_t i = base == 16 ? 2 : 1; i < n; i++) {
		int d = s[i] | 0x20;

		if (isdigit((unsigned char)s[i]))
			c = c * base + (unsigned)(s[i] - '0');
		else if (base == 16 && d >= 'a' && d <= 'f')
			c = c * base + (unsigned)(d - 'a' + 10);
		else
			return 0;
		if (c > 0x10ffff)
			return 0;
	}
	return c;
}

/* The text of an element as a string; NULL: it is malformed, or no memory. */
static char *
text_of(const struct element *e)
{
	char *out = malloc(e->n + 1), *to = out;

	for (size_t i = 0; out && i < e->n; i++) {
		const char *s = e->text + i, *semicolon;
		unsigned long c;

		if (*s == '\0')
			goto fail;
		if (*s != '&') {
			*to++ = *s;
			continue;
		}
		semicolon = memchr(s, ';', e->n - i);
		c = semicolon ? character(s + 1, (size_t)(semicolon - s) - 1)
			      : 0;
		if (!c)
			goto fail;
		to += escape_utf8_put(to, (uint32_t)c);
		i += (size_t)(semicolon - s);
	}
	if (out)
		*to = '\0';
	return out;
fail:
	free(out);
	return NULL;
}

static enum prof_status
malformed(struct prof_err *err)
{
	return prof_fail(err, PROF_EFORMAT,
			 "the server's list of objects is malformed or cut "
			 "short");
}

static enum prof_status
add_key(struct s3_page *page, const struct element *e, struct prof_err *err)
{
	char *key = text_of(e);

	if (!key || !*key) {
		free(key);
		return malformed(err);
	}
	if (key[strlen(key) - 1] == '/') {
		free(key);
		return PROF_OK;
	}
	if (array_reserve(&page->key, &page->cap, page->n + 1,
			  sizeof(*page->key)) < 0) {
		free(key);
		return prof_nomem(err);
	}
	page->key[page->n++] = key;
	return PROF_OK;
}

enum prof_status
s3_page_parse(struct s3_page *page, const uint8_t *xml, size_t n,
	      struct prof_err *err)
{
	static const char root[] = "<ListBucketResult";
	static const char last[] = "</ListBucketResult>";
	const char *p = (const char *)xml, *end = p + n;
	struct element e;
	bool is_cut;
	int r;

	memset(page, 0, sizeof(*page));
	if (!n || !memmem(p, n, root, strlen(root)) ||
	    !memmem(p, n, last, strlen(last)) ||
	    next_element(p, end, "IsTruncated", &e) != 1)
		return malformed(err);
	is_cut = e.n == 4 && !memcmp(e.text, "true", 4);
	if (!is_cut && (e.n != 5 || memcmp(e.text, "false", 5) != 0))
		return malformed(err);
	if (is_cut) {
		if (next_element(p, end, "NextContinuationToken", &e) != 1)
			return malformed(err);
		page->token = text_of(&e);
		if (!page->token || !*page->token)
			return malformed(err);
	}
	while ((r = next_element(p, end, "Key", &e)) == 1) {
		enum prof_status st = add_key(page, &e, err);

		if (st != PROF_OK)
			return st;
		p = e.end;
	}
	return r == 0 ? PROF_OK : malformed(err);
}

void
s3_page_release(struct s3_page *page)
{
	for (size_t i = 0; i < page->n; i++)
		free(page->key[i]);
	free(page->key);
	free(page->token);
	memset(page, 0, sizeof(*page));
}

void
s3_error_code(const uint8_t *xml, size_t n, char *out, size_t max)
{
	const char *p = (const char *)xml;
	struct element e;

	*out = '\0';
	if (!n || next_element(p, p + n, "Code", &e) != 1 || e.n >= max)
		return;
	for (size_t i = 0; i < e.n; i++)
		if (!isalnum((unsigned char)e.text[i]))
			return;
	memcpy(out, e.text, e.n);
	out[e.n] = '\0';
}
