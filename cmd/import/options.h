/* import/options.h - the command line of prof-import, and of perf_to_profile.
 */
#ifndef IMPORT_OPTIONS_H
#define IMPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "import.h"

struct import_args {
	struct cli cli;
	struct import_options import;
	const char *input; /* of perf_to_profile's -i; NULL: the operands */
	bool is_read;      /* ... and it was given out */
	bool has_time;
	int64_t time_ns; /* of the profile, unless its format tells */
	unsigned given;  /* options: a bit for each */
};

/* Fill in *a from the command line; dies of a wrong one. */
void import_args_parse(struct import_args *a, int argc, char **argv);

/* Die of an option that does nothing for inputs of these kinds: a bit each. */
void import_args_check(const struct import_args *a, unsigned kinds);

/* The next input, NULL after the last. */
const char *import_args_input(struct import_args *a);

#endif
