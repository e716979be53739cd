/* options.h - the options and operands of prof-fetch. */
#ifndef FETCH_OPTIONS_H
#define FETCH_OPTIONS_H

#include <stdbool.h>

#include "archive/archive.h"
#include "cli/cli.h"
#include "gather.h"
#include "headers.h"
#include "objects.h"

struct fetch_args {
	struct cli cli;
	struct headers headers; /* of all requests; gather.fetch has them */
	struct fetch_objects objects; /* for the operands */
	struct gather gather; /* with its items; take and ctx are not set */
	struct archive_options archive; /* without the time */
	bool is_archive;                /* -o names one */
	bool is_partial_ok;
};

/*
 * Parse the command line into args, which is all 0; gather_release(),
 * fetch_objects_release() and cli_finish() end it. Dies.
 */
void fetch_args_parse(struct fetch_args *args, int argc, char **argv);

#endif
