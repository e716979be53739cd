/* gather.h - from an archive to a series: the profiles that are asked for. */
#ifndef HISTORY_GATHER_H
#define HISTORY_GATHER_H

#include "archive.h"
#include "series.h"

/*
 * Add the profiles of an archive to s. PROF_EFORMAT: the cache is damaged, and
 * s holds a part of the archive.
 */
enum prof_status gather(struct series *s, struct archive *a,
			const struct question *q,
			struct prof_err *err) MUST_USE;

#endif
