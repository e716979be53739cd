/* json.h - functions over time for programs: profpipe.history/1. */
#ifndef HISTORY_JSON_H
#define HISTORY_JSON_H

#include <stdio.h>

#include "options.h"
#include "series.h"
#include "shifts.h"

void json_series(const struct series *x, const struct history_settings *s,
		 const struct shifts *shifts, FILE *out);

#endif
