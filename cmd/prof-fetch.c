/*
 * prof-fetch.c - get profiles from servers and files, in any format, as one
 * stream. What an operand means is in source.c, fetching in fetch.c, formats in
 * lib/stream.c and lib/legacy.c.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "fetch.h"
#include "lib/legacy.h"
#include "lib/merge.h"
#include "lib/origin.h"
#include "lib/profile.h"

enum {
	KEY_SECONDS = CLI_LONG,
	KEY_TIMEOUT,
	KEY_DEADLINE,
	KEY_RETRIES,
	KEY_PARTIAL_OK,
	KEY_STRIP_HANDLER,
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
	{ KEY_STRIP_HANDLER, "strip-handler", NULL,
	  "remove what pprof takes for signal handlers from CPU profiles" },
	{ KEY_TLS_CERT, "tls-cert", "FILE", "certificate to show to servers" },
	{ KEY_TLS_KEY, "tls-key", "FILE", "private key of that certificate" },
	{ KEY_TLS_CA, "tls-ca", "FILE",
	  "certificates to trust, in place of the system's" },
	CLI_READ_OPTS,
	CLI_WRITE_OPTS,
	CLI_COMMON_OPTS,
	{ 0 },
};

static const struct cli_cmd cmd = {
	.name = "prof-fetch",
	.args = "[SOURCE...]",
	.brief = "get profiles from servers (host:port, URLs) and files",
	.opts = opts,
};

/* One operand. */
struct input {
	const char *name;    /* as it was given, for messages */
	char *safe_name;     /* instead, when that has a password */
	struct fetch *fetch; /* NULL: a file */
};

struct job {
	struct cli cli;
	struct fetch_options options;
	bool is_partial_ok;
	unsigned legacy_flags;
	struct input *input;
	size_t n_input;
	struct fetch *fetch; /* those of inputs, side by side */
	size_t n_fetch;
};

static void
parse_options(struct job *job, int argc, char **argv)
{
	struct cli *cli = &job->cli;
	struct fetch_options *o = &job->options;
	int key;

	cli_init(cli, &cmd, argc, argv);
	while ((key = cli_option(cli)) != CLI_DONE) {
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
			job->is_partial_ok = true;
			break;
		case KEY_STRIP_HANDLER:
			job->legacy_flags = LEGACY_STRIP_HANDLER;
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
	o->max_bytes = cli->max_size;
	if (!o->tls_cert != !o->tls_key)
		die("--tls-cert and --tls-key are given together or not at "
		    "all");
}

/* What names a file is one, whatever it looks like. */
static void
classify(struct job *job, struct input *in)
{
	struct fetch *f = &job->fetch[job->n_fetch];
	struct prof_err err;
	struct stat sb;

	if (!strcmp(in->name, "-") || stat(in->name, &sb) == 0)
		return;
	switch (source_parse(&f->source, in->name, &err)) {
	case PROF_OK:
		in->fetch = f;
		job->n_fetch++;
		break;
	case PROF_EUSAGE:
		return; /* opening it says what is wrong */
	default:
		die("%s: %s", in->name, err.msg);
	}
	if (*f->source.user) {
		in->safe_name = source_url(&f->source, NULL, 0, false);
		if (!in->safe_name)
			die("out of memory");
		in->name = in->safe_name;
	}
}

static void
take_operands(struct job *job)
{
	size_t max = (size_t)job->cli.n_operand + 1;
	const char *name;

	job->input = calloc(max, sizeof(*job->input));
	job->fetch = calloc(max, sizeof(*job->fetch));
	if (!job->input || !job->fetch)
		die("out of memory");
	while ((name = cli_input(&job->cli))) {
		struct input *in = &job->input[job->n_input++];

		in->name = name;
		classify(job, in);
	}
}

/* Replaced every time, and wiped away at the end. */
static void
show_waiting(size_t n_done, size_t n, double elapsed_s, double left_s,
	     void *ctx)
{
	(void)ctx;
	if (left_s >= 0)
		fprintf(stderr,
			"\rprof-fetch: %zu of %zu fetched, %.0f s left ",
			n_done, n, left_s);
	else
		fprintf(stderr, "\rprof-fetch: %zu of %zu fetched, %.0f s ",
			n_done, n, elapsed_s);
}

static void
fetch_sources(struct job *job)
{
	bool is_shown = !job->cli.is_quiet && isatty(STDERR_FILENO);

	if (is_shown)
		job->options.waiting = show_waiting;
	fetch_all(job->fetch, job->n_fetch, &job->options);
	if (is_shown)
		fprintf(stderr, "\r%60s\r", "");
}

static enum prof_status
read_raw(struct job *job, const struct input *in, struct buf *raw,
	 struct prof_err *err)
{
	enum prof_status st;
	int fd;

	if (in->fetch) {
		*err = in->fetch->err;
		if (in->fetch->status != PROF_OK)
			return in->fetch->status;
		return stream_inflate(in->fetch->body.data, in->fetch->body.n,
				      job->cli.max_size, raw, err);
	}
	fd = cli_try_open(in->name, err);
	if (fd < 0)
		return PROF_EIO;
	st = stream_read(fd, job->cli.max_size, raw, err);
	if (fd > 0)
		close(fd);
	return st;
}

static enum prof_status
read_input(struct job *job, const struct input *in, struct profile **out,
	   struct prof_err *err)
{
	struct buf raw = { 0 };
	enum prof_status st = read_raw(job, in, &raw, err);

	*out = NULL;
	if (st == PROF_OK && legacy_sniff(raw.data, raw.n) == LEGACY_CPU)
		st = legacy_parse(raw.data, raw.n, job->legacy_flags, out, err);
	else if (st == PROF_OK)
		st = profile_parse(raw.data, raw.n, out, err);
	if (st == PROF_OK && in->fetch)
		st = origin_add(*out, in->fetch->url, err);
	if (st != PROF_OK) {
		profile_free(*out);
		*out = NULL;
	}
	buf_release(&raw);
	if (in->fetch)
		buf_release(&in->fetch->body);
	return st;
}

/*
 * Read all inputs in their order: *out is what can be read of them, one as it
 * is, several merged; NULL if none can. Returns how many were read.
 */
static size_t
combine(struct job *job, struct profile **out)
{
	struct profile *first = NULL, *p;
	struct merge *sum = NULL;
	struct merge_notes notes;
	struct prof_err err;
	size_t n = 0;

	for (size_t i = 0; i < job->n_input; i++) {
		const struct input *in = &job->input[i];
		enum prof_status st = read_input(job, in, &p, &err);

		if (st == PROF_OK && n == 1) {
			sum = merge_new(COLUMNS_COMMON);
			if (!sum || merge_add(sum, first, 1, &err) != PROF_OK)
				die("out of memory");
			profile_free(first);
			first = NULL;
		}
		if (st == PROF_OK && sum) {
			st = merge_add(sum, p, 1, &err);
			profile_free(p);
		} else if (st == PROF_OK) {
			first = p;
		}
		if (st == PROF_OK)
			n++;
		else if (job->is_partial_ok)
			warn("%s: %s", cli_name(in->name), err.msg);
		else
			complain("%s: %s", cli_name(in->name), err.msg);
	}
	*out = first;
	if (sum && merge_result(sum, out, &notes, &err) != PROF_OK)
		die("%s", err.msg);
	if (sum)
		cli_tell_notes(&notes);
	merge_free(sum);
	return n;
}

int
main(int argc, char **argv)
{
	struct job job = { 0 };
	int status = EXIT_SUCCESS;
	struct profile *p;
	size_t n;

	parse_options(&job, argc, argv);
	take_operands(&job);
	if (job.n_fetch) {
		cli_check_output(&job.cli);
		fetch_sources(&job);
	}
	n = combine(&job, &p);
	if (p)
		cli_write(&job.cli, p);
	if (!p || (n < job.n_input && !job.is_partial_ok))
		status = CLI_TROUBLE;
	profile_free(p);
	for (size_t i = 0; i < job.n_input; i++)
		free(job.input[i].safe_name);
	for (size_t i = 0; i < job.n_fetch; i++)
		fetch_release(&job.fetch[i]);
	free(job.input);
	free(job.fetch);
	return cli_finish(&job.cli, status);
}
