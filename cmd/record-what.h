/*
 * record-what.h - the options of prof-record that say what is profiled besides
 * CPU time.
 */
#ifndef RECORD_WHAT_H
#define RECORD_WHAT_H

#include <stdbool.h>

#include "cli.h"
#include "drain.h"

/* Their rows: a group of the command's table. */
extern const struct cli_opt record_what_opts[];

/*
 * Act on option key: fill in c and *kind, which profile is asked for. False if
 * it is none of these. Dies.
 */
bool record_what_option(const struct cli *cli, int key, struct drain_config *c,
			enum tally_kind *kind);

#endif
