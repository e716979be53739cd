/* print.h - the answers of prof-history as text, TSV and JSON. */
#ifndef HISTORY_PRINT_H
#define HISTORY_PRINT_H

#include <stdio.h>

#include "options.h"
#include "series.h"
#include "shifts.h"

/*
 * Functions over time, or over what s->q.by says, in s->format. shifts: the
 * changes of each function, or NULL.
 */
void print_series(const struct series *x, const struct history_settings *s,
		  const struct shifts *shifts, FILE *out);

/* profpipe.history/1; in json.c. */
void print_json(const struct series *x, const struct history_settings *s,
		const struct shifts *shifts, FILE *out);

/* The name of what the rows are: "day", a label. */
const char *print_by(const struct question *q);

/* The share of a function in a bucket; 0 of nothing is 0. */
double print_share(const struct series *x, const struct series_fn *f, size_t i,
		   bool is_flat);

#endif
