/*
 * dot.c - see dot.h. Attributes and their order are pprof's, so scripts that
 * read its drawings can read ours. The boxes of labels are in dot-tag.c.
 */
#include "config.h"

#include "dot-impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "shorten.h"

static const char read_me[] =
	"See https://git.io/JfYMW for how to read the graph";

static void
put_string(struct drawing *d, uint32_t s)
{
	const struct str *str = &d->g->frames->strings.str[s];

	dot_escape(d, str->s, str->len);
}

static void
put_percent(struct drawing *d, int64_t v)
{
	char text[UNITS_PERCENT], *p = text;

	units_percent(text, v, d->r->total);
	while (*p == ' ')
		p++;
	dot_putf(d, "(%s)", p);
}

/* --- colours --- */

/*
 * The colour of a share of the total, from green (-1) over grey to red (1).
 * Small shares are less saturated; a power spreads them, as most nodes have
 * little.
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
	dot_putf(d, "\"#%02x%02x%02x\"", (unsigned)(rgb[0] * 255),
		 (unsigned)(rgb[1] * 255), (unsigned)(rgb[2] * 255));
}

/* v as a share of the total; 0 if that is 0. */
static double
share(const struct drawing *d, int64_t v)
{
	return d->r->total ? (double)v / fabs((double)d->r->total) : 0;
}

/*
 * dot(1) reads no string of 16 KiB, and there may be two names in one. Was a
 * text of *n bytes at s too long, as it is in the output from start on? It is
 * taken back then, and *n is less.
 */
static bool
is_too_long(struct drawing *d, size_t start, const char *s, size_t *n)
{
	if (d->out->n - start <= 8000)
		return false;
	d->out->n = start;
	for (*n /= 2; *n && (s[*n] & 0xc0) == 0x80;)
		--*n;
	return true;
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
	dot_lit(d, "subgraph cluster_L { \"");
	dot_escape(d, s, first);
	dot_lit(d, "\" [shape=box fontsize=16 label=\"");
	dot_escape(d, s, text.n);
	dot_lit(d, "\"");
	name = title(d, &len);
	if (len) {
		dot_lit(d, " tooltip=\"");
		dot_escape(d, name, len);
		dot_lit(d, "\"");
	}
	dot_lit(d, "] }\n");
out:
	buf_release(&text);
	return st;
}

/* --- nodes --- */

/* The length of the beginning of s without ':', '[' or '.', where a name may be
 * broken. */
static size_t
unbroken(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] != ':' && s[i] != '[' && s[i] != '.')
		i++;
	return i;
}

/* Append a name, a line for each of its parts. */
static void
put_parts(struct drawing *d, const char *s, size_t n)
{
	for (size_t i = 0, run; i < n; i += run) {
		run = unbroken(s + i, n - i);
		dot_escape(d, s + i, run);
		if (i + run == n)
			break;
		if (n - i - run >= 2 && !memcmp(s + i + run, "::", 2)) {
			dot_lit(d, "\\n");
			run += 2;
		} else if (n - i - run >= 5 &&
			   !memcmp(s + i + run, "[...]", 5)) {
			dot_lit(d, "[…]");
			run += 5;
		} else if (s[i + run] == '.') {
			dot_lit(d, "\\n");
			run++;
		} else {
			dot_put(d, s + i + run, 1);
			run++;
		}
	}
}

/* Append the function's name, shortened. */
static void
put_short_name(struct drawing *d, const struct str *full)
{
	size_t start = d->out->n, n = 0, all;

	d->name.n = 0;
	if (buf_reserve(&d->name, full->len + 1) < 0) {
		d->failed = true;
		return;
	}
	shorten_name(full->s, full->len, (char *)d->name.data, &n);
	all = n;
	do
		put_parts(d, (char *)d->name.data, n);
	while (is_too_long(d, start, (char *)d->name.data, &n));
	if (n < all)
		dot_lit(d, "…");
}

static void
put_base(struct drawing *d, uint32_t path)
{
	size_t len;
	const char *base = frames_base(d->g->frames->strings.str[path].s, &len);

	dot_escape(d, base, len);
}

/* The parts of a frame's printed name, a line each. */
static void
put_name_lines(struct drawing *d, const struct frame_key *k)
{
	if (k->address)
		dot_putf(d, "%016" PRIx64 "\\n", k->address);
	if (k->name) {
		put_short_name(d, &d->g->frames->strings.str[k->name]);
		dot_lit(d, "\\n");
	}
	if (k->line) {
		put_base(d, k->file);
		dot_putf(d, ":%" PRId64, k->line);
		if (k->column)
			dot_putf(d, ":%" PRId64, k->column);
	} else if (k->file) {
		put_base(d, k->file);
	} else if (k->name) {
		return;
	} else if (k->object) {
		dot_lit(d, "[");
		put_base(d, k->object);
		dot_lit(d, "]");
	} else {
		dot_lit(d, "<unknown>");
	}
	dot_lit(d, "\\n");
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
	dot_putf(d, "N%" PRIu32 " [label=\"", i + 1);
	put_name_lines(d, k);
	if (flat) {
		dot_value(d, flat);
		dot_lit(d, " ");
		put_percent(d, flat);
	} else {
		dot_lit(d, "0");
	}
	if (cum != flat) {
		dot_putf(d, "%s", flat ? "\\n" : " ");
		dot_lit(d, "of ");
		dot_value(d, cum);
		dot_lit(d, " ");
		put_percent(d, cum);
	}
	dot_putf(d,
		 "\" id=\"node%" PRIu32 "\" fontsize=%d shape=box tooltip=\"",
		 i + 1, size);
	put_string(d, k->text);
	dot_lit(d, " (");
	dot_value(d, cum);
	dot_lit(d, ")\" color=");
	put_color(d, share(d, cum), false);
	dot_lit(d, " fillcolor=");
	put_color(d, share(d, cum), true);
	dot_lit(d, "]\n");
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

	dot_putf(d, " %s=\"", attribute);
	put_string(d, g->frames->key[g->node[e->from].key].text);
	dot_putf(d, "%s", e->is_residual ? " ... " : " -> ");
	put_string(d, g->frames->key[g->node[e->to].key].text);
	dot_lit(d, " (");
	dot_value(d, graph_value(e->weight));
	dot_lit(d, ")\"");
}

static void
put_edge(struct drawing *d, const struct graph_edge *e)
{
	int64_t w = graph_value(e->weight);

	dot_putf(d, "N%" PRIu32 " -> N%" PRIu32 " [label=\" ", e->from + 1,
		 e->to + 1);
	dot_value(d, w);
	dot_putf(d, "%s", e->is_inlined ? "\\n (inline)\"" : "\"");
	if (d->r->total) {
		int weight = thickness(d, w, 100), width = thickness(d, w, 5);

		if (weight > 1)
			dot_putf(d, " weight=%d", weight);
		if (width > 1)
			dot_putf(d, " penwidth=%d", width);
		dot_lit(d, " color=");
		put_color(d, share(d, w), false);
	}
	put_edge_tip(d, "tooltip", e);
	put_edge_tip(d, "labeltooltip", e);
	if (e->is_residual)
		dot_lit(d, " style=\"dotted\"");
	if (d->has_tags[e->from])
		dot_lit(d, " minlen=2");
	dot_lit(d, "]\n");
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
		dot_tags(d, i);
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
	dot_lit(&d, "digraph \"");
	dot_escape(&d, len ? name : "unnamed", len ? len : 7);
	dot_lit(&d, "\" {\n");
	dot_putf(&d, "node [style=filled fillcolor=\"#f8f8f8\"]\n");
	st = put_legend(&d, err);
	if (st == PROF_OK)
		draw(&d);
	dot_lit(&d, "}\n");
	free(d.has_tags);
	buf_release(&d.name);
	if (st == PROF_OK && d.failed)
		st = prof_nomem(err);
	return st;
}

/* --- text, values and escapes --- */

void
dot_put(struct drawing *d, const char *s, size_t n)
{
	if (buf_add(d->out, s, n) < 0)
		d->failed = true;
}

void
dot_putf(struct drawing *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (buf_vprintf(d->out, fmt, ap) < 0)
		d->failed = true;
	va_end(ap);
}

void
dot_escape(struct drawing *d, const char *s, size_t n)
{
	enum escape to = d->is_rendered ? ESCAPE_DOT_DRAW : ESCAPE_DOT;
	size_t start = d->out->n, all = n;

	do
		if (escape_add(d->out, to, s, n) < 0)
			d->failed = true;
	while (is_too_long(d, start, s, &n));
	if (n < all)
		dot_lit(d, "…");
}

void
dot_value(struct drawing *d, int64_t v)
{
	struct quantity q;

	report_format(d->r, &q, v);
	dot_escape(d, q.number, strlen(q.number));
	dot_escape(d, q.unit, strlen(q.unit));
}
