/* export/pprof.c - see pprof.h. */
#include "config.h"

#include "pprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report-open.h"
#include "lib/base/escape.h"
#include "lib/base/hashtab.h"
#include "lib/model/profile.h"

struct writer {
	FILE *out;
	const struct report *r;
	const struct frames *f;
	const struct graph *g;
	const char *unit;
	struct strtab object, file, function; /* numbers are indices */
	/* Functions that share file and name: see find_twins(). */
	uint32_t *twin;   /* of each node: its function's place among these */
	uint32_t *n_twin; /* ... and how many there are */
	const struct frame_key *last;
};

static const struct frame_key *
key_of(const struct writer *w, uint32_t node)
{
	return &w->f->key[w->g->node[node].key];
}

/* --- functions of the same name --- */

static bool
is_name(const struct frame_key *a, const struct frame_key *b)
{
	return a->file == b->file && a->name == b->name;
}

static bool
is_function(const struct frame_key *a, const struct frame_key *b)
{
	return is_name(a, b) && a->start_line == b->start_line &&
	       a->object == b->object;
}

/* The first node for which equal() holds with that one; the node if it is. */
static uint32_t
first_like(const struct writer *w, struct hashtab *t, uint32_t node,
	   bool (*equal)(const struct frame_key *, const struct frame_key *))
{
	const struct frame_key *k = key_of(w, node);
	uint32_t hash = (uint32_t)hashtab_mix(t, k->file, k->name);
	size_t at = hashtab_start(t, hash);
	uint32_t i;

	while ((i = hashtab_next(t, hash, &at)) != HASHTAB_NONE)
		if (equal(key_of(w, i), k))
			return i;
	if (hashtab_add(t, hash, node) < 0)
		die_nomem();
	return node;
}

/*
 * pprof tells callees with the same file and name apart by a suffix, if they
 * begin at different lines or are in different objects. Numbers go by the first
 * node of each.
 */
static void
find_twins(struct writer *w)
{
	size_t n = w->g->n_node;
	uint32_t *count = calloc(n + 1, sizeof(*count));
	struct hashtab names, functions;

	w->twin = calloc(n + 1, sizeof(*w->twin));
	w->n_twin = calloc(n + 1, sizeof(*w->n_twin));
	if (!count || !w->twin || !w->n_twin || hashtab_init(&names) < 0 ||
	    hashtab_init(&functions) < 0)
		die_nomem();
	for (uint32_t i = 0; i < n; i++) {
		uint32_t name = first_like(w, &names, i, is_name);
		uint32_t function = first_like(w, &functions, i, is_function);

		w->twin[i] = function == i ? ++count[name] : w->twin[function];
	}
	for (uint32_t i = 0; i < n; i++)
		w->n_twin[i] = count[first_like(w, &names, i, is_name)];
	hashtab_release(&names);
	hashtab_release(&functions);
	free(count);
}

/* --- lines --- */

/* "fn=(3) main" at first, then "fn=(3)", and "fn=" for no name. */
static void
put_name(struct writer *w, const char *key, struct strtab *table, const char *s,
	 size_t len)
{
	size_t had = table->n_str;
	uint32_t i = strtab_add(table, s, len);

	if (i == STRTAB_NONE)
		die_nomem();
	fprintf(w->out, "%s=", key);
	if (i)
		fprintf(w->out, "(%" PRIu32 ")", i);
	if (i >= had) {
		putc(' ', w->out);
		escape_put(w->out, ESCAPE_TEXT, s, len);
	}
	putc('\n', w->out);
}

static void
put_key_name(struct writer *w, const char *key, struct strtab *table,
	     uint32_t s)
{
	const struct str *str = &w->f->strings.str[s];

	put_name(w, key, table, str->s, str->len);
}

/* The function of a callee. */
static void
put_callee(struct writer *w, uint32_t node)
{
	const struct str *s = &w->f->strings.str[key_of(w, node)->name];
	char *text;
	int n;

	if (w->n_twin[node] < 2) {
		put_name(w, "cfn", &w->function, s->s, s->len);
		return;
	}
	n = asprintf(&text, "%s [%" PRIu32 "/%" PRIu32 "]", s->s, w->twin[node],
		     w->n_twin[node]);
	if (n < 0)
		die_nomem();
	put_name(w, "cfn", &w->function, text, (size_t)n);
	free(text);
}

/* Absolute, or the difference to the node before if that is shorter. */
static void
put_address(struct writer *w, uint64_t address)
{
	char absolute[24], relative[24];
	int64_t d;

	snprintf(absolute, sizeof(absolute), "0x%" PRIx64, address);
	if (!w->last) {
		fputs(absolute, w->out);
		return;
	}
	d = (int64_t)(address - w->last->address);
	snprintf(relative, sizeof(relative), d ? "%+" PRId64 : "*", d);
	fputs(strlen(relative) < strlen(absolute) ? relative : absolute,
	      w->out);
}

static void
put_value(struct writer *w, int64_t v)
{
	const char *unit;
	double x = units_scale(v, w->r->sample_unit, w->unit, &unit);
	int64_t n = x >= 0x1p63    ? INT64_MAX
		    : x <= -0x1p63 ? INT64_MIN
				   : (int64_t)x;

	fprintf(w->out, " %" PRId64 "\n", n);
}

static void
put_calls(struct writer *w, const struct graph_node *n)
{
	for (uint32_t i = 0; i < n->n_out; i++) {
		const struct graph_edge *e = &w->g->edge[w->g->out[n->out + i]];
		const struct frame_key *k = key_of(w, e->to);

		put_key_name(w, "cfl", &w->file, k->file);
		put_callee(w, e->to);
		fputs("calls=0 ", w->out);
		put_address(w, k->address);
		fprintf(w->out, " %" PRId64 "\n* *", k->line);
		put_value(w, e->weight.value);
	}
}

static void
put_node(struct writer *w, uint32_t i)
{
	const struct graph_node *n = &w->g->node[i];
	const struct frame_key *k = key_of(w, i), *last = w->last;

	if (!last || !is_name(k, last) || k->object != last->object) {
		putc('\n', w->out);
		put_key_name(w, "ob", &w->object, k->object);
		put_key_name(w, "fl", &w->file, k->file);
		put_key_name(w, "fn", &w->function, k->name);
	}
	put_address(w, k->address);
	fprintf(w->out, " %" PRId64, k->line);
	put_value(w, graph_value(n->flat));
	put_calls(w, n);
	w->last = k;
}

/* The largest unit in which the smallest value is at least 1. */
static const char *
choose_unit(const struct report *r, const struct graph *g)
{
	int64_t min = report_smallest(g);
	const char *unit = "minimum";

	if (g->n_node)
		units_scale(min ? min : units_abs(r->total), r->sample_unit,
			    "minimum", &unit);
	return *unit ? unit : r->sample_unit;
}

static void
put_all(struct writer *w)
{
	const struct profile *p = w->r->p;
	const struct str *type = &p->strings.str[p->type[w->r->column].type];

	find_twins(w);
	fputs("positions: instr line\nevents: ", w->out);
	escape_put(w->out, ESCAPE_TEXT, type->s, type->len);
	putc('(', w->out);
	escape_put(w->out, ESCAPE_TEXT, w->unit, strlen(w->unit));
	fputs(")\n", w->out);
	for (uint32_t i = 0; i < w->g->n_node; i++)
		put_node(w, i);
}

void
export_pprof(struct profile *p, const char *sample_index, FILE *out)
{
	struct report_settings s;
	struct writer w = { .out = out };
	struct frames *frames;
	struct graph *graph;
	struct report r;

	report_settings_init(&s);
	s.o.sample_index = sample_index;
	s.no_trim = true;
	s.o.frames.granularity = BY_ADDRESS;
	s.o.frames.by_object = true;
	s.o.graph.edges = GRAPH_ALL_EDGES;
	report_settings_finish(&s, REPORT_UNTRIMMED);
	report_take(&s, p);
	report_begin(&r, &s, p);
	report_open_graph(&r, &frames, &graph);
	w.r = &r;
	w.f = frames;
	w.g = graph;
	w.unit = choose_unit(&r, graph);
	if (strtab_init(&w.object, p->arena) < 0 ||
	    strtab_init(&w.file, p->arena) < 0 ||
	    strtab_init(&w.function, p->arena) < 0)
		die_nomem();
	put_all(&w);
	free(w.twin);
	free(w.n_twin);
	graph_free(graph);
	frames_free(frames);
	report_settings_release(&s);
}
