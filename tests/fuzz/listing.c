/*
 * listing.c - the listing of any profile that decodes. The first byte selects
 * the options; the rest is a profile. Checks the contract of listing.h: the
 * order of blocks and lines, and their ranges.
 */
#include "config.h"

#include <stdlib.h>

#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/listing.h"
#include "lib/wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Stands for a pattern. */
static bool
is_even(const struct str *name, void *ctx)
{
	const uint8_t *options = ctx;

	return *options & 1 || !(name->len & 1);
}

static void
check_block(const struct listing *l, const struct listing_block *b)
{
	const struct listing_line *v = l->line + b->line;

	if (!b->n_line || b->line > l->n_line ||
	    b->n_line > l->n_line - b->line || b->first < 1 ||
	    b->location >= l->frames->p->n_location)
		abort();
	for (size_t i = 0; i < b->n_line; i++) {
		if (i && v[i].line <= v[i - 1].line)
			abort();
		if (v[i].line > b->last)
			abort();
	}
}

static void
check(const struct listing *l)
{
	const struct strtab *t = &l->frames->strings;

	for (size_t i = 0; i < l->n_block; i++) {
		const struct listing_block *b = &l->block[i];
		int r = i ? strtab_cmp(t, b[-1].name, b->name) : -1;

		if (r > 0 ||
		    (r == 0 && strtab_cmp(t, b[-1].file, b->file) >= 0))
			abort();
		check_block(l, b);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct frames_options by = { .granularity = BY_LINE,
				     .by_object = true };
	struct graph_options o = { 0 };
	uint8_t options = n ? data[0] : 0;
	struct listing *l = NULL;
	struct frames *f = NULL;
	struct profile *p;

	if (!n || profile_decode(data + 1, n - 1, &p, NULL) != PROF_OK)
		return 0;
	by.no_inlines = options & 2;
	o.mean = options & 4;
	o.drop_negative = options & 8;
	if (p->n_type && frames_new(p, &by, &f, NULL) == PROF_OK &&
	    listing_new(f, &o, options & 16, is_even, &options, &l, NULL) ==
		    PROF_OK)
		check(l);
	listing_free(l);
	frames_free(f);
	profile_free(p);
	return 0;
}
