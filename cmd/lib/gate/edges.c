/* edges.c - see edges.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "impl.h"
#include "lib/base/array.h"
#include "lib/model/profile.h"

#define MIN_ROWS 16 /* are looked at, however many edges there are */

/* One profile in the walk. */
struct walk {
	struct gate_edges *e;
	size_t run;
	const struct profile *p;
	struct frames *f, *lines; /* lines: NULL if rows are lines */
	uint32_t *row;            /* of the keys of f */
	uint32_t *line, *file;    /* of the keys of lines: strings of g */
	double value, count;      /* of the sample at hand */
};

static int
new_edge(struct gate_edges *e, uint32_t caller, uint32_t callee)
{
	size_t n_run = e->g->n_run, n = e->n_edge;

	if (array_reserve(&e->edge, &e->cap_edge, n + 1, sizeof(*e->edge)) <
		    0 ||
	    array_reserve(&e->count, &e->cap_count, (n + 1) * n_run,
			  sizeof(double)) < 0 ||
	    array_reserve(&e->value, &e->cap_value, (n + 1) * n_run,
			  sizeof(double)) < 0)
		return -1;
	e->edge[n] = (struct gate_edge){ .caller = caller, .callee = callee };
	memset(e->count + n * n_run, 0, n_run * sizeof(double));
	memset(e->value + n * n_run, 0, n_run * sizeof(double));
	e->n_edge++;
	return 0;
}

static bool
is_kept(const struct gate_edges *e, uint32_t caller, uint32_t callee)
{
	return e->role[callee] ||
	       (caller != EDGE_ROOT && e->role[caller - 1] & ROLE_MARKED);
}

static int
add_edge(struct walk *w, uint32_t caller, uint32_t callee, bool is_inlined)
{
	struct gate_edges *e = w->e;
	struct pair_slot *s;
	size_t at;

	if (!is_kept(e, caller, callee))
		return 0;
	s = pairs_add(&e->edge_of, caller, callee);
	if (!s)
		return -1;
	at = s->index - 1;
	if (at == e->n_edge && new_edge(e, caller, callee) < 0)
		return -1;
	if (!is_inlined)
		e->edge[at].is_called = true;
	if (s->stamp == e->stamp)
		return 0;
	s->stamp = e->stamp;
	at = at * e->g->n_run + w->run;
	e->count[at] += w->count;
	e->value[at] += w->value;
	return 0;
}

static int
add_line(struct walk *w, uint32_t row, uint32_t key)
{
	struct gate_edges *e = w->e;
	struct pair_slot *s = pairs_add(&e->line_of, row, w->line[key]);
	enum gate_side side = e->g->run[w->run].side;
	size_t at;

	if (!s)
		return -1;
	at = s->index - 1;
	if (at == e->n_line) {
		if (array_reserve(&e->line, &e->cap_line, at + 1,
				  sizeof(*e->line)) < 0)
			return -1;
		e->line[e->n_line++] =
			(struct gate_line){ .row = row,
					    .name = w->line[key],
					    .file = w->file[key],
					    .line = w->lines->key[key].line };
	}
	if (s->stamp == e->stamp)
		return 0;
	s->stamp = e->stamp;
	e->line[at].value[side] += w->value / e->g->exposure[side];
	return 0;
}

static int
add_stack(struct walk *w, const struct sample *s)
{
	const uint32_t *stack = profile_stack(w->p, s);
	const struct frames *f = w->f;
	uint32_t caller = EDGE_ROOT;

	for (uint32_t k = s->n_stack; k-- > 0;) {
		uint32_t end = f->first[stack[k] + 1], at = end;

		while (at-- > f->first[stack[k]]) {
			uint32_t row = w->row[f->node[at]];

			if (caller != row + 1 &&
			    add_edge(w, caller, row, at + 1 < end) < 0)
				return -1;
			if (w->lines && w->e->role[row] & ROLE_MARKED &&
			    add_line(w, row, w->lines->node[at]) < 0)
				return -1;
			caller = row + 1;
		}
	}
	return 0;
}

/* --- too many --- */

static void
set_roles(struct gate_edges *e)
{
	memset(e->role, 0, e->g->n_row);
	for (size_t i = 0; i < e->n_marked; i++)
		e->role[e->marked[i]] |= ROLE_MARKED;
	for (size_t i = 0; i < e->n_gone; i++)
		e->role[e->gone[i]] |= ROLE_GONE;
}

static size_t
fewer(size_t n)
{
	return n > MIN_ROWS ? (n + MIN_ROWS) / 2 : n;
}

/*
 * Forget the less important half of the rows, and the edges that only they
 * needed; those that stay are complete. Between two samples.
 */
static int
shrink(struct gate_edges *e)
{
	size_t n_run = e->g->n_run, n = 0;

	if (e->n_marked <= MIN_ROWS && e->n_gone <= MIN_ROWS) {
		e->max_edge *= 2;
		return 0;
	}
	e->n_marked = fewer(e->n_marked);
	e->n_gone = fewer(e->n_gone);
	set_roles(e);
	pairs_release(&e->edge_of);
	if (pairs_init(&e->edge_of, e->g->names.key[0]) < 0)
		return -1;
	for (size_t k = 0; k < e->n_edge; k++) {
		const struct gate_edge *from = &e->edge[k];

		if (!is_kept(e, from->caller, from->callee))
			continue;
		if (!pairs_add(&e->edge_of, from->caller, from->callee))
			return -1;
		e->edge[n] = *from;
		memmove(e->count + n * n_run, e->count + k * n_run,
			n_run * sizeof(double));
		memmove(e->value + n * n_run, e->value + k * n_run,
			n_run * sizeof(double));
		n++;
	}
	e->n_edge = n;
	return 0;
}

/* --- a profile --- */

/* The names of the line keys, as strings of the gate. */
static enum prof_status
name_lines(struct walk *w, struct prof_err *err)
{
	const struct gate *g = w->e->g;
	struct frames_options o = g->o.frames;
	enum prof_status st;

	if (o.granularity != BY_FUNCTION && o.granularity != BY_FILE_FUNCTION)
		return PROF_OK;
	o.granularity = BY_LINE;
	st = frames_new(w->p, &o, &w->lines, err);
	if (st != PROF_OK)
		return st;
	w->line = calloc(w->lines->n_key + 1, sizeof(*w->line));
	w->file = calloc(w->lines->n_key + 1, sizeof(*w->file));
	if (!w->line || !w->file)
		return prof_nomem(err);
	for (uint32_t k = 0; k < w->lines->n_key; k++) {
		const struct str *text = frames_text(w->lines, k);
		const struct str *file =
			&w->lines->strings.str[w->lines->key[k].file];
		struct strtab *t = &w->e->g->names;

		w->line[k] = strtab_add(t, text->s, text->len);
		w->file[k] = strtab_add(t, file->s, file->len);
		if (w->line[k] == STRTAB_NONE || w->file[k] == STRTAB_NONE)
			return prof_nomem(err);
	}
	return PROF_OK;
}

static enum prof_status
walk_run(struct gate_edges *e, size_t run, struct prof_err *err)
{
	const struct gate_run *r = &e->g->run[run];
	struct walk w = { .e = e, .run = run, .p = r->p };
	enum prof_status st;

	st = frames_new(w.p, &e->g->o.frames, &w.f, err);
	if (st == PROF_OK)
		st = gate_map(e->g, w.f, &w.row, err);
	if (st == PROF_OK)
		st = name_lines(&w, err);
	for (size_t i = 0; st == PROF_OK && i < w.p->n_sample; i++) {
		const int64_t *value = profile_value(w.p, i);

		w.value = gate_value(&r->m, value);
		w.count = gate_samples(&r->m, value);
		e->stamp++;
		if (add_stack(&w, &w.p->sample[i]) < 0)
			st = prof_nomem(err);
		while (st == PROF_OK && e->n_edge > e->max_edge)
			if (shrink(e) < 0)
				st = prof_nomem(err);
	}
	free(w.line);
	free(w.file);
	free(w.row);
	frames_free(w.lines);
	frames_free(w.f);
	return st;
}

/* --- all of them --- */

#define NOWHERE UINT32_MAX

/* key says which row entry k is listed under, or NOWHERE. */
static int
make_index(struct gate_index *x, const struct gate_edges *e, size_t n,
	   uint32_t (*key)(const struct gate_edges *, size_t))
{
	size_t n_key = e->g->n_row + 1; /* EDGE_ROOT is one more */

	x->first = calloc(n_key + 2, sizeof(*x->first));
	x->at = malloc((n + 1) * sizeof(*x->at));
	if (!x->first || !x->at)
		return -1;
	/* Counted two further on, so that filling moves them to their place. */
	for (size_t k = 0; k < n; k++)
		if (key(e, k) != NOWHERE)
			x->first[key(e, k) + 2]++;
	for (size_t r = 1; r < n_key + 2; r++)
		x->first[r] += x->first[r - 1];
	for (size_t k = 0; k < n; k++)
		if (key(e, k) != NOWHERE)
			x->at[x->first[key(e, k) + 1]++] = (uint32_t)k;
	return 0;
}

static uint32_t
callee_of(const struct gate_edges *e, size_t k)
{
	return e->edge[k].callee;
}

static uint32_t
caller_of(const struct gate_edges *e, size_t k)
{
	return e->edge[k].caller;
}

static uint32_t
loser_of(const struct gate_edges *e, size_t k)
{
	return e->role[e->edge[k].callee] & ROLE_GONE ? e->edge[k].caller
						      : NOWHERE;
}

static uint32_t
line_row_of(const struct gate_edges *e, size_t k)
{
	return e->line[k].row;
}

enum prof_status
gate_edges_build(struct gate_edges *e, struct prof_err *err)
{
	const struct gate *g = e->g;
	enum prof_status st = PROF_OK;

	e->role = calloc(g->n_row + 1, sizeof(*e->role));
	if (!e->role || pairs_init(&e->edge_of, g->names.key[0]) < 0 ||
	    pairs_init(&e->line_of, g->names.key[0]) < 0)
		return prof_nomem(err);
	set_roles(e);
	for (size_t i = 0; st == PROF_OK && i < g->n_run; i++)
		st = walk_run(e, i, err);
	for (size_t k = 0; k < e->n_edge; k++)
		for (size_t i = 0; i < g->n_run; i++) {
			enum gate_side s = g->run[i].side;

			e->edge[k].value[s] +=
				e->value[k * g->n_run + i] / g->exposure[s];
		}
	if (st == PROF_OK &&
	    (make_index(&e->callers, e, e->n_edge, callee_of) < 0 ||
	     make_index(&e->callees, e, e->n_edge, caller_of) < 0 ||
	     make_index(&e->losses, e, e->n_edge, loser_of) < 0 ||
	     make_index(&e->lines, e, e->n_line, line_row_of) < 0))
		st = prof_nomem(err);
	return st;
}

void
gate_edges_release(struct gate_edges *e)
{
	struct gate_index *index[] = { &e->callers, &e->callees, &e->losses,
				       &e->lines };

	for (int i = 0; i < 4; i++) {
		free(index[i]->first);
		free(index[i]->at);
	}
	pairs_release(&e->edge_of);
	pairs_release(&e->line_of);
	free(e->role);
	free(e->edge);
	free(e->count);
	free(e->value);
	free(e->line);
}
