/*
 * network.h - what prof-symbolize may ask of other machines: nothing, unless
 * an option says so: the author of a profile chose the servers named in it.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>

#include "cli/cli.h"
#include "net/fetch.h"

/* For cli_cmd.groups. */
extern const struct cli_opt network_opts[];

struct network {
	bool is_remote;     /* names come from the profiled servers, too */
	const char *server; /* which is this one; NULL: the profile says */
	bool is_debuginfod;
	const char *debuginfod_urls;
	struct fetch_options fetch; /* its timeout is for each of the two */
};

void network_init(struct network *n);

/*
 * Act on option `key` if it is one of network_opts; else return false. Dies
 * when it is wrong.
 */
bool network_option(struct network *n, struct cli *cli, int key);

/* After the last option. */
void network_finish(struct network *n);

#endif
