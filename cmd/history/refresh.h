/* refresh.h - update the cache of an archive from its files; catalog.h. */
#ifndef HISTORY_REFRESH_H
#define HISTORY_REFRESH_H

#include "catalog.h"

/*
 * a->walk, store and names are filled. PROF_EFORMAT: the cache is damaged.
 * After any error it is unchanged.
 */
enum prof_status refresh(struct catalog *a, const struct catalog_options *o,
			 struct catalog_news *news,
			 struct prof_err *err) MUST_USE;

#endif
