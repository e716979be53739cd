/* report.c - totals, units and the legend; see report.h. */
#include "config.h"

#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/escape.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/programs.h"

#define MAX_FILTER 80 /* bytes of one filter in the legend */

struct graph_sum
report_sum(const struct report *r, size_t i)
{
	const int64_t *v = profile_value(r->p, i);

	return (struct graph_sum){ v[r->column], r->o->mean ? v[0] : 0 };
}

/* --- the total --- */

/* Compute 100 %; of a difference with a base, that is the base alone. */
static void
add_total(struct report *r)
{
	const struct profile *p = r->p;
	struct base_mark mark = base_mark_of(p);
	struct graph_sum base = { 0 }, rest = { 0 }, all;

	for (size_t i = 0; i < p->n_sample; i++) {
		const int64_t *v = p->value + i * p->n_type;

		graph_sum_add(
			base_mark_on(&mark, p, &p->sample[i]) ? &base : &rest,
			(struct graph_sum){ units_abs(v[r->column]), v[0] });
	}
	all = base;
	graph_sum_add(&all, rest);
	r->is_saturated = all.value == INT64_MAX;
	if (base.value > 0)
		all = base;
	if (!r->o->mean)
		all.divisor = base.divisor = rest.divisor = 0;
	r->total = graph_value(all);
	/* The divisor of a base is negated like its values. */
	r->before = units_abs(graph_value(base));
	r->after = graph_value(rest);
}

void
report_total(struct report *r, struct profile *p, size_t column,
	     const struct report_options *o)
{
	*r = (struct report){ .p = p, .o = o, .column = column };
	add_total(r);
}

enum prof_status
report_init(struct report *r, struct profile *p, const struct report_options *o,
	    struct prof_err *err)
{
	enum prof_status st;

	*r = (struct report){ .p = p, .o = o };
	st = profile_sample_index(p, o->sample_index, &r->column, err);
	if (st != PROF_OK)
		return st;
	r->sample_unit = profile_str(p, p->type[r->column].unit);
	report_choose_unit(r, NULL);
	add_total(r);
	return PROF_OK;
}

enum prof_status
report_graph(struct report *r, struct frames **f, struct graph **g,
	     struct prof_err *err)
{
	struct graph_options o = r->o->graph;
	enum prof_status st = frames_new(r->p, &r->o->frames, f, err);

	*g = NULL;
	if (st != PROF_OK)
		return st;
	o.column = r->column;
	o.mean = r->o->mean;
	st = graph_new(*f, &o, g, err);
	if (st != PROF_OK) {
		frames_free(*f);
		*f = NULL;
	}
	return st;
}

/* --- numbers --- */

/* A value to be printed, before it is scaled to a unit. */
static int64_t
divide(const struct report *r, int64_t v)
{
	double d = r->o->divide_by;

	return d > 0 && d != 1 ? units_times(v, 1 / d) : v;
}

void
report_format(const struct report *r, struct quantity *q, int64_t v)
{
	units_format(q, divide(r, v), r->sample_unit, r->unit);
}

/* The unit in which the value is at least 1. */
static const char *
own_unit(const struct report *r, int64_t v)
{
	const char *unit;

	units_scale(v, r->sample_unit, "auto", &unit);
	return unit;
}

void
report_choose_unit_for(struct report *r, int64_t min)
{
	int64_t max = divide(r, r->total);
	const char *unit;

	r->unit = r->o->unit ? r->o->unit : "minimum";
	if (strcmp(r->unit, "minimum"))
		return;
	min = min ? divide(r, min) : max;
	unit = own_unit(r, min);
	/* Two decimals still show a hundredth of the unit. */
	if (strcmp(unit, own_unit(r, max)) && min < max / 100.0)
		unit = own_unit(r, units_times(min, 100));
	r->unit = *unit ? unit : r->sample_unit;
}

int64_t
report_smallest(const struct graph *g)
{
	int64_t min = 0;

	for (size_t i = 0; i < g->n_node; i++) {
		int64_t v = units_abs(graph_value(g->node[i].flat));

		if (v == 0)
			v = units_abs(graph_value(g->node[i].cum));
		if (v && (min == 0 || v < min))
			min = v;
	}
	return min;
}

void
report_choose_unit(struct report *r, const struct graph *g)
{
	if (g && g->n_node)
		report_choose_unit_for(r, report_smallest(g));
	else
		r->unit = r->o->unit ? r->o->unit : "minimum";
}

bool
report_has_row(const struct report *r, int64_t flat, int64_t cum)
{
	return units_abs(flat) >= r->min_flat && units_abs(cum) >= r->min_cum;
}

enum prof_status
report_amount(const struct report *r, const char *text, int64_t *out,
	      struct prof_err *err)
{
	double v, factor, own;
	int family, other;
	char *unit;

	v = strtod(text, &unit);
	if (unit == text || !(v >= 0))
		return prof_fail(err, PROF_EUSAGE,
				 "'%s' is not a value such as 10ms, 2%% or 500",
				 text);
	if (!strcmp(unit, "%")) {
		v *= (double)r->total / 100;
	} else if (*unit && strcmp(unit, r->sample_unit)) {
		factor = units_factor(unit, &family);
		own = units_factor(r->sample_unit, &other);
		if (!factor || !own || family != other)
			return prof_fail(err, PROF_EUSAGE,
					 "'%s' is not in %s, as the values are",
					 text, r->sample_unit);
		v *= factor / own;
	}
	if (strcmp(unit, "%") && r->o->divide_by > 0)
		v *= r->o->divide_by;
	*out = units_times(1, ceil(v));
	return PROF_OK;
}

/* --- the legend --- */

/*
 * Append one line of printf(), where fmt has the newline. Names in it are
 * untrusted: escape it, so that it stays one line.
 */
static int __attribute__((format(printf, 2, 3)))
legend_put(struct buf *out, const char *fmt, ...)
{
	char *line;
	va_list ap;
	int n, r;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -1;
	r = escape_add(out, ESCAPE_TEXT, line, (size_t)n - 1);
	if (r == 0)
		r = buf_add(out, "\n", 1);
	free(line);
	return r;
}

static int
put_time(struct buf *out, int64_t time_ns)
{
	time_t t = (time_t)(time_ns / 1000000000);
	char text[64];
	struct tm tm;

	if (time_ns % 1000000000 < 0)
		t--;
	if (!localtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &tm))
		return 0;
	return legend_put(out, "Time: %s\n", text);
}

static int
put_duration(const struct report *r, struct buf *out)
{
	int64_t duration = r->p->duration_ns;
	char percent[UNITS_PERCENT], ratio[UNITS_PERCENT + 2] = "";
	struct quantity d, t;
	const char *unit;
	double ns = units_scale(r->total, r->sample_unit, "nanoseconds", &unit);

	if (!strcmp(unit, "ns") && ns != 0) {
		units_percent(percent, units_times(1, ns), duration);
		snprintf(ratio, sizeof(ratio), "(%s)", percent);
	}
	units_format(&d, duration, "nanoseconds", "auto");
	report_format(r, &t, r->total);
	return legend_put(out, "Duration: %s%s, Total samples = %s%s %s\n",
			  d.number, d.unit, t.number, t.unit, ratio);
}

/* The program and its build or, of several programs, the first and how many. */
static int
put_programs(const struct report *r, struct buf *out)
{
	const struct profile *p = r->p;
	const struct mapping *m;
	struct programs x;
	struct prof_err err;
	const char *base;
	size_t len;

	if (programs_count(p, r->column, &x, &err) != PROF_OK)
		return -1;
	m = x.n < 2 ? programs_mapping(p, programs_name(p, &x)) : NULL;
	if (x.n > 1)
		return legend_put(out, "File: %s and %zu more program%s\n",
				  profile_str(p, x.largest), x.n - 1,
				  x.n == 2 ? "" : "s");
	if (x.n && legend_put(out, "File: %s\n", profile_str(p, x.largest)) < 0)
		return -1;
	if (!x.n && m && m->file) {
		base = frames_base(profile_str(p, m->file), &len);
		if (legend_put(out, "File: %.*s\n", (int)len, base) < 0)
			return -1;
	}
	if (m && m->build_id &&
	    legend_put(out, "Build ID: %s\n", profile_str(p, m->build_id)) < 0)
		return -1;
	return 0;
}

static int
put_profile(const struct report *r, struct buf *out)
{
	const struct profile *p = r->p;
	const char *type = profile_str(p, p->type[r->column].type);

	if (put_programs(r, out) < 0)
		return -1;
	for (size_t i = 0; i < p->n_comment; i++) {
		const char *text = profile_str(p, p->comment[i]);

		if (text[0] != '#' && legend_put(out, "%s\n", text) < 0)
			return -1;
	}
	if ((*type || r->o->mean) &&
	    legend_put(out, "Type: %s%s\n", r->o->mean ? "mean_" : "", type) <
		    0)
		return -1;
	if (p->doc_url &&
	    legend_put(out, "Doc: %s\n", profile_str(p, p->doc_url)) < 0)
		return -1;
	if (p->time_ns && put_time(out, p->time_ns) < 0)
		return -1;
	return p->duration_ns ? put_duration(r, out) : 0;
}

static int
put_filters(const struct report *r, struct buf *out)
{
	const struct report_options *o = r->o;

	if (o->n_filter && legend_put(out, "Active filters:\n") < 0)
		return -1;
	for (size_t i = 0; i < o->n_filter; i++) {
		size_t len = strlen(o->filter[i]);
		bool is_cut = len > MAX_FILTER;

		if (legend_put(out, "   %.*s%s\n",
			       is_cut ? MAX_FILTER : (int)len, o->filter[i],
			       is_cut ? "…" : "") < 0)
			return -1;
	}
	return 0;
}

static int
put_dropped(const struct report *r, struct buf *out, size_t n, const char *what,
	    const char *which, double fraction)
{
	struct quantity q;

	if (n == 0)
		return 0;
	report_format(r, &q, units_abs(units_times(r->total, fraction)));
	return legend_put(out, "Dropped %zu %s%s (%s <= %s%s)\n", n, what,
			  n == 1 ? "" : "s", which, q.number, q.unit);
}

static int
put_graph(const struct report *r, const struct graph *g, bool is_drawing,
	  struct buf *out)
{
	char percent[UNITS_PERCENT];
	struct quantity sum, total;
	int64_t flat = 0;

	for (size_t i = 0; i < g->n_node; i++) {
		int64_t v = graph_value(g->node[i].flat);

		if (report_has_row(r, v, graph_value(g->node[i].cum)))
			flat = units_add(flat, v);
	}
	units_percent(percent, flat, r->total);
	report_format(r, &sum, flat);
	report_format(r, &total, r->total);
	if (legend_put(out,
		       "Showing nodes accounting for %s%s, %s of %s%s total\n",
		       sum.number, sum.unit, percent + strspn(percent, " "),
		       total.number, total.unit) < 0)
		return -1;
	if (r->total == 0)
		return 0;
	if (put_dropped(r, out, g->n_dropped_node, "node", "cum",
			r->o->graph.node_fraction) < 0 ||
	    (is_drawing && put_dropped(r, out, g->n_dropped_edge, "edge",
				       "freq", r->o->graph.edge_fraction) < 0))
		return -1;
	if (g->n_node && g->n_node < g->n_before)
		return legend_put(out, "Showing top %zu nodes out of %zu\n",
				  g->n_node, g->n_before);
	return 0;
}

enum prof_status
report_legend(const struct report *r, const struct graph *g, bool is_drawing,
	      struct buf *out, struct prof_err *err)
{
	if ((is_drawing || !g || !r->o->compact_labels) &&
	    put_profile(r, out) < 0)
		return prof_nomem(err);
	if (g &&
	    (put_filters(r, out) < 0 || put_graph(r, g, is_drawing, out) < 0))
		return prof_nomem(err);
	return PROF_OK;
}

enum prof_status
report_head(const struct report *r, struct buf *out, struct prof_err *err)
{
	if ((!r->o->compact_labels && put_profile(r, out) < 0) ||
	    put_filters(r, out) < 0)
		return prof_nomem(err);
	return PROF_OK;
}
