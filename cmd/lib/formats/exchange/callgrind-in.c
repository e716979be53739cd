/* callgrind-in.c - reading a call graph; see callgrind.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind-impl.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/formats/span.h"

enum { OBJECT, FILE_NAME, FUNCTION, N_SPACE };
enum { ADDRESS, LINE, N_POSITION };

/* "event: Ir : Instructions": the name for people. */
struct long_name {
	struct span event, name;
};

struct reader {
	struct callgraph g;
	struct prof_err *err;
	struct text t;
	struct hashtab function, cost;
	struct idmap name[N_SPACE]; /* id + 1: its string */
	struct span event[CALLGRIND_MAX_EVENTS];
	struct long_name long_name[CALLGRIND_MAX_EVENTS];
	size_t n_long_name;
	bool is_position[N_POSITION]; /* which are in the file, in this order */
	uint64_t position[N_POSITION];
	int64_t summary, sum; /* of the first event; -1: none */
	/* Where costs belong; the function once it is known. */
	uint32_t object, file, name_of, current;
	bool has_function;
	/* The next call's; STRTAB_NONE: as the caller's. */
	uint32_t callee_object, callee_file, callee_name;
};

static enum prof_status
bad(struct reader *r, const char *what)
{
	return prof_fail(r->err, PROF_EFORMAT, "callgrind: line %zu: %s",
			 r->t.number, what);
}

/* --- the graph --- */

static uint32_t
find_function(struct reader *r, uint32_t object, uint32_t file, uint32_t name)
{
	struct callgraph *g = &r->g;
	struct hashtab *t = &r->function;
	uint32_t hash = (uint32_t)hashtab_mix(
		t, hashtab_mix(t, (uint64_t)object << 32 | file, 1), name);
	size_t at = hashtab_start(t, hash);
	uint32_t i;

	while ((i = hashtab_next(t, hash, &at)) != HASHTAB_NONE) {
		const struct cg_function *f = &g->function[i];

		if (f->object == object && f->file == file && f->name == name)
			return i;
	}
	if (g->n_function >= PROF_NONE - 1 ||
	    array_reserve(&g->function, &g->cap_function, g->n_function + 1,
			  sizeof(*g->function)) < 0 ||
	    hashtab_add(t, hash, (uint32_t)g->n_function) < 0)
		return PROF_NONE;
	g->function[g->n_function] = (struct cg_function){ object, file, name };
	return (uint32_t)g->n_function++;
}

/* The costs at the place of *at, 0 at first; NULL without memory. */
static int64_t *
find_cost(struct reader *r, const struct cg_cost *at)
{
	struct callgraph *g = &r->g;
	struct hashtab *t = &r->cost;
	uint64_t h = hashtab_mix(t, (uint64_t)at->function << 32 | at->callee,
				 at->file);
	uint32_t hash = (uint32_t)hashtab_mix(t, hashtab_mix(t, h, at->line),
					      at->address);
	size_t slot = hashtab_start(t, hash);
	uint32_t i;

	while ((i = hashtab_next(t, hash, &slot)) != HASHTAB_NONE) {
		const struct cg_cost *c = &g->cost[i];

		if (c->function == at->function && c->callee == at->callee &&
		    c->file == at->file && c->line == at->line &&
		    c->address == at->address)
			return g->value + c->value;
	}
	if (g->n_cost >= PROF_NONE - 1 ||
	    array_reserve(&g->cost, &g->cap_cost, g->n_cost + 1,
			  sizeof(*g->cost)) < 0 ||
	    array_reserve(&g->value, &g->cap_value,
			  (g->n_cost + 1) * g->n_event,
			  sizeof(*g->value)) < 0 ||
	    hashtab_add(t, hash, (uint32_t)g->n_cost) < 0)
		return NULL;
	g->cost[g->n_cost] = *at;
	g->cost[g->n_cost].value = g->n_cost * g->n_event;
	memset(g->value + g->n_cost * g->n_event, 0,
	       g->n_event * sizeof(*g->value));
	return g->value + g->n_event * g->n_cost++;
}

/* --- lines --- */

static enum prof_status
read_number(struct reader *r, struct span *s, uint64_t *v)
{
	span_blanks(s);
	if (span_take(s, "0x") ? span_hex(s, v) : span_dec(s, v))
		return PROF_OK;
	return bad(r, "a number is missing");
}

/* One of each kind that the file has: 12, 0x1f, +3, -3, or * for the same. */
static enum prof_status
read_positions(struct reader *r, struct span *s)
{
	enum prof_status st = PROF_OK;

	for (int i = 0; st == PROF_OK && i < N_POSITION; i++) {
		uint64_t v = 0;

		if (!r->is_position[i])
			continue;
		span_blanks(s);
		if (span_take(s, "*"))
			continue;
		if (span_take(s, "+")) {
			st = read_number(r, s, &v);
			r->position[i] += v;
		} else if (span_take(s, "-")) {
			st = read_number(r, s, &v);
			r->position[i] -= v;
		} else {
			st = read_number(r, s, &v);
			r->position[i] = v;
		}
	}
	return st;
}

/* The costs in the rest of a line are added there; missing ones are 0. */
static enum prof_status
read_costs(struct reader *r, struct span s, uint32_t callee)
{
	struct cg_cost at = {
		.function = r->current,
		.callee = callee,
		.file = r->file,
		.line = r->position[LINE],
		.address = r->position[ADDRESS],
	};
	int64_t *sum = find_cost(r, &at);
	enum prof_status st = PROF_OK;

	if (!sum)
		return prof_nomem(r->err);
	for (size_t i = 0; st == PROF_OK; i++) {
		uint64_t v;

		span_blanks(&s);
		if (!span_len(s))
			break;
		if (i == r->g.n_event)
			return bad(r, "more costs than events");
		st = read_number(r, &s, &v);
		if (st == PROF_OK &&
		    (__builtin_add_overflow(sum[i], (int64_t)v, &sum[i]) ||
		     (!i && callee == PROF_NONE &&
		      __builtin_add_overflow(r->sum, (int64_t)v, &r->sum))))
			st = prof_fail(r->err, PROF_ELIMIT,
				       "callgrind: line %zu: costs add up to "
				       "more than 64 bits hold",
				       r->t.number);
	}
	return st;
}

/* The next line that is no comment. */
static enum prof_status
next_line(struct reader *r)
{
	while (text_next(&r->t))
		if (!span_len(r->t.line) || *r->t.line.p != '#')
			return PROF_OK;
	return bad(r, "the file ends where costs should follow");
}

/* The function of the costs that follow, which needs a name by then. */
static enum prof_status
know_function(struct reader *r)
{
	if (r->has_function)
		return PROF_OK;
	if (r->name_of == STRTAB_NONE)
		return bad(r, "costs without a function: no \"fn=\" before");
	r->current = find_function(r, r->object, r->file, r->name_of);
	r->has_function = true;
	return r->current == PROF_NONE ? prof_nomem(r->err) : PROF_OK;
}

/* "calls=COUNT POSITION", and on the next line where from and the costs. */
static enum prof_status
read_call(struct reader *r, struct span s)
{
	uint64_t at[N_POSITION], count;
	enum prof_status st = know_function(r);
	uint32_t callee;

	if (st == PROF_OK)
		st = read_number(r, &s, &count);
	if (st != PROF_OK)
		return st;
	if (r->callee_name == STRTAB_NONE)
		return bad(r, "a call without \"cfn=\"");
	callee = find_function(
		r,
		r->callee_object == STRTAB_NONE ? r->object : r->callee_object,
		r->callee_file == STRTAB_NONE ? r->file : r->callee_file,
		r->callee_name);
	r->callee_object = r->callee_file = r->callee_name = STRTAB_NONE;
	if (callee == PROF_NONE)
		return prof_nomem(r->err);
	/* The callee's place is relative to the caller's, and not kept. */
	memcpy(at, r->position, sizeof(at));
	st = read_positions(r, &s);
	memcpy(r->position, at, sizeof(at));
	if (st == PROF_OK)
		st = next_line(r);
	s = r->t.line;
	if (st == PROF_OK)
		st = read_positions(r, &s);
	return st == PROF_OK ? read_costs(r, s, callee) : st;
}

/* Branches have no costs; the line after one says where from. */
static enum prof_status
skip_jump(struct reader *r)
{
	enum prof_status st = next_line(r);
	struct span s = r->t.line;

	return st == PROF_OK ? read_positions(r, &s) : st;
}

/* "NAME", "(ID) NAME" or, if that came before, "(ID)". A file or
 * an object "???" is unknown. */
static enum prof_status
read_name(struct reader *r, struct span s, int space, uint32_t *out)
{
	struct span after = s;
	uint64_t id = 0;
	bool has_id = span_take(&after, "(") && span_dec(&after, &id) &&
		      span_take(&after, ")");

	if (has_id)
		s = after;
	s = span_trim(s);
	if (has_id && !span_len(s)) {
		*out = idmap_find(&r->name[space], id + 1);
		return *out == IDMAP_NONE ? bad(r, "a number for a name that "
						   "was not given before")
					  : PROF_OK;
	}
	if (space != FUNCTION && span_is(s, "???"))
		s.end = s.p;
	*out = byname_string(&r->g.b, s.p, span_len(s));
	if (*out == STRTAB_NONE)
		return prof_nomem(r->err);
	if (!has_id)
		return PROF_OK;
	switch (idmap_add(&r->name[space], id + 1, *out)) {
	case 0:
		return PROF_OK;
	case 1:
		if (idmap_find(&r->name[space], id + 1) == *out)
			return PROF_OK;
		return bad(r, "another name for a number that has one");
	default:
		return prof_nomem(r->err);
	}
}

/* "fn=" and so on: false if the line is none of these. */
static bool
take_name(struct reader *r, struct span s, enum prof_status *st)
{
	static const struct {
		const char *key;
		int space;
		size_t to; /* 0: nowhere; but jumps may define names */
	} key[] = {
		{ "ob=", OBJECT, offsetof(struct reader, object) },
		{ "fl=", FILE_NAME, offsetof(struct reader, file) },
		{ "fi=", FILE_NAME, offsetof(struct reader, file) },
		{ "fe=", FILE_NAME, offsetof(struct reader, file) },
		{ "fn=", FUNCTION, offsetof(struct reader, name_of) },
		{ "cob=", OBJECT, offsetof(struct reader, callee_object) },
		{ "cfi=", FILE_NAME, offsetof(struct reader, callee_file) },
		{ "cfl=", FILE_NAME, offsetof(struct reader, callee_file) },
		{ "cfn=", FUNCTION, offsetof(struct reader, callee_name) },
		{ "job=", OBJECT, 0 },
		{ "jfi=", FILE_NAME, 0 },
		{ "jfn=", FUNCTION, 0 },
	};
	uint32_t name;

	for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++) {
		if (!span_take(&s, key[i].key))
			continue;
		*st = read_name(r, s, key[i].space, &name);
		if (*st == PROF_OK && key[i].to)
			memcpy((char *)r + key[i].to, &name, sizeof(name));
		/* Inlined code is in another file, but in the same function. */
		if (key[i].to == offsetof(struct reader, name_of))
			r->has_function = false;
		return true;
	}
	return false;
}

static struct span
word(struct span *s)
{
	struct span w;

	span_blanks(s);
	w = (struct span){ s->p, s->p };
	while (w.end < s->end && !is_blank(*w.end))
		w.end++;
	s->p = w.end;
	return w;
}

static bool
same(struct span a, struct span b)
{
	return span_len(a) == span_len(b) && !memcmp(a.p, b.p, span_len(a));
}

/* All parts of a file have the same events. */
static enum prof_status
read_events(struct reader *r, struct span s)
{
	struct callgraph *g = &r->g;
	bool is_first = !g->n_event;
	struct span w;
	size_t n = 0;

	for (; span_len(w = word(&s)); n++) {
		if (n == CALLGRIND_MAX_EVENTS)
			return bad(r, "more than 64 events");
		if (is_first)
			r->event[g->n_event++] = w;
		else if (n >= g->n_event || !same(w, r->event[n]))
			return bad(r, "other events than in the part before");
	}
	return n == g->n_event ? PROF_OK : bad(r, "events are missing");
}

static enum prof_status
read_position_kinds(struct reader *r, struct span s)
{
	struct span w;

	memset(r->is_position, 0, sizeof(r->is_position));
	while (span_len(w = word(&s))) {
		if (span_is(w, "instr") || span_is(w, "addr"))
			r->is_position[ADDRESS] = true;
		else if (span_is(w, "line"))
			r->is_position[LINE] = true;
		else
			return bad(r, "positions are instr and line");
	}
	return PROF_OK;
}

static void
read_long_name(struct reader *r, struct span s)
{
	struct span event = word(&s);
	const char *colon = memchr(s.p, ':', span_len(s));

	if (!colon || r->n_long_name == CALLGRIND_MAX_EVENTS)
		return;
	s.p = colon + 1;
	r->long_name[r->n_long_name++] =
		(struct long_name){ event, span_trim(s) };
}

static enum prof_status
read_header(struct reader *r, struct span s, bool *is_header)
{
	uint64_t v;
	struct span w;

	*is_header = true;
	if (span_take(&s, "events:"))
		return read_events(r, s);
	if (span_take(&s, "positions:"))
		return read_position_kinds(r, s);
	if (span_take(&s, "event:")) {
		read_long_name(r, s);
	} else if (span_take(&s, "summary:")) {
		span_blanks(&s);
		if (span_dec(&s, &v) &&
		    __builtin_add_overflow(r->summary, (int64_t)v, &r->summary))
			r->summary = 0;
	} else if (span_take(&s, "cmd:")) {
		w = word(&s);
		r->g.program = byname_string(&r->g.b, w.p, span_len(w));
		if (r->g.program == STRTAB_NONE)
			return prof_nomem(r->err);
	} else {
		/* Others are no matter here, as long as they look so. */
		const char *p = s.p;

		while (p < s.end && (*p == '_' || (*p >= 'a' && *p <= 'z') ||
				     (*p >= 'A' && *p <= 'Z')))
			p++;
		*is_header = p > s.p && p < s.end && *p == ':';
	}
	return PROF_OK;
}

static enum prof_status
one_line(struct reader *r)
{
	struct span s = r->t.line;
	enum prof_status st = PROF_OK;
	bool is_header;

	if (span_is_comment(s))
		return PROF_OK;
	if (take_name(r, s, &st))
		return st;
	if (span_begins(s, "jump=") || span_begins(s, "jcnd="))
		return skip_jump(r);
	if (span_take(&s, "calls="))
		return r->g.n_event ? read_call(r, s)
				    : bad(r, "costs before \"events:\"");
	if ((*s.p >= '0' && *s.p <= '9') || *s.p == '+' || *s.p == '-' ||
	    *s.p == '*') {
		if (!r->g.n_event)
			return bad(r, "costs before \"events:\"");
		st = know_function(r);
		if (st == PROF_OK)
			st = read_positions(r, &s);
		return st == PROF_OK ? read_costs(r, s, PROF_NONE) : st;
	}
	st = read_header(r, s, &is_header);
	return st == PROF_OK && !is_header ? bad(r, "not a line of callgrind")
					   : st;
}

/* --- all of it --- */

/* A column: "TYPE/UNIT" if the event's long name looks so, as prof-export
 * writes it; else a count. */
static enum prof_status
add_column(struct reader *r, struct span event)
{
	struct profile *p = r->g.b.p;
	uint32_t type, unit = 0, c;

	type = byname_string(&r->g.b, event.p, span_len(event));
	for (size_t i = 0; i < r->n_long_name; i++) {
		struct span name = r->long_name[i].name;
		const char *slash = memchr(name.p, '/', span_len(name));

		if (!slash || !same(event, r->long_name[i].event) ||
		    memchr(name.p, ' ', span_len(name)))
			continue;
		type = byname_string(&r->g.b, name.p, (size_t)(slash - name.p));
		unit = byname_string(&r->g.b, slash + 1,
				     (size_t)(name.end - slash - 1));
	}
	if (!unit)
		unit = profile_intern(p, "count");
	c = profile_add_type(p, "", "");
	if (type == STRTAB_NONE || unit == STRTAB_NONE || c == PROF_NONE)
		return prof_nomem(r->err);
	p->type[c] = (struct value_type){ type, unit };
	/* The first event is the one that programs show. */
	if (!c)
		p->default_type = type;
	return PROF_OK;
}

static enum prof_status
add_columns(struct reader *r)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < r->g.n_event; i++)
		st = add_column(r, r->event[i]);
	return st;
}

/* callgrind's own sums differ by a few; a cut file's by much. */
static void
doubt(struct reader *r)
{
	static const char text[] =
		"the costs are far from the file's summary: is it cut?";
	int64_t less = r->summary - r->sum;

	if (r->summary > 0 && less > r->summary / 100)
		r->g.b.p->doubt = text;
}

static enum prof_status
read_all(struct reader *r, const struct callgrind_options *how)
{
	enum prof_status st = byname_init(&r->g.b, r->err);
	bool ok = st == PROF_OK && hashtab_init(&r->function) == 0 &&
		  hashtab_init(&r->cost) == 0;

	for (int i = 0; ok && i < N_SPACE; i++)
		ok = idmap_init(&r->name[i], 1024) == 0;
	if (!ok)
		return prof_nomem(r->err);
	r->is_position[LINE] = true;
	r->name_of = STRTAB_NONE;
	r->callee_object = r->callee_file = r->callee_name = STRTAB_NONE;
	while (st == PROF_OK && text_next(&r->t))
		st = one_line(r);
	if (st == PROF_OK && !r->g.n_event)
		st = bad(r, "no events");
	if (st == PROF_OK)
		st = add_columns(r);
	if (st != PROF_OK)
		return st;
	doubt(r);
	return callgrind_spread(&r->g, how, r->err);
}

enum prof_status
callgrind_parse(const void *data, size_t n, const struct callgrind_options *how,
		struct profile **out, struct prof_err *err)
{
	struct reader r = {
		.err = err,
		.t = { .p = data, .end = (const char *)data + n },
	};
	enum prof_status st = read_all(&r, how);

	*out = st == PROF_OK ? byname_take(&r.g.b) : NULL;
	byname_release(&r.g.b);
	hashtab_release(&r.function);
	hashtab_release(&r.cost);
	for (int i = 0; i < N_SPACE; i++)
		idmap_release(&r.name[i]);
	free(r.g.function);
	free(r.g.cost);
	free(r.g.value);
	return st;
}
