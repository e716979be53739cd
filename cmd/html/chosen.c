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
	double self, total;
	bool is_own;
	uint32_t name, seen; /* seen: in this sample, + 1 */
	const struct strtab *strings;
};

/* Of what counts: the totals of own code. */
static double
weight(const struct weighed *w)
{
	return w->is_own ? w->total : w->self;
}

static int
heavier(const void *p, const void *q)
{
	const struct weighed *x = p, *y = q;
	double a = weight(x), b = weight(y);

	if (x->is_own != y->is_own)
		return x->is_own ? -1 : 1;
	if (a != b)
		return a < b ? 1 : -1;
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
				of->self += v;
			if (of->seen != sample + 1)
				of->total += v;
			of->seen = (uint32_t)sample + 1;
		}
	}
}

static void
weigh(const struct report *r, const struct pack *pack, struct weighed *w)
{
	const struct profile *p = r->p;

	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		double v = fabs((double)p->value[i * p->n_type + r->column]);

		if (pack)
			add_stack(p, i, v, w);
		else if (s->n_stack)
			w[physical_name(p,
					&p->location[profile_stack(p, s)[0]])]
				.self += v;
	}
	for (size_t i = 0; pack && i < pack->n_function; i++) {
		const struct str *name =
			&pack->frames->strings.str[pack->function[i].name];
		uint32_t at = strtab_find(&p->strings, name->s, name->len);

		if (at != STRTAB_NONE && pack->own[i])
			w[at].is_own = true;
	}
	/* Without a name. */
	w[0] = (struct weighed){ .strings = &p->strings };
}

/* The least weight of a function that is chosen. */
static double
least_of(const struct report *r, const struct pack *pack)
{
	double all = 0;

	for (size_t i = 0; pack && i < r->p->n_sample; i++)
		all += fabs((double)r->p->value[i * r->p->n_type + r->column]);
	return all * least;
}

enum prof_status
chosen_init(struct chosen *h, const struct report *r,
	    const struct page_code *code, const struct pack *pack,
	    struct prof_err *err)
{
	const struct strtab *strings = &r->p->strings;
	size_t n = pack ? code->n_source : code->n_asm, n_str = strings->n_str;
	double min = least_of(r, pack);
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
	weigh(r, pack, w);
	qsort(w, n_str, sizeof(*w), heavier);
	for (uint32_t i = 0, rank = 0; i < n_str && rank < n; i++)
		if (weight(&w[i]) > 0 && weight(&w[i]) >= min)
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
