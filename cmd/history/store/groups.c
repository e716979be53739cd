/* groups.c - see groups.h. */
#include "config.h"

#include "groups.h"

#include <stdbool.h>
#include <stdlib.h>

#include "block.h"
#include "lib/base/array.h"
#include "lib/model/units.h"

void
groups_release(struct groups *g)
{
	free(g->of);
	free(g->group);
	free(g->scale);
	*g = (struct groups){ .detail = g->detail };
}

enum prof_status
groups_add(struct groups *g, const struct entry *e, struct prof_err *err)
{
	struct group key = { .build = e->build };
	size_t i;

	if (g->detail == DETAIL_ALL)
		return PROF_OK;
	if (g->detail == DETAIL_HOURS)
		key.hour = e->time_ns / BLOCK_HOUR_NS -
			   (e->time_ns % BLOCK_HOUR_NS < 0);
	if (array_reserve(&g->of, &g->cap_of, g->n_of + 1, sizeof(*g->of)) <
		    0 ||
	    array_reserve(&g->group, &g->cap, g->n + 1, sizeof(*g->group)) < 0)
		return prof_nomem(err);
	/* The last ones first: profiles come by time. */
	for (i = g->n; i > 0; i--)
		if (g->group[i - 1].hour == key.hour &&
		    g->group[i - 1].build == key.build)
			break;
	if (!i) {
		g->group[g->n] = key;
		i = ++g->n;
	}
	g->of[g->n_of++] = (uint32_t)i - 1;
	return PROF_OK;
}

uint32_t
groups_of(const struct groups *g, size_t i)
{
	return g->detail == DETAIL_ALL ? (uint32_t)i : g->of[i];
}

/* Sort by function, or by group; equal ones keep their order. */
static int
sort_by(struct cells *x, bool is_by_fn)
{
	struct cell *sorted = malloc((x->n + 1) * sizeof(*sorted));
	uint32_t max = 0;
	size_t *start = NULL;

	for (size_t i = 0; i < x->n; i++) {
		uint32_t key = is_by_fn ? x->cell[i].fn : x->cell[i].pos;

		if (key > max)
			max = key;
	}
	if (sorted)
		start = calloc((size_t)max + 2, sizeof(*start));
	if (!start) {
		free(sorted);
		return -1;
	}
	for (size_t i = 0; i < x->n; i++)
		start[(is_by_fn ? x->cell[i].fn : x->cell[i].pos) + 1]++;
	for (size_t k = 0; k <= max; k++)
		start[k + 1] += start[k];
	for (size_t i = 0; i < x->n; i++)
		sorted[start[is_by_fn ? x->cell[i].fn : x->cell[i].pos]++] =
			x->cell[i];
	free(x->cell);
	x->cell = sorted;
	x->cap = x->n + 1;
	free(start);
	return 0;
}

enum prof_status
groups_sort(const struct groups *g, struct cells *x, struct prof_err *err)
{
	size_t n = 0;

	/* Profiles are added in order; their groups may come back. */
	if ((g->detail != DETAIL_ALL && sort_by(x, false) < 0) ||
	    sort_by(x, true) < 0)
		return prof_nomem(err);
	for (size_t i = 0; i < x->n; i++) {
		struct cell *last = n ? &x->cell[n - 1] : NULL;
		const struct cell *c = &x->cell[i];

		if (last && last->fn == c->fn && last->pos == c->pos) {
			last->flat = units_add(last->flat, c->flat);
			last->cum = units_add(last->cum, c->cum);
		} else {
			x->cell[n++] = *c;
		}
	}
	x->n = n;
	return PROF_OK;
}

/* Divide *scale until it divides v, too; 0 at first. */
static void
divide(int64_t *scale, int64_t v)
{
	*scale = v == INT64_MIN ? 1
				: (int64_t)units_gcd((uint64_t)*scale,
						     (uint64_t)units_abs(v));
}

enum prof_status
groups_scale(struct block *b, struct prof_err *err)
{
	struct groups *g = &b->groups;
	size_t n = b->n_column;
	int64_t *scale = calloc(g->n * n + 1, sizeof(*scale));

	if (!scale)
		return prof_nomem(err);
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; i < b->cells[c].n; i++) {
			const struct cell *x = &b->cells[c].cell[i];

			divide(&scale[x->pos * n + c], x->flat);
			divide(&scale[x->pos * n + c], x->cum);
		}
	for (size_t i = 0; i < g->n * n; i++)
		if (!scale[i])
			scale[i] = 1;
	free(g->scale);
	g->scale = scale;
	return PROF_OK;
}
