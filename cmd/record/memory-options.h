/* memory-options.h - the options of prof-record for profiles of memory and
 * locks. */
#ifndef RECORD_MEMORY_OPTIONS_H
#define RECORD_MEMORY_OPTIONS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "drain.h"

/* The rows of the options: a group of the command's table. */
extern const struct cli_opt memory_opts[];

/*
 * Handle option key: fill in c, and add the requested profile to *asked, 1 <<
 * an enum tally_kind. False: it is none of these. Dies.
 */
bool memory_option(const struct cli *cli, int key, struct drain_config *c,
		   unsigned *asked);

/*
 * The kind of the profile of the whole run. If profiles are served, several
 * kinds may be asked for, and then the whole run's is of CPU time; else dies if
 * there are several. is_timed: -F or --clock was given; warns if it has no
 * effect.
 */
enum tally_kind kind_of_run(struct drain_config *c, unsigned asked,
			    bool is_timed, bool is_served);

#endif
