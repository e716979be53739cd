/*
 * sandbox.h - what a command can't need is taken from it before it reads
 * (landlock(7)): to write but where its output goes, to execute programs, to
 * connect, and to read but what its command line names. Kernels without that
 * leave the rights as they are; $PROF_SANDBOX=0 does, too.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "cli.h"

/* What a command does beside reading files and writing its output. */
enum {
	SANDBOX_NAMED = 1,   /* less: it reads only what its words name */
	SANDBOX_CACHES = 2,  /* it keeps what it found in the user's caches */
	SANDBOX_NETWORK = 4, /* it asks servers, and keeps their answers */
};

/* After the options are parsed, and before input is. */
void cli_sandbox(const struct cli *cli, unsigned needs);

/* The version of landlock(7) that would be used; 0: none. */
int sandbox_version(void);

#endif
