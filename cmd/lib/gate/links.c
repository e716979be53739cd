/*
 * links.c - callers, callees, lines and leaves of marked rows, from the stacks
 * of all profiles at once.
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>

#include "impl.h"
#include "lib/base/arena.h"
#include "lib/base/pairs.h"
#include "lib/base/search.h"

#define MAX_ROW (UINT32_MAX / LINK_N_KIND - 1)

struct walk {
	const struct gate *g;
	const unsigned char *marked;
	unsigned kinds;
	uint32_t *row;      /* of each frame */
	struct pairs index; /* of row and kind, and other */
	struct gate_links *links;
	size_t cap;
	unsigned char *is_ours; /* by string of g, if places are needed */
	uint32_t stack;         /* the current one */
};

static int
add_link(struct walk *w, uint32_t row, enum gate_link_kind kind, uint32_t other,
	 bool is_called)
{
	struct gate_links *x = w->links;
	struct pair_slot *slot;
	struct gate_link *l;
	size_t at;

	if (!(w->kinds >> kind & 1))
		return 0;
	slot = pairs_add(&w->index, row * LINK_N_KIND + kind, other);
	if (!slot)
		return -1;
	at = slot->index - 1;
	if (at == x->n) {
		l = arena_grow(w->g->arena, x->link, &w->cap, at + 1,
			       sizeof(*l));
		if (!l)
			return -1;
		x->link = l;
		x->link[x->n++] =
			(struct gate_link){ .key = slot->a, .other = other };
	}
	l = &x->link[at];
	l->is_called |= is_called;
	if (slot->stamp == w->stack)
		return 0;
	slot->stamp = w->stack;
	l->value[0] += w->g->stack_mean[w->stack][0];
	l->value[1] += w->g->stack_mean[w->stack][1];
	return 0;
}

/* Add the links of a marked row. ours: the next place in a file of the project,
 * in the row or above. */
static int
add_links_of(struct walk *w, const struct gate_frame *f, uint32_t row,
	     uint32_t caller, uint32_t ours, uint32_t leaf)
{
	if ((caller != row + 1 &&
	     add_link(w, row, LINK_CALLER, caller, !f->is_inlined) < 0) ||
	    (f->place && add_link(w, row, LINK_LINE, f->place, true) < 0) ||
	    (ours && add_link(w, row, LINK_PLACE, ours, true) < 0))
		return -1;
	return add_link(w, row, LINK_LEAF, leaf + 1, true);
}

static int
add_stack(struct walk *w)
{
	const struct gate *g = w->g;
	uint32_t caller = 0, ours = 0;
	size_t n;
	const uint32_t *frame = gate_stack_at(g, w->stack, &n);
	uint32_t leaf = w->row[frame[0]];

	while (n-- > 0) {
		const struct gate_frame *f = gate_frame_at(g, frame[n]);
		uint32_t row = w->row[frame[n]];

		if (w->is_ours && f->place &&
		    w->is_ours[gate_place_at(g, f->place)->file])
			ours = f->place;
		if (caller && caller != row + 1 && w->marked[caller - 1] &&
		    add_link(w, caller - 1, LINK_CALLEE, row + 1,
			     !f->is_inlined) < 0)
			return -1;
		if (w->marked[row] &&
		    add_links_of(w, f, row, caller, ours, leaf) < 0)
			return -1;
		caller = row + 1;
	}
	return 0;
}

static int
cmp_links(const void *a, const void *b)
{
	const struct gate_link *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->other < y->other ? -1 : x->other > y->other;
}

/* Ask about each file once. */
static int
find_ours(struct walk *w)
{
	const struct gate *g = w->g;
	size_t n = g->names.n_str;
	unsigned char *asked = gate_zeros(g->arena, n, 2);

	if (!asked)
		return -1;
	w->is_ours = asked + n;
	for (uint32_t i = 1; g->o.is_ours && i < g->places.n_str; i++) {
		uint32_t file = gate_place_at(g, i)->file;

		if (!asked[file])
			w->is_ours[file] = g->o.is_ours(g->o.is_ours_ctx,
							gate_name(g, file));
		asked[file] = 1;
	}
	return 0;
}

enum prof_status
gate_links_build(struct gate_links *x, const struct gate *g,
		 const unsigned char *marked, unsigned kinds,
		 struct prof_err *err)
{
	struct walk w = {
		.g = g, .marked = marked, .kinds = kinds, .links = x
	};
	enum prof_status st = PROF_OK;

	*x = (struct gate_links){ 0 };
	if (g->n_row > MAX_ROW)
		return prof_fail(err, PROF_ELIMIT, "too many functions");
	w.row = gate_zeros(g->arena, g->frames.n_str, sizeof(*w.row));
	if (!w.row || (kinds >> LINK_PLACE & 1 && find_ours(&w) < 0) ||
	    pairs_init(&w.index, g->names.key[0]) < 0)
		return prof_nomem(err);
	for (uint32_t i = 1; i < g->frames.n_str; i++)
		w.row[i] = gate_frame_row(g, i);
	for (w.stack = 1; st == PROF_OK && w.stack < g->stacks.n_str; w.stack++)
		if (add_stack(&w) < 0)
			st = prof_nomem(err);
	pairs_release(&w.index);
	if (st == PROF_OK && x->n)
		qsort(x->link, x->n, sizeof(*x->link), cmp_links);
	return st;
}

const struct gate_link *
gate_links_of(const struct gate_links *x, uint32_t row,
	      enum gate_link_kind kind, size_t *n)
{
	uint64_t key = (uint64_t)row * LINK_N_KIND + kind;
	const size_t size = sizeof(*x->link),
		     at = offsetof(struct gate_link, key);
	size_t from = search_from(x->link, x->n, size, at, key);

	*n = search_above(x->link, x->n, size, at, key) - from;
	return *n ? x->link + from : NULL;
}
