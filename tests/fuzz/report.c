/*
 * report.c - every report of any profile that decodes. The first byte selects
 * options, the second the report, the rest is a profile. FUZZ_REPORT=0 to 15
 * makes every input print that report, so that each can be fuzzed separately.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/changes.h"
#include "lib/report/dot.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "lib/report/text.h"
#include "lib/wire/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum {
	TOP,
	TREE,
	PEEK,
	TRACES,
	FOLDED,
	TAGS,
	RAW,
	COMMENTS,
	TYPES,
	JSON,
	TSV,
	DOT,
	DOT_RENDERED,
	DIFF,
	DIFF_JSON,
	DIFF_TSV,
	N_REPORT
};

/* Stands for a pattern of --peek. */
static bool
is_odd(const struct str *name, void *ctx)
{
	(void)ctx;
	return name->len & 1;
}

static enum prof_status
print_dot(FILE *out, const struct report *r, const struct graph *g,
	  bool is_rendered, struct prof_err *err)
{
	struct buf b = { 0 };
	enum prof_status st = dot_write(r, g, is_rendered, &b, err);

	fwrite(b.data, 1, b.n, out);
	buf_release(&b);
	return st;
}

static enum prof_status
print_changes(FILE *out, int which, struct report *r, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct changes *c;

	if (changes_new(r, r->o->mean, &c, err) != PROF_OK)
		return PROF_OK; /* too large */
	report_choose_unit_for(r, changes_smallest(c));
	r->min_cum = 1;
	if (which == DIFF)
		st = text_diff(out, r, c, err);
	else if (which == DIFF_JSON)
		text_diff_json(out, r, c);
	else
		text_diff_tsv(out, r, c);
	changes_free(c);
	return st;
}

static enum prof_status
print(FILE *out, int which, struct report *r, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	struct frames *f;
	struct graph *g;

	if (which == TAGS)
		return text_tags(out, r, err);
	if (which >= DIFF)
		return print_changes(out, which, r, err);
	if (report_graph(r, &f, &g, err) != PROF_OK)
		return PROF_OK; /* too large */
	report_choose_unit(r, g);
	r->min_flat = which == TOP;
	r->min_cum = 2 * r->min_flat;
	if (which == TOP)
		st = text_top(out, r, g, err);
	else if (which == TREE || which == PEEK)
		st = text_tree(out, r, g, err);
	else if (which == TRACES)
		st = text_traces(out, r, f, err);
	else if (which == FOLDED)
		st = text_folded(out, r, f, err);
	else if (which == JSON)
		text_json(out, r, g);
	else if (which == TSV)
		text_tsv(out, r, g);
	else
		st = print_dot(out, r, g, which == DOT_RENDERED, err);
	graph_free(g);
	frames_free(f);
	return st;
}

static void
choose(struct report_options *o, uint8_t byte, int which)
{
	bool is_drawing = which == DOT || which == DOT_RENDERED;

	o->divide_by = 1;
	o->frames.granularity = byte % 5;
	o->frames.no_inlines = byte & 8;
	o->graph.order = is_drawing ? GRAPH_BY_ENTROPY : GRAPH_BY_FLAT;
	o->graph.edges = which == TOP ? GRAPH_INLINE_EDGES : GRAPH_ALL_EDGES;
	o->graph.wants = which == PEEK ? is_odd : NULL;
	o->graph.tags = byte & 32;
	o->graph.call_tree = is_drawing && (byte & 16);
	o->mean = byte & 64;
	o->graph.node_fraction = byte & 128 ? 0.1 : 0;
	o->graph.edge_fraction = o->graph.node_fraction;
	o->graph.node_count = byte & 128 ? 3 : 0;
}

static int
which_report(uint8_t byte)
{
	const char *fixed = getenv("FUZZ_REPORT");

	return fixed ? strtoul(fixed, NULL, 10) % N_REPORT : byte % N_REPORT;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct report_options o = { 0 };
	enum prof_status st = PROF_OK;
	struct profile *p;
	struct prof_err err;
	struct report r;
	FILE *out;
	int which;

	if (n < 2 || profile_decode(data + 2, n - 2, &p, &err) != PROF_OK)
		return 0;
	out = fopen("/dev/null", "w");
	if (!out)
		abort();
	which = which_report(data[1]);
	choose(&o, data[0], which);
	if (which == RAW)
		text_raw(out, p);
	else if (which == COMMENTS)
		text_comments(out, p);
	else if (which == TYPES)
		st = text_types(out, p, &o, &err) == PROF_ENOMEM ? PROF_ENOMEM
								 : PROF_OK;
	else if (report_init(&r, p, &o, &err) == PROF_OK)
		st = print(out, which, &r, &err);
	if (st != PROF_OK)
		abort();
	fclose(out);
	profile_free(p);
	return 0;
}
