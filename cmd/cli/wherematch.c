/* wherematch.c - see wherematch.h. */
#include "config.h"

#include "wherematch.h"

#include <stdlib.h>
#include <string.h>

#include "match.h"

static enum prof_status
compile(void *ctx, const char *pattern, struct filter_test *out,
	struct prof_err *err)
{
	struct wherematch *w = ctx;
	struct match **grown =
		reallocarray(w->pattern, w->n_pattern + 1, sizeof(*grown));
	enum prof_status st;

	if (!grown)
		return prof_nomem(err);
	w->pattern = grown;
	st = match_new("where", pattern, 0, &grown[w->n_pattern], err);
	if (st == PROF_OK)
		*out = match_test(grown[w->n_pattern++]);
	return st;
}

enum prof_status
wherematch_parse(struct wherematch *w, const char *text, struct prof_err *err)
{
	const struct where_patterns patterns = { compile, w };

	wherematch_release(w);
	return where_parse(text, &patterns, &w->where, err);
}

void
wherematch_release(struct wherematch *w)
{
	where_free(w->where);
	for (size_t i = 0; i < w->n_pattern; i++)
		match_free(w->pattern[i]);
	free(w->pattern);
	memset(w, 0, sizeof(*w));
}
