/* refresh.h - update the cache of an archive from its files; archive.h. */
#ifndef HISTORY_REFRESH_H
#define HISTORY_REFRESH_H

#include "archive.h"

/*
 * a->walk, store and names are filled. PROF_EFORMAT: the cache is damaged.
 * After any error it is unchanged.
 */
enum prof_status refresh(struct archive *a, const struct archive_options *o,
			 struct archive_news *news,
			 struct prof_err *err) MUST_USE;

#endif
