/*
 * archive-walk.h - the folders of an archive that are due: YYYY-MM-DD at any
 * depth, and HH in these. Hours come before their day, so that an old day is
 * the sum of its hours.
 */
#ifndef THIN_ARCHIVE_WALK_H
#define THIN_ARCHIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

#define WALK_DAY 16 /* room for YYYY-MM-DD */

struct walk {
	struct cli *cli;
	const char *path; /* of the archive, for messages */
	int fd;
	char last_minutes[WALK_DAY]; /* hours of days before it are summed */
	char last_hours[WALK_DAY];   /* ... and whole days before this one */
	size_t max_size;             /* of a profile, inflated */
	bool is_dry;                 /* print the folders, and change nothing */
	bool has_failed;             /* a folder was not summed, and named */
};

/* Sum, or print, all that is due. What fails is named, and the rest done. */
void walk_due(struct walk *w);

#endif
