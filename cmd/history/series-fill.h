/* series-fill.h - from an archive to a series: the profiles that are asked for.
 */
#ifndef HISTORY_SERIES_FILL_H
#define HISTORY_SERIES_FILL_H

#include "catalog.h"
#include "series.h"

/*
 * Add the profiles of an archive to s. PROF_EFORMAT: the cache is damaged, and
 * s holds a part of the archive.
 */
enum prof_status series_fill(struct series *s, struct catalog *a,
			     const struct question *q,
			     struct prof_err *err) MUST_USE;

#endif
