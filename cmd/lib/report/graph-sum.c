/*
 * graph-sum.c - flat and cum of all candidates, see graph-build.h. These loops
 * run for every frame of the profile, so they access one small array each and
 * make each decision only once.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "graph-build.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"

#define SEVERAL GRAPH_NONE /* frames at a location */

bool
build_weight(const struct build *b, size_t i, int64_t *w, int64_t *dw)
{
	const int64_t *value = b->p->value + i * b->p->n_type;

	*w = value[b->o->column];
	*dw = b->o->mean ? value[0] : 0;
	return (*w || *dw) && !(b->o->leave_out && b->o->leave_out[i]);
}

static inline void
sum_add(int64_t *sum, int64_t v)
{
	*sum = units_add(*sum, v);
}

static inline void
count_node(struct build *b, uint32_t stamp, uint32_t node, int64_t w,
	   int64_t dw)
{
	struct tally *t = &b->tally[node];

	if (t->stamp == stamp)
		return;
	t->stamp = stamp;
	sum_add(&t->cum, w);
	if (dw)
		sum_add(&b->cum_divisor[node], dw);
}

/* The node of each location with one frame, else SEVERAL. NULL without
 * memory. */
static uint32_t *
single_frames(const struct frames *f)
{
	size_t n = f->p->n_location;
	uint32_t *one = malloc((n + 1) * sizeof(*one));

	for (size_t l = 0; one && l < n; l++)
		one[l] = f->first[l + 1] - f->first[l] == 1
				 ? f->node[f->first[l]]
				 : SEVERAL;
	return one;
}

static int
init_sums(struct build *b)
{
	/* One more, so that the size is never 0. */
	size_t n = b->f->n_key + 1;

	b->n_candidate = b->f->n_key;
	b->tally = calloc(n, sizeof(*b->tally));
	b->flat = calloc(n, sizeof(*b->flat));
	if (b->o->mean) {
		b->cum_divisor = calloc(n, sizeof(*b->cum_divisor));
		b->flat_divisor = calloc(n, sizeof(*b->flat_divisor));
		if (!b->cum_divisor || !b->flat_divisor)
			return -1;
	}
	if (!b->tally || !b->flat)
		return -1;
	for (uint32_t k = 0; k < b->n_candidate; k++)
		b->tally[k].key = k;
	return 0;
}

enum prof_status
build_sums(struct build *b)
{
	const uint32_t *first = b->f->first, *node = b->f->node;
	const struct profile *p = b->p;
	uint32_t *one = single_frames(b->f);
	int64_t w, dw;

	if (!one || init_sums(b) < 0) {
		free(one);
		return prof_nomem(b->err);
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		uint32_t stamp = (uint32_t)i + 1;

		if (!build_weight(b, i, &w, &dw) || !s->n_stack)
			continue;
		for (uint32_t k = 0; k < s->n_stack; k++) {
			uint32_t l = stack[k];

			if (one[l] != SEVERAL) {
				count_node(b, stamp, one[l], w, dw);
				continue;
			}
			for (uint32_t at = first[l]; at < first[l + 1]; at++)
				count_node(b, stamp, node[at], w, dw);
		}
		sum_add(&b->flat[node[first[stack[0]]]], w);
		if (dw)
			sum_add(&b->flat_divisor[node[first[stack[0]]]], dw);
	}
	free(one);
	return PROF_OK;
}

/* --- call trees --- */

/* Grow *array from `from` to `to` elements, new ones cleared. -1 without
 * memory. */
static int
grow(void *array, size_t size, size_t from, size_t to)
{
	char *grown;
	void *old;

	memcpy(&old, array, sizeof(old));
	grown = realloc(old, to * size);
	if (!grown)
		return -1;
	memset(grown + from * size, 0, (to - from) * size);
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

static int
grow_paths(struct build *b)
{
	size_t from = b->cap_path, to = from ? from * 2 : 1024;

	if (grow(&b->tally, sizeof(*b->tally), from, to) < 0 ||
	    grow(&b->flat, sizeof(*b->flat), from, to) < 0 ||
	    grow(&b->parent, sizeof(*b->parent), from, to) < 0 ||
	    grow(&b->is_inlined, sizeof(*b->is_inlined), from, to) < 0 ||
	    (b->o->mean &&
	     (grow(&b->cum_divisor, sizeof(*b->cum_divisor), from, to) < 0 ||
	      grow(&b->flat_divisor, sizeof(*b->flat_divisor), from, to) < 0)))
		return -1;
	b->cap_path = to;
	return 0;
}

/* The path from parent (or GRAPH_NONE) to key. */
static uint32_t
add_path(struct build *b, uint32_t parent, uint32_t key, bool is_inlined)
{
	struct pair_slot *s = pairs_add(&b->path, parent + 1, key);
	uint32_t path;

	if (!s)
		return GRAPH_NONE;
	path = s->index - 1;
	if (path == b->n_candidate) {
		if (path >= b->cap_path && grow_paths(b) < 0)
			return GRAPH_NONE;
		b->tally[path].key = key;
		b->parent[path] = parent;
		b->is_inlined[path] = is_inlined;
		b->n_candidate++;
	}
	b->is_inlined[path] &= is_inlined;
	return path;
}

enum prof_status
build_tree_sums(struct build *b)
{
	const uint32_t *first = b->f->first, *node = b->f->node;
	const struct profile *p = b->p;
	int64_t w, dw;

	if (pairs_init(&b->path, b->f->strings.key[0]) < 0 || grow_paths(b) < 0)
		return prof_nomem(b->err);
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		uint32_t path = GRAPH_NONE;

		if (!build_weight(b, i, &w, &dw) || !s->n_stack)
			continue;
		for (uint32_t k = s->n_stack; k-- > 0;) {
			uint32_t end = first[stack[k] + 1], at = end;

			while (at-- > first[stack[k]]) {
				path = add_path(b, path, node[at],
						at + 1 < end);
				if (path == GRAPH_NONE)
					return prof_nomem(b->err);
				sum_add(&b->tally[path].cum, w);
				if (dw)
					sum_add(&b->cum_divisor[path], dw);
			}
		}
		sum_add(&b->flat[path], w);
		if (dw)
			sum_add(&b->flat_divisor[path], dw);
	}
	return PROF_OK;
}
