/* fetch.c - see fetch.h. */
#include "config.h"

#include "fetch.h"

#include <stdlib.h>

void
fetch_release(struct fetch *f)
{
	source_release(&f->source);
	buf_release(&f->body);
	free(f->url);
	f->url = NULL;
}

/* Set the outcome of all to err: nothing can be fetched. */
static void
fail_all(struct fetch *f, size_t n, const struct fetch_options *o,
	 const struct prof_err *err)
{
	for (size_t i = 0; i < n; i++) {
		f[i].status = prof_fail(&f[i].err, err->status, "%s", err->msg);
		if (o->done)
			o->done(&f[i], o->ctx);
	}
}

#if HAVE_CURL

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exchange.h"
#include "lib/base/now.h"

#define PARALLEL 256       /* sources at once */
#define PARALLEL_S3 16     /* objects at once, of one server */
#define DEFAULT_SECONDS 30 /* of a CPU profile: the servers' default */
#define DEFAULT_TIMEOUT 60 /* without a known duration */
#define GRACE 5            /* added to the requested duration */
#define FIRST_PAUSE 0.5    /* seconds, before the first retry */
#define MAX_PAUSE 30.0     /* longest pause */
#define MAX_RETRY_AFTER 60 /* longest pause that a server may ask for */

/* The pages of a source without one: Go's, then gperftools'. */
static const char *const profile_page[] = { "/debug/pprof/profile",
					    "/pprof/profile" };

/* The state of fetch_all(). */
struct pool {
	struct curl_calls curl;
	const struct fetch_options *o;
	CURLM *multi;
	struct transfer *transfer; /* n, of which n_begun have begun */
	size_t n, n_begun, n_done;
	size_t parallel;
	double start;
	double busy; /* seconds that o->done() has taken */
	uint64_t random;
};

/* The progress of one source. */
struct transfer {
	struct fetch *f;
	struct pool *pool;
	struct exchange x;
	enum { RUNNING, PAUSED, DONE } state;
	unsigned page;    /* index into profile_page, of a bare source */
	unsigned retries; /* so far */
	double begun;
	double limit; /* end of the exchange's time, or of the pause */
};

/*
 * Seconds, not counting time in o->done(): a server must not time out because
 * the caller handles another's reply.
 */
static double
now(const struct pool *pool)
{
	return now_seconds() - pool->busy;
}

/* The end of the whole run, whichever transfers are unfinished. */
static double
deadline(const struct pool *pool)
{
	return pool->o->deadline ? pool->start + pool->o->deadline - pool->busy
				 : 1e18;
}

/* A number from 0.5 to 1: xorshift64. */
static double
jitter(struct pool *pool)
{
	uint64_t x = pool->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	pool->random = x;
	return 0.5 + (double)(x >> 40) / (double)(1 << 25);
}

/* The duration in seconds that the server was asked to measure; 0: unknown. */
static unsigned
asked_for(const struct transfer *t)
{
	if (t->f->is_aside || t->f->source.is_s3)
		return 0;
	if (t->pool->o->seconds)
		return t->pool->o->seconds;
	if (t->f->source.seconds)
		return t->f->source.seconds;
	return t->f->source.is_bare ? DEFAULT_SECONDS : 0;
}

/* pprof's rule, unless the user sets a limit. */
static double
time_limit(const struct transfer *t)
{
	unsigned s = asked_for(t);

	if (t->f->is_aside)
		return GRACE;
	if (t->pool->o->timeout)
		return t->pool->o->timeout;
	return (s ? 1.5 * s : DEFAULT_TIMEOUT) + GRACE;
}

/* --- one source --- */

static void transfer_try(struct transfer *t);

static void
transfer_done(struct transfer *t, enum prof_status status)
{
	const struct fetch_options *o = t->pool->o;
	double start = now_seconds();
	bool goes_on = false;

	t->state = DONE;
	t->f->status = status;
	if (status != PROF_OK)
		buf_release(&t->f->body);
	if (o->done) {
		goes_on = o->done(t->f, o->ctx);
		t->pool->busy += now_seconds() - start;
	}
	if (goes_on)
		transfer_try(t);
	else
		t->pool->n_done++;
}

/* Begin an exchange that ends at t->limit. */
static void
transfer_begin(struct transfer *t)
{
	const struct source *s = &t->f->source;
	const char *page = s->is_bare ? profile_page[t->page] : NULL;
	unsigned seconds = s->is_bare                   ? asked_for(t)
			   : t->f->is_aside || s->is_s3 ? 0
							: t->pool->o->seconds;
	char *url = source_url(s, page, seconds, true);
	enum prof_status st;

	free(t->f->url);
	t->f->url = source_url(s, page, seconds, false);
	t->state = RUNNING;
	if (url && t->f->url)
		st = exchange_begin(&t->x, t->pool->multi, url, t);
	else
		st = prof_nomem(&t->f->err);
	free(url);
	if (st != PROF_OK)
		transfer_done(t, st);
}

/* Begin an exchange for the current page, with a new time limit. */
static void
transfer_try(struct transfer *t)
{
	t->begun = now(t->pool);
	t->limit = t->begun + time_limit(t);
	transfer_begin(t);
}

/*
 * Pause before a retry; false: no retry, for instance because data already
 * written to a descriptor can't be taken back.
 */
static bool
transfer_retry(struct transfer *t)
{
	struct pool *pool = t->pool;
	double pause = FIRST_PAUSE;

	if (t->retries == pool->o->retries || t->f->to_fd || t->f->is_aside ||
	    t->x.retry_after > MAX_RETRY_AFTER)
		return false;
	for (unsigned i = 0; i < t->retries && pause < MAX_PAUSE; i++)
		pause *= 2;
	if (pause > MAX_PAUSE)
		pause = MAX_PAUSE;
	pause *= jitter(pool);
	if (pause < t->x.retry_after)
		pause = t->x.retry_after;
	t->limit = now(pool) + pause;
	if (t->limit >= deadline(pool))
		return false;
	t->retries++;
	t->state = PAUSED;
	return true;
}

/* The exchange has ended with r: begin the next one, or finish. */
static void
transfer_end(struct transfer *t, CURLcode r)
{
	const struct exchange *x = &t->x;
	char tried[40] = "";

	exchange_end(&t->x, t->pool->multi);
	if (t->f->source.is_bare && t->page == 0 && !x->is_go &&
	    (t->f->code == 404 || t->f->code == 405 || t->f->code == 501)) {
		t->page++;
		transfer_begin(t);
		return;
	}
	if (exchange_may_pass(x, r) && transfer_retry(t))
		return;
	if (t->retries)
		snprintf(tried, sizeof(tried), " (tried %u times)",
			 t->retries + 1);
	transfer_done(t, exchange_status(&t->x, r, tried));
}

/* Its time, or that of the run, is over. */
static void
transfer_late(struct transfer *t)
{
	const struct pool *pool = t->pool;

	if (t->state == RUNNING)
		exchange_end(&t->x, pool->multi);
	if (deadline(pool) <= now(pool))
		prof_fail(&t->f->err, PROF_EIO,
			  "not done after %u s (--deadline)",
			  pool->o->deadline);
	else
		prof_fail(&t->f->err, PROF_EIO,
			  "timed out after %g s, with %zu bytes received",
			  time_limit(t), t->x.n_body);
	transfer_done(t, PROF_EIO);
}

/* --- all of them --- */

/* Handle exchanges that have ended. */
static void
reap(struct pool *pool)
{
	CURLMsg *msg;
	int left;

	while ((msg = pool->curl.multi_info_read(pool->multi, &left))) {
		CURLcode r = msg->data.result;
		struct transfer *t;

		if (msg->msg != CURLMSG_DONE)
			continue;
		pool->curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE,
					(char **)&t);
		transfer_end(t, r);
	}
}

/* May the next source be begun? */
static bool
has_room(const struct pool *pool)
{
	size_t max = pool->parallel;

	if (pool->n_begun == pool->n)
		return false;
	if (pool->transfer[pool->n_begun].f->source.is_s3 && max > PARALLEL_S3)
		max = PARALLEL_S3;
	return pool->n_begun - pool->n_done < max;
}

/*
 * Begin transfers that are due, abandon those that take too long. Returns the
 * seconds until the next call.
 */
static double
keep_time(struct pool *pool)
{
	double next = 1, left;

	while (has_room(pool))
		transfer_try(&pool->transfer[pool->n_begun++]);
	for (size_t i = 0; i < pool->n_begun; i++) {
		struct transfer *t = &pool->transfer[i];
		double end = deadline(pool);

		if (t->state == DONE)
			continue;
		left = (t->limit < end ? t->limit : end) - now(pool);
		if (left <= 0 && t->state == PAUSED && t->limit < end)
			transfer_try(t);
		else if (left <= 0)
			transfer_late(t);
		else if (left < next)
			next = left;
		if (t->state == DONE)
			next = 0; /* a connection is free */
	}
	return next;
}

static void
tell(const struct pool *pool)
{
	double most = -1; /* seconds until all measurements end */

	for (size_t i = 0; i < pool->n_begun; i++) {
		const struct transfer *t = &pool->transfer[i];
		double left = t->begun + asked_for(t) - now(pool);

		if (t->state == RUNNING && asked_for(t) && left > most)
			most = left > 0 ? left : 0;
	}
	pool->o->waiting(pool->n_done, pool->n, now(pool) - pool->start, most);
}

static void
run_pool(struct pool *pool)
{
	double told = pool->start, pause;
	int running;

	for (;;) {
		pause = keep_time(pool);
		pool->curl.multi_perform(pool->multi, &running);
		reap(pool);
		if (pool->n_done == pool->n)
			return;
		if (pool->o->waiting && now(pool) - told >= 0.25) {
			told = now(pool);
			tell(pool);
		}
		if (pool->o->waiting && pause > 0.25)
			pause = 0.25;
		pool->curl.multi_poll(pool->multi, NULL, 0,
				      (int)(pause * 1000) + 1, NULL);
	}
}

/*
 * The number of parallel transfers, limited by descriptors: libcurl has some of
 * its own, and a transfer may try two addresses at once.
 */
static size_t
parallel(void)
{
	enum { OWN = 4 };
	struct rlimit limit;
	size_t n_free = 0;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    limit.rlim_cur >= 4 * PARALLEL)
		return PARALLEL;
	for (int fd = 0; fd < (int)limit.rlim_cur; fd++)
		n_free += fcntl(fd, F_GETFD) < 0;
	n_free = n_free < OWN + 2 ? 1 : (n_free - OWN) / 2;
	return n_free < PARALLEL ? n_free : PARALLEL;
}

void
fetch_all(struct fetch *f, size_t n, const struct fetch_options *o)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	struct pool pool = { .o = o, .n = n, .parallel = parallel() };
	struct prof_err err;

	if (curl_load(&pool.curl, &err) != PROF_OK) {
		fail_all(f, n, o, &err);
		return;
	}
	/* A closed connection is an error, not a signal. */
	sigaction(SIGPIPE, &ignore, &before);
	pool.curl.global_init(CURL_GLOBAL_DEFAULT);
	pool.start = o->begun > 0 ? o->begun : now_seconds();
	pool.random = ((uint64_t)(pool.start * 1e9) << 8) ^ (uint64_t)getpid();
	pool.random |= 1;
	pool.transfer = calloc(n + 1, sizeof(*pool.transfer));
	pool.multi = pool.curl.multi_init();
	pool.curl.multi_setopt(pool.multi, CURLMOPT_MAX_HOST_CONNECTIONS,
			       (long)o->per_host);
	for (size_t i = 0; i < n && pool.transfer; i++) {
		pool.transfer[i].f = &f[i];
		pool.transfer[i].pool = &pool;
		pool.transfer[i].x.curl = &pool.curl;
		pool.transfer[i].x.o = o;
		pool.transfer[i].x.f = &f[i];
	}
	if (pool.transfer && pool.multi)
		run_pool(&pool);
	else
		for (size_t i = 0; i < n; i++)
			f[i].status = prof_nomem(&f[i].err);
	pool.curl.multi_cleanup(pool.multi);
	pool.curl.global_cleanup();
	sigaction(SIGPIPE, &before, NULL);
	free(pool.transfer);
}

#else

void
fetch_all(struct fetch *f, size_t n, const struct fetch_options *o)
{
	struct prof_err err;

	prof_fail(&err, PROF_ENOTSUP,
		  "this build has no libcurl and reads files only");
	fail_all(f, n, o, &err);
}

#endif
