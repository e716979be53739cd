/*
 * serve.c - requests to the server of prof-record --listen, as libmicrohttpd
 * passes them, and the argument of --listen. The first byte is the method and
 * the page; then strings, each ended by NUL: Host, path, seconds, debug, query,
 * address; the rest is the body.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libsample/table.h"
#include "record/address.h"
#include "record/drain.h"
#include "record/host.h"
#include "record/launch.h"
#include "record/lookup.h"
#include "record/recording.h"
#include "record/serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const pages[] = {
	NULL,
	"/pprof/heap",
	"/pprof/profile",
	"/pprof/symbol",
	"/pprof/contention",
	"/debug/pprof/growth",
	"/debug/pprof/symbol",
	"/",
};

/* A recording with a sample of each kind, and a module that has no file. */
static void
record(struct drain *d, struct recording *r)
{
	struct drain_config config = { .what = SHM_CPU | SHM_HEAP | SHM_LOCK,
				       .period_ns = 1000,
				       .heap_period = 1000,
				       .lock_period = 1000 };
	struct shm_space space = { .space = 1, .pid = 1 };
	struct shm_module module = { .space = 1,
				     .start = 0x1000,
				     .limit = 0x9000 };
	uintptr_t pc[] = { 0x1234, 0x2345, 1 };
	struct prof_err err;

	if (drain_open(d, &config, &err) != PROF_OK ||
	    recording_begin(r, drain_source(d), TALLY_CPU, &err) != PROF_OK)
		abort();
	table_tell(d->shm, SHM_SPACE, &space, offsetof(struct shm_space, name),
		   "x", 2);
	table_tell(d->shm, SHM_MODULE, &module,
		   offsetof(struct shm_module, path), "/nowhere", 9);
	table_add(d->shm, SHM_KEY(SHM_TICK, 1, 0, 2), pc, 1);
	table_add(d->shm, SHM_KEY(SHM_ALLOC, 1, 0, 3), pc, 1);
	table_add(d->shm, SHM_KEY(SHM_WAIT, 1, 0, 3), pc, 1);
	recording_pass(r);
}

/* The next string: never NULL, empty behind the end. */
static const char *
string(const char **at, const char *end)
{
	const char *s = *at;

	if (s >= end)
		return "";
	*at += strlen(s) + 1;
	return s;
}

static void
ask(struct serve *s, const struct serve_request *req)
{
	struct serve_reply reply;
	struct recording_mark *m;

	if (serve_answer(s, req, &reply)) {
		buf_release(&reply.body);
		m = serve_mark(s, req);
		if (!m)
			abort();
		serve_window(s, req, m, &reply);
		recording_mark_free(s->recording, m);
	}
	if (!reply.status || !reply.type)
		abort();
	buf_release(&reply.body);
}

static void
check_names(const char *header, const char *where)
{
	static const char *const ours[] = { "web1", NULL };
	char *host;

	/* What is allowed can only be of these. */
	if (host_is_ours(header, ours) && !strcasestr(header, "localhost") &&
	    !strcasestr(header, "web1") && header[0] != '[' &&
	    header[strspn(header, "0123456789.:")])
		abort();
	host = address_host(where);
	if (host && strlen(host) >= strlen(where))
		abort();
	free(host);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct drain drain;
	static struct recording recording;
	static struct launch launch;
	static char name[] = "x";
	static char *argv[] = { name, name, NULL };
	static struct serve serve = { .recording = &recording,
				      .launch = &launch,
				      .argv = argv };
	struct serve_request req = { 0 };
	char *text = malloc(n + 1);
	const char *at = text, *end = text + n, *header;

	if (!serve.lookup) {
		serve.lookup = lookup_new();
		record(&drain, &recording);
	}
	if (!text || !serve.lookup)
		abort();
	memcpy(text, data, n);
	text[n] = '\0';
	if (n) {
		req.method = (enum serve_method)(data[0] & 3);
		req.takes_gzip = data[0] & 4;
		at++;
	}
	header = string(&at, end);
	req.path = string(&at, end);
	if (n && pages[data[0] >> 5])
		req.path = pages[data[0] >> 5];
	req.seconds = n && data[0] & 8 ? string(&at, end) : NULL;
	req.debug = n && data[0] & 16 ? string(&at, end) : NULL;
	req.query = string(&at, end);
	check_names(header, string(&at, end));
	if (at < end && buf_add(&req.body, at, (size_t)(end - at)) < 0)
		abort();
	ask(&serve, &req);
	buf_release(&req.body);
	free(text);
	return 0;
}
