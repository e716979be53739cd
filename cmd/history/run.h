/* run.h - what prof-history does: from the options to the output. */
#ifndef HISTORY_RUN_H
#define HISTORY_RUN_H

#include "cli/cli.h"
#include "options.h"

/* Do what s asks of the operands: the exit status. Dies. */
int history_run(struct history_settings *s, struct cli *cli);

#endif
