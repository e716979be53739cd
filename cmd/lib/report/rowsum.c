/* rowsum.c - see rowsum.h. */
#include "config.h"

#include "rowsum.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/model/units.h"

/* The last sample that counted for a row, + 1; 0: none. */
struct stamp {
	size_t flat, cum;
};

struct run {
	const struct graph_options *o;
	const struct rowsum_entry *entry;
	size_t *first; /* by location: index in entry */
	struct rowsum *row;
	struct stamp *stamp;
};

static int
cmp_entry(const void *a, const void *b)
{
	const struct rowsum_entry *x = a, *y = b;

	if (x->location != y->location)
		return x->location < y->location ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static void
add_sample(struct run *r, const struct profile *p, size_t i)
{
	const struct sample *s = &p->sample[i];
	const uint32_t *stack = profile_stack(p, s);
	const int64_t *value = p->value + i * p->n_type;
	struct graph_sum w = { value[r->o->column], r->o->mean ? value[0] : 0 };

	if ((!w.value && !w.divisor) || (r->o->leave_out && r->o->leave_out[i]))
		return;
	for (uint32_t k = 0; k < s->n_stack; k++) {
		size_t end = r->first[stack[k] + 1];

		for (size_t at = r->first[stack[k]]; at < end; at++) {
			const struct rowsum_entry *e = &r->entry[at];
			struct stamp *stamp = &r->stamp[e->row];

			if (stamp->cum != i + 1) {
				stamp->cum = i + 1;
				graph_sum_add(&r->row[e->row].cum, w);
			}
			if (k == 0 && e->is_flat && stamp->flat != i + 1) {
				stamp->flat = i + 1;
				graph_sum_add(&r->row[e->row].flat, w);
			}
		}
	}
}

enum prof_status
rowsum_run(const struct profile *p, const struct graph_options *o,
	   struct rowsum_entry *entry, size_t n_entry, struct rowsum *row,
	   size_t n_row, struct prof_err *err)
{
	struct run r = { .o = o, .entry = entry, .row = row };
	size_t at = 0;

	r.first = calloc(p->n_location + 1, sizeof(*r.first));
	r.stamp = calloc(n_row + 1, sizeof(*r.stamp));
	if (!r.first || !r.stamp) {
		free(r.first);
		free(r.stamp);
		return prof_nomem(err);
	}
	if (n_entry)
		qsort(entry, n_entry, sizeof(*entry), cmp_entry);
	for (size_t l = 0; l <= p->n_location; l++) {
		while (at < n_entry && entry[at].location < l)
			at++;
		r.first[l] = at;
	}
	if (n_row)
		memset(row, 0, n_row * sizeof(*row));
	for (size_t i = 0; i < p->n_sample; i++)
		add_sample(&r, p, i);
	free(r.first);
	free(r.stamp);
	return PROF_OK;
}

bool
rowsum_is_shown(const struct rowsum *r, const struct graph_options *o)
{
	int64_t flat = r->flat.value, cum = r->cum.value;

	if (!flat && !cum)
		return false;
	return !(o->drop_negative && (flat < 0 || (!flat && cum < 0)));
}
