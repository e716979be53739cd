/* network.c - see network.h. */
#include "config.h"

#include "network.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_TIMEOUT 120 /* seconds */

enum {
	KEY_DEBUGINFOD = CLI_GROUP + 400,
	KEY_TIMEOUT,
	KEY_TLS_CA,
	KEY_TLS_CERT,
	KEY_TLS_KEY,
};

const struct cli_opt network_opts[] = {
	CLI_HEADING("Network"),
	{ KEY_DEBUGINFOD, "debuginfod", "[URLS]",
	  "get missing files from these servers ($DEBUGINFOD_URLS)" },
	{ KEY_TIMEOUT, "timeout", "N",
	  "wait N seconds in all for servers (120)" },
	{ KEY_TLS_CERT, "tls-cert", "FILE", "certificate to show to servers" },
	{ KEY_TLS_KEY, "tls-key", "FILE", "private key of that certificate" },
	{ KEY_TLS_CA, "tls-ca", "FILE",
	  "certificates to trust, in place of the system's" },
	{ 0 }
};

void
network_init(struct network *n)
{
	*n = (struct network){ .timeout = DEFAULT_TIMEOUT };
}

bool
network_option(struct network *n, struct cli *cli, int key)
{
	switch (key) {
	case KEY_DEBUGINFOD:
		n->is_debuginfod = true;
		n->debuginfod_urls = cli->arg;
		return true;
	case KEY_TIMEOUT:
		n->timeout = (unsigned)cli_uint(cli, 1, 1000000);
		return true;
	case KEY_TLS_CA:
		n->tls_ca = cli->arg;
		return true;
	case KEY_TLS_CERT:
		n->tls_cert = cli->arg;
		return true;
	case KEY_TLS_KEY:
		n->tls_key = cli->arg;
		return true;
	default:
		return false;
	}
}

void
network_finish(struct network *n)
{
	if (n->is_debuginfod && !n->debuginfod_urls)
		n->debuginfod_urls = getenv("DEBUGINFOD_URLS");
	if (n->is_debuginfod &&
	    (!n->debuginfod_urls ||
	     !n->debuginfod_urls[strspn(n->debuginfod_urls, " \t\n")]))
		die("--debuginfod: no servers: name them, or set "
		    "DEBUGINFOD_URLS");
	if (!n->tls_cert != !n->tls_key)
		die("--tls-cert and --tls-key are given together or not at "
		    "all");
}
