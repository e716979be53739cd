/*
 * network.h - the options of commands that may ask debuginfod servers for
 * files. Without such an option no server is asked.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>

#include "cli.h"

/* For cli_cmd.groups. */
extern const struct cli_opt network_opts[];

struct network {
	bool is_debuginfod;
	const char *debuginfod_urls;
	unsigned timeout;     /* seconds */
	const char *tls_cert; /* files, as those of net/fetch.h */
	const char *tls_key;
	const char *tls_ca;
};

void network_init(struct network *n);

/*
 * Handle option `key` if it is one of network_opts; else return false. Dies if
 * it is invalid.
 */
bool network_option(struct network *n, struct cli *cli, int key);

/* After the last option. */
void network_finish(struct network *n);

#endif
