/*
 * weblist.h - a source page: source lines, each of which opens to the
 * instructions that it became. One file, readable without scripts, that loads
 * nothing: its content policy allows its own script and style, by their hashes,
 * and no more.
 */
#ifndef WEBLIST_H
#define WEBLIST_H

#include <stdio.h>

#include "lib/base/status.h"

struct report;
struct sections;
struct sources;

/* The page. PROF_ENOMEM. */
enum prof_status weblist_page(FILE *out, const struct report *r,
			      const struct sections *s, struct sources *sources,
			      struct prof_err *err) MUST_USE;

#endif
