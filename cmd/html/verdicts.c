/* verdicts.c - see verdicts.h. */
#include "config.h"

#include "verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/escape.h"
#include "lib/gate/gate.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "lib/ops/split.h"

/* One side of p as a profile of its own. */
static enum prof_status
take_side(const struct split *s, enum gate_side side, struct profile **out,
	  struct prof_err *err)
{
	struct base_mark mark = base_mark_of(s->p);
	enum prof_status st;

	*out = NULL;
	for (size_t i = 0; i < s->n_part && !*out; i++) {
		const struct sample *first = &s->p->sample[*s->part[i].sample];

		if (base_mark_on(&mark, s->p, first) == (side == GATE_NEW))
			continue;
		st = split_part(s, i, out, err);
		if (st != PROF_OK)
			return st;
	}
	if (!*out)
		return prof_fail(err, PROF_EUSAGE, "one side has no samples");
	/* What a base has is negated. */
	for (size_t i = 0;
	     side == GATE_BASE && i < (*out)->n_sample * (*out)->n_type; i++)
		(*out)->value[i] = units_sub(0, (*out)->value[i]);
	return PROF_OK;
}

static enum prof_status
add_side(struct gate *g, const struct split *s, enum gate_side side,
	 const char *type, struct prof_err *err)
{
	struct gate_measure m;
	struct gate_total total;
	struct profile *p;
	enum prof_status st = take_side(s, side, &p, err);

	if (st == PROF_OK)
		st = gate_measure(p, type, &m, err);
	if (st == PROF_OK)
		st = gate_total(p, &m, &total, err);
	if (st == PROF_OK)
		st = gate_add(g, side, p, &m, &total, 1, err);
	profile_free(p);
	return st;
}

/* [change, chance]: 1 more, -1 less, 0 within the noise, 2 possibly; and how
 * probable such a change is by chance. */
static void
put_cell(FILE *f, const struct gate_cell *c)
{
	static const int change[] = {
		[GATE_UNCHANGED] = 0,    [GATE_IMPROVED] = -1,
		[GATE_INCONCLUSIVE] = 2, [GATE_SUSPECT] = 1,
		[GATE_REGRESSED] = 1,
	};
	bool is_less = c->after < c->before;

	fprintf(f, ",%d,%.3g", change[c->verdict],
		is_less ? c->adjusted_faster : c->adjusted);
}

static enum prof_status
write_json(const struct gate *g, struct buf *out, struct prof_err *err)
{
	FILE *f = buf_stream(out);

	if (!f)
		return prof_nomem(err);
	fprintf(f, "{\"type\":\"");
	escape_put(f, ESCAPE_JSON, g->type, strlen(g->type));
	fprintf(f, "\",\"alpha\":%g,\"rows\":[", g->o.alpha);
	for (size_t i = 0; i < g->n_order; i++) {
		const struct gate_row *row = &g->row[g->order[i]];
		const struct str *name = gate_name(g, row->name);

		fputs(i ? ",\n[\"" : "[\"", f);
		escape_put(f, ESCAPE_JSON, name->s, name->len);
		putc('"', f);
		put_cell(f, row->cell[GATE_FLAT]);
		put_cell(f, row->cell[GATE_CUM]);
		putc(']', f);
	}
	fputs("]}\n", f);
	return buf_stream_close(f) < 0 ? prof_nomem(err) : PROF_OK;
}

enum prof_status
verdicts_add(const struct profile *p, size_t column,
	     const struct gate_dist *dist, struct buf *out,
	     struct prof_err *err)
{
	const char *type = profile_str(p, p->type[column].type);
	struct gate_options o = GATE_DEFAULTS;
	struct split s = { 0 };
	struct gate *g = NULL;
	enum prof_status st;

	if (!dist)
		return prof_fail(err, PROF_EUSAGE,
				 "this build has no GNU Scientific Library");
	o.dist = dist;
	o.allow_unequal = o.exact_names = true;
	st = split_init(&s, p, "pprof::base", 3, err);
	if (st == PROF_OK)
		st = gate_new(&o, &g, err);
	if (st == PROF_OK)
		st = add_side(g, &s, GATE_BASE, type, err);
	if (st == PROF_OK)
		st = add_side(g, &s, GATE_NEW, type, err);
	if (st == PROF_OK)
		st = gate_judge(g, err);
	if (st == PROF_OK)
		st = write_json(g, out, err);
	gate_free(g);
	split_release(&s);
	return st;
}
