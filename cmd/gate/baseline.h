/*
 * baseline.h - a folder of profiles of the main branch, written by prof-gate
 * --save-baseline and read by --baseline: 000001.pb.gz and so on, in the order
 * in which they were saved, each with a comment that names the machine:
 *
 *	# machine: AMD EPYC 7763 64-Core Processor
 */
#ifndef GATE_BASELINE_H
#define GATE_BASELINE_H

#include <stddef.h>

#include "cli/cli.h"

struct profile;

/* The machine that p was recorded on; "" if unknown. */
void baseline_machine(const struct profile *p, char *text, size_t size);

/* Add all operands of cli to the folder. Dies. */
void baseline_save(const char *folder, struct cli *cli);

/*
 * The newest n profiles of each of the newest n_session sessions of the folder
 * that compare with the profile `like` (NULL: standard input, which is not
 * read) on this machine, oldest first.
 * *n_found strings, then NULL; the caller frees the strings and the array.
 * Prints how many builds they are from, and whether there are fewer than n.
 * Dies if there is none.
 */
char **baseline_find(const char *folder, size_t n_session, size_t n,
		     const char *like, struct cli *cli, size_t *n_found);

#endif
