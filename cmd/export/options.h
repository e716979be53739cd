/* export/options.h - the command line of prof-export. */
#ifndef EXPORT_OPTIONS_H
#define EXPORT_OPTIONS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "lib/formats/exchange/folded.h"

enum export_format {
	EXPORT_CALLGRIND,
	EXPORT_CPUPROFILE,
	EXPORT_FIREFOX,
	EXPORT_FOLDED,
	EXPORT_OTLP,
	EXPORT_OTLP_JSON,
	EXPORT_SPEEDSCOPE,
};

struct export_args {
	struct cli cli;
	enum export_format to;
	const char *sample_index; /* NULL: the default column */
	size_t column;            /* once the profile is read */
	const char *split_by;     /* label, or NULL */
	bool by_value, lines;
	bool pprof; /* callgrind with the bytes of pprof */
	struct folded_style folded;
};

/* Fill in *a from the command line; dies of a wrong one. */
void export_args_parse(struct export_args *a, int argc, char **argv);

#endif
