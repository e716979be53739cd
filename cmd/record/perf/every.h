/*
 * every.h - a recording without end, as files of an archive: one for each
 * period, named by its start. Periods end at multiples of their length on the
 * clock of the machine, so those of a fleet are the same.
 */
#ifndef PERF_EVERY_H
#define PERF_EVERY_H

#include <stdbool.h>
#include <stdint.h>

struct cli;
struct recording;

struct every {
	const struct cli *cli;
	struct recording *recording;
	int64_t seconds; /* the length of a period */
	int64_t keep_s;  /* as in struct archive_options */

	/* Private to every.c: the period, by both clocks. */
	int64_t begin_s, limit_s;
	int64_t start_ns;
};

/* Begin with the first four members set. Dies if cli->output does not name an
 * archive in which files can be made. */
void every_begin(struct every *e);

/* Is the period over? Also if the clock was set, or the machine slept. */
bool every_is_over(const struct every *e);

/*
 * Write the period's file, and begin the next period. If that fails, there is a
 * message, and the samples stay for the next file, as long as there is room.
 * Returns false then.
 */
bool every_write(struct every *e);

#endif
