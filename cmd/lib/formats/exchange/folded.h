/*
 * folded.h - folded stacks, a line each: "main;work;leaf 42", as flamegraph.pl,
 * inferno, speedscope and async-profiler read and write them. doc/formats.md
 * has the dialects.
 */
#ifndef FOLDED_H
#define FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/status.h"

struct profile;

struct folded_options {
	const char *type, *unit; /* of the column; NULL: samples, count */
	double scale;            /* 0: numbers have to be whole */
	bool skip_bad;           /* pass over lines that are none */
	bool is_diff;            /* two numbers: before and after */
	bool split_places; /* "name (file:line)" is a place, as py-spy has it */
	const char *root;  /* label that the first frame becomes; NULL: none */
};

/* Is the first line that is no comment a folded stack? */
bool folded_is(const void *data, size_t n);

/*
 * Read the n bytes at data. *out is the caller's. PROF_EFORMAT names the line;
 * PROF_ENOMEM.
 */
enum prof_status folded_parse(const void *data, size_t n,
			      const struct folded_options *o,
			      struct profile **out,
			      struct prof_err *err) MUST_USE;

struct folded_style {
	bool annotate;    /* _[k], _[j], _[i] behind names, as perf's have */
	bool is_diff;     /* before and after, of a difference */
	bool is_sorted;   /* by bytes */
	bool has_headers; /* column, period and labels, for folded_parse() */
	const char *root; /* label whose value is the first frame, or NULL */
};

/* Write a column of p. PROF_EUSAGE (negative values), PROF_ENOMEM. */
enum prof_status folded_write(FILE *out, const struct profile *p, size_t column,
			      const struct folded_style *style,
			      struct prof_err *err) MUST_USE;

#endif
