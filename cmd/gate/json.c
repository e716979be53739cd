/*
 * json.c - prof-gate's report for programs. The schema is in prof-gate(1);
 * doc/json.md describes the JSON of all commands.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/base/escape.h"
#include "report.h"

/* ,"key":1.5; null unless finite. */
static void
put_number(FILE *out, const char *key, double v)
{
	fprintf(out, ",\"%s\":", key);
	if (isfinite(v))
		fprintf(out, "%.9g", v);
	else
		fputs("null", out);
}

static void
put_cell(FILE *out, const struct gate_cell *c)
{
	const struct {
		const char *key;
		double v;
	} number[] = {
		{ "before", c->before },
		{ "after", c->after },
		{ "change", c->after - c->before },
		{ "low", c->low },
		{ "high", c->high },
		{ "relevant", c->relevant },
		{ "detectable", c->detectable },
		{ "p_slower", c->p_slower },
		{ "p_faster", c->p_faster },
		{ "adjusted", c->adjusted },
		{ "se", c->se },
		{ "df", c->df },
		{ "dispersion", c->dispersion },
		{ "events_before", c->n[0] },
		{ "events_after", c->n[1] },
	};

	fprintf(out, "{\"verdict\":\"%s\"", gate_verdict_name(c->verdict));
	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		put_number(out, number[i].key, number[i].v);
	if (c->guard)
		fprintf(out, ",\"guard\":\"%s\"",
			c->guard == GATE_BY_SPLITS ? "splits" : "own");
	if (c->n_extreme) {
		fprintf(out, ",\"splits\":%zu,\"as_extreme\":%zu", c->n_split,
			c->n_extreme);
		put_number(out, "p_own", c->p_own);
	}
	putc('}', out);
}

static void
put_causes(FILE *out, const struct gate_report *r, const struct gate_row *row)
{
	fputs(",\"causes\":[", out);
	for (uint32_t i = 0; i < row->n_cause; i++) {
		const struct gate_cause *c = &row->cause[i];

		fprintf(out, "%s{\"kind\":\"%s\",\"%s\":", i ? "," : "",
			gate_cause_name(c),
			c->kind == GATE_LINE ? "file" : "name");
		json_put_str(out, gate_name(r->g, c->name));
		if (c->kind == GATE_LINE)
			fprintf(out, ",\"line\":%d", c->line);
		put_number(out, "before", c->before);
		put_number(out, "after", c->after);
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
	put_number(out, "net", w->net);
	put_number(out, "net_low", w->net_low);
	put_number(out, "net_high", w->net_high);
	put_number(out, "net_p_slower", w->net_p);
	putc('}', out);
}

static void
row_json(FILE *out, const struct gate_report *r, const struct gate_item *item)
{
	const struct gate_row *row = item->row;

	if (!item->i) {
		fputs(",\n \"total\":", out);
		put_cell(out, item->c);
		fprintf(out, ",\"total_fails\":%s,\n \"functions\":[",
			item->fails ? "true" : "false");
		return;
	}
	fputs(item->i > 1 ? ",\n  {\"name\":" : "\n  {\"name\":", out);
	json_put_str(out, gate_name(r->g, row->name));
	if (row->was) {
		fputs(",\"was\":", out);
		json_put_str(out, gate_name(r->g, row->was));
	}
	fprintf(out, ",\"verdict\":\"%s\",\"by\":\"%s\",\"fails\":%s",
		gate_verdict_name(row->verdict), gate_kind_name(row->kind),
		item->fails ? "true" : "false");
	if (row->file) {
		fputs(",\"file\":", out);
		json_put_str(out, gate_name(r->g, row->file));
		fprintf(out, ",\"line\":%d", row->line);
	}
	if (row->carried) {
		fputs(",\"carried_by\":", out);
		json_put_str(out,
			     gate_name(r->g, gate_grower(r->g, row)->name));
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
	put_number(out, "bound", b->bound);
	put_number(out, "value", b->value);
	put_number(out, "low", b->low);
	put_number(out, "high", b->high);
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
	put_number(out, "alpha", g->o.alpha);
	put_number(out, "level", m->level);
	fprintf(out, ",\"tests\":%zu,\"splits\":%zu", m->n_test, m->n_split);
	put_number(out, "confidence", g->o.confidence);
	put_number(out, "min_change", g->o.min_change);
	put_number(out, "min_share", g->o.min_share);
	fprintf(out, ",\n \"noise\":{\"clump\":%.9g", m->clump);
	put_number(out, "runs", sqrt(m->runs));
	put_number(out, "nu", m->nu);
	put_number(out, "machine", sqrt(m->machine));
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
