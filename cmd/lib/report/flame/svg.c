/* svg.c - see svg.h. */
#include "config.h"

#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flame.h"
#include "label.h"
#include "layout.h"
#include "lib/base/escape.h"
#include "lib/base/strtab.h"
#include "lib/report/palette.h"
#include "lib/report/report.h"
#include "lib/wire/base64.h"
#include "shapes.h"

enum {
	ROW = 17, /* pixels, one of them between two rows */
	HEAD = 48,
	FOOT = 26,
	REST_HEIGHT = 4, /* of a box for several siblings */
	LEAST_STATIC = 2,
};

/* Width of a character at 12 px: 0.602 em in DejaVu Sans Mono, with a
 * margin. */
#define ADVANCE 7.3
#define PADDING 3 /* between the edge of a box and its text */

/* What the script knows of the boxes: a line of numbers or words for each. */
enum {
	COLUMN_SHADE,
	COLUMN_NAME,
	COLUMN_ROW,
	COLUMN_GAP,
	COLUMN_WIDTH,
	COLUMN_AMOUNTS,
	COLUMNS
};

struct svg {
	const struct flame_picture *f;
	const struct flame_half *h; /* the current one */
	struct buf *out;
	struct buf column[COLUMNS]; /* of the boxes, for the script */
	struct buf names;           /* a line each; those of the columns */
	uint32_t *number; /* of each frame: its line in names, from 1 on */
	uint32_t n_name;
	struct buf labels;      /* as elements */
	struct buf text, label; /* scratch */
	struct shape *shape;
	size_t n_shape;
	/* By row, in 1/100 px: where its next box begins, if nothing is left
	 * out. */
	long *edge;
	int row; /* of the box before */
	bool is_used[PALETTE_N];
	double root;   /* top of its row */
	bool grows_up; /* h */
	bool failed;   /* no memory */
};

/* --- pieces --- */

static void
svg_put(struct svg *s, const char *text)
{
	if (buf_add(s->out, text, strlen(text)) < 0)
		s->failed = true;
}

/* printf() for text that needs no escapes. */
static void __attribute__((format(printf, 2, 3)))
putf(struct svg *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (buf_vprintf(s->out, fmt, ap) < 0)
		s->failed = true;
	va_end(ap);
}

/* Append `before` and a coordinate, with at most two decimals. */
static void
put_number(struct svg *s, const char *before, double x)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%.2f", x);

	while (n > 1 && text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	text[n] = '\0';
	putf(s, "%s%s", before, strcmp(text, "-0") ? text : "0");
}

/* The same, with the quote that ends an attribute. */
static void
put_attribute(struct svg *s, const char *before, double x)
{
	put_number(s, before, x);
	svg_put(s, "\"");
}

static void
put_xml(struct svg *s, const char *text, size_t n)
{
	if (escape_add(s->out, ESCAPE_XML, text, n) < 0)
		s->failed = true;
}

/* The printable form of n bytes of a profile, in s->text. */
static void
make_printable(struct svg *s, const char *text, size_t n)
{
	s->text.n = 0;
	if (escape_add(&s->text, ESCAPE_TEXT, text, n) < 0)
		s->failed = true;
}

/* --- numbers --- */

static void
put_value(struct svg *s, int64_t v)
{
	struct quantity q;

	report_format(s->f->r, &q, v);
	putf(s, "%s%s", q.number, q.unit);
}

static void
put_share(struct svg *s, int64_t v, int64_t total)
{
	char text[UNITS_PERCENT];

	units_percent(text, v, total);
	putf(s, "(%s)", text + strspn(text, " "));
}

/* "before 212ms (5.25%), after 228ms (7.49%), +16ms +7.5%" or "12ms (3%)". */
static void
put_amounts(struct svg *s, const int64_t v[2])
{
	const struct report *r = s->f->r;
	int64_t change = units_sub(v[1], v[0]);

	if (!s->f->main.sums->is_two) {
		put_value(s, v[1]);
		svg_put(s, " ");
		put_share(s, v[1], r->total);
		return;
	}
	svg_put(s, "before ");
	put_value(s, v[0]);
	svg_put(s, " ");
	put_share(s, v[0], r->before);
	svg_put(s, ", after ");
	put_value(s, v[1]);
	svg_put(s, " ");
	put_share(s, v[1], r->after);
	if (!change) {
		svg_put(s, ", the same");
		return;
	}
	svg_put(s, change > 0 ? ", +" : ", ");
	put_value(s, change);
	if (!v[0] || !v[1])
		svg_put(s, v[1] ? " new" : v[0] ? " gone" : "");
	else
		putf(s, " %+.1f%%", 100 * (double)change / fabs((double)v[0]));
}

/* The change of a box, before its name: not shown by colour alone. */
static void
put_change(struct svg *s, const int64_t v[2], struct buf *out)
{
	double a = (double)v[0], b = (double)v[1];
	char text[64];
	int n;

	if (v[0] == v[1])
		return;
	if (!s->h->sums->is_two)
		n = snprintf(text, sizeof(text), "%s", b < 0 ? "−" : "");
	else if (!v[0] || !v[1])
		n = snprintf(text, sizeof(text), v[1] ? "new " : "gone ");
	else
		n = b >= 10 * a ? snprintf(text, sizeof(text), "×%.0f ", b / a)
				: snprintf(text, sizeof(text), "%s%.0f%% ",
					   b > a ? "+" : "−",
					   fabs(100 * (b - a) / a));
	if (buf_add(out, text, (size_t)n) < 0)
		s->failed = true;
}

/* --- boxes --- */

static void
amounts_of(const struct svg *s, const struct flame_box *box, int64_t v[2])
{
	for (int side = 0; side < 2; side++)
		v[side] = box->n_rest ? box->rest[side]
				      : s->h->sums->total[side][box->node];
}

static const struct flame_frame *
frame_of(const struct svg *s, const struct flame_box *box)
{
	if (box->n_rest || !box->node)
		return NULL;
	return &s->f->frame[s->h->tree->frame[box->node]];
}

/* Do colours show changes? Of either half, as both share a column of shades. */
static bool
is_change(const struct svg *s)
{
	const struct flame_half *callers = &s->f->callers;

	return s->f->main.sums->is_two || s->f->main.sums->is_signed ||
	       (callers->tree && callers->sums->is_signed);
}

static unsigned
colour_of(const struct svg *s, const struct flame_box *box, const int64_t v[2])
{
	const struct flame_frame *frame = frame_of(s, box);
	double all = (double)s->f->r->total, x = (double)v[1];

	if (!frame)
		return box->n_rest ? PALETTE_REST : PALETTE_ROOT;
	if (s->h->sums->is_two)
		return palette_change((double)v[0], (double)v[1]);
	if (is_change(s)) /* as large as its share */
		return x < 0 ? palette_change(all, all + x)
			     : palette_change(all - x, all);
	return frame->colour;
}

/* Make the text of a box, in s->label. */
static void
make_label(struct svg *s, const struct flame_box *box, const int64_t v[2])
{
	double room = (box->width - 2 * PADDING) / ADVANCE;
	const struct str *text;
	struct buf change = { 0 };
	size_t columns = room > 0 ? (size_t)room : 0, used = 0;

	s->label.n = 0;
	if (box->n_rest || columns < 3)
		return;
	if (box->node) {
		text = s->f->frame[s->h->tree->frame[box->node]].text;
		make_printable(s, text->s, text->len);
	} else {
		make_printable(s, s->f->root, strlen(s->f->root));
	}
	if (is_change(s) && box->node)
		put_change(s, v, &change);
	if (change.n)
		used = escape_width((char *)change.data, change.n);
	if (used + 3 > columns)
		used = 0;
	if (flame_label((char *)s->text.data, s->text.n, columns - used,
			&s->label) < 0)
		s->failed = true;
	if (used && s->label.n) {
		if (buf_add(&change, s->label.data, s->label.n) < 0)
			s->failed = true;
		s->label.n = 0;
		if (buf_add(&s->label, change.data, change.n) < 0)
			s->failed = true;
	}
	buf_release(&change);
}

/* Write to a column from now on, after what it has. */
static void
begin_column(struct svg *s, int column)
{
	s->out = &s->column[column];
	if (s->out->n)
		svg_put(s, column == COLUMN_AMOUNTS ? "\t" : " ");
}

/*
 * The line of a box in names, with its colour; m: it matches, i: inlined. It is
 * added with the first box that needs it. Of several siblings: -their number.
 */
static long
number_of(struct svg *s, const struct flame_box *box)
{
	const struct flame_frame *frame = frame_of(s, box);
	uint32_t *number = frame ? &s->number[frame - s->f->frame] : NULL;
	struct buf *out = s->out;

	if (box->n_rest)
		return -(long)box->n_rest;
	if (number && *number)
		return *number - 1;
	s->out = &s->names;
	putf(s, "%u%s%s\t", frame ? frame->colour : PALETTE_ROOT,
	     frame && frame->is_inlined ? "i" : "",
	     frame && s->f->is_searched && frame->is_match ? "m" : "");
	if (escape_add(s->out, ESCAPE_TSV, frame ? frame->text->s : s->f->root,
		       frame ? frame->text->len : strlen(s->f->root)) < 0)
		s->failed = true;
	svg_put(s, "\n");
	s->out = out;
	if (number)
		*number = s->n_name + 1;
	return s->n_name++;
}

/*
 * Add a box to the columns: its shade if it shows a change, with u if it is
 * hatched; its name; how many rows it is below the box before; where it begins
 * after the one before in its row and its width, in 1/100 px; its amounts.
 * Columns are half as large, compressed, as a line for each box.
 */
static void
add_columns(struct svg *s, const struct flame_box *box, const int64_t v[2],
	    const struct shape *shape)
{
	long x = lround(100 * box->x), width = lround(100 * box->width);
	int row = s->grows_up ? -(int)box->depth : (int)box->depth;
	const long number[] = { number_of(s, box), row - s->row,
				x - s->edge[box->depth], width };
	const struct flame_frame *frame = frame_of(s, box);
	struct buf *out = s->out;

	if (is_change(s)) {
		begin_column(s, COLUMN_SHADE);
		putf(s, "%u%s", shape->colour, shape->is_unsure ? "u" : "");
	}
	for (int i = COLUMN_NAME; i < COLUMN_AMOUNTS; i++) {
		begin_column(s, i);
		putf(s, "%ld", number[i - COLUMN_NAME]);
	}
	begin_column(s, COLUMN_AMOUNTS);
	put_amounts(s, v);
	if (frame && !s->h->sums->is_two && !s->h->is_reversed) {
		svg_put(s, ", self ");
		put_value(s, s->h->sums->self[1][box->node]);
	}
	s->out = out;
	s->row = row;
	s->edge[box->depth] = x + width;
	s->edge[box->depth + 1] = x;
}

static void
add_label(struct svg *s, const struct flame_box *box, const int64_t v[2],
	  double y)
{
	const struct flame_frame *frame = frame_of(s, box);
	struct buf *out = s->out;

	make_label(s, box, v);
	if (!s->label.n)
		return;
	s->out = &s->labels;
	putf(s, "<text%s", frame && frame->is_inlined ? " class=\"i\"" : "");
	put_attribute(s, " x=\"", round(FLAME_MARGIN + box->x + PADDING));
	put_attribute(s, " y=\"", y + 12);
	svg_put(s, ">");
	put_xml(s, (const char *)s->label.data, s->label.n);
	svg_put(s, "</text>");
	s->out = out;
}

static void
add_box(struct svg *s, const struct flame_box *box)
{
	double row = s->grows_up ? -(double)box->depth : (double)box->depth;
	double y = s->root + row * ROW, x = FLAME_MARGIN + box->x;
	struct shape *shape = &s->shape[s->n_shape];
	int64_t v[2];
	long end;

	amounts_of(s, box, v);
	*shape = (struct shape){ .colour = colour_of(s, box, v),
				 .y = (int)y + (ROW - 1) / 2,
				 .x = lround(x) };
	if (box->n_rest)
		shape->y = (int)y + (s->grows_up ? ROW - 1 - REST_HEIGHT / 2
						 : REST_HEIGHT / 2);
	/* A gap before the next box. */
	end = lround(x + box->width) - 1;
	shape->width = end > shape->x ? end - shape->x : 1;
	shape->is_unsure = s->h->sums->is_two &&
			   shape->colour >= PALETTE_SHADE &&
			   !flame_is_sure(s->h->sums, v);
	s->is_used[shape->colour] = true;
	if (s->f->script)
		add_columns(s, box, v, shape);
	/* The script draws all; for others what can be told apart is enough. */
	if (box->width < LEAST_STATIC && s->f->script)
		return;
	s->n_shape++;
	add_label(s, box, v, y);
}

/* --- the frame around them --- */

static void
put_colours(struct svg *s, bool is_dark)
{
	svg_put(s, is_dark ? "#bg{fill:" PALETTE_DARK_BG
			     "}text{fill:" PALETTE_DARK_FG
			     "}.m{fill:" PALETTE_DARK_FG2
			     "}#f .s{color:#8a3fd6}"
			   : "#bg{fill:" PALETTE_BG "}text{fill:" PALETTE_FG
			     "}.m{fill:" PALETTE_FG2 "}#f .s{color:#bd85ff}");
	for (unsigned i = 0; i < PALETTE_N; i++) {
		char colour[7];

		if (!s->is_used[i])
			continue;
		palette_colour(i, is_dark, colour);
		putf(s, ".c%u{color:#%s}", i, colour);
	}
}

static void
put_style(struct svg *s)
{
	svg_put(s, "<style>text{font:12px \"DejaVu Sans Mono\",Menlo,Consolas,"
		   "monospace}text.h{font:650 15px " PALETTE_TYPE "}"
		   ".i{font-style:italic}path{stroke:currentColor;"
		   "stroke-width:16}");
	if (s->is_used[PALETTE_REST])
		putf(s, "path.c%d{stroke-width:%d}", PALETTE_REST, REST_HEIGHT);
	if (s->f->script)
		svg_put(s, ".x{display:none;cursor:pointer;"
			   "text-decoration:underline}#f rect{"
			   "fill:currentColor;cursor:pointer}#f "
			   "text{pointer-events:none}"
			   ".off{opacity:.35}.up{opacity:.5}"
			   "#f rect:hover{stroke:#888}");
	put_colours(s, s->f->theme == FLAME_DARK);
	if (s->f->theme == FLAME_AUTO) {
		svg_put(s, "@media(prefers-color-scheme:dark){");
		put_colours(s, true);
		svg_put(s, "}");
	}
	svg_put(s, "</style>\n");
	/* Stripes, through which the page is seen. */
	if (s->f->main.sums->is_two)
		svg_put(s,
			"<pattern id=\"p\" width=\"8\" height=\"8\" "
			"patternUnits=\"userSpaceOnUse\" "
			"patternTransform=\"rotate(45)\">"
			"<rect width=\"8\" height=\"8\" fill=\"#fff\"/>"
			"<rect width=\"2.2\" height=\"8\" fill=\"#444\"/>"
			"</pattern><mask id=\"u\" maskUnits=\"userSpaceOnUse\" "
			"x=\"0\" y=\"0\" width=\"100%\" height=\"100%\">"
			"<rect width=\"100%\" height=\"100%\" "
			"fill=\"url(#p)\"/></mask>\n");
}

/* The sum of the outermost boxes that match: each stack counts once. */
static void
put_matches(struct svg *s, const struct flame_half *h)
{
	const struct flame_tree *t = h->tree;
	int64_t sum[2] = { 0, 0 };

	for (uint32_t i = 1; i < t->n_node;) {
		if (!s->f->frame[t->frame[i]].is_match) {
			i++;
			continue;
		}
		for (int side = 0; side < 2; side++)
			sum[side] =
				units_add(sum[side], h->sums->total[side][i]);
		i = t->end[i];
	}
	put_amounts(s, sum);
}

/* The sum of the matches; with a pivot, among callers and callees. */
static void
put_search(struct svg *s)
{
	svg_put(s, " · matched ");
	put_matches(s, &s->f->main);
	if (s->f->callers.tree) {
		svg_put(s, " of callees, ");
		put_matches(s, &s->f->callers);
		svg_put(s, " of callers");
	}
}

/* Count the boxes and, if some are missing, the frames. */
static size_t
count_boxes(const struct svg *s, size_t *n_drawn, size_t *n_node)
{
	const struct flame_layout *main = s->f->main.layout;
	const struct flame_layout *callers = s->f->callers.layout;
	size_t n = main->n_box;

	*n_drawn = main->n_drawn;
	*n_node = main->n_node;
	if (callers) {
		/* The root is in both, and drawn once. */
		n += callers->n_box - 1;
		*n_drawn += callers->n_drawn - 1;
		*n_node += callers->n_node - (callers->n_node > 0);
	}
	return n;
}

static double
min_width(const struct flame_picture *f)
{
	double w = f->main.layout->min_width;

	return f->callers.tree ? fmax(w, f->callers.layout->min_width) : w;
}

static void
put_head(struct svg *s, double height)
{
	const struct flame_picture *f = s->f;
	int64_t all[2] = { f->main.sums->total[0][0],
			   f->main.sums->total[1][0] };
	size_t n_drawn, n_node, n_box = count_boxes(s, &n_drawn, &n_node);

	svg_put(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
	put_attribute(s, " width=\"", f->width);
	put_attribute(s, " height=\"", height);
	put_number(s, " viewBox=\"0 0 ", f->width);
	put_attribute(s, " ", height);
	svg_put(s, " role=\"img\" aria-labelledby=\"t e\">\n<title id=\"t\">");
	put_xml(s, f->title, strlen(f->title));
	putf(s, "</title><desc id=\"e\">Flame graph, %zu boxes; ", n_box);
	put_xml(s, f->root, strlen(f->root));
	svg_put(s, ": ");
	put_amounts(s, all);
	svg_put(s, "</desc>\n");
	put_style(s);
	svg_put(s, "<rect id=\"bg\" width=\"100%\" height=\"100%\"/>\n"
		   "<text class=\"h\" x=\"10\" y=\"21\">");
	put_xml(s, f->title, strlen(f->title));
	svg_put(s, "</text>\n<text class=\"m\" x=\"10\" y=\"39\">");
	if (f->subtitle && *f->subtitle) {
		put_xml(s, f->subtitle, strlen(f->subtitle));
		svg_put(s, " · ");
	}
	if (f->callers.tree) {
		put_xml(s, f->root, strlen(f->root));
		svg_put(s, " ");
	}
	put_amounts(s, all);
	if (f->is_searched)
		put_search(s);
	if (n_drawn < n_node)
		putf(s, " · %zu of %zu frames are drawn, from %.3g px on",
		     n_drawn, n_node, min_width(f));
	svg_put(s, "</text>\n");
	if (f->script) {
		put_attribute(s, "<text class=\"x\" id=\"out\" x=\"",
			      f->width - 150);
		svg_put(s, " y=\"21\">Reset zoom</text>");
		put_attribute(s, "<text class=\"x\" id=\"search\" x=\"",
			      f->width - 60);
		svg_put(s, " y=\"21\">Search</text>\n");
	}
}

/* Add all boxes of a half, except the root of the callers, which main has. */
static void
add_half(struct svg *s, const struct flame_half *h)
{
	bool is_main = h == &s->f->main;

	s->h = h;
	s->grows_up = s->f->is_flipped == is_main;
	s->edge[0] = s->edge[1] = 0;
	for (size_t i = !is_main; i < h->layout->n_box && !s->failed; i++)
		add_box(s, &h->layout->box[i]);
}

/* Room for all boxes of both halves. */
static bool
make_room(struct svg *s)
{
	const struct flame_half *half[] = { &s->f->main, &s->f->callers };
	size_t n = 0, depth = 0;

	for (int i = 0; i < 2; i++)
		if (half[i]->layout) {
			n += half[i]->layout->n_box;
			depth = depth > half[i]->layout->depth
					? depth
					: half[i]->layout->depth;
		}
	s->shape = calloc(n + 1, sizeof(*s->shape));
	s->edge = calloc(depth + 2, sizeof(*s->edge));
	s->number = calloc(s->f->n_frame + 1, sizeof(*s->number));
	return s->shape && s->edge && s->number;
}

/*
 * The script and what it draws: "WIDTH TOP-OF-THE-ROOT ARE-SOME-LEFT-OUT", the
 * columns, and the names.
 */
static enum prof_status
put_script(struct svg *s, struct prof_err *err)
{
	struct buf data = { 0 }, *out = s->out;
	enum prof_status st = PROF_OK;
	size_t n_drawn, n_node;

	count_boxes(s, &n_drawn, &n_node);
	s->out = &data;
	putf(s, "%.0f %.0f %d\n", s->f->width, s->root, n_drawn < n_node);
	for (int i = 0; i <= COLUMNS; i++) {
		const struct buf *b = i < COLUMNS ? &s->column[i] : &s->names;

		if (b->n && buf_add(&data, b->data, b->n) < 0)
			s->failed = true;
		svg_put(s, "\n");
	}
	s->out = out;
	svg_put(s, "<metadata id=\"boxes\">");
	if (!s->failed)
		st = base64_add_gzip(s->out, &data, 9, 1, err);
	buf_release(&data);
	svg_put(s, "</metadata>\n<script><![CDATA[\n");
	svg_put(s, s->f->script);
	svg_put(s, "]]></script>\n");
	return st;
}

static enum prof_status
put_picture(struct svg *s, struct prof_err *err)
{
	const struct flame_picture *f = s->f;
	double below = f->main.layout->depth;
	double above = f->callers.tree ? f->callers.layout->depth : 0;
	double height = HEAD + (above + 1 + below) * ROW + FOOT;
	enum prof_status st = PROF_OK;

	s->root = HEAD + (f->is_flipped ? below : above) * ROW;
	add_half(s, &f->main);
	if (f->callers.tree)
		add_half(s, &f->callers);
	put_head(s, height);
	svg_put(s, "<g id=\"f\">");
	if (shapes_put(s->out, s->shape, s->n_shape) < 0)
		s->failed = true;
	if (s->labels.n && buf_add(s->out, s->labels.data, s->labels.n) < 0)
		s->failed = true;
	svg_put(s, "</g>\n");
	put_attribute(s, "<text id=\"d\" class=\"m\" x=\"10\" y=\"",
		      height - 9);
	svg_put(s, "> </text>\n");
	if (f->script)
		st = put_script(s, err);
	svg_put(s, "</svg>\n");
	return st;
}

enum prof_status
flame_svg(const struct flame_picture *f, struct buf *out, struct prof_err *err)
{
	struct svg s = { .f = f, .out = out };
	enum prof_status st = PROF_OK;

	s.failed = !make_room(&s);
	if (!s.failed)
		st = put_picture(&s, err);
	for (int i = 0; i < COLUMNS; i++)
		buf_release(&s.column[i]);
	buf_release(&s.names);
	buf_release(&s.labels);
	buf_release(&s.text);
	buf_release(&s.label);
	free(s.shape);
	free(s.edge);
	free(s.number);
	return s.failed ? prof_nomem(err) : st;
}
