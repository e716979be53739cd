/* report.c - see report.h. */
#include "config.h"

#include "report.h"

#include "cli/match.h"
#include "cli/report-open.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/changes.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "lib/report/text.h"
#include "options.h"

static int64_t
amount(const struct report *r, const char *option, const char *text)
{
	struct prof_err err;
	int64_t v = 0;

	if (text && report_amount(r, text, &v, &err) != PROF_OK)
		die("--%s: %s", option, err.msg);
	return v;
}

static void
set_limits(const struct text_settings *s, struct report *r)
{
	r->min_flat = amount(r, "min-flat", s->min_flat);
	r->min_cum = amount(r, "min-cum", s->min_cum);
}

static void
choose_graph(struct text_settings *s)
{
	struct graph_options *g = &s->report.o.graph;
	enum report_limit limit = REPORT_ALL;

	switch (s->format) {
	case FORMAT_PEEK:
		limit = REPORT_UNTRIMMED;
		g->edges = GRAPH_ALL_EDGES;
		g->wants = match_must;
		g->wants_ctx = s->peek;
		break;
	case FORMAT_TREE:
		limit = REPORT_DRAWING;
		g->edges = GRAPH_ALL_EDGES;
		break;
	case FORMAT_JSON:
		g->edges = GRAPH_ALL_EDGES;
		break;
	case FORMAT_TSV:
		break;
	default:
		g->edges = GRAPH_INLINE_EDGES;
	}
	report_settings_finish(&s->report, limit);
}

static enum prof_status
print_graph(struct cli *cli, const struct text_settings *s, struct report *r,
	    struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct frames *f;
	struct graph *g;

	set_limits(s, r);
	report_open_graph(r, &f, &g);
	if (s->peek && !g->n_wanted)
		die("no matches found for regexp: %s%s", s->pattern,
		    match_literal_hint(s->pattern));
	if (s->format == FORMAT_TOP)
		st = text_top(cli_report(cli, true), r, g, err);
	else if (s->format == FORMAT_JSON)
		text_json(cli_text(cli), r, g);
	else if (s->format == FORMAT_TSV)
		text_tsv(cli_text(cli), r, g);
	else
		st = text_tree(cli_report(cli, true), r, g, err);
	graph_free(g);
	frames_free(f);
	return st;
}

static enum prof_status
print_diff(struct cli *cli, const struct text_settings *s, struct report *r,
	   struct prof_err *err)
{
	struct changes *c;
	enum prof_status st = changes_new(r, s->report.no_trim, &c, err);

	if (st != PROF_OK)
		return st;
	set_limits(s, r);
	report_choose_unit_for(r, changes_smallest(c));
	if (s->format == FORMAT_JSON)
		text_diff_json(cli_text(cli), r, c);
	else if (s->format == FORMAT_TSV)
		text_diff_tsv(cli_text(cli), r, c);
	else
		st = text_diff(cli_report(cli, true), r, c, err);
	changes_free(c);
	return st;
}

static enum prof_status
print_stacks(struct cli *cli, const struct text_settings *s, struct report *r,
	     struct prof_err *err)
{
	enum prof_status st;
	struct frames *f;

	if (s->format == FORMAT_FOLDED)
		cli_stackless(r->p, r->column);
	st = frames_new(r->p, &r->o->frames, &f, err);
	if (st == PROF_OK)
		st = s->format == FORMAT_TRACES
			     ? text_traces(cli_report(cli, true), r, f, err)
			     : text_folded(cli_text(cli), r, f, err);
	frames_free(f);
	return st;
}

/* Print a report that needs no column, as a profile may lack one. */
static bool
print_simple(struct cli *cli, struct text_settings *s, struct profile *p)
{
	struct report_options *o = &s->report.o;
	struct prof_err err;
	size_t column;

	if (s->format != FORMAT_RAW && s->format != FORMAT_COMMENTS &&
	    s->format != FORMAT_LIST_TYPES)
		return false;
	if (o->sample_index &&
	    profile_sample_index(p, o->sample_index, &column, &err) != PROF_OK)
		die("%s", err.msg);
	refine_filter(&s->report.refine, p);
	if (s->format == FORMAT_RAW)
		text_raw(cli_report(cli, true), p);
	else if (s->format == FORMAT_COMMENTS)
		text_comments(cli_report(cli, true), p);
	else if (text_types(cli_report(cli, true), p, o, &err) != PROF_OK)
		die("%s", err.msg);
	return true;
}

void
text_report(struct text_settings *s, struct profile *p, struct cli *cli)
{
	enum prof_status st;
	struct prof_err err;
	struct report r = { 0 };

	choose_graph(s);
	report_take(&s->report, p);
	if (s->diff)
		report_need_base(p);
	r.p = p;
	if (!print_simple(cli, s, p)) {
		report_begin(&r, &s->report, p);
		if (s->format == FORMAT_TAGS)
			st = text_tags(cli_report(cli, true), &r, &err);
		else if (s->format == FORMAT_TRACES ||
			 s->format == FORMAT_FOLDED)
			st = print_stacks(cli, s, &r, &err);
		else if (s->diff)
			st = print_diff(cli, s, &r, &err);
		else
			st = print_graph(cli, s, &r, &err);
		if (st != PROF_OK)
			die("%s", err.msg);
	}
	report_close(&r, &s->report);
	match_free(s->peek);
}
