/*
 * dot-tag.c - the labels of a node's samples as boxes attached to it: the
 * heaviest of each kind; numbers that exceed the limit are grouped.
 */
#include "config.h"

#include "dot-impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/units.h"

/* A box: one tag, or several numbers in one. */
struct box {
	const struct graph_tag *min, *max; /* equal for one tag */
	bool is_group;
	struct graph_sum flat, cum;
};

static int
cmp_abs(int64_t a, int64_t b)
{
	a = units_abs(a);
	b = units_abs(b);
	return a > b ? -1 : a < b;
}

static int
box_cmp(const struct drawing *d, const struct box *a, const struct box *b,
	bool by_flat)
{
	const struct str *str = d->g->strings.str;
	int r = 0;

	if (!by_flat)
		r = cmp_abs(a->cum.value, b->cum.value);
	if (!r)
		r = cmp_abs(a->flat.value, b->flat.value);
	if (!r)
		r = strcmp(str[a->min->text].s, str[b->min->text].s);
	if (!r)
		r = strcmp(str[a->max->text].s, str[b->max->text].s);
	return r;
}

/* Move the best GRAPH_MAX_TAGS of n boxes to the front, sorted. */
static void
pick_boxes(const struct drawing *d, struct box *box, size_t n, bool by_flat)
{
	for (size_t i = 0; i < n && i < GRAPH_MAX_TAGS; i++) {
		for (size_t k = i + 1; k < n; k++) {
			if (box_cmp(d, &box[k], &box[i], by_flat) < 0) {
				struct box t = box[i];

				box[i] = box[k];
				box[k] = t;
			}
		}
	}
}

static double
scaled(const struct drawing *d, const struct graph_tag *t, uint32_t unit)
{
	const struct str *str = d->g->strings.str;
	const char *got;

	return units_scale(t->number, str[t->unit].s, str[unit].s, &got);
}

/* Truncate to an integer, clamped to 64 bits, as units differ a lot. */
static int64_t
whole(double x)
{
	return units_times(1, x);
}

/*
 * There are more numbers than boxes: the heaviest become the heads of groups,
 * and each other number joins the group with the nearest head.
 */
static size_t
group_boxes(const struct drawing *d, struct box *box, size_t n, bool by_flat)
{
	const struct graph_tag *head[GRAPH_MAX_TAGS];

	pick_boxes(d, box, n, by_flat);
	if (n <= GRAPH_MAX_TAGS)
		return n;
	for (size_t i = 0; i < GRAPH_MAX_TAGS; i++) {
		head[i] = box[i].min;
		box[i].is_group = true;
	}
	for (size_t i = GRAPH_MAX_TAGS; i < n; i++) {
		const struct graph_tag *t = box[i].min;
		double best = INFINITY;
		struct box *to = box;

		for (size_t k = 0; k < GRAPH_MAX_TAGS; k++) {
			double dist = fabs((double)t->number -
					   scaled(d, head[k], t->unit));

			if (dist < best) {
				best = dist;
				to = &box[k];
			}
		}
		if (whole(scaled(d, t, to->min->unit)) < to->min->number)
			to->min = t;
		if (whole(scaled(d, t, to->max->unit)) > to->max->number)
			to->max = t;
		graph_sum_add(&to->flat, t->flat);
		graph_sum_add(&to->cum, t->cum);
	}
	for (size_t k = 0; k < GRAPH_MAX_TAGS; k++) {
		box[k].flat = (struct graph_sum){ graph_value(box[k].flat), 0 };
		box[k].cum = (struct graph_sum){ graph_value(box[k].cum), 0 };
	}
	pick_boxes(d, box, GRAPH_MAX_TAGS, by_flat);
	return GRAPH_MAX_TAGS;
}

static void
put_number(struct drawing *d, const struct graph_tag *t)
{
	struct quantity q;

	units_format(&q, t->number, d->g->strings.str[t->unit].s, "auto");
	dot_escape(d, q.number, strlen(q.number));
	dot_escape(d, q.unit, strlen(q.unit));
}

/* A label's text: lines, centred. */
static void
put_lines(struct drawing *d, const char *s, size_t n)
{
	const char *end = s + n, *newline;

	while ((newline = memchr(s, '\n', (size_t)(end - s)))) {
		dot_escape(d, s, (size_t)(newline - s));
		dot_lit(d, "\\n");
		s = newline + 1;
	}
	dot_escape(d, s, (size_t)(end - s));
}

static void
put_box_label(struct drawing *d, const struct box *b)
{
	const struct str *text = &d->g->strings.str[b->min->text];

	if (!b->is_group) {
		put_lines(d, text->s, text->len);
		return;
	}
	put_number(d, b->min);
	if (b->min != b->max) {
		dot_lit(d, "..");
		put_number(d, b->max);
	}
}

/* Box `id` and its edge from `source`. */
static void
put_box(struct drawing *d, const struct box *b, const char *source,
	const char *id, int64_t value, const char *style)
{
	dot_putf(d, "%s [label = \"", id);
	put_box_label(d, b);
	dot_putf(d, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"", id);
	dot_value(d, value);
	dot_putf(d, "\"]\n%s -> %s [label=\" ", source, id);
	dot_value(d, value);
	dot_lit(d, "\" weight=100 tooltip=\"");
	dot_value(d, value);
	dot_lit(d, "\" labeltooltip=\"");
	dot_value(d, value);
	dot_putf(d, "\"%s]\n", style);
}

/* Append the numeric tags of string tag `group`, attached to `source`. */
static bool
put_numbers(struct drawing *d, const struct graph_node *n, uint32_t group,
	    const char *source, struct box *box)
{
	const struct graph_tag *tag = d->g->tag + n->tag;
	bool by_flat = n->n_out > 0, any = false;
	size_t n_box = 0;
	char id[64];

	for (uint32_t i = 0; i < n->n_tag; i++)
		if (tag[i].is_numeric && tag[i].group == group)
			box[n_box++] = (struct box){ &tag[i], &tag[i], false,
						     tag[i].flat, tag[i].cum };
	n_box = group_boxes(d, box, n_box, by_flat);
	for (size_t i = 0; i < n_box; i++) {
		int64_t flat = graph_value(box[i].flat);
		int64_t cum = graph_value(box[i].cum);
		bool is_flat = by_flat || flat == cum;

		if ((is_flat ? flat : cum) == 0)
			continue;
		snprintf(id, sizeof(id), "N%s_%zu", source, i);
		put_box(d, &box[i], source, id, is_flat ? flat : cum,
			is_flat ? "" : " style=\"dotted\"");
		any = true;
	}
	return any;
}

void
dot_tags(struct drawing *d, uint32_t i)
{
	const struct graph_node *n = &d->g->node[i];
	const struct graph_tag *tag;
	bool by_flat = n->n_out > 0;
	struct box *box, *numbers;
	char source[24], id[48];
	size_t n_box = 0;

	if (n->n_tag == 0)
		return;
	tag = d->g->tag + n->tag;
	box = calloc(n->n_tag, 2 * sizeof(*box));
	if (!box) {
		d->failed = true;
		return;
	}
	numbers = box + n->n_tag;
	for (uint32_t k = 0; k < n->n_tag; k++)
		if (!tag[k].is_numeric)
			box[n_box++] = (struct box){ &tag[k], &tag[k], false,
						     tag[k].flat, tag[k].cum };
	pick_boxes(d, box, n_box, by_flat);
	snprintf(source, sizeof(source), "N%" PRIu32, i + 1);
	for (size_t k = 0; k < n_box && k < GRAPH_MAX_TAGS; k++) {
		int64_t v = graph_value(by_flat ? box[k].flat : box[k].cum);

		if (v == 0)
			continue;
		snprintf(id, sizeof(id), "%s_%zu", source, k);
		put_box(d, &box[k], source, id, v, "");
		put_numbers(d, n, box[k].min->text, id, numbers);
		d->has_tags[i] = true;
	}
	if (put_numbers(d, n, 0, source, numbers))
		d->has_tags[i] = true;
	free(box);
}
