/*
 * group.c - the sums of groups of rows, for budgets of many functions at
 * once. That of a group is not the sum of its rows: a sample in which several
 * of them are counts once.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"

/* Add a sample of run i to the sums of all groups in `groups`, a bit each. */
static void
add_sample(struct gate_group *group, uint64_t groups, size_t i,
	   enum gate_kind kind, double value, double count)
{
	for (; groups; groups &= groups - 1) {
		struct gate_group *to = &group[__builtin_ctzll(groups)];

		to->value[kind][i] += value;
		to->count[kind][i] += count;
	}
}

static void
sum_run(const struct gate_run *r, size_t i, const struct frames *f,
	const uint64_t *of_key, struct gate_group *group)
{
	const struct profile *p = r->p;

	for (size_t k = 0; k < p->n_sample; k++) {
		const struct sample *s = &p->sample[k];
		const uint32_t *stack = profile_stack(p, s);
		double value = gate_value(&r->m, profile_value(p, k));
		double count = gate_samples(&r->m, profile_value(p, k));
		uint64_t all = 0;

		for (uint32_t d = 0; d < s->n_stack; d++) {
			uint32_t end = f->first[stack[d] + 1];

			for (uint32_t at = f->first[stack[d]]; at < end; at++)
				all |= of_key[f->node[at]];
		}
		if (!all)
			continue;
		add_sample(group, all, i, GATE_CUM, value, count);
		add_sample(group, of_key[f->node[f->first[stack[0]]]], i,
			   GATE_FLAT, value, count);
	}
}

enum prof_status
gate_sum_groups(struct gate *g, const uint64_t *of_row,
		struct gate_group *group, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (size_t i = 0; st == PROF_OK && i < g->n_run; i++) {
		struct frames *f = NULL;
		uint32_t *row = NULL;
		uint64_t *of_key = NULL;

		st = frames_new(g->run[i].p, &g->o.frames, &f, err);
		if (st == PROF_OK)
			st = gate_map(g, f, &row, err);
		if (st == PROF_OK) {
			of_key = calloc(f->n_key + 1, sizeof(*of_key));
			if (!of_key)
				st = prof_nomem(err);
		}
		for (size_t k = 0; st == PROF_OK && k < f->n_key; k++)
			of_key[k] = of_row[row[k]];
		if (st == PROF_OK)
			sum_run(&g->run[i], i, f, of_key, group);
		free(of_key);
		free(row);
		frames_free(f);
	}
	return st;
}
