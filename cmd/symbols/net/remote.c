/*
 * remote.c - see remote.h. In each round every mapping asks its next source,
 * all at the same time. Sources are equivalent, so another round is only for
 * mappings whose source failed. Answers are untrusted: their size and time are
 * limited, and names for other addresses are ignored.
 */
#include "config.h"

#include "remote.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/now.h"
#include "lib/base/search.h"
#include "lib/formats/symbolz.h"
#include "lib/model/origin.h"
#include "lib/model/profile.h"

#define MAX_TRIES 4    /* sources asked for one mapping */
#define MAX_SERVERS 64 /* asked in a run */
#define BATCH 4096     /* addresses in a question */
#define MAX_ANSWER ((size_t)16 << 20)

/* The sources that know a mapping. */
struct source_list {
	const char *url[MAX_TRIES];
	uint64_t start[MAX_TRIES]; /* of the mapping at that source */
	size_t n;
	bool is_answered;
};

struct server {
	struct fetch fetch; /* its source is the page to ask */
	char *page;
	bool is_probed, is_bad;
};

/* Addresses of a mapping, to ask a server about. */
struct question {
	uint32_t mapping;
	size_t server;
	uint64_t shift;  /* server's address - ours */
	size_t want, n;  /* in remote.want */
	struct buf text; /* empty: not asked */
};

/* A location without lines. */
struct want {
	uint64_t addr;
	uint32_t location, mapping;
	uint32_t name; /* string: the answer, or 0 */
};

struct remote {
	struct profile *p;
	const struct remote_options *o;
	struct origins origins;
	struct source_list *list; /* by mapping */
	struct server server[MAX_SERVERS];
	size_t n_server;
	struct want *want; /* by mapping, then address */
	size_t n_want;
	struct question *question; /* of this round */
	size_t n_question, cap_question;
	bool is_full; /* there were more servers */
	bool nomem;
	double deadline;
};

/* --- which server gets which addresses --- */

static void
list_sources(struct remote *r, uint32_t m)
{
	const struct mapping *map = &r->p->mapping[m];
	struct source_list *list = &r->list[m];
	size_t i;

	if ((map->has & MAPPING_FUNCTIONS) && !r->o->force)
		return;
	if (r->o->server) {
		list->url[0] = r->o->server;
		list->start[0] = map->start;
		list->n = 1;
		return;
	}
	while (list->n < MAX_TRIES &&
	       (i = origins_find(&r->origins, r->p, m, list->n)) <
		       r->origins.n) {
		list->url[list->n] = r->origins.origin[i].url;
		list->start[list->n++] = r->origins.origin[i].start;
	}
}

enum prof_status
remote_new(struct profile *p, const struct remote_options *o,
	   struct remote **out, struct prof_err *err)
{
	struct remote *r = calloc(1, sizeof(*r));
	struct source s = { 0 };
	enum prof_status st;

	*out = NULL;
	if (!r)
		return prof_nomem(err);
	r->p = p;
	r->o = o;
	st = origins_read(&r->origins, p, err);
	if (st == PROF_OK && o->server)
		st = source_parse(&s, o->server, err);
	source_release(&s);
	r->list = calloc(p->n_mapping + 1, sizeof(*r->list));
	if (st == PROF_OK && !r->list)
		st = prof_nomem(err);
	if (st != PROF_OK) {
		remote_free(r);
		return st;
	}
	for (size_t i = 0; i < p->n_mapping; i++)
		list_sources(r, (uint32_t)i);
	*out = r;
	return PROF_OK;
}

static void
drop_questions(struct remote *r)
{
	for (size_t i = 0; i < r->n_question; i++)
		buf_release(&r->question[i].text);
	r->n_question = 0;
}

void
remote_free(struct remote *r)
{
	if (!r)
		return;
	drop_questions(r);
	for (size_t i = 0; i < r->n_server; i++) {
		fetch_release(&r->server[i].fetch);
		free(r->server[i].page);
	}
	origins_release(&r->origins);
	free(r->list);
	free(r->want);
	free(r->question);
	free(r);
}

static int
cmp_want(const void *x, const void *y)
{
	const struct want *a = x, *b = y;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (a->location > b->location) - (a->location < b->location);
}

static int
collect(struct remote *r)
{
	const struct profile *p = r->p;

	r->want = calloc(p->n_location + 1, sizeof(*r->want));
	if (!r->want)
		return -1;
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];

		if (l->mapping == PROF_NONE || !l->address || l->n_line)
			continue;
		r->want[r->n_want++] =
			(struct want){ l->address, (uint32_t)i, l->mapping, 0 };
	}
	if (r->n_want)
		qsort(r->want, r->n_want, sizeof(*r->want), cmp_want);
	return 0;
}

/* The index of the server of the profile at url; MAX_SERVERS if there's none.
 */
static size_t
find_server(struct remote *r, const char *url)
{
	struct server *s = &r->server[r->n_server];
	struct source source;
	struct prof_err err;
	char *full, *page;
	size_t i;

	if (source_parse(&source, url, &err) != PROF_OK)
		return MAX_SERVERS;
	/* "host:80" is one, too. */
	full = source_url(&source, NULL, 0, true);
	page = full ? symbolz_url(full) : NULL;
	free(full);
	for (i = 0; page && i < r->n_server; i++)
		if (!strcmp(r->server[i].page, page))
			break;
	if (!page || i < r->n_server || i == MAX_SERVERS) {
		r->nomem |= !page;
		r->is_full |= i == MAX_SERVERS;
		source_release(&source);
		free(page);
		return page ? i : MAX_SERVERS;
	}
	s->page = page;
	if (source_parse(&s->fetch.source, page, &err) == PROF_OK) {
		/*
		 * A URL from a profile is untrusted: it cannot disable checks.
		 */
		s->fetch.source.is_insecure =
			source.is_insecure && r->o->server;
		if (source.is_insecure && !r->o->server)
			r->o->warn("%s: its certificate is checked, unless it "
				   "is named by --server",
				   page);
		r->n_server++;
	} else {
		free(page);
		i = MAX_SERVERS;
	}
	source_release(&source);
	return i;
}

static int
add_question(struct remote *r, const struct question *q)
{
	if (array_reserve(&r->question, &r->cap_question, r->n_question + 1,
			  sizeof(*q)) < 0)
		return -1;
	r->question[r->n_question++] = *q;
	return 0;
}

/* Make questions about the n wants from i on, which are of one mapping. */
static int
ask_mapping(struct remote *r, size_t i, size_t n, size_t round)
{
	struct question q = { .mapping = r->want[i].mapping };
	const struct source_list *list = &r->list[q.mapping];

	if (round >= list->n || list->is_answered)
		return 0;
	q.server = find_server(r, list->url[round]);
	if (q.server == MAX_SERVERS)
		return r->nomem ? -1 : 0;
	q.shift = list->start[round] - r->p->mapping[q.mapping].start;
	for (; n; n -= q.n, i += q.n) {
		q.want = i;
		q.n = n < BATCH ? n : BATCH;
		if (add_question(r, &q) < 0)
			return -1;
	}
	return 0;
}

static int
ask_all(struct remote *r, size_t round)
{
	size_t n;

	for (size_t i = 0; i < r->n_want; i += n) {
		uint32_t m = r->want[i].mapping;

		for (n = 1; i + n < r->n_want && r->want[i + n].mapping == m;)
			n++;
		if (ask_mapping(r, i, n, round) < 0)
			return -1;
	}
	return 0;
}

/* --- talking --- */

/*
 * Fetch those of the n whose status is PROF_OK. Each call may spend half of the
 * remaining time, so that servers that hang leave time for the others.
 */
static void
talk(const struct remote *r, struct fetch *f, size_t n)
{
	struct fetch_options o = r->o->fetch;
	double left = r->deadline - now_seconds();

	if (n == 0)
		return;
	o.timeout = left > 2 ? (unsigned)(left / 2) : 1;
	o.max_bytes = MAX_ANSWER;
	o.per_host = 2;
	fetch_all(f, n, &o);
	for (size_t i = 0; i < n; i++)
		if (f[i].status == PROF_ELIMIT)
			prof_fail(&f[i].err, PROF_ELIMIT,
				  "the answer is too long");
}

static void
give_up(const struct remote *r, struct server *s, const struct fetch *f,
	const char *why)
{
	if (!s->is_bad)
		r->o->warn("%s: %s", f->url ? f->url : s->page, why);
	s->is_bad = true;
}

/*
 * Take the answer to GET. A server that refuses it may still accept a POST, and
 * pprof uses only that.
 */
static void
take_probe(const struct remote *r, struct server *s)
{
	const struct fetch *f = &s->fetch;
	int has = 1;

	s->is_probed = true;
	if (f->status == PROF_OK)
		has = symbolz_probe((const char *)f->body.data, f->body.n);
	if (has == 0)
		give_up(r, s, f, "the server has no symbols");
	else if (has < 0)
		give_up(r, s, f, "not the answer of a symbol server");
	else if (f->status != PROF_OK && f->code < 300)
		give_up(r, s, f, f->err.msg);
}

/* Probe the servers that were not probed yet. */
static int
probe(struct remote *r)
{
	struct fetch *f = calloc(MAX_SERVERS, sizeof(*f));
	size_t n = 0;

	if (!f)
		return -1;
	for (size_t i = 0; i < r->n_server; i++)
		if (!r->server[i].is_probed)
			f[n++] = r->server[i].fetch;
	talk(r, f, n);
	n = 0;
	for (size_t i = 0; i < r->n_server; i++) {
		if (r->server[i].is_probed)
			continue;
		r->server[i].fetch = f[n++];
		take_probe(r, &r->server[i]);
		buf_release(&r->server[i].fetch.body);
	}
	free(f);
	return 0;
}

/* The name of an address, for the wants of a question. */
struct answer {
	struct remote *r;
	const struct question *q;
};

static void
take_name(void *ctx, uint64_t addr, const char *name, size_t len)
{
	const struct answer *a = ctx;
	struct want *want = a->r->want + a->q->want;
	size_t lo;
	uint32_t s;

	addr -= a->q->shift;
	lo = search_from(want, a->q->n, sizeof(*want),
			 offsetof(struct want, addr), addr);
	if (lo == a->q->n || want[lo].addr != addr)
		return;
	s = strtab_add(&a->r->p->strings, name, len);
	if (s == STRTAB_NONE)
		a->r->nomem = true;
	else
		for (; lo < a->q->n && want[lo].addr == addr; lo++)
			want[lo].name = s;
}

/* Write the questions for servers that are not bad. Returns their number. */
static size_t
write_questions(struct remote *r, struct fetch *f)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_question; i++) {
		struct question *q = &r->question[i];
		uint64_t addr[BATCH];

		if (r->server[q->server].is_bad)
			continue;
		for (size_t k = 0; k < q->n; k++)
			addr[k] = r->want[q->want + k].addr + q->shift;
		if (symbolz_query(&q->text, addr, q->n) < 0) {
			r->nomem = true;
			return 0;
		}
		f[n].source = r->server[q->server].fetch.source;
		f[n++].post = (const char *)q->text.data;
	}
	return n;
}

/* POST the questions, all at once. */
static int
post(struct remote *r)
{
	struct fetch *f = calloc(r->n_question + 1, sizeof(*f)), *got = f;

	if (!f)
		return -1;
	talk(r, f, write_questions(r, f));
	for (size_t i = 0; i < r->n_question && !r->nomem; i++) {
		struct answer a = { r, &r->question[i] };

		if (a.q->text.n == 0)
			continue;
		if (got->status == PROF_OK) {
			r->list[a.q->mapping].is_answered = true;
			symbolz_parse((const char *)got->body.data, got->body.n,
				      take_name, &a);
		} else {
			give_up(r, &r->server[a.q->server], got, got->err.msg);
		}
		/* The server owns source. */
		memset(&got->source, 0, sizeof(got->source));
		fetch_release(got++);
	}
	free(f);
	return r->nomem ? -1 : 0;
}

/* --- answers --- */

static int
set_names(struct remote *r)
{
	struct profile *p = r->p;
	/* The function of each string, plus 1. */
	uint32_t *function = calloc(p->strings.n_str, sizeof(*function));
	int st = function ? 0 : -1;

	for (size_t i = 0; i < r->n_want && st == 0; i++) {
		uint32_t name = r->want[i].name;
		struct function f = { .name = name, .system_name = name };
		struct line line = { 0 };

		if (!name)
			continue;
		if (!function[name])
			function[name] = profile_add_function(p, &f) + 1;
		line.function = function[name] - 1;
		if (line.function == PROF_NONE ||
		    profile_set_lines(p, r->want[i].location, &line, 1) < 0)
			st = -1;
		p->mapping[r->want[i].mapping].has |= MAPPING_FUNCTIONS;
	}
	free(function);
	return st;
}

static void
tell_failures(const struct remote *r)
{
	if (r->is_full)
		r->o->warn("only %u symbol servers are asked", MAX_SERVERS);
	for (size_t i = 0; i < r->n_want; i++) {
		uint32_t m = r->want[i].mapping;

		if ((i && r->want[i - 1].mapping == m) ||
		    r->list[m].is_answered)
			continue;
		r->o->failed(r->o->report, m,
			     r->list[m].n ? "no server answered"
					  : "no server is known for it");
	}
}

enum prof_status
remote_run(struct remote *r, struct prof_err *err)
{
	int st = collect(r);

	r->deadline = now_seconds() + r->o->fetch.timeout;
	for (size_t round = 0; round < MAX_TRIES && st == 0; round++) {
		drop_questions(r);
		st = ask_all(r, round);
		if (st < 0 || r->n_question == 0 ||
		    now_seconds() >= r->deadline)
			break;
		st = probe(r);
		if (st == 0)
			st = post(r);
	}
	if (st == 0)
		st = set_names(r);
	if (st < 0)
		return prof_nomem(err);
	tell_failures(r);
	return PROF_OK;
}
