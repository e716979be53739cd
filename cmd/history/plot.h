/*
 * plot.h - functions over time as one SVG: a panel for each function, with its
 * shares as a line, where builds were first seen, and the changes. Plain and
 * self-contained; a point has its numbers as a tooltip. The same answer gives
 * the same bytes.
 */
#ifndef HISTORY_PLOT_H
#define HISTORY_PLOT_H

#include <stdio.h>

#include "options.h"
#include "series.h"
#include "shifts.h"

/* shifts: the changes of each function, or NULL. */
void plot_series(const struct series *x, const struct history_settings *s,
		 const struct shifts *shifts, FILE *out);

#endif
