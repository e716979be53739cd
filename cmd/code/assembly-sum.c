/* assembly-sum.c - see assembly-impl.h: what functions and instructions cost.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "assembly-impl.h"
#include "lib/base/arena.h"
#include "lib/model/profile.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "lib/report/rowsum.h"

static int
cmp_function(const void *a, const void *b)
{
	const struct asm_function *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : (x->start > y->start) - (x->start < y->start);
}

/* The instruction of f at address a, or ASM_NONE. */
static uint32_t
insn_at(const struct asm_function *f, uint64_t a)
{
	size_t lo = 0, n = f->n_insn;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (f->insn[mid].address + f->insn[mid].size <= a)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo < f->n_insn && f->insn[lo].address <= a ? (uint32_t)lo
							  : ASM_NONE;
}

/* Where the places of each object are. */
static enum prof_status
find_places(struct assembly_builder *b)
{
	struct assembly *a = b->a;

	a->place = arena_array(a->arena, b->p->n_location, sizeof(*a->place));
	if (!a->place)
		return prof_nomem(b->err);
	for (size_t l = 0; l < b->p->n_location; l++)
		a->place[l] = (struct asm_place){ ASM_NONE, ASM_NONE };
	for (uint32_t k = 0; k < a->n_function; k++) {
		const struct asm_function *f = &a->function[k];
		const struct list_object *object = &b->objects.object[f->of];
		const struct object_place *place;
		size_t n;

		place = assembly_places(object, f->start, f->end, &n);
		for (; n; n--, place++) {
			uint32_t at = insn_at(f, place->address);

			if (!f->missing || at != ASM_NONE)
				a->place[place->location] =
					(struct asm_place){ k, at };
		}
	}
	return PROF_OK;
}

static enum prof_status
add_up(struct assembly_builder *b)
{
	struct assembly *a = b->a;
	struct graph_options o = b->r->o->graph;
	struct rowsum_entry *entry;
	struct rowsum *row;
	size_t n_row = 0, n = 0;
	uint32_t *first;
	enum prof_status st;

	o.column = b->r->column;
	o.mean = b->r->o->mean;
	first = calloc(a->n_function + 1, sizeof(*first));
	for (size_t i = 0; first && i < a->n_function; i++) {
		first[i] = (uint32_t)n_row;
		n_row += 1 + a->function[i].n_insn;
	}
	entry = calloc(2 * b->p->n_location + 1, sizeof(*entry));
	row = calloc(n_row + 1, sizeof(*row));
	if (!first || !entry || !row || n_row >= ASM_NONE) {
		st = prof_nomem(b->err);
		goto out;
	}
	for (uint32_t l = 0; l < b->p->n_location; l++) {
		const struct asm_place *at = &a->place[l];

		if (at->function == ASM_NONE)
			continue;
		entry[n++] =
			(struct rowsum_entry){ l, first[at->function], true };
		if (at->insn != ASM_NONE)
			entry[n++] = (struct rowsum_entry){
				l, first[at->function] + 1 + at->insn, true
			};
	}
	st = rowsum_run(b->p, &o, entry, n, row, n_row, b->err);
	for (size_t i = 0; st == PROF_OK && i < a->n_function; i++) {
		struct asm_function *f = &a->function[i];
		const struct rowsum *sum = &row[first[i]];

		f->flat = graph_value(sum->flat);
		f->cum = graph_value(sum->cum);
		for (size_t k = 0; k < f->n_insn; k++) {
			sum++;
			f->insn[k].flat = graph_value(sum->flat);
			f->insn[k].cum = graph_value(sum->cum);
		}
	}
out:
	free(first);
	free(entry);
	free(row);
	return st;
}

static bool
has_values(const struct asm_function *f)
{
	for (size_t k = 0; k < f->n_insn; k++)
		if (f->insn[k].flat || f->insn[k].cum)
			return true;
	return f->flat || f->cum;
}

/* Leave out functions whose samples cancel out, or that the filters emptied. */
static enum prof_status
drop_empty(struct assembly *a, const struct profile *p, struct prof_err *err)
{
	uint32_t *now = calloc(a->n_function + 1, sizeof(*now)), n = 0;

	if (!now)
		return prof_nomem(err);
	for (size_t i = 0; i < a->n_function; i++) {
		now[i] = has_values(&a->function[i]) ? n : ASM_NONE;
		if (now[i] != ASM_NONE)
			a->function[n++] = a->function[i];
	}
	for (size_t l = 0; l < p->n_location; l++)
		if (a->place[l].function != ASM_NONE)
			a->place[l].function = now[a->place[l].function];
	a->n_function = n;
	free(now);
	return PROF_OK;
}

enum prof_status
assembly_add_up(struct assembly_builder *b)
{
	struct assembly *a = b->a;
	enum prof_status st;

	if (a->n_function)
		qsort(a->function, a->n_function, sizeof(*a->function),
		      cmp_function);
	st = find_places(b);
	if (st == PROF_OK)
		st = add_up(b);
	return st == PROF_OK ? drop_empty(a, b->p, b->err) : st;
}
