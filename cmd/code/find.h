/*
 * find.h - the paths at which a source file of a profile may be on this
 * machine. In this order:
 *
 * 1. where --map sends it;
 * 2. its own path, if that is absolute;
 * 3. below the directories of the source path and, if it is relative, below
 *    their parents (pprof's rule). An absolute path is cut after the last part
 *    of such a directory, as pprof does;
 * 4. each of its suffixes below the directories, if the user named them;
 * 5. Go's own sources and its module cache, unpacked or not;
 * 6. its suffixes of two parts or more below the folders of /usr/src.
 */
#ifndef FIND_H
#define FIND_H

#include <stdbool.h>

#include "sources.h"

/* One place: a path, or with member not NULL a part of the zip file there. */
struct find_place {
	const char *path;
	const char *member;
};

/*
 * Call try() for each place of file, until it returns true. Returns whether it
 * did; false also without memory.
 */
bool find_source(const struct sources_options *o, const char *file,
		 bool (*try)(void *ctx, const struct find_place *place),
		 void *ctx);

/* The directories of o, joined by ':', into *out for free(); NULL: nowhere. */
char *find_directories(const struct sources_options *o);

#endif
