/*
 * speedscope.h - the JSON that speedscope reads: stacks with weights, a profile
 * for each column. https://www.speedscope.app/file-format-schema.json
 */
#ifndef SPEEDSCOPE_H
#define SPEEDSCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/status.h"

struct profile;

struct speedscope_style {
	const char *version;  /* of this program */
	const char *split_by; /* label: a profile for each value; or NULL */
	size_t column;        /* the one that is shown first */
	bool by_value;        /* samples largest first */
	bool lines;           /* frames have the line that ran */
};

/* Write all columns of p. PROF_EUSAGE: negative values; PROF_ENOMEM. */
enum prof_status speedscope_write(FILE *out, const struct profile *p,
				  const struct speedscope_style *style,
				  struct prof_err *err) MUST_USE;

#endif
