/* options.c - see options.h. */
#include "config.h"

#include "options.h"

#include <stdlib.h>

#include "lib/base/now.h"
#include "lib/formats/legacy/legacy.h"

#define MAX_SIZE ((size_t)1 << 30) /* of untrusted data, by default */

enum {
	KEY_SECONDS = CLI_LONG,
	KEY_TIMEOUT,
	KEY_DEADLINE,
	KEY_RETRIES,
	KEY_PARTIAL_OK,
	KEY_KEEP,
	KEY_WAIT,
	KEY_STRIP_HANDLER,
	KEY_HEADER,
	KEY_TOKEN_FILE,
	KEY_TLS_CERT,
	KEY_TLS_KEY,
	KEY_TLS_CA,
};

static const struct cli_opt opts[] = {
	{ KEY_SECONDS, "seconds", "N", "ask servers to measure for N seconds" },
	{ KEY_TIMEOUT, "timeout", "N",
	  "wait N seconds for a server (1.5 times --seconds, or 60, and 5)" },
	{ KEY_DEADLINE, "deadline", "N", "give up after N seconds in all" },
	{ KEY_RETRIES, "retries", "N",
	  "ask again, up to N times, what may pass (0)" },
	{ KEY_PARTIAL_OK, "partial-ok", NULL,
	  "succeed if any source can be read" },
	CLI_HEADING("Archives"),
	{ KEY_KEEP, "keep", "AGE",
	  "remove from the archive of -o what is older: 14d, 12h, 30m" },
	{ KEY_WAIT, "wait", "N",
	  "wait N seconds for another run to leave the archive (0)" },
	CLI_HEADING("Profiles"),
	{ KEY_STRIP_HANDLER, "strip-handler", NULL,
	  "remove what pprof takes for signal handlers from CPU profiles" },
	CLI_HEADING("Authorization"),
	{ KEY_HEADER, "header", "LINE",
	  "add this 'Name: value' to requests, or those of @FILE; again adds" },
	{ KEY_TOKEN_FILE, "token-file", "FILE",
	  "send the bearer token that FILE holds" },
	{ KEY_TLS_CERT, "tls-cert", "FILE", "certificate to show to servers" },
	{ KEY_TLS_KEY, "tls-key", "FILE", "private key of that certificate" },
	{ KEY_TLS_CA, "tls-ca", "FILE",
	  "certificates to trust, in place of the system's" },
	{ CLI_KEY_MAX_SIZE, "max-size", "SIZE",
	  "refuse what is, or inflates, past SIZE (1G)" },
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

#define PAGE "the page is a part of the address: HOST:PORT/debug/pprof/heap"

static const struct cli_hint hints[] = {
	{ "heap", PAGE },
	{ "profile", PAGE },
	{ "type", PAGE },
	{ "every", "cron runs prof-fetch at times; see prof-record --every" },
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-fetch",
	.args = "[SOURCE...]",
	.brief = "get profiles from servers (host:port, URLs) and files",
	.opts = opts,
	.hints = hints,
};

static void
take_option(struct fetch_args *args, int key)
{
	struct fetch_options *o = &args->gather.fetch;
	struct cli *cli = &args->cli;

	switch (key) {
	case KEY_SECONDS:
		o->seconds = (unsigned)cli_uint(cli, 1, 1000000);
		break;
	case KEY_TIMEOUT:
		o->timeout = (unsigned)cli_uint(cli, 1, 1000000);
		break;
	case KEY_DEADLINE:
		o->deadline = (unsigned)cli_uint(cli, 1, 1000000);
		break;
	case KEY_RETRIES:
		o->retries = (unsigned)cli_uint(cli, 0, 1000);
		break;
	case KEY_PARTIAL_OK:
		args->is_partial_ok = true;
		break;
	case KEY_KEEP:
		args->archive.keep_s = cli_age(cli);
		break;
	case KEY_WAIT:
		args->archive.wait_s = (unsigned)cli_uint(cli, 0, 1000000);
		break;
	case KEY_STRIP_HANDLER:
		args->gather.legacy_flags = LEGACY_STRIP_HANDLER;
		break;
	case KEY_HEADER:
		headers_add(&args->headers, "--header", cli->arg);
		break;
	case KEY_TOKEN_FILE:
		headers_add_token(&args->headers, cli->arg);
		break;
	case KEY_TLS_CERT:
		o->tls_cert = cli->arg;
		break;
	case KEY_TLS_KEY:
		o->tls_key = cli->arg;
		break;
	case KEY_TLS_CA:
		o->tls_ca = cli->arg;
		break;
	}
}

/* Classify the operands. */
static void
take_operands(struct fetch_args *args)
{
	struct gather *g = &args->gather;
	struct cli *cli = &args->cli;
	const char **operand, *name;
	struct prof_err err;
	size_t n = 0;

	operand = calloc((size_t)cli->n_operand + 1, sizeof(*operand));
	if (!operand)
		die_nomem();
	while ((name = cli_input(cli)))
		operand[n++] = name;
	if (fetch_objects_expand(&args->objects, operand, n, &g->fetch, &err) !=
		    PROF_OK ||
	    gather_init(g, args->objects.name, args->objects.n, &err) !=
		    PROF_OK)
		die("%s", err.msg);
	free(operand);
}

void
fetch_args_parse(struct fetch_args *args, int argc, char **argv)
{
	struct gather *g = &args->gather;
	struct cli *cli = &args->cli;
	const char *env = getenv("PROF_FETCH_HEADERS");
	int key;

	cli_init(cli, &cmd, argc, argv);
	cli->max_size = MAX_SIZE;
	while ((key = cli_option(cli)) != CLI_DONE)
		take_option(args, key);
	g->max_size = g->fetch.max_bytes = cli->max_size;
	args->is_archive = cli->output && archive_is_pattern(cli->output);
	if (!g->fetch.tls_cert != !g->fetch.tls_key)
		die("--tls-cert and --tls-key are given together or not at "
		    "all");
	if ((args->archive.keep_s || args->archive.wait_s) && !args->is_archive)
		die("--keep and --wait are for an archive: an -o with a '%%'");
	if (env && *env)
		headers_add(&args->headers, "PROF_FETCH_HEADERS", env);
	g->fetch.header = args->headers.line;
	g->fetch.n_header = args->headers.n;
	g->fetch.begun = now_seconds();
	take_operands(args);
}
