/* refresh.h - make the cache of an archive agree with its files; archive.h. */
#ifndef HISTORY_REFRESH_H
#define HISTORY_REFRESH_H

#include "archive.h"

/*
 * a->walk, store and names are there. PROF_EFORMAT: the cache is damaged; then,
 * and after any other error, it is as it was.
 */
enum prof_status refresh(struct archive *a, const struct archive_options *o,
			 struct archive_news *news,
			 struct prof_err *err) MUST_USE;

#endif
