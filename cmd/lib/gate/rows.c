/* rows.c - the sums of each function in each profile; see gate.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"
#include "lib/model/profile.h"

enum prof_status
gate_new(const struct gate_options *o, struct gate **out, struct prof_err *err)
{
	struct arena *a = arena_new();
	struct gate *g = a ? arena_alloc(a, sizeof(*g)) : NULL;

	*out = NULL;
	if (!g) {
		arena_free(a);
		return prof_nomem(err);
	}
	*g = (struct gate){ .arena = a, .o = *o };
	if (strtab_init(&g->names, a) < 0) {
		arena_free(a);
		return prof_nomem(err);
	}
	*out = g;
	return PROF_OK;
}

void
gate_free(struct gate *g)
{
	if (g)
		arena_free(g->arena);
}

const char *
gate_verdict_name(enum gate_verdict v)
{
	static const char *const name[] = { "unchanged", "improved",
					    "inconclusive", "moved",
					    "regressed" };

	return name[v];
}

uint32_t
gate_row_of(struct gate *g, const struct str *name)
{
	uint32_t s = strtab_add(&g->names, name->s, name->len);
	size_t old = g->cap_row_of;
	uint32_t *map;
	struct gate_row *row;

	if (s == STRTAB_NONE)
		return PROF_NONE;
	map = arena_grow(g->arena, g->row_of, &g->cap_row_of, (size_t)s + 1,
			 sizeof(*map));
	if (!map)
		return PROF_NONE;
	g->row_of = map;
	memset(map + old, 0xff, (g->cap_row_of - old) * sizeof(*map));
	if (map[s] != PROF_NONE)
		return map[s];
	row = arena_grow(g->arena, g->row, &g->cap_row, g->n_row + 1,
			 sizeof(*row));
	if (!row)
		return PROF_NONE;
	g->row = row;
	row[g->n_row] = (struct gate_row){ .name = s, .is_wanted = true };
	return map[s] = (uint32_t)g->n_row++;
}

enum prof_status
gate_map(struct gate *g, const struct frames *f, uint32_t **out,
	 struct prof_err *err)
{
	uint32_t *map = calloc(f->n_key + 1, sizeof(*map));

	*out = NULL;
	if (!map)
		return prof_nomem(err);
	for (uint32_t k = 0; k < f->n_key; k++) {
		size_t n = g->n_row;
		enum prof_status st = PROF_OK;

		map[k] = gate_row_of(g, frames_text(f, k));
		if (map[k] == PROF_NONE)
			st = prof_nomem(err);
		else if (g->n_row > n && g->o.wants)
			st = g->o.wants(g->o.wants_ctx, frames_text(f, k),
					&g->row[n].is_wanted, err);
		if (st != PROF_OK) {
			free(map);
			return st;
		}
	}
	*out = map;
	return PROF_OK;
}

/* Add the samples of r->p up, by the rows of its frames' keys. */
static enum prof_status
sum_run(struct gate_run *r, const struct frames *f, const uint32_t *row,
	struct prof_err *err)
{
	const struct profile *p = r->p;
	uint32_t *stamp = calloc(r->n_row + 1, sizeof(*stamp));

	if (!stamp)
		return prof_nomem(err);
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		double value = gate_value(&r->m, profile_value(p, i));
		double count = gate_samples(&r->m, profile_value(p, i));
		uint32_t leaf;

		if (!s->n_stack || (value == 0 && count == 0))
			continue;
		for (uint32_t k = 0; k < s->n_stack; k++) {
			uint32_t end = f->first[stack[k] + 1];

			for (uint32_t at = f->first[stack[k]]; at < end; at++) {
				uint32_t to = row[f->node[at]];

				if (stamp[to] == i + 1)
					continue;
				stamp[to] = (uint32_t)i + 1;
				r->value[GATE_CUM][to] += value;
				r->count[GATE_CUM][to] += count;
			}
		}
		leaf = row[f->node[f->first[stack[0]]]];
		r->value[GATE_FLAT][leaf] += value;
		r->count[GATE_FLAT][leaf] += count;
	}
	free(stamp);
	return PROF_OK;
}

static enum prof_status
alloc_run(struct gate *g, struct gate_run *r, struct prof_err *err)
{
	r->n_row = g->n_row;
	for (int k = 0; k < 2; k++) {
		size_t size = g->n_row * sizeof(double);

		r->value[k] = arena_array(g->arena, g->n_row, sizeof(double));
		r->count[k] = arena_array(g->arena, g->n_row, sizeof(double));
		if (!r->value[k] || !r->count[k])
			return prof_nomem(err);
		memset(r->value[k], 0, size);
		memset(r->count[k], 0, size);
	}
	return PROF_OK;
}

enum prof_status
gate_add(struct gate *g, enum gate_side side, const struct profile *p,
	 const struct gate_measure *m, const struct gate_total *total,
	 double exposure, struct prof_err *err)
{
	struct gate_run run = { .side = side,
				.p = p,
				.m = *m,
				.total = *total,
				.exposure = exposure };
	struct gate_run *grown;
	struct frames *f = NULL;
	uint32_t *row = NULL;
	enum prof_status st;

	if (g->n_run && (strcmp(m->type, g->run[0].m.type) ||
			 strcmp(m->unit, g->run[0].m.unit)))
		return prof_fail(err, PROF_EDIFFER,
				 "measures '%s/%s', those before '%s/%s'",
				 m->type, m->unit, g->run[0].m.type,
				 g->run[0].m.unit);
	if (g->n_run == GATE_MAX_PROFILE)
		return prof_fail(err, PROF_ELIMIT, "more than %d profiles",
				 GATE_MAX_PROFILE);
	st = frames_new(p, &g->o.frames, &f, err);
	if (st == PROF_OK)
		st = gate_map(g, f, &row, err);
	if (st == PROF_OK)
		st = alloc_run(g, &run, err);
	if (st == PROF_OK)
		st = sum_run(&run, f, row, err);
	free(row);
	frames_free(f);
	if (st != PROF_OK)
		return st;
	grown = arena_grow(g->arena, g->run, &g->cap_run, g->n_run + 1,
			   sizeof(*grown));
	if (!grown)
		return prof_nomem(err);
	g->run = grown;
	grown[g->n_run++] = run;
	g->n_side[side]++;
	return PROF_OK;
}
