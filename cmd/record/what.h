/*
 * what.h - the options of prof-record that say what is profiled besides
 * CPU time.
 */
#ifndef RECORD_WHAT_H
#define RECORD_WHAT_H

#include <stdbool.h>

#include "cli/cli.h"
#include "drain.h"

/* Their rows: a group of the command's table. */
extern const struct cli_opt record_what_opts[];

/*
 * Act on option key: fill in c, and add the profile that is asked for to
 * *asked, 1 << an enum tally_kind. False if it is none of these. Dies.
 */
bool record_what_option(const struct cli *cli, int key, struct drain_config *c,
			unsigned *asked);

/*
 * What the profile of the whole run is about. If it is served there may be
 * several beside CPU time, which that profile then is about; else dies of them.
 */
enum tally_kind record_what_kind(struct drain_config *c, unsigned asked,
				 bool is_served);

#endif
