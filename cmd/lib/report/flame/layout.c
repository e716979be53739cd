/*
 * layout.c - see layout.h. Nodes are in preorder, so sums run backwards over
 * them; boxes come from a walk with an explicit stack.
 */
#include "config.h"

#include "layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flame.h"
#include "lib/base/array.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"
#include "lib/model/units.h"

/* --- sums --- */

static void
add_samples(struct flame_sums *s, const struct flame_tree *t,
	    const struct profile *p, size_t column, const bool *leave_out)
{
	struct base_mark mark = base_mark_of(p);

	for (size_t i = 0; i < p->n_sample; i++) {
		int64_t v = p->value[i * p->n_type + column];
		bool is_base = base_mark_on(&mark, p, &p->sample[i]);
		int64_t *sum = &s->self[!is_base][t->of[i]];

		if (leave_out && leave_out[i])
			continue;
		/* The values of a base are negated. */
		*sum = is_base ? units_sub(*sum, v) : units_add(*sum, v);
	}
}

/* The column that counts samples of the values in another, or n_type. */
static size_t
count_column(const struct profile *p, size_t column)
{
	size_t c = 0;

	while (c < p->n_type &&
	       (c == column ||
		strcmp(profile_str(p, p->type[c].unit), "count")))
		c++;
	return c;
}

/*
 * The mean value of a sample of each side: sum of squares by sum, so that many
 * small values do not count as much as few large ones. A sample of the profile
 * may stand for several, which its count says; time that was not sampled is no
 * sample.
 */
static void
measure_samples(struct flame_sums *s, const struct profile *p, size_t column)
{
	struct base_mark mark = base_mark_of(p);
	size_t counts = count_column(p, column);
	double sum[2] = { 0 }, squares[2] = { 0 };

	for (size_t i = 0; i < p->n_sample; i++) {
		const int64_t *value = p->value + i * p->n_type;
		int side = !base_mark_on(&mark, p, &p->sample[i]);
		double v = fabs((double)value[column]), n = 1;

		if (sampling_is_none(p, i))
			continue;
		if (counts < p->n_type)
			n = fmax(1, fabs((double)value[counts]));
		sum[side] += v;
		squares[side] += v * v / n;
	}
	for (int side = 0; side < 2; side++)
		s->mean[side] = sum[side] > 0 ? squares[side] / sum[side] : 0;
}

bool
flame_is_sure(const struct flame_sums *s, const int64_t v[2])
{
	const double normal95 = 1.96, least = 6;
	double n[2];

	for (int side = 0; side < 2; side++)
		n[side] = s->mean[side] > 0
				  ? fabs((double)v[side]) / s->mean[side]
				  : 0;
	if (v[0] <= 0 || v[1] <= 0)
		return fmax(n[0], n[1]) >= least;
	return fabs(log((double)v[1] / (double)v[0])) >
	       normal95 * sqrt(1 / n[0] + 1 / n[1]);
}

/* The width of self values: never negative. */
static double
own_width(double before, double after, bool is_two, enum flame_width width)
{
	if (!is_two)
		return fabs(after);
	switch (width) {
	case FLAME_BOTH:
		return fmax(fabs(before), fabs(after));
	case FLAME_BEFORE:
		return fabs(before);
	case FLAME_AFTER:
		return fabs(after);
	case FLAME_CHANGE:
		return fabs(after - before);
	}
	return 0;
}

static double
scale_of(const int64_t *self, size_t n, bool shares)
{
	double sum = 0;

	for (size_t i = 0; i < n && shares; i++)
		sum += fabs((double)self[i]);
	return sum > 0 ? 1 / sum : 1;
}

static void
add_up(struct flame_sums *s, const struct flame_tree *t, enum flame_width width,
       bool shares)
{
	double scale[2];

	for (int side = 0; side < 2; side++) {
		scale[side] = scale_of(s->self[side], t->n_node, shares);
		for (size_t i = 0; i < t->n_node; i++)
			s->total[side][i] = s->self[side][i];
	}
	for (size_t i = 0; i < t->n_node && !s->is_two; i++)
		s->is_signed |= s->self[1][i] < 0;
	for (size_t i = 0; i < t->n_node; i++)
		s->width[i] = own_width((double)s->self[0][i] * scale[0],
					(double)s->self[1][i] * scale[1],
					s->is_two, width);
	for (size_t i = t->n_node; --i > 0;) {
		uint32_t up = t->parent[i];

		s->width[up] += s->width[i];
		for (int side = 0; side < 2; side++)
			s->total[side][up] = units_add(s->total[side][up],
						       s->total[side][i]);
	}
}

enum prof_status
flame_sums_init(struct flame_sums *s, const struct flame_tree *t,
		const struct profile *p, size_t column, const bool *leave_out,
		enum flame_width width, bool shares, struct prof_err *err)
{
	*s = (struct flame_sums){ .is_two = profile_has_base(p) };
	for (int side = 0; side < 2; side++) {
		s->self[side] = calloc(t->n_node, sizeof(**s->self));
		s->total[side] = calloc(t->n_node, sizeof(**s->total));
		if (!s->self[side] || !s->total[side])
			return prof_nomem(err);
	}
	s->width = calloc(t->n_node, sizeof(*s->width));
	if (!s->width)
		return prof_nomem(err);
	add_samples(s, t, p, column, leave_out);
	if (s->is_two)
		measure_samples(s, p, column);
	add_up(s, t, width, shares && s->is_two);
	return PROF_OK;
}

void
flame_sums_release(struct flame_sums *s)
{
	for (int side = 0; side < 2; side++) {
		free(s->self[side]);
		free(s->total[side]);
	}
	free(s->width);
	*s = (struct flame_sums){ 0 };
}

/* --- boxes --- */

struct walk {
	struct flame_layout *l;
	const struct flame_tree *t;
	const struct flame_sums *s;
	const struct flame_limits *limits;
	double scale;            /* pixels per unit of width */
	struct flame_box *stack; /* to be placed, the next one last */
	size_t n_stack, cap_stack, cap_box;
	struct flame_box *sibling; /* of the current box */
	size_t n_sibling, cap_sibling;
};

static int
push_box(struct flame_box **array, size_t *n, size_t *cap,
	 const struct flame_box *box)
{
	if (array_reserve(array, cap, *n + 1, sizeof(**array)) < 0)
		return -1;
	(*array)[(*n)++] = *box;
	return 0;
}

static int
wider(const void *p, const void *q)
{
	const struct flame_box *x = p, *y = q;

	if (x->width != y->width)
		return x->width < y->width ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

/* List the children of a box that are drawn, and one for all others. */
static int
list_children(struct walk *w, const struct flame_box *up)
{
	struct flame_box rest = { .node = up->node, .depth = up->depth + 1 };
	const struct flame_tree *t = w->t;

	w->n_sibling = 0;
	for (uint32_t i = up->node + 1; i < t->end[up->node]; i = t->end[i]) {
		struct flame_box box = {
			.width = w->s->width[i] * w->scale,
			.node = i,
			.depth = up->depth + 1,
		};

		if (box.width >= w->l->min_width) {
			if (push_box(&w->sibling, &w->n_sibling,
				     &w->cap_sibling, &box) < 0)
				return -1;
			continue;
		}
		rest.n_rest += box.width > 0;
		rest.width += box.width;
		for (int side = 0; side < 2; side++)
			rest.rest[side] = units_add(rest.rest[side],
						    w->s->total[side][i]);
	}
	if (!w->limits->by_name && w->n_sibling)
		qsort(w->sibling, w->n_sibling, sizeof(*w->sibling), wider);
	return rest.n_rest && rest.width >= w->l->min_width
		       ? push_box(&w->sibling, &w->n_sibling, &w->cap_sibling,
				  &rest)
		       : 0;
}

static int
place_boxes(struct walk *w)
{
	struct flame_layout *l = w->l;
	struct flame_box box = { .width = w->limits->width };

	l->n_box = l->n_drawn = l->depth = 0;
	w->n_stack = 0;
	if (push_box(&w->stack, &w->n_stack, &w->cap_stack, &box) < 0)
		return -1;
	while (w->n_stack) {
		double x;

		box = w->stack[--w->n_stack];
		if (push_box(&l->box, &l->n_box, &w->cap_box, &box) < 0)
			return -1;
		if (box.depth > l->depth)
			l->depth = box.depth;
		if (box.n_rest)
			continue;
		l->n_drawn++;
		if (list_children(w, &box) < 0)
			return -1;
		x = box.x;
		for (size_t i = 0; i < w->n_sibling; i++) {
			w->sibling[i].x = x;
			x += w->sibling[i].width;
		}
		for (size_t i = w->n_sibling; i--;)
			if (push_box(&w->stack, &w->n_stack, &w->cap_stack,
				     &w->sibling[i]) < 0)
				return -1;
	}
	return 0;
}

enum prof_status
flame_layout_init(struct flame_layout *l, const struct flame_tree *t,
		  const struct flame_sums *s, const struct flame_limits *limits,
		  struct prof_err *err)
{
	struct walk w = { .l = l, .t = t, .s = s, .limits = limits };
	double least = limits->width / 1e9;
	int r;

	*l = (struct flame_layout){ 0 };
	for (size_t i = 0; i < t->n_node; i++)
		l->n_node += s->width[i] > 0;
	w.scale = s->width[0] > 0 ? limits->width / s->width[0] : 0;
	l->min_width = limits->min_width > least ? limits->min_width : least;
	while ((r = place_boxes(&w)) == 0 && limits->max_boxes &&
	       l->n_box > limits->max_boxes && l->min_width < limits->width)
		l->min_width *= 2;
	free(w.stack);
	free(w.sibling);
	return r < 0 ? prof_nomem(err) : PROF_OK;
}

void
flame_layout_release(struct flame_layout *l)
{
	free(l->box);
	*l = (struct flame_layout){ 0 };
}
