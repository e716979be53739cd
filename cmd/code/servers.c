/* servers.c - see servers.h. */
#include "config.h"

#include "servers.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "cli/network.h"
#include "symbols/net/debuginfod.h"

struct servers {
	struct debuginfod_options o;
	struct debuginfod *debuginfod;
};

struct servers *
servers_open(const struct network *n, size_t max_bytes)
{
	struct servers *s;
	struct prof_err err;

	if (!n->is_debuginfod)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		die_nomem();
	s->o = (struct debuginfod_options){
		.urls = n->debuginfod_urls,
		.fetch = { .timeout = n->timeout,
			   .max_bytes = max_bytes,
			   .tls_cert = n->tls_cert,
			   .tls_key = n->tls_key,
			   .tls_ca = n->tls_ca },
		.warn = warn,
	};
	if (debuginfod_new(&s->o, &s->debuginfod, &err) != PROF_OK)
		die("--debuginfod: %s", err.msg);
	return s;
}

void
servers_close(struct servers *s)
{
	if (!s)
		return;
	debuginfod_free(s->debuginfod);
	free(s);
}

char *
servers_binary(void *ctx, const char *build_id, bool want_debug)
{
	const struct servers *s = ctx;

	return debuginfod_find(s->debuginfod, build_id, want_debug);
}

char *
servers_source(void *ctx, const char *build_id, const char *path)
{
	const struct servers *s = ctx;

	return debuginfod_find_source(s->debuginfod, build_id, path);
}
