/* plot.c - see plot.h. */
#include "config.h"

#include "plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/base/buf.h"
#include "lib/base/escape.h"
#include "lib/model/units.h"
#include "lib/report/palette.h"

enum {
	WIDTH = 900, /* pixels */
	PANEL = 240, /* height of a panel */
	LEFT = 70,   /* of the line, within it */
	RIGHT = 45,
	TOP = 56,
	BOTTOM = 34,
	LABEL = 90, /* between two labels of the rows, at least */
	BUILD_SHOWN = 10,
};

/* One panel: its data, and its scales. */
struct panel {
	const struct series *x;
	const struct series_fn *f;
	const struct shifts *shifts; /* NULL: not asked for */
	bool is_flat;
	double top;       /* pixels */
	double low, high; /* shares at the bottom and at the top */
	double step;      /* between two lines of the grid */
	FILE *out;
};

/* Untrusted text: as in text reports, and for XML. */
static void
put_text(const struct str *s, size_t n, FILE *out)
{
	struct buf text = { 0 };

	if (escape_add(&text, ESCAPE_TEXT, s->s, n < s->len ? n : s->len) < 0)
		die_nomem();
	escape_put(out, ESCAPE_XML, (const char *)text.data, text.n);
	buf_release(&text);
}

static void
put_all(const struct str *s, FILE *out)
{
	put_text(s, s->len, out);
}

/* --- scales --- */

/* Where bucket i is; a single one is in the middle. */
static double
x_of(const struct panel *p, double i)
{
	double width = WIDTH - LEFT - RIGHT;
	size_t n = p->x->n_bucket;

	return LEFT + (n > 1 ? i / (double)(n - 1) : 0.5) * width;
}

static double
y_of(const struct panel *p, double share)
{
	double height = PANEL - TOP - BOTTOM;

	return p->top + TOP + (p->high - share) / (p->high - p->low) * height;
}

static double
share(const struct panel *p, size_t i)
{
	return series_share(p->x, p->f, i, p->is_flat);
}

/* 1, 2 or 5 times a power of ten, at least v. */
static double
round_step(double v)
{
	static const double nice[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(v)));
	size_t i = 0;

	while (i < 3 && nice[i] * power < v * 0.999)
		i++;
	return nice[i] * power;
}

/*
 * From 0, unless the line would then be flat in the upper half. The labels show
 * the range.
 */
static void
scale(struct panel *p)
{
	double low = 0, high = 0;

	for (size_t i = 0; i < p->x->n_bucket; i++) {
		double v = share(p, i);

		low = !i || v < low ? v : low;
		high = !i || v > high ? v : high;
	}
	if (low > 0 && low < high / 2)
		low = 0;
	if (!(high > low))
		high = low + (low > 0 ? low / 10 : 0.001);
	p->step = round_step((high - low) / 5);
	p->low = floor(low / p->step) * p->step;
	p->high = ceil(high / p->step) * p->step;
}

/* --- pieces --- */

static void
put_grid(const struct panel *p)
{
	int n = (int)lround((p->high - p->low) / p->step);
	int digits = (int)fmax(0, ceil(-log10(100 * p->step) - 1e-9));

	for (int i = 0; i <= n; i++) {
		double v = p->low + i * p->step, y = y_of(p, v);

		fprintf(p->out,
			"<path class=\"g\" d=\"M%d %.1fH%d\"/>"
			"<text class=\"a\" x=\"%d\" y=\"%.1f\">%.*f%%</text>\n",
			LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4, digits,
			100 * v);
	}
}

/* The names of some rows, with room between them. */
static void
put_rows(const struct panel *p)
{
	size_t n = p->x->n_bucket, every = 1;
	double apart = n > 1 ? x_of(p, 1) - x_of(p, 0) : WIDTH;

	while ((double)every * apart < LABEL)
		every++;
	for (size_t i = 0; i < n; i += every) {
		const struct str *key =
			names_str(&p->x->keys, p->x->bucket[i].key);
		double x = x_of(p, (double)i), y = p->top + PANEL - BOTTOM;

		fprintf(p->out,
			"<path class=\"g\" d=\"M%.1f %.1fv4\"/>"
			"<text class=\"r\" x=\"%.1f\" y=\"%.1f\">",
			x, y, x, y + 18);
		put_text(key, key->len > 16 ? 16 : key->len, p->out);
		fputs("</text>\n", p->out);
	}
}

/* The first bucket that a build is in, or n. */
static size_t
first_bucket(const struct series *x, const struct series_build *b)
{
	size_t i;

	for (i = 0; i < x->n_bucket; i++)
		if (x->bucket[i].last_ns >= b->first_ns)
			break;
	return i;
}

/* Builds that began after the first row, where rows are times. */
static void
put_builds(const struct panel *p)
{
	const struct series *x = p->x;

	for (size_t i = 1; i < x->n_build; i++) {
		size_t at = first_bucket(x, &x->build[i]);
		const struct str *id = names_str(&x->words, x->build[i].name);
		double left = x_of(p, (double)at);

		if (!at || at == x->n_bucket)
			continue;
		fprintf(p->out, "<g><title>build ");
		put_all(id, p->out);
		fprintf(p->out,
			"</title><path class=\"b\" d=\"M%.1f %.1fV%.1f\"/>"
			"<text class=\"m\" x=\"%.1f\" y=\"%.1f\">",
			left, p->top + TOP - 4, p->top + PANEL - BOTTOM,
			left + 3, p->top + TOP - 6);
		put_text(id, BUILD_SHOWN, p->out);
		fputs("</text></g>\n", p->out);
	}
}

/* Each change: where it may be, and the levels before and after. */
static void
put_shifts(const struct panel *p)
{
	for (size_t i = 0; p->shifts && i < p->shifts->n; i++) {
		const struct shift *c = &p->shifts->one[i].shift;
		double left = x_of(p, (double)c->first - 1);
		double right = x_of(p, (double)c->last);

		fprintf(p->out,
			"<rect class=\"c\" x=\"%.1f\" y=\"%.1f\" "
			"width=\"%.1f\" "
			"height=\"%d\"><title>",
			left, p->top + TOP, right - left, PANEL - TOP - BOTTOM);
		put_all(names_str(&p->x->keys, p->x->bucket[c->at].key),
			p->out);
		fprintf(p->out,
			": %.3f%% to %.3f%%, p %.2g</title></rect>"
			"<path class=\"v\" d=\"M%.1f %.1fH%.1fM%.1f "
			"%.1fH%.1f\"/>"
			"\n",
			100 * c->before, 100 * c->after, c->p,
			x_of(p, (double)c->from), y_of(p, c->before),
			x_of(p, (double)c->at - 1), x_of(p, (double)c->at),
			y_of(p, c->after), x_of(p, (double)c->to - 1));
	}
}

static void
put_points(const struct panel *p)
{
	const struct series *x = p->x;

	fputs("<polyline class=\"s\" points=\"", p->out);
	for (size_t i = 0; i < x->n_bucket; i++)
		fprintf(p->out, "%s%.1f,%.1f", i ? " " : "", x_of(p, (double)i),
			y_of(p, share(p, i)));
	fputs("\"/>\n", p->out);
	for (size_t i = 0; i < x->n_bucket; i++) {
		struct quantity q;

		fprintf(p->out,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>",
			x_of(p, (double)i), y_of(p, share(p, i)));
		put_all(names_str(&x->keys, x->bucket[i].key), p->out);
		units_format(&q, p->is_flat ? p->f->flat[i] : p->f->cum[i],
			     x->unit, "auto");
		fprintf(p->out, ": %.3f%%, %s", 100 * share(p, i), q.number);
		escape_put(p->out, ESCAPE_XML, q.unit, strlen(q.unit));
		fprintf(p->out, ", %" PRIu64 " profiles</title></circle>\n",
			x->bucket[i].n);
	}
}

static void
put_panel(struct panel *p)
{
	const struct str type = { p->x->type, (uint32_t)strlen(p->x->type), 0 };

	scale(p);
	fprintf(p->out, "<text class=\"h\" x=\"10\" y=\"%.1f\">", p->top + 21);
	put_all(names_str(&p->x->functions, p->f->name), p->out);
	fprintf(p->out, "</text>\n<text class=\"m\" x=\"10\" y=\"%.1f\">%s, ",
		p->top + 39, p->is_flat ? "flat" : "cum");
	put_all(&type, p->out);
	fputs("</text>\n", p->out);
	put_grid(p);
	put_rows(p);
	put_builds(p);
	put_shifts(p);
	put_points(p);
}

/* --- the whole --- */

static const char style[] =
	"text{font:12px " PALETTE_TYPE ";font-variant-numeric:tabular-nums}"
	"text.h{font-size:15px;font-weight:650}text.a{text-anchor:end}"
	"text.r{text-anchor:middle}path,.s{fill:none}.c{opacity:.2}"
	".b{stroke-dasharray:3 3}.v,.s{stroke-width:1.5}";

static const char light[] =
	"text{fill:" PALETTE_FG "}text.m,text.a,text.r{fill:" PALETTE_FG3 "}"
	"#bg{fill:" PALETTE_BG "}.g{stroke:" PALETTE_LINE "}"
	".b{stroke:" PALETTE_FG3 "}.c{fill:" PALETTE_MORE "}"
	".v{stroke:" PALETTE_MORE "}.s{stroke:" PALETTE_ACCENT "}"
	"circle{fill:" PALETTE_ACCENT "}";

static const char dark[] =
	"text{fill:" PALETTE_DARK_FG "}"
	"text.m,text.a,text.r{fill:" PALETTE_DARK_FG3 "}"
	"#bg{fill:" PALETTE_DARK_BG "}.g{stroke:" PALETTE_DARK_LINE "}"
	".b{stroke:" PALETTE_DARK_FG3 "}.c{fill:" PALETTE_DARK_MORE "}"
	".v{stroke:" PALETTE_DARK_MORE "}.s{stroke:" PALETTE_DARK_ACCENT "}"
	"circle{fill:" PALETTE_DARK_ACCENT "}";

void
plot_series(const struct series *x, const struct history_settings *s,
	    const struct shifts *shifts, FILE *out)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%zu\" viewBox=\"0 0 %d %zu\">\n",
		WIDTH, x->n_fn * PANEL, WIDTH, x->n_fn * PANEL);
	fprintf(out,
		"<style>%s%s@media(prefers-color-scheme:dark){%s}</style>\n",
		style, light, dark);
	fputs("<rect id=\"bg\" width=\"100%\" height=\"100%\"/>\n", out);
	for (size_t k = 0; k < x->n_fn; k++) {
		struct panel p = { .x = x,
				   .f = &x->fn[k],
				   .shifts = shifts ? &shifts[k] : NULL,
				   .is_flat = s->is_flat,
				   .top = (double)k * PANEL,
				   .out = out };

		put_panel(&p);
	}
	fputs("</svg>\n", out);
}
