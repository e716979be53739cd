/*
 * json.c - prof-gate's report for programs. The schema is in prof-gate(1);
 * "version" grows when a member changes its meaning or goes away.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/report/json.h"
#include "print.h"

#define SCHEMA 1

static void
put_name(FILE *out, const struct gate_report *r, uint32_t name)
{
	json_put_str(out, gate_name(r->g, name));
}

/* ,"key":1.5; what is not finite is null. */
static void
put_number(FILE *out, const char *key, double v)
{
	if (isfinite(v))
		fprintf(out, ",\"%s\":%.9g", key, v);
	else
		fprintf(out, ",\"%s\":null", key);
}

static void
put_cell(FILE *out, const struct gate_cell *c)
{
	fprintf(out, "{\"verdict\":\"%s\"", gate_verdict_name(c->verdict));
	put_number(out, "before", c->before);
	put_number(out, "after", c->after);
	put_number(out, "change", c->after - c->before);
	put_number(out, "moved", c->moved);
	put_number(out, "low", c->low);
	put_number(out, "high", c->high);
	put_number(out, "relevant", c->relevant);
	put_number(out, "detectable", c->detectable);
	put_number(out, "samples_before", c->n_before);
	put_number(out, "samples_after", c->n_after);
	put_number(out, "dispersion", c->dispersion);
	put_number(out, "df", c->df);
	put_number(out, "p_slower", c->p_up);
	put_number(out, "p_faster", c->p_down);
	putc('}', out);
}

static void
put_causes(FILE *out, const struct gate_report *r, const struct gate_row *row)
{

	for (uint32_t i = 0; i < row->n_cause; i++) {
		const struct gate_cause *c = &row->cause[i];

		fprintf(out, "%s{\"kind\":\"%s\",\"name\":", i ? "," : "",
			gate_cause_name(c));
		put_name(out, r, c->name);
		if (c->file) {
			fputs(",\"file\":", out);
			put_name(out, r, c->file);
			fprintf(out, ",\"line\":%jd", (intmax_t)c->line);
		}
		put_number(out, "before", c->before);
		put_number(out, "after", c->after);
		putc('}', out);
	}
}

static void
put_row(FILE *out, const struct gate_report *r, const struct gate_row *row,
	bool fails)
{
	fputs("\n    {\"name\":", out);
	put_name(out, r, row->name);
	fprintf(out, ",\"verdict\":\"%s\",\"by\":\"%s\",\"fails\":%s",
		gate_verdict_name(row->verdict), gate_kind_name(row->kind),
		fails ? "true" : "false");
	if (row->other) {
		fputs(",\"moved_with\":", out);
		put_name(out, r, row->other);
	}
	fputs(",\n     \"flat\":", out);
	put_cell(out, &row->cell[GATE_FLAT]);
	fputs(",\n     \"cum\":", out);
	put_cell(out, &row->cell[GATE_CUM]);
	fputs(",\n     \"causes\":[", out);
	put_causes(out, r, row);
	fputs("]}", out);
}

static void
put_budget(FILE *out, const struct rule_budget *b)
{
	fputs("\n    {\"name\":", out);
	json_put(out, b->name, strlen(b->name));
	fprintf(out, ",\"line\":%u,\"answer\":\"%s\",\"of\":\"%s\"", b->line,
		gate_answer_name(b->answer), gate_kind_name(b->limit.kind));
	if (b->answer != RULE_NO_FUNCTION) {
		fprintf(out, ",\"is_change\":%s",
			b->limit.is_change ? "true" : "false");
		put_number(out, "bound", b->bound);
		put_number(out, "value", b->value);
		put_number(out, "low", b->low);
		put_number(out, "high", b->high);
	}
	putc('}', out);
}

void
gate_print_json(FILE *out, const struct gate_report *r)
{
	const struct gate *g = r->g;
	const struct gate_measure *m = &g->run[0].m;
	size_t n = gate_shown(r);

	fprintf(out, "{\"version\":%d,\"verdict\":\"%s\",\"type\":", SCHEMA,
		gate_verdict_name(r->verdict));
	json_put(out, m->type, strlen(m->type));
	fputs(",\"unit\":", out);
	json_put(out, m->unit, strlen(m->unit));
	fprintf(out,
		",\"scale\":\"%s\",\"base_profiles\":%zu,"
		"\"new_profiles\":%zu",
		scale_name(r->scale), g->n_side[GATE_BASE],
		g->n_side[GATE_NEW]);
	put_number(out, "alpha", g->o.alpha);
	put_number(out, "level", g->limit);
	fprintf(out, ",\"tests\":%zu", g->n_test);
	put_number(out, "confidence", g->o.confidence);
	put_number(out, "min_change", g->o.min_change);
	put_number(out, "min_share", g->o.min_share);
	put_number(out, "noise", sqrt(g->noise.rate));
	fputs(",\n \"total\":", out);
	put_cell(out, &g->total);
	fputs(",\n \"count\":{", out);
	for (int v = 0; v <= GATE_REGRESSED; v++)
		fprintf(out, "%s\"%s\":%zu", v ? "," : "",
			gate_verdict_name((enum gate_verdict)v),
			g->n_verdict[v]);
	fputs("},\n \"functions\":[", out);
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc(',', out);
		put_row(out, r, gate_shown_row(r, i), r->fails[i]);
	}
	fputs("],\n \"budgets\":[", out);
	for (size_t i = 0; i < r->budgets->n_rule; i++) {
		if (i)
			putc(',', out);
		put_budget(out, &r->budgets->rule[i]);
	}
	fputs("]}\n", out);
}
