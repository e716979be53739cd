/*
 * filter.c - any profile through every filter. The result must obey the rules
 * of the model, and survive a round trip.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/model/types.h"
#include "lib/ops/anonymous.h"
#include "lib/ops/filter.h"
#include "lib/ops/pgo.h"
#include "lib/ops/split.h"
#include "lib/ops/tagfilter.h"
#include "lib/ops/tags.h"
#include "lib/wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A test without patterns: strings of some lengths pass. */
static enum prof_status
by_length(void *ctx, const char *s, size_t n, bool *passes,
	  struct prof_err *err)
{
	const unsigned char *bits = ctx;

	(void)s;
	(void)err;
	*passes = *bits >> (n % 8) & 1;
	return PROF_OK;
}

static void
short_name(void *ctx, const char *s, size_t n, char out[ANONYMOUS_MAX])
{
	(void)ctx;
	out[0] = 'x';
	out[1] = n ? s[n - 1] : 'y';
	out[2] = '\0';
}

static void
must_be_valid(const struct profile *p)
{
	struct buf raw = { 0 };
	struct profile *q;
	struct prof_err err;

	if (profile_check(p, &err) != PROF_OK ||
	    profile_encode(p, &raw, &err) != PROF_OK ||
	    profile_decode(raw.data, raw.n, &q, &err) != PROF_OK)
		abort();
	profile_free(q);
	buf_release(&raw);
}

static void
split_and_check(const struct profile *p)
{
	struct split split;
	struct prof_err err;
	size_t n = 0;

	if (split_init(&split, p, "user", 20, &err) == PROF_OK) {
		for (size_t i = 0; i < split.n_part; i++) {
			char name[SPLIT_NAME_MAX];
			struct profile *part;

			split_name(&split, i, name);
			if (!*name || strchr(name, '/'))
				abort();
			n += split.part[i].n;
			if (split_part(&split, i, &part, &err) == PROF_OK)
				must_be_valid(part);
			profile_free(part);
		}
		if (n != p->n_sample)
			abort();
	}
	split_release(&split);
}

/* Apply the filters whose bits are set, one after the other. */
static enum prof_status
apply(struct profile *p, unsigned which, unsigned char bits)
{
	char user[] = "user", bytes[] = "bytes";
	char *keys[] = { user, bytes };
	struct filter_test t = { by_length, &bits };
	struct tag_filter tag = { .test = { t }, .n_test = 1 };
	struct filter_names names = { which & 1 ? &t : NULL,
				      which & 2 ? &t : NULL,
				      which & 4 ? &t : NULL,
				      which & 8 ? &t : NULL };
	struct anonymous_hash hash = { short_name, NULL };
	struct filter_found hits;
	struct prof_err err;
	enum prof_status st;
	bool found[2];

	st = filter_by_name(p, &names, &hits, &err);
	if (st == PROF_OK && which & 0x10)
		st = profile_prune(p, &t, which & 1 ? &t : NULL, &err);
	if (st == PROF_OK && which & 0x20)
		st = filter_show_from(p, &t, found, &err);
	if (st == PROF_OK && which & 0x40)
		st = filter_prune_from(p, &t, &err);
	if (st == PROF_OK && which & 0x80)
		st = tags_frames(p, keys, 2, keys, 1, "auto", found, &err);
	if (st == PROF_OK && which & 0x100)
		st = filter_by_tag(p, &tag, NULL, found, &err);
	if (st == PROF_OK && which & 0x200)
		st = tags_filter(p, NULL, &t, found, &err);
	if (st == PROF_OK && which & 0x400)
		st = tags_rename(p, "user", "bytes", found, &err);
	if (st == PROF_OK && which & 0x800)
		st = profile_anonymize(p, &hash, &err);
	if (st == PROF_OK && which & 0x1000 && p->n_type)
		st = types_choose(p, "0", NULL, &err);
	return st;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *p, *q;
	struct prof_err err;
	unsigned which;

	if (n < 3 || profile_decode(data + 3, n - 3, &p, &err) != PROF_OK)
		return 0;
	which = data[0] | (unsigned)data[1] << 8;
	if (apply(p, which, data[2]) == PROF_OK) {
		must_be_valid(p);
		split_and_check(p);
		if (which & 0x2000 && profile_pgo(p, &q, &err) == PROF_OK) {
			must_be_valid(q);
			profile_free(q);
		}
	}
	profile_free(p);
	return 0;
}
