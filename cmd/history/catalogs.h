/*
 * catalogs.h - the operands of prof-history, as archives: folders, and one more
 * of all files that are named. These functions print what happened to each;
 * they die of errors.
 */
#ifndef HISTORY_CATALOGS_H
#define HISTORY_CATALOGS_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog.h"
#include "cli/cli.h"

struct catalogs {
	struct catalog *archive; /* n of them */
	size_t n;
	struct catalog_options options;
	bool is_told;
	bool has_bad;    /* files that could not be read */
	bool has_failed; /* is_told, and an archive has no cache */
	bool was_rebuilt;
};

struct catalogs_options {
	bool is_rebuild; /* as of struct catalog_options */
	bool is_told; /* print how many profiles were read; no cache is an error
		       */
	const char *index;
};

/* Open all; to end with catalogs_close(). */
void catalogs_open(struct catalogs *x, const struct cli *cli,
		   const struct catalogs_options *o);
void catalogs_close(struct catalogs *x);

/*
 * After the error st of a read of archive i: if its cache is damaged, rebuild
 * it, once; dies of other errors. All archives must be read again, and names of
 * the archive do not outlive this.
 */
void catalogs_rebuild(struct catalogs *x, size_t i, enum prof_status st,
		      const struct prof_err *err);

#endif
