/*
 * text-data.c - the graph for programs: JSON and tab-separated values. Numbers
 * are the integers of the profile, in its unit, never scaled and never rounded.
 * The form of the JSON is documented in prof-text(1); `schema` changes with it.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "graph.h"
#include "profile.h"
#include "report.h"
#include "text-print.h"
#include "text.h"
#include "units.h"

/* --- JSON --- */

/* A string; bytes that are not UTF-8 become U+FFFD. */
static void
put_string(FILE *out, const struct str *s)
{
	const char *at = s->s, *end = at + s->len;
	size_t len;

	putc('"', out);
	for (; at < end; at += len) {
		len = text_utf8(at, (size_t)(end - at));
		if (len == 0) {
			fputs("\xef\xbf\xbd", out);
			len = 1;
		} else if (*at == '"' || *at == '\\') {
			fprintf(out, "\\%c", *at);
		} else if ((unsigned char)*at < 0x20 || *at == 0x7f) {
			fprintf(out, "\\u%04x", (unsigned char)*at);
		} else {
			fwrite(at, 1, len, out);
		}
	}
	putc('"', out);
}

/* "name": "text", and a comma after it; nothing when the string is empty. */
static void
put_member(FILE *out, const char *name, const struct str *s)
{
	if (s->len == 0)
		return;
	fprintf(out, "\"%s\": ", name);
	put_string(out, s);
	fputs(", ", out);
}

static void
put_number(FILE *out, const char *name, int64_t v)
{
	if (v)
		fprintf(out, "\"%s\": %" PRId64 ", ", name, v);
}

static void
put_list(FILE *out, const char *name, const char *const *text, size_t n)
{
	fprintf(out, "\"%s\": [", name);
	for (size_t i = 0; i < n; i++) {
		struct str s = { text[i], (uint32_t)strlen(text[i]), 0 };

		if (i)
			fputs(", ", out);
		put_string(out, &s);
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
		put_string(out, &str[p->comment[i]]);
	}
	fputs("]},\n", out);
}

static void
put_node(FILE *out, const struct graph *g, const struct graph_node *n)
{
	const struct frame_key *k = &g->frames->key[n->key];
	const struct str *str = g->frames->strings.str;

	fputs("  {", out);
	put_member(out, "function", &str[k->name]);
	put_member(out, "file", &str[k->file]);
	put_number(out, "line", k->line);
	put_number(out, "column", k->column);
	/* As text: many readers keep numbers as doubles. */
	if (k->address)
		fprintf(out, "\"address\": \"0x%" PRIx64 "\", ", k->address);
	put_member(out, "object", &str[k->object]);
	put_member(out, "name", graph_name(g, n));
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
	const struct profile *p = r->p;
	const struct str *str = p->strings.str;

	fputs("{\"schema\": \"profpipe.graph/1\",\n", out);
	put_profile(out, r);
	fputs(" \"type\": ", out);
	put_string(out, &str[p->type[r->column].type]);
	fputs(", \"unit\": ", out);
	put_string(out, &str[p->type[r->column].unit]);
	fprintf(out, ", \"mean\": %s, \"total\": %" PRId64 ",\n ",
		r->o->mean ? "true" : "false", r->total);
	put_list(out, "filters", r->o->filter, r->o->n_filter);
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

void
text_tsv(FILE *out, const struct report *r, const struct graph *g,
	 const struct text_rows *rows)
{
	const struct str *str = g->frames->strings.str;
	const char *unit = r->sample_unit;

	fputs("flat\tcum\tunit\tname\tfunction\tfile\tline\tcolumn\taddress\t"
	      "object\n",
	      out);
	for (size_t i = 0; i < g->n_node; i++) {
		const struct graph_node *n = &g->node[i];
		const struct frame_key *k = &g->frames->key[n->key];

		if (!text_has_row(n, rows))
			continue;
		fprintf(out, "%" PRId64 "\t%" PRId64 "\t", graph_value(n->flat),
			graph_value(n->cum));
		text_put(out, unit, strlen(unit));
		putc('\t', out);
		text_put_str(out, graph_name(g, n));
		putc('\t', out);
		text_put_str(out, &str[k->name]);
		putc('\t', out);
		text_put_str(out, &str[k->file]);
		fprintf(out, "\t%" PRId64 "\t%" PRId64 "\t0x%" PRIx64 "\t",
			k->line, k->column, k->address);
		text_put_str(out, &str[k->object]);
		putc('\n', out);
	}
}
