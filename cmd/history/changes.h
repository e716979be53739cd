/* changes.h - the changes of a function as text, TSV and JSON; shifts.h. */
#ifndef HISTORY_CHANGES_H
#define HISTORY_CHANGES_H

#include <stdio.h>

#include "series.h"
#include "shifts.h"

/* Below a table: a sentence for each change. */
void changes_text(const struct series *x, const struct series_fn *f,
		  const struct shifts *s, FILE *out);

/* A line for each change of f; its titles. */
void changes_tsv(const struct series *x, const struct series_fn *f,
		 const struct shifts *s, FILE *out);
extern const char changes_tsv_titles[];

/* The member "changes" and others, each with a comma before it. */
void changes_json(const struct series *x, const struct shifts *s, FILE *out);

#endif
