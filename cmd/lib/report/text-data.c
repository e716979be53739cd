/*
 * text-data.c - the graph for programs: JSON and tab-separated values. Numbers
 * are the profile's integers in its unit, neither scaled nor rounded.
 * prof-text(1) documents the JSON; `schema` changes with it.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "frames.h"
#include "graph.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "report.h"
#include "text-data.h"
#include "text.h"

/* --- JSON --- */

/* "name": "text", and a comma after it; nothing when the string is empty. */
static void
put_member(FILE *out, const char *name, const struct str *s)
{
	if (s->len == 0)
		return;
	fprintf(out, "\"%s\": ", name);
	json_put_str(out, s);
	fputs(", ", out);
}

static void
put_number(FILE *out, const char *name, int64_t v)
{
	if (v)
		fprintf(out, "\"%s\": %" PRId64 ", ", name, v);
}

void
data_json_filters(FILE *out, const struct report *r)
{
	fputs("\"filters\": [", out);
	for (size_t i = 0; i < r->o->n_filter; i++) {
		if (i)
			fputs(", ", out);
		json_put(out, r->o->filter[i], strlen(r->o->filter[i]));
	}
	fputs("]", out);
}

static void
put_profile(FILE *out, const struct report *r)
{
	const struct profile *p = r->p;
	const struct str *str = p->strings.str;

	fputs(" \"profile\": {", out);
	if (p->n_mapping) {
		put_member(out, "file", &str[p->mapping[0].file]);
		put_member(out, "build_id", &str[p->mapping[0].build_id]);
	}
	put_member(out, "doc_url", &str[p->doc_url]);
	put_member(out, "period_type", &str[p->period_type.type]);
	put_member(out, "period_unit", &str[p->period_type.unit]);
	put_number(out, "period", p->period);
	put_number(out, "time_ns", p->time_ns);
	put_number(out, "duration_ns", p->duration_ns);
	fputs("\"comments\": [", out);
	for (size_t i = 0; i < p->n_comment; i++) {
		if (i)
			fputs(", ", out);
		json_put_str(out, &str[p->comment[i]]);
	}
	fputs("]},\n", out);
}

void
data_json_head(FILE *out, const struct report *r, const char *schema)
{
	const struct profile *p = r->p;
	const struct str *str = p->strings.str;

	fprintf(out, "{\"schema\": \"%s\",\n", schema);
	put_profile(out, r);
	fputs(" \"type\": ", out);
	json_put_str(out, &str[p->type[r->column].type]);
	fputs(", \"unit\": ", out);
	json_put_str(out, &str[p->type[r->column].unit]);
	fprintf(out, ", \"mean\": %s, ", r->o->mean ? "true" : "false");
}

void
data_json_key(FILE *out, const struct frames *f, uint32_t key)
{
	const struct frame_key *k = &f->key[key];
	const struct str *str = f->strings.str;

	put_member(out, "function", &str[k->name]);
	put_member(out, "file", &str[k->file]);
	put_number(out, "line", k->line);
	put_number(out, "column", k->column);
	/* As text: many readers keep numbers as doubles. */
	if (k->address)
		fprintf(out, "\"address\": \"0x%" PRIx64 "\", ", k->address);
	put_member(out, "object", &str[k->object]);
	put_member(out, "name", frames_text(f, key));
}

static void
put_node(FILE *out, const struct graph *g, const struct graph_node *n)
{
	fputs("  {", out);
	data_json_key(out, g->frames, n->key);
	fprintf(out, "\"flat\": %" PRId64 ", \"cum\": %" PRId64 "}",
		graph_value(n->flat), graph_value(n->cum));
}

static void
put_edge(FILE *out, const struct graph_edge *e)
{
	fprintf(out,
		"  {\"from\": %" PRIu32 ", \"to\": %" PRIu32
		", \"weight\": %" PRId64 ", \"inline\": %s, \"residual\": %s}",
		e->from, e->to, graph_value(e->weight),
		e->is_inlined ? "true" : "false",
		e->is_residual ? "true" : "false");
}

void
text_json(FILE *out, const struct report *r, const struct graph *g)
{
	data_json_head(out, r, "profpipe.graph/1");
	fprintf(out, "\"total\": %" PRId64 ",\n ", r->total);
	data_json_filters(out, r);
	fprintf(out,
		",\n \"dropped_nodes\": %zu, \"nodes_before_nodecount\": %zu,\n"
		" \"nodes\": [",
		g->n_dropped_node, g->n_before);
	for (size_t i = 0; i < g->n_node; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_node(out, g, &g->node[i]);
	}
	fputs("],\n \"edges\": [", out);
	for (size_t i = 0; i < g->n_edge; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_edge(out, &g->edge[i]);
	}
	fputs("]}\n", out);
}

/* --- tab-separated values --- */

const char data_tsv_key_titles[] =
	"name\tfunction\tfile\tline\tcolumn\taddress\tobject\n";

static void
put_field(FILE *out, const struct str *s)
{
	escape_put(out, ESCAPE_TSV, s->s, s->len);
}

void
data_tsv_key(FILE *out, const struct frames *f, uint32_t key)
{
	const struct frame_key *k = &f->key[key];
	const struct str *str = f->strings.str;

	put_field(out, frames_text(f, key));
	putc('\t', out);
	put_field(out, &str[k->name]);
	putc('\t', out);
	put_field(out, &str[k->file]);
	fprintf(out, "\t%" PRId64 "\t%" PRId64 "\t0x%" PRIx64 "\t", k->line,
		k->column, k->address);
	put_field(out, &str[k->object]);
	putc('\n', out);
}

void
text_tsv(FILE *out, const struct report *r, const struct graph *g)
{
	const char *unit = r->sample_unit;

	fprintf(out, "flat\tcum\tunit\t%s", data_tsv_key_titles);
	for (size_t i = 0; i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];

		if (!report_has_row(r, graph_value(n->flat),
				    graph_value(n->cum)))
			continue;
		fprintf(out, "%" PRId64 "\t%" PRId64 "\t", graph_value(n->flat),
			graph_value(n->cum));
		escape_put(out, ESCAPE_TSV, unit, strlen(unit));
		putc('\t', out);
		data_tsv_key(out, g->frames, n->key);
	}
}
