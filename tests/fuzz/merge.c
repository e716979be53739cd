/*
 * merge.c - two profiles, added and subtracted. The first four bytes are the
 * options and, in three, the size of the first message; both orders of adding
 * must give the same bytes, and all results obey the rules of the model.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/ops/diff.h"
#include "lib/ops/merge.h"
#include "lib/wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct buf
encoded(const struct profile *p)
{
	struct buf raw = { 0 };
	struct prof_err err;

	if (profile_check(p, &err) != PROF_OK ||
	    profile_encode(p, &raw, &err) != PROF_OK)
		abort();
	return raw;
}

/* The sum, encoded; nothing if the two cannot be added. */
static struct buf
sum(const struct profile *a, const struct profile *b, enum columns_mode mode,
    int weight)
{
	struct merge *m = merge_new(mode);
	struct buf raw = { 0 };
	struct profile *out;
	struct prof_err err;

	if (!m)
		abort();
	if (merge_add(m, a, weight, &err) == PROF_OK &&
	    merge_add(m, b, weight, &err) == PROF_OK &&
	    merge_result(m, &out, NULL, &err) == PROF_OK) {
		raw = encoded(out);
		profile_free(out);
	}
	merge_free(m);
	return raw;
}

static void
add(const struct profile *a, const struct profile *b, unsigned char bits)
{
	const enum columns_mode mode =
		bits & 1 ? COLUMNS_UNION : COLUMNS_COMMON;
	const int weight = bits & 2 ? -3 : 1;
	struct buf one = sum(a, b, mode, weight),
		   other = sum(b, a, mode, weight);

	if (one.n != other.n || (one.n && memcmp(one.data, other.data, one.n)))
		abort();
	buf_release(&one);
	buf_release(&other);
}

static void
subtract(struct profile *base, struct profile *new, unsigned char bits)
{
	const struct diff_opts o = {
		.kind = bits & 1 ? DIFF_LABEL : DIFF_SUBTRACT,
		.scale = (enum diff_scale)((bits >> 2 & 7) % 5),
		.ops = 1.5,
		.delta = bits & 0x20,
		.verdict = bits & 0x40,
	};
	struct diff_notes notes;
	struct profile *out;
	struct prof_err err;

	if (profile_diff(base, new, &o, &out, &notes, &err) == PROF_OK) {
		struct buf raw = encoded(out);

		buf_release(&raw);
		profile_free(out);
	} else if (!err.msg[0]) {
		abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *a, *b;
	struct prof_err err;
	size_t first;

	if (n < 4)
		return 0;
	first = (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3];
	if (first > n - 4 ||
	    profile_decode(data + 4, first, &a, &err) != PROF_OK)
		return 0;
	if (profile_decode(data + 4 + first, n - 4 - first, &b, &err) ==
	    PROF_OK) {
		add(a, b, data[0]);
		subtract(a, b, data[0]);
		profile_free(b);
	}
	profile_free(a);
	return 0;
}
