/*
 * json.c - prof-gate's report for programs. The schema is in prof-gate(1);
 * doc/json.md describes the JSON of all commands.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/base/escape.h"
#include "report.h"

struct number {
	const char *key; /* NULL: the last */
	double v;
};

/* ,"key":1.5 for each, integers in full; null unless finite. */
static void
put_numbers(FILE *out, const struct number *x)
{
	for (; x->key; x++)
		if (isfinite(x->v))
			fprintf(out,
				fabs(x->v) < 1e9 ? ",\"%s\":%.9g"
						 : ",\"%s\":%.0f",
				x->key, x->v);
		else
			fprintf(out, ",\"%s\":null", x->key);
}

#define PUT_NUMBERS(...)                                                       \
	put_numbers(out, (const struct number[]){ __VA_ARGS__, { NULL, 0 } })

/* "key":"name" */
static void
put_name(FILE *out, const struct gate_report *r, const char *key, uint32_t name)
{
	fprintf(out, "\"%s\":", key);
	json_put_str(out, gate_name(r->g, name));
}

static void
put_cell(FILE *out, const struct gate_cell *c)
{
	fprintf(out, "{\"verdict\":\"%s\"", gate_verdict_name(c->verdict));
	PUT_NUMBERS({ "before", c->before }, { "after", c->after },
		    { "change", c->after - c->before }, { "low", c->low },
		    { "high", c->high }, { "relevant", c->relevant },
		    { "detectable", c->detectable },
		    { "p_slower", c->p_slower }, { "p_faster", c->p_faster },
		    { "adjusted", c->adjusted }, { "se", c->se },
		    { "df", c->df }, { "dispersion", c->dispersion },
		    { "events_before", c->n[0] }, { "events_after", c->n[1] });
	if (c->guard)
		fprintf(out, ",\"guard\":\"%s\"",
			c->guard == GATE_BY_SPLITS ? "splits" : "own");
	if (c->n_extreme)
		PUT_NUMBERS({ "splits", (double)c->n_split },
			    { "as_extreme", (double)c->n_extreme },
			    { "p_own", c->p_own });
	putc('}', out);
}

static void
put_causes(FILE *out, const struct gate_report *r, const struct gate_row *row)
{
	fputs(",\"causes\":[", out);
	for (uint32_t i = 0; i < row->n_cause; i++) {
		const struct gate_cause *c = &row->cause[i];

		fprintf(out, "%s{\"kind\":\"%s\",", i ? "," : "",
			gate_cause_name(c));
		put_name(out, r, c->kind == GATE_LINE ? "file" : "name",
			 c->name);
		if (c->kind == GATE_LINE)
			fprintf(out, ",\"line\":%d", c->line);
		PUT_NUMBERS({ "before", c->before }, { "after", c->after });
		putc('}', out);
	}
	putc(']', out);
}

static void
put_why(FILE *out, const struct gate_report *r, const struct gate_why *w,
	const char *key)
{
	if (!w->label)
		return;
	fprintf(out, ",\"%s\":{\"kind\":\"%s\",\"others\":[", key,
		gate_label_name(w->label));
	for (uint32_t i = 0; i < w->n_other; i++) {
		if (i)
			putc(',', out);
		json_put_str(out, gate_name(r->g, r->g->row[w->other[i]].name));
	}
	putc(']', out);
	PUT_NUMBERS({ "net", w->net }, { "net_low", w->net_low },
		    { "net_high", w->net_high }, { "net_p_slower", w->net_p });
	putc('}', out);
}

static void
row_json(FILE *out, const struct gate_report *r, const struct gate_item *item)
{
	const struct gate_row *row = item->row;
	const char *fails = item->fails ? "true" : "false";

	if (!item->i) {
		fputs(",\n \"total\":", out);
		put_cell(out, item->c);
		fprintf(out, ",\"total_fails\":%s,\n \"functions\":[", fails);
		return;
	}
	fputs(item->i > 1 ? ",\n  {" : "\n  {", out);
	put_name(out, r, "name", row->name);
	if (row->was) {
		putc(',', out);
		put_name(out, r, "was", row->was);
	}
	fprintf(out, ",\"verdict\":\"%s\",\"by\":\"%s\",\"fails\":%s",
		gate_verdict_name(row->verdict), gate_kind_name(row->kind),
		fails);
	if (row->file) {
		putc(',', out);
		put_name(out, r, "file", row->file);
		fprintf(out, ",\"line\":%d", row->line);
	}
	if (row->carried) {
		putc(',', out);
		put_name(out, r, "carried_by", gate_grower(r->g, row)->name);
	}
	put_why(out, r, &row->why[GATE_FLAT], "flat_explanation");
	put_why(out, r, &row->why[GATE_CUM], "cum_explanation");
	fputs(",\n   \"flat\":", out);
	put_cell(out, row->cell[GATE_FLAT]);
	fputs(",\n   \"cum\":", out);
	put_cell(out, row->cell[GATE_CUM]);
	put_causes(out, r, row);
	putc('}', out);
}

static void
budget_json(FILE *out, const struct gate_report *r, const struct rule_budget *b,
	    size_t i)
{
	(void)r;
	fputs(i ? ",\n  {\"name\":" : "],\n \"budgets\":[\n  {\"name\":", out);
	json_put(out, b->name, strlen(b->name));
	fprintf(out,
		",\"line\":%u,\"answer\":\"%s\",\"of\":\"%s\","
		"\"is_change\":%s",
		b->line, gate_answer_name(b->answer),
		gate_kind_name(b->limit.kind),
		b->limit.is_change ? "true" : "false");
	PUT_NUMBERS({ "bound", b->bound }, { "value", b->value },
		    { "low", b->low }, { "high", b->high });
	putc('}', out);
}

static void
begin_json(FILE *out, const struct gate_report *r)
{
	const struct gate *g = r->g;
	const struct gate_model *m = &g->model;

	fprintf(out,
		"{\"schema\": \"profpipe.gate/1\",\n "
		"\"verdict\":\"%s\",\"type\":",
		gate_verdict_name(r->verdict));
	json_put(out, g->type, strlen(g->type));
	fputs(",\"unit\":", out);
	json_put(out, g->unit, strlen(g->unit));
	fprintf(out,
		",\"scale\":\"%s\",\"base_profiles\":%zu,"
		"\"new_profiles\":%zu,\"base_sessions\":%zu,"
		"\"new_sessions\":%zu,\"by_session\":%s,\"renamed\":%zu",
		scale_name(r->scale), g->n_profile[0], g->n_profile[1],
		g->n_session[0], g->n_session[1],
		g->is_joined ? "true" : "false", g->n_renamed);
	PUT_NUMBERS({ "alpha", g->o.alpha }, { "level", m->level });
	fprintf(out, ",\"tests\":%zu,\"splits\":%zu", m->n_test, m->n_split);
	PUT_NUMBERS({ "confidence", g->o.confidence },
		    { "min_change", g->o.min_change },
		    { "min_share", g->o.min_share });
	fprintf(out, ",\n \"noise\":{\"clump\":%.9g", m->clump);
	PUT_NUMBERS({ "runs", sqrt(m->runs) }, { "nu", m->nu },
		    { "machine", sqrt(m->machine) });
	fputs("},\n \"count\":{", out);
	for (int v = 0; v <= GATE_REGRESSED; v++)
		fprintf(out, "%s\"%s\":%zu", v ? "," : "",
			gate_verdict_name((enum gate_verdict)v),
			g->n_verdict[v]);
	putc('}', out);
}

static void
end_json(FILE *out, const struct gate_report *r)
{
	fputs(r->budgets->n_rule ? "]}\n" : "],\n \"budgets\":[]}\n", out);
}

const struct gate_form gate_json = { .escape = ESCAPE_JSON,
				     .begin = begin_json,
				     .row = row_json,
				     .budget = budget_json,
				     .end = end_json,
				     .is_for_programs = true };
