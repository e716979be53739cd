/*
 * tagfilter.h - pprof's tagfocus and tagignore: select samples by a label,
 * [KEY=]EXPR, where EXPR is a range of numbers or a list of patterns.
 */
#ifndef TAGFILTER_H
#define TAGFILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"
#include "lib/model/measure.h"

enum { TAG_MAX_TEST = 64 };

/* Ends included; has_low or has_high is false where the range is open. */
struct tag_range {
	bool has_low, has_high;
	struct measure low, high; /* each of the unit `unit` */
	char unit[32];
	char text[64]; /* as given, for messages; may be cut */
};

/*
 * Parse N, N:, :N or N:M, where N is an integer and a unit. M without a unit
 * has that of N. *is_range is false for any other text, which is a list of
 * patterns. PROF_EUSAGE: an ambiguous or impossible range, such as 0:256B (256
 * bytes or 256?) or 1kb:2s, or a number too large.
 */
enum prof_status tag_range_parse(const char *text, struct tag_range *out,
				 bool *is_range, struct prof_err *err) MUST_USE;

/*
 * A range accepts a sample if some number of the key (NULL: of any key) lies in
 * it. A number whose unit has a family never lies in a range without a unit;
 * with a key that is an error, because users write bytes=1024 for 1024bytes.
 * Tests accept a sample, with a key, if some string of that key passes some
 * test; without a key, if each test is passed by some text "key:string". Only
 * a filter with its key sees the mark of a base (labels.h: base_mark).
 */
struct tag_filter {
	const char *key; /* or NULL */
	bool is_range;
	struct tag_range range;
	struct filter_test test[TAG_MAX_TEST];
	size_t n_test;
};

/*
 * Keep the samples that focus accepts and ignore does not; either may be NULL.
 * found tells for each whether it accepted any sample. PROF_EUSAGE, and errors
 * of the tests.
 */
enum prof_status filter_by_tag(struct profile *p,
			       const struct tag_filter *focus,
			       const struct tag_filter *ignore, bool found[2],
			       struct prof_err *err) MUST_USE;

#endif
