/*
 * symreport.h - what could not be symbolized, for people: for each mapping the
 * build-id that was wanted, the paths that were tried, why none served, and how
 * many samples are left without names for it.
 */
#ifndef SYMREPORT_H
#define SYMREPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/model/unnamed.h"

struct origins;
struct profile;
struct symreport;

/* A report on p, whose mappings are now called as it came. NULL: no memory. */
struct symreport *symreport_new(const struct profile *p);
void symreport_free(struct symreport *r);

/*
 * Notes, while p is symbolized; ctx is the struct symreport. Without memory
 * they are lost.
 */
void symreport_looking(void *ctx,
		       uint32_t mapping); /* the next ones are of it */
void symreport_tried(void *ctx, const char *path, const char *why);
void symreport_failed(void *ctx, uint32_t mapping, const char *why);

/*
 * Tell with warn(): all when is_verbose; else, when more than a tenth of the
 * samples of p is unnamed or has mostly unnamed callers, a line for each
 * mapping that has a part in it because something failed. A last line says when
 * one of the sources in o, which were not asked, may have the names. Of code
 * made by a runtime it says how to have names.
 * When has_ranges is false, a line says that ranges would show the functions of
 * stripped files.
 */
void symreport_print(const struct symreport *r, const struct profile *p,
		     const struct unnamed *u, const struct origins *o,
		     bool has_ranges, bool is_verbose);

#endif
