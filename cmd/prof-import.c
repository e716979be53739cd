/*
 * prof-import.c - profiles of other profilers as one stream. import/import.c
 * detects and reads inputs; each format has its file in lib/formats/exchange.
 * Under the name perf_to_profile it takes the options of that program, which
 * pprof runs.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "import/import.h"
#include "import/options.h"
#include "lib/model/profile.h"

/* Read all inputs and sum them; a single one is only canonicalized. */
static struct profile *
read_all(struct import_args *args)
{
	struct merge *sum = cli_sum_begin();
	struct profile *p;
	struct prof_err err;
	enum foreign_kind kind, last = FOREIGN_NONE;
	unsigned kinds = 0;
	const char *name;

	while ((name = import_args_input(args))) {
		if (import_read(name, &args->import, &p, &kind, &err) !=
		    PROF_OK)
			die("%s: %s", cli_name(name), err.msg);
		/* As in the run before: prof-import out.folded out.pb.gz */
		if (last && !kind && !args->cli.output)
			warn("%s: a profile already, which is added; -o %s "
			     "would write it",
			     cli_name(name), name);
		last = kind;
		kinds |= 1u << kind;
		cli_doubts(name, p);
		cli_sum_add(sum, p, name);
	}
	import_args_check(args, kinds);
	return cli_sum_end(sum);
}

int
main(int argc, char **argv)
{
	struct import_args args;
	struct profile *p;

	import_args_parse(&args, argc, argv);
	cli_sandbox(&args.cli, 0);
	p = read_all(&args);
	if (args.has_time && !p->time_ns)
		p->time_ns = args.time_ns;
	cli_write(&args.cli, p);
	profile_free(p);
	return cli_finish(&args.cli, EXIT_SUCCESS);
}
