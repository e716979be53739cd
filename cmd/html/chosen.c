/* chosen.c - see chosen.h. */
#include "config.h"

#include "chosen.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/match.h"
#include "lib/model/profile.h"
#include "lib/report/report.h"
#include "pack.h"

static const double least = 0.005; /* share of a function with source text */

struct weighed {
	double weight; /* of a source: of its own, until all are added up */
	double total;
	bool is_own, is_first; /* first: before all that are not, of less
				  weight, too */
	uint32_t name, seen;   /* seen: in this sample, + 1 */
	const struct strtab *strings;
};

static int
heavier(const void *p, const void *q)
{
	const struct weighed *x = p, *y = q;

	if (x->is_first != y->is_first)
		return x->is_first ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strtab_cmp(x->strings, x->name, y->name);
}

/* The name of the function whose code a location is in, or 0. */
static uint32_t
physical_name(const struct profile *p, const struct location *l)
{
	const struct line *line = profile_line(p, l);

	return l->n_line ? p->function[line[l->n_line - 1].function].name : 0;
}

/* Add v to all functions of a stack, and to the innermost one. */
static void
add_stack(const struct profile *p, size_t sample, double v, struct weighed *w)
{
	const struct sample *s = &p->sample[sample];

	for (uint32_t i = 0; i < s->n_stack; i++) {
		const struct location *l = &p->location[profile_stack(p, s)[i]];

		for (uint32_t k = 0; k < l->n_line; k++) {
			uint32_t function = profile_line(p, l)[k].function;
			struct weighed *of = &w[p->function[function].name];

			if (!i && !k)
				of->weight += v;
			if (of->seen != sample + 1)
				of->total += v;
			of->seen = (uint32_t)sample + 1;
		}
	}
}

static bool
is_own(const struct profile *p, const struct location *l,
       const struct weighed *w)
{
	for (uint32_t k = 0; k < l->n_line; k++)
		if (w[p->function[profile_line(p, l)[k].function].name].is_own)
			return true;
	return false;
}

/* Add v to the function whose code the sample was in, and to that of the
 * innermost own code, which called the rest. */
static void
add_code(const struct profile *p, const struct sample *s, double v,
	 struct weighed *w)
{
	const uint32_t *stack = profile_stack(p, s);
	uint32_t leaf, i = 0, name;

	if (!s->n_stack)
		return;
	leaf = physical_name(p, &p->location[stack[0]]);
	w[leaf].weight += v;
	while (i < s->n_stack && !is_own(p, &p->location[stack[i]], w))
		i++;
	if (i == s->n_stack)
		return;
	name = physical_name(p, &p->location[stack[i]]);
	if (name != leaf)
		w[name].weight += v;
}

static void
weigh(const struct report *r, const struct pack *pack, bool is_source,
      struct weighed *w)
{
	const struct profile *p = r->p;

	for (size_t i = 0; i < pack->n_function; i++) {
		const struct str *name =
			&pack->frames->strings.str[pack->function[i].name];
		uint32_t at = strtab_find(&p->strings, name->s, name->len);

		if (at != STRTAB_NONE && pack->own[i])
			w[at].is_own = true;
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		double v = fabs((double)p->value[i * p->n_type + r->column]);

		if (is_source)
			add_stack(p, i, v, w);
		else
			add_code(p, &p->sample[i], v, w);
	}
	for (size_t i = 0; is_source && i < p->strings.n_str; i++) {
		w[i].is_first = w[i].is_own;
		if (w[i].is_own)
			w[i].weight = w[i].total;
	}
	/* Without a name. */
	w[0] = (struct weighed){ .strings = &p->strings };
}

/* The least weight of a function that is chosen. */
static double
least_of(const struct report *r, bool is_source)
{
	double all = 0;

	for (size_t i = 0; is_source && i < r->p->n_sample; i++)
		all += fabs((double)r->p->value[i * r->p->n_type + r->column]);
	return all * least;
}

enum prof_status
chosen_init(struct chosen *h, const struct report *r,
	    const struct page_code *code, const struct pack *pack,
	    bool is_source, struct prof_err *err)
{
	const struct strtab *strings = &r->p->strings;
	size_t n = is_source ? code->n_source : code->n_asm;
	size_t n_str = strings->n_str;
	double min = least_of(r, is_source);
	struct weighed *w;

	*h = (struct chosen){ .r = r, .code = code };
	if (!n)
		return PROF_OK;
	w = calloc(n_str + 1, sizeof(*w));
	h->rank = calloc(n_str + 1, sizeof(*h->rank));
	if (!w || !h->rank) {
		free(w);
		return prof_nomem(err);
	}
	for (uint32_t i = 0; i < n_str; i++)
		w[i] = (struct weighed){ .name = i, .strings = strings };
	weigh(r, pack, is_source, w);
	qsort(w, n_str, sizeof(*w), heavier);
	for (uint32_t i = 0, rank = 0; i < n_str && rank < n; i++)
		if (w[i].weight > 0 && w[i].weight >= min)
			h->rank[w[i].name] = ++rank;
	free(w);
	return PROF_OK;
}

void
chosen_release(struct chosen *h)
{
	free(h->rank);
	*h = (struct chosen){ 0 };
}

bool
chosen_asks(const struct page_code *code)
{
	return code->match || code->has_address;
}

bool
chosen_is_asked(const struct chosen *h, const char *name, size_t n)
{
	const struct page_code *code = h->code;
	bool matches = false;
	struct prof_err err;
	uint32_t i;

	if (code->has_address) {
		i = strtab_find(&h->r->p->strings, name, (uint32_t)n);
		return i != STRTAB_NONE && code->is_at && code->is_at[i];
	}
	if (code->match &&
	    match_bytes(code->match, name, n, &matches, &err) != PROF_OK)
		die("%s", err.msg);
	return matches;
}

uint32_t
chosen_rank(const struct chosen *h, const char *name, size_t n)
{
	uint32_t i = h->rank ? strtab_find(&h->r->p->strings, name, (uint32_t)n)
			     : STRTAB_NONE;

	return i == STRTAB_NONE ? 0 : h->rank[i];
}

bool
chosen_has(const struct chosen *h, const char *name, size_t n)
{
	return chosen_rank(h, name, n) || chosen_is_asked(h, name, n);
}
