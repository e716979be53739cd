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

#endif
