/*
 * fuzz-report.c - every report of whatever decodes. The first byte chooses
 * among the options, the rest is a profile.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/changes.h"
#include "lib/codec.h"
#include "lib/frames.h"
#include "lib/graph.h"
#include "lib/profile.h"
#include "lib/report.h"
#include "lib/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
print_all(FILE *out, struct report *r, struct prof_err *err)
{
	struct text_rows rows = { 1, 2 };
	struct frames *f;
	struct graph *g;

	if (report_graph(r, &f, &g, err) != PROF_OK)
		return;
	report_choose_unit(r, g);
	if (text_top(out, r, g, &rows, err) != PROF_OK ||
	    text_tree(out, r, g, NULL, err) != PROF_OK ||
	    text_traces(out, r, f, err) != PROF_OK ||
	    text_folded(out, r, f, err) != PROF_OK ||
	    text_tags(out, r, err) != PROF_OK)
		abort();
	text_json(out, r, g);
	text_tsv(out, r, g, NULL);
	graph_free(g);
	frames_free(f);
}

static void
print_changes(FILE *out, struct report *r, struct prof_err *err)
{
	struct text_rows rows = { 0, 1 };
	struct changes *c;

	if (changes_new(r, r->o->mean, &c, err) != PROF_OK)
		return;
	report_choose_unit_for(r, changes_smallest(c));
	if (text_diff(out, r, c, &rows, err) != PROF_OK)
		abort();
	text_diff_json(out, r, c, &rows);
	text_diff_tsv(out, r, c, &rows);
	changes_free(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct report_options o = { .divide_by = 1 };
	FILE *out;
	struct profile *p;
	struct prof_err err;
	struct report r;

	if (n < 1 || profile_decode(data + 1, n - 1, &p, &err) != PROF_OK)
		return 0;
	out = fopen("/dev/null", "w");
	if (!out)
		abort();
	o.frames.granularity = data[0] % 5;
	o.frames.no_inlines = data[0] & 8;
	o.graph.order = data[0] & 16 ? GRAPH_BY_ENTROPY : GRAPH_BY_FLAT;
	o.graph.edges = GRAPH_ALL_EDGES;
	o.graph.tags = data[0] & 32;
	o.graph.call_tree = (data[0] & 16) && (data[0] & 64);
	o.mean = data[0] & 64;
	o.graph.node_fraction = data[0] & 128 ? 0.1 : 0;
	o.graph.edge_fraction = o.graph.node_fraction;
	o.graph.node_count = data[0] & 128 ? 3 : 0;
	text_raw(out, p);
	text_comments(out, p);
	if (text_types(out, p, &o, &err) == PROF_OK &&
	    report_init(&r, p, &o, &err) == PROF_OK) {
		print_all(out, &r, &err);
		print_changes(out, &r, &err);
	}
	fclose(out);
	profile_free(p);
	return 0;
}
