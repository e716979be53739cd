/*
 * baseline.h - a folder of profiles of the main branch, as prof-gate
 * --save-baseline keeps them and --baseline takes them: 000001.pb.gz and so
 * on, in the order in which they were saved, each with a comment on where:
 *
 *	# machine: AMD EPYC 7763 64-Core Processor
 */
#ifndef GATE_BASELINE_H
#define GATE_BASELINE_H

#include <stddef.h>

#include "cli/cli.h"

struct profile;

/* The machine that p was recorded on, if it says so; else "". */
void baseline_machine(const struct profile *p, char *text, size_t size);

/* Add all operands of cli to the folder. Dies. */
void baseline_save(const char *folder, struct cli *cli);

/*
 * The newest n profiles of the folder that compare with the profile `like`
 * (NULL: standard input, which is not looked at) on this machine, the oldest
 * first; *n_found of them, then NULL: strings and array for free(). Says how
 * many builds they are of, and when there are fewer. Dies if there is none.
 */
char **baseline_find(const char *folder, size_t n, const char *like,
		     struct cli *cli, size_t *n_found);

#endif
