/* windows.c - see windows.h. */
#include "config.h"

#include "windows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "lib/report/report.h"

#define AROUND 500 /* bytes */
#define JOINED 1000

/* Of each location, the sum of the samples that have it as their leaf. */
static int64_t *
leaf_sums(const struct report *r)
{
	const struct profile *p = r->p;
	int64_t *flat = calloc(p->n_location + 1, sizeof(*flat));

	for (size_t i = 0; flat && i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		uint32_t l;

		if (!s->n_stack)
			continue;
		l = profile_stack(p, s)[0];
		flat[l] = units_add(flat[l], profile_value(p, i)[r->column]);
	}
	return flat;
}

/* The part of the file that the mapping of location l had in memory. */
static struct code_range
mapped(const struct profile *p, const struct object_place *place)
{
	const struct location *l = &p->location[place->location];
	const struct mapping *m = &p->mapping[l->mapping];
	uint64_t base = l->address - place->address;

	if (l->address < m->start || l->address >= m->limit)
		return (struct code_range){ 0, UINT64_MAX };
	return (struct code_range){ m->start < base ? 0 : m->start - base,
				    m->limit - base };
}

static void
find_in_object(struct windows *w, const struct profile *p, size_t object,
	       const struct list_object *in, const bool *marked,
	       const int64_t *flat)
{
	struct window *now = NULL;
	uint64_t last = 0;

	for (size_t i = 0; i < in->n_place; i++) {
		uint32_t l = in->place[i].location;
		uint64_t a = in->place[i].address;
		struct code_range all;

		if (!marked[l])
			continue;
		all = mapped(p, &in->place[i]);
		if (!now || a - last > JOINED) {
			now = &w->window[w->n++];
			*now = (struct window){ .object = object };
			now->range.start = a > AROUND ? a - AROUND : 0;
			if (now->range.start < all.start)
				now->range.start = all.start;
		}
		now->range.end =
			a < UINT64_MAX - AROUND ? a + AROUND : UINT64_MAX;
		if (now->range.end > all.end)
			now->range.end = all.end;
		now->score = units_add(now->score, flat[l]);
		last = a;
	}
}

static int
cmp_score(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->range.start > y->range.start) -
	       (x->range.start < y->range.start);
}

static int
cmp_place(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->range.start > y->range.start) -
	       (x->range.start < y->range.start);
}

/* Keep those with the highest sums, in the order of addresses. */
static void
choose(struct windows *w, size_t max)
{
	if (max && w->n > max) {
		qsort(w->window, w->n, sizeof(*w->window), cmp_score);
		w->n_dropped = w->n - max;
		w->n = max;
	}
	if (w->n)
		qsort(w->window, w->n, sizeof(*w->window), cmp_place);
}

enum prof_status
windows_find(struct windows *w, const struct report *r,
	     const struct objects *objects, const bool *marked, size_t max,
	     struct prof_err *err)
{
	int64_t *flat = leaf_sums(r);

	*w = (struct windows){ 0 };
	w->window = calloc(r->p->n_location + 1, sizeof(*w->window));
	if (!flat || !w->window) {
		free(flat);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < objects->n; i++)
		if (objects->object[i].binary)
			find_in_object(w, r->p, i, &objects->object[i], marked,
				       flat);
	free(flat);
	choose(w, max);
	return PROF_OK;
}

void
windows_release(struct windows *w)
{
	free(w->window);
	*w = (struct windows){ 0 };
}
