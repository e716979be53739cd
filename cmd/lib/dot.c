/*
 * dot.c - see dot.h. Attributes and their order are pprof's, so that scripts
 * that read its drawings read ours.
 */
#include "config.h"

#include "dot.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "graph.h"
#include "profile.h"
#include "report.h"
#include "shorten.h"
#include "text-print.h"
#include "units.h"

#define MAX_TAGS 4 /* boxes of one kind at a node */

static const char read_me[] =
	"See https://git.io/JfYMW for how to read the graph";

struct drawing {
	const struct report *r;
	const struct graph *g;
	struct buf *out;
	bool is_rendered;
	bool failed; /* out of memory; looked at once, at the end */
	double max_flat;
	bool *has_tags;  /* of each node: boxes were drawn at it */
	struct buf name; /* scratch for shortening */
};

/* --- writing --- */

static void
put(struct drawing *d, const char *s, size_t n)
{
	if (buf_add(d->out, s, n) < 0)
		d->failed = true;
}

static void __attribute__((format(printf, 2, 3)))
putf(struct drawing *d, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(text))
		d->failed = true;
	else
		put(d, text, (size_t)n);
}

/*
 * Text from the profile, for inside a quoted string: what would be harmful on a
 * terminal is escaped first (text-print.h), then what means something to DOT.
 */
static void
put_escaped(struct drawing *d, const char *s, size_t n, const char *newline)
{
	char escape[TEXT_ESCAPE];
	size_t len;

	for (; n; s += len, n -= len) {
		len = 1;
		if (*s == '\n') {
			put(d, newline, 2);
		} else if (*s == '"' || *s == '\\') {
			putf(d, "\\%c", *s);
		} else if (*s == '&' && d->is_rendered) {
			put(d, "&amp;", 5);
		} else {
			len = text_piece(s, n, escape);
			if (escape[0])
				putf(d, "\\%s", escape);
			else
				put(d, s, len);
		}
	}
}

static void
put_string(struct drawing *d, uint32_t s)
{
	const struct str *str = &d->g->frames->strings.str[s];

	put_escaped(d, str->s, str->len, "\\l");
}

static void
put_value(struct drawing *d, int64_t v)
{
	struct quantity q;

	report_format(d->r, &q, v);
	put_escaped(d, q.number, strlen(q.number), "\\n");
	put_escaped(d, q.unit, strlen(q.unit), "\\n");
}

static void
put_percent(struct drawing *d, int64_t v)
{
	char text[UNITS_PERCENT], *p = text;

	units_percent(text, v, d->r->total);
	while (*p == ' ')
		p++;
	putf(d, "(%s)", p);
}

/* --- colours --- */

/*
 * The colour of a share of the total, from green (-1) over grey to red (1).
 * Small shares lose their saturation, and the power spreads them out: most
 * nodes have little.
 */
static void
put_color(struct drawing *d, double share, bool is_fill)
{
	double saturation = is_fill ? 0.1 : 1.0, value = is_fill ? 0.93 : 0.7;
	double size, rgb[3];

	share = isnan(share) ? 0 : fmax(-1, fmin(1, share));
	size = fabs(share);
	if (size < 0.2)
		saturation *= size / 0.2;
	size = pow(size, 0.3);
	rgb[0] = share < 0 ? value * (1 - saturation * size) : value;
	rgb[1] = share < 0 ? value : value * (1 - saturation * size);
	rgb[2] = value * (1 - saturation);
	putf(d, "\"#%02x%02x%02x\"", (unsigned)(rgb[0] * 255),
	     (unsigned)(rgb[1] * 255), (unsigned)(rgb[2] * 255));
}

/* v as a share of the total; none of nothing. */
static double
share(const struct drawing *d, int64_t v)
{
	return d->r->total ? (double)v / fabs((double)d->r->total) : 0;
}

/* --- legend --- */

/* The title: base name of the first mapping's file. */
static const char *
title(const struct drawing *d, size_t *len)
{
	const struct profile *p = d->r->p;

	*len = 0;
	if (p->n_mapping == 0)
		return "";
	return frames_base(profile_str(p, p->mapping[0].file), len);
}

static enum prof_status
put_legend(struct drawing *d, struct prof_err *err)
{
	struct buf text = { 0 };
	enum prof_status st = report_legend(d->r, d->g, true, &text, err);
	const char *s, *name;
	size_t len, first;

	if (st == PROF_OK && buf_add(&text, "\n", 1) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK && buf_add(&text, read_me, strlen(read_me)) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK && buf_add(&text, "\n", 1) < 0)
		st = prof_nomem(err);
	if (st != PROF_OK)
		goto out;
	s = (const char *)text.data;
	first = (size_t)((const char *)memchr(s, '\n', text.n) - s);
	put(d, "subgraph cluster_L { \"", 22);
	put_escaped(d, s, first, "\\l");
	put(d, "\" [shape=box fontsize=16 label=\"", 32);
	put_escaped(d, s, text.n, "\\l");
	put(d, "\"", 1);
	name = title(d, &len);
	if (len) {
		put(d, " tooltip=\"", 10);
		put_escaped(d, name, len, "\\l");
		put(d, "\"", 1);
	}
	put(d, "] }\n", 4);
out:
	buf_release(&text);
	return st;
}

/* --- nodes --- */

/* How many bytes of s have no ':', '[' or '.', where a name may be broken. */
static size_t
unbroken(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] != ':' && s[i] != '[' && s[i] != '.')
		i++;
	return i;
}

/* The function's name, shortened, in as many lines as it has parts. */
static void
put_short_name(struct drawing *d, const struct str *full)
{
	const char *s;
	size_t n = 0;

	d->name.n = 0;
	if (buf_reserve(&d->name, full->len + 1) < 0) {
		d->failed = true;
		return;
	}
	s = (char *)d->name.data;
	shorten_name(full->s, full->len, (char *)d->name.data, &n);
	for (size_t i = 0, run; i < n; i += run) {
		run = unbroken(s + i, n - i);
		put_escaped(d, s + i, run, "\\l");
		if (i + run == n)
			break;
		if (n - i - run >= 2 && !memcmp(s + i + run, "::", 2)) {
			put(d, "\\n", 2);
			run += 2;
		} else if (n - i - run >= 5 &&
			   !memcmp(s + i + run, "[...]", 5)) {
			put(d, "[…]", strlen("[…]"));
			run += 5;
		} else if (s[i + run] == '.') {
			put(d, "\\n", 2);
			run++;
		} else {
			put(d, s + i + run, 1);
			run++;
		}
	}
}

static void
put_base(struct drawing *d, uint32_t path)
{
	size_t len;
	const char *base = frames_base(d->g->frames->strings.str[path].s, &len);

	put_escaped(d, base, len, "\\l");
}

/* The parts of a frame's printed name, a line each. */
static void
put_name_lines(struct drawing *d, const struct frame_key *k)
{
	if (k->address)
		putf(d, "%016" PRIx64 "\\n", k->address);
	if (k->name) {
		put_short_name(d, &d->g->frames->strings.str[k->name]);
		put(d, "\\n", 2);
	}
	if (k->line) {
		put_base(d, k->file);
		putf(d, ":%" PRId64, k->line);
		if (k->column)
			putf(d, ":%" PRId64, k->column);
	} else if (k->file) {
		put_base(d, k->file);
	} else if (k->name) {
		return;
	} else if (k->object) {
		put(d, "[", 1);
		put_base(d, k->object);
		put(d, "]", 1);
	} else {
		put(d, "<unknown>", 9);
	}
	put(d, "\\n", 2);
}

static void
put_node(struct drawing *d, uint32_t i)
{
	const struct graph_node *n = &d->g->node[i];
	const struct frame_key *k = &d->g->frames->key[n->key];
	int64_t flat = graph_value(n->flat), cum = graph_value(n->cum);
	int size = 8;

	if (flat && d->max_flat > 0)
		size += (int)ceil(16 *
				  sqrt((double)units_abs(flat) / d->max_flat));
	putf(d, "N%" PRIu32 " [label=\"", i + 1);
	put_name_lines(d, k);
	if (flat) {
		put_value(d, flat);
		put(d, " ", 1);
		put_percent(d, flat);
	} else {
		put(d, "0", 1);
	}
	if (cum != flat) {
		put(d, flat ? "\\n" : " ", flat ? 2 : 1);
		put(d, "of ", 3);
		put_value(d, cum);
		put(d, " ", 1);
		put_percent(d, cum);
	}
	putf(d, "\" id=\"node%" PRIu32 "\" fontsize=%d shape=box tooltip=\"",
	     i + 1, size);
	put_string(d, k->text);
	put(d, " (", 2);
	put_value(d, cum);
	put(d, ")\" color=", 9);
	put_color(d, share(d, cum), false);
	put(d, " fillcolor=", 11);
	put_color(d, share(d, cum), true);
	put(d, "]\n", 2);
}

/* --- edges --- */

/* min(|v * scale / total|, scale) + 1, in whole numbers. */
static int
thickness(const struct drawing *d, int64_t v, int scale)
{
	__int128 t = (__int128)v * scale / d->r->total;

	t = t < 0 ? -t : t;
	return 1 + (int)(t < scale ? t : scale);
}

static void
put_edge_tip(struct drawing *d, const char *attribute,
	     const struct graph_edge *e)
{
	const struct graph *g = d->g;

	putf(d, " %s=\"", attribute);
	put_string(d, g->frames->key[g->node[e->from].key].text);
	put(d, e->is_residual ? " ... " : " -> ", e->is_residual ? 5 : 4);
	put_string(d, g->frames->key[g->node[e->to].key].text);
	put(d, " (", 2);
	put_value(d, graph_value(e->weight));
	put(d, ")\"", 2);
}

static void
put_edge(struct drawing *d, const struct graph_edge *e)
{
	int64_t w = graph_value(e->weight);

	putf(d, "N%" PRIu32 " -> N%" PRIu32 " [label=\" ", e->from + 1,
	     e->to + 1);
	put_value(d, w);
	put(d, e->is_inlined ? "\\n (inline)\"" : "\"", e->is_inlined ? 12 : 1);
	if (d->r->total) {
		int weight = thickness(d, w, 100), width = thickness(d, w, 5);

		if (weight > 1)
			putf(d, " weight=%d", weight);
		if (width > 1)
			putf(d, " penwidth=%d", width);
		put(d, " color=", 7);
		put_color(d, share(d, w), false);
	}
	put_edge_tip(d, "tooltip", e);
	put_edge_tip(d, "labeltooltip", e);
	if (e->is_residual)
		put(d, " style=\"dotted\"", 15);
	if (d->has_tags[e->from])
		put(d, " minlen=2", 9);
	put(d, "]\n", 2);
}

/* --- tags --- */

/* A box: one tag, or several numbers in one. */
struct box {
	const struct graph_tag *min, *max; /* the same for one */
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

/* The best MAX_TAGS of n boxes to the front, in order. */
static void
pick_boxes(const struct drawing *d, struct box *box, size_t n, bool by_flat)
{
	for (size_t i = 0; i < n && i < MAX_TAGS; i++) {
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

static void
add_sum(struct graph_sum *to, struct graph_sum s)
{
	to->value = units_add(to->value, s.value);
	to->divisor = units_add(to->divisor, s.divisor);
}

/* Without what is behind the point, and within 64 bits: units differ a lot. */
static int64_t
whole(double x)
{
	return units_times(1, x);
}

/*
 * More numbers than boxes: the heaviest become the heads of groups, and each
 * of the others joins the group whose head is nearest.
 */
static size_t
group_boxes(const struct drawing *d, struct box *box, size_t n, bool by_flat)
{
	const struct graph_tag *head[MAX_TAGS];

	pick_boxes(d, box, n, by_flat);
	if (n <= MAX_TAGS)
		return n;
	for (size_t i = 0; i < MAX_TAGS; i++) {
		head[i] = box[i].min;
		box[i].is_group = true;
	}
	for (size_t i = MAX_TAGS; i < n; i++) {
		const struct graph_tag *t = box[i].min;
		double best = INFINITY;
		struct box *to = box;

		for (size_t k = 0; k < MAX_TAGS; k++) {
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
		add_sum(&to->flat, t->flat);
		add_sum(&to->cum, t->cum);
	}
	for (size_t k = 0; k < MAX_TAGS; k++) {
		box[k].flat = (struct graph_sum){ graph_value(box[k].flat), 0 };
		box[k].cum = (struct graph_sum){ graph_value(box[k].cum), 0 };
	}
	pick_boxes(d, box, MAX_TAGS, by_flat);
	return MAX_TAGS;
}

static void
put_number(struct drawing *d, const struct graph_tag *t)
{
	struct quantity q;

	units_format(&q, t->number, d->g->strings.str[t->unit].s, "auto");
	put_escaped(d, q.number, strlen(q.number), "\\n");
	put_escaped(d, q.unit, strlen(q.unit), "\\n");
}

static void
put_box_label(struct drawing *d, const struct box *b)
{
	const struct str *text = &d->g->strings.str[b->min->text];

	if (!b->is_group) {
		put_escaped(d, text->s, text->len, "\\n");
		return;
	}
	put_number(d, b->min);
	if (b->min != b->max) {
		put(d, "..", 2);
		put_number(d, b->max);
	}
}

/* Box `id` and its edge from `source`. */
static void
put_box(struct drawing *d, const struct box *b, const char *source,
	const char *id, int64_t value, const char *style)
{
	putf(d, "%s [label = \"", id);
	put_box_label(d, b);
	putf(d, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"", id);
	put_value(d, value);
	putf(d, "\"]\n%s -> %s [label=\" ", source, id);
	put_value(d, value);
	put(d, "\" weight=100 tooltip=\"", 22);
	put_value(d, value);
	put(d, "\" labeltooltip=\"", 16);
	put_value(d, value);
	putf(d, "\"%s]\n", style);
}

/* The numeric tags that belong to string tag `group`, hung on `source`. */
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

static void
put_tags(struct drawing *d, uint32_t i)
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
	for (size_t k = 0; k < n_box && k < MAX_TAGS; k++) {
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

/* --- all of it --- */

static void
draw(struct drawing *d)
{
	const struct graph *g = d->g;

	for (uint32_t i = 0; i < g->n_node; i++)
		d->max_flat =
			fmax(d->max_flat,
			     (double)units_abs(graph_value(g->node[i].flat)));
	for (uint32_t i = 0; i < g->n_node; i++) {
		put_node(d, i);
		put_tags(d, i);
	}
	for (size_t i = 0; i < g->n_edge; i++)
		put_edge(d, &g->edge[i]);
}

enum prof_status
dot_write(const struct report *r, const struct graph *g, bool is_rendered,
	  struct buf *out, struct prof_err *err)
{
	struct drawing d = {
		.r = r, .g = g, .out = out, .is_rendered = is_rendered
	};
	enum prof_status st;
	const char *name;
	size_t len;

	d.has_tags = calloc(g->n_node ? g->n_node : 1, sizeof(*d.has_tags));
	if (!d.has_tags)
		return prof_nomem(err);
	name = title(&d, &len);
	put(&d, "digraph \"", 9);
	put_escaped(&d, len ? name : "unnamed", len ? len : 7, "\\l");
	put(&d, "\" {\n", 4);
	putf(&d, "node [style=filled fillcolor=\"#f8f8f8\"]\n");
	st = put_legend(&d, err);
	if (st == PROF_OK)
		draw(&d);
	put(&d, "}\n", 2);
	free(d.has_tags);
	buf_release(&d.name);
	if (st == PROF_OK && d.failed)
		st = prof_nomem(err);
	return st;
}
