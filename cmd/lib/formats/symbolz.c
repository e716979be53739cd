/* symbolz.c - see symbolz.h. */
#include "config.h"

#include "symbolz.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/bytes.h"

char *
symbolz_url(const char *url)
{
	const char *host = strstr(url, "://"), *path, *last;
	bool is_pprof;
	size_t n;
	char *out;

	if (!host || host[3] == '\0' || strchr("/?#", host[3]))
		return NULL;
	path = host + 3 + strcspn(host + 3, "/?#");
	n = strcspn(path, "?#");
	is_pprof = bytes_end(path, n, "/pprof/");
	while (n && path[n - 1] == '/')
		n--;
	last = memrchr(path, '/', n);
	if (is_pprof || !last) /* the folder itself; no page */
		last = path + n;
	is_pprof |= bytes_end(path, (size_t)(last - path), "/pprof") ||
		    memmem(path, n, "/debug/pprof/", 13);
	if (asprintf(&out, "%.*s/%s", (int)(last - url), url,
		     is_pprof ? "symbol" : "symbolz") < 0)
		return NULL;
	return out;
}

int
symbolz_query(struct buf *b, const uint64_t *addr, size_t n)
{
	char text[24];

	for (size_t i = 0; i < n; i++) {
		int len = snprintf(text, sizeof(text), "%s0x%" PRIx64,
				   i ? "+" : "", addr[i]);

		if (buf_add(b, text, (size_t)len) < 0)
			return -1;
	}
	return buf_add(b, "", 1);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

int
symbolz_probe(const char *reply, size_t n)
{
	static const char key[] = "num_symbols:";
	const char *end, *p = n ? memmem(reply, n, key, strlen(key)) : NULL;

	if (!p)
		return -1;
	end = reply + n;
	p += strlen(key);
	while (p < end && is_blank(*p))
		p++;
	if (p == end || !isdigit((unsigned char)*p))
		return -1;
	while (p < end && *p == '0')
		p++;
	return p < end && isdigit((unsigned char)*p);
}

/* The first "0xADDRESS" with a blank behind it; NULL, or that blank. */
static const char *
find_address(const char *p, const char *end, uint64_t *addr)
{
	const char *q;

	for (; p + 3 < end && (p = memmem(p, (size_t)(end - p), "0x", 2));
	     p += 2) {
		size_t n_significant = 0;
		uint64_t a = 0;

		for (q = p + 2; q < end && isxdigit((unsigned char)*q); q++) {
			unsigned char c = (unsigned char)*q;
			int digit =
				isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;

			n_significant += n_significant || digit;
			a = a << 4 | (unsigned)digit;
		}
		if (q == p + 2 || q == end || !is_blank(*q))
			continue;
		*addr = a;
		return n_significant <= 16 ? q : NULL;
	}
	return NULL;
}

static void
parse_line(const char *p, const char *end, symbolz_fn *fn, void *ctx)
{
	uint64_t addr;

	p = find_address(p, end, &addr);
	if (!p)
		return;
	while (p < end && is_blank(*p))
		p++;
	while (p < end && is_blank(end[-1]))
		end--;
	if (p < end)
		fn(ctx, addr, p, (size_t)(end - p));
}

void
symbolz_parse(const char *reply, size_t n, symbolz_fn *fn, void *ctx)
{
	while (n) {
		const char *eol = memchr(reply, '\n', n);
		size_t len = eol ? (size_t)(eol - reply) : n;

		parse_line(reply, reply + len, fn, ctx);
		len += eol != NULL;
		reply += len;
		n -= len;
	}
}
