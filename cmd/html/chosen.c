/* chosen.c - see chosen.h. */
#include "config.h"

#include "chosen.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/model/profile.h"
#include "lib/report/report.h"

struct weighed {
	double weight;
	uint32_t name;
	const struct strtab *strings;
};

static int
heavier(const void *p, const void *q)
{
	const struct weighed *x = p, *y = q;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strtab_cmp(x->strings, x->name, y->name);
}

/* The name of the function that sample s ends in, or 0. */
static uint32_t
leaf_name(const struct profile *p, const struct sample *s, bool is_physical)
{
	const struct location *l;
	const struct line *line;

	if (!s->n_stack)
		return 0;
	l = &p->location[profile_stack(p, s)[0]];
	if (!l->n_line)
		return 0;
	line = profile_line(p, l) + (is_physical ? l->n_line - 1 : 0);
	return p->function[line->function].name;
}

enum prof_status
chosen_init(struct chosen *h, const struct report *r,
	    const struct page_code *code, size_t n, bool is_physical,
	    struct prof_err *err)
{
	const struct profile *p = r->p;
	size_t n_str = p->strings.n_str;
	struct weighed *w;

	*h = (struct chosen){ .r = r, .code = code };
	if (code->wants)
		return PROF_OK;
	w = calloc(n_str + 1, sizeof(*w));
	h->is_hot = calloc(n_str + 1, sizeof(*h->is_hot));
	if (!w || !h->is_hot) {
		free(w);
		return prof_nomem(err);
	}
	for (uint32_t i = 0; i < n_str; i++)
		w[i] = (struct weighed){ .name = i, .strings = &p->strings };
	for (size_t i = 0; i < p->n_sample; i++)
		w[leaf_name(p, &p->sample[i], is_physical)].weight +=
			fabs((double)p->value[i * p->n_type + r->column]);
	w[0].weight = 0;
	qsort(w, n_str, sizeof(*w), heavier);
	for (size_t i = 0; i < n && i < n_str && w[i].weight > 0; i++)
		h->is_hot[w[i].name] = true;
	free(w);
	return PROF_OK;
}

void
chosen_release(struct chosen *h)
{
	free(h->is_hot);
	*h = (struct chosen){ 0 };
}

bool
chosen_has(const struct chosen *h, const char *name, size_t n)
{
	uint32_t i;

	if (h->code->wants && !h->code->has_address)
		return h->code->wants(name, n, h->code->ctx);
	i = strtab_find(&h->r->p->strings, name, (uint32_t)n);
	if (h->code->has_address)
		return i != STRTAB_NONE && h->code->is_at && h->code->is_at[i];
	return i != STRTAB_NONE && h->is_hot[i];
}
