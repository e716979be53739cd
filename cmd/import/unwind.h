/*
 * import/unwind.h - the unwinder of cmd/unwind for recordings with copies of
 * stacks: files are read once each, however many processes run them.
 */
#ifndef IMPORT_UNWIND_H
#define IMPORT_UNWIND_H

#include "lib/formats/perf/perf.h"

struct import_unwind;

/* For import_unwind_free(), and what perf_options wants; NULL without memory.
 */
struct import_unwind *import_unwind_new(void);
const struct perf_unwind *import_unwind_of(const struct import_unwind *u);

/* Doubt p for files that could not be read, or were other builds than ran. */
void import_unwind_tell(const struct import_unwind *u, struct profile *p);
void import_unwind_free(struct import_unwind *u);

#endif
