/*
 * symreport.h - report what could not be symbolized: for each mapping the
 * wanted build-id, the paths that were tried and why they did not match, and
 * the share of samples left without names.
 */
#ifndef SYMREPORT_H
#define SYMREPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/model/unnamed.h"

struct origins;
struct profile;
struct symreport;

/*
 * A report on p, before symbolization renames its mappings; binary, or NULL, is
 * the file that will be that of the first, and outlives the report. NULL
 * without memory.
 */
struct symreport *symreport_new(const struct profile *p, const char *binary);
void symreport_free(struct symreport *r);

/*
 * Record events while p is symbolized; ctx is the struct symreport. Without
 * memory they are lost.
 */
void symreport_looking(void *ctx,
		       uint32_t mapping); /* later events are of this mapping */
void symreport_tried(void *ctx, const char *path, const char *why);
void symreport_failed(void *ctx, uint32_t mapping, const char *why);

/*
 * Print with warn(). If is_verbose, everything. Otherwise, if more than a tenth
 * of the samples of p is unnamed or has mostly unnamed callers, a line for each
 * mapping where a failure contributed to that; else one, for the mapping that
 * lacks most names because of a file that is there. A last line tells if one of
 * the sources in o, which were not asked, may have the names. For code compiled
 * by a runtime, it prints the option that provides names. Unless has_ranges, a
 * line tells that ranges would show the functions of stripped files.
 */
void symreport_print(const struct symreport *r, const struct profile *p,
		     const struct unnamed *u, const struct origins *o,
		     bool has_ranges, bool is_verbose);

#endif
