/* run.h - what prof-history does: from the options to the output. */
#ifndef HISTORY_RUN_H
#define HISTORY_RUN_H

#include "cli/cli.h"
#include "options.h"

/* Answer the question s about the operands; returns the exit status. Dies. */
int history_run(struct history_settings *s, struct cli *cli);

#endif
