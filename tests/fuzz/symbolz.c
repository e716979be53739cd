/*
 * symbolz.c - any bytes as the answer of a symbol server, and as the comment of
 * a profile with its origin.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/symbolz.h"
#include "lib/model/origin.h"
#include "lib/model/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct reply {
	const char *begin, *end;
};

static void
take(void *ctx, uint64_t addr, const char *name, size_t len)
{
	const struct reply *r = ctx;

	(void)addr;
	if (len == 0 || name < r->begin || name + len > r->end ||
	    memchr(name, '\n', len))
		abort();
}

static void
ask(const char *url)
{
	char *page = symbolz_url(url);

	if (page && (!strstr(page, "://") || !strstr(page, "/symbol")))
		abort();
	free(page);
}

static void
read_comment(const char *text)
{
	struct profile *p = profile_new();
	struct mapping m = { 0 };
	struct origins o;

	if (p && profile_add_mapping(p, &m) == 0 &&
	    profile_add_comment(p, text) == 0 &&
	    origins_read(&o, p, NULL) == PROF_OK) {
		if (origins_find(&o, p, 0, SIZE_MAX) != o.n)
			abort();
		for (size_t i = 0; i < o.n; i++)
			ask(o.origin[i].url);
		origins_release(&o);
	}
	profile_free(p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char title[] = "# source: ";
	const char *reply = (const char *)data;
	struct reply r = { reply, reply + n };
	char *text = malloc(sizeof(title) + n);

	if (!text)
		return 0;
	symbolz_parse(reply, n, take, &r);
	symbolz_probe(reply, n);
	memcpy(text, title, sizeof(title) - 1);
	memcpy(text + sizeof(title) - 1, data, n);
	text[sizeof(title) - 1 + n] = '\0';
	read_comment(text);
	ask(text + sizeof(title) - 1);
	free(text);
	return 0;
}
