/* where-eval.c - evaluates the expressions of where.h for each sample. */
#include "config.h"

#include <stdlib.h>

#include "where-impl.h"

enum { UNKNOWN, NO, YES };

/* A node for one profile: strings are looked up once. */
struct bound {
	uint32_t key;           /* string, or STRTAB_NONE */
	uint32_t string;        /* of WHERE_EQUAL */
	unsigned char *verdict; /* of WHERE_MATCH, by string */
};

struct work {
	const struct profile *p;
	const struct where *w;
	struct bound *bound;
	struct measures measures;
	struct prof_err *err;
};

static enum prof_status
work_init(struct work *k)
{
	const struct strtab *strings = &k->p->strings;

	k->bound = calloc(k->w->n_node, sizeof(*k->bound));
	if (measures_init(&k->measures, k->p) < 0 || !k->bound)
		return prof_nomem(k->err);
	for (uint32_t i = 0; i < k->w->n_node; i++) {
		const struct where_node *n = &k->w->node[i];
		struct bound *b = &k->bound[i];

		if (n->key)
			b->key = strtab_find(strings, n->key, n->n_key);
		if (n->op == WHERE_EQUAL)
			b->string =
				strtab_find(strings, n->string, n->n_string);
		if (n->op == WHERE_MATCH) {
			b->verdict = calloc(strings->n_str, 1);
			if (!b->verdict)
				return prof_nomem(k->err);
		}
	}
	return PROF_OK;
}

static void
work_release(struct work *k)
{
	for (uint32_t i = 0; k->bound && i < k->w->n_node; i++)
		free(k->bound[i].verdict);
	free(k->bound);
	measures_release(&k->measures);
}

static enum prof_status
in_range(struct work *k, const struct where_node *n, const struct label *l,
	 bool *yes)
{
	const struct where_range *r = &n->range;
	const struct measure *want = r->has_low ? &r->low : &r->high;
	struct measure m = measures_label(&k->measures, l);

	switch (measure_relation(want, &m)) {
	case MEASURE_BARE:
		return prof_fail(k->err, PROF_EUSAGE,
				 "label '%s' is in %s, but the number that it "
				 "is compared with has no unit",
				 n->key, m.unit);
	case MEASURE_DIFFERENT:
		*yes = false;
		break;
	case MEASURE_COMPARABLE:
		*yes = (!r->has_low ||
			(r->above_low ? m.x > r->low.x : m.x >= r->low.x)) &&
		       (!r->has_high ||
			(r->below_high ? m.x < r->high.x : m.x <= r->high.x));
		break;
	}
	return PROF_OK;
}

static enum prof_status
matches(struct work *k, const struct where_node *n, struct bound *b,
	uint32_t string, bool *yes)
{
	const struct str *str = &k->p->strings.str[string];
	enum prof_status st = PROF_OK;

	*yes = b->verdict[string] == YES;
	if (b->verdict[string] == UNKNOWN) {
		st = n->test.match(n->test.ctx, str->s, str->len, yes, k->err);
		b->verdict[string] = *yes ? YES : NO;
	}
	return st;
}

/* Does label l, with the key of leaf i, pass its test? */
static enum prof_status
passes(struct work *k, uint32_t i, const struct label *l, bool *yes)
{
	const struct where_node *n = &k->w->node[i];
	struct bound *b = &k->bound[i];

	*yes = n->op == WHERE_HAS ||
	       (n->op == WHERE_EQUAL && l->str && l->str == b->string);
	if (n->op == WHERE_RANGE && !l->str)
		return in_range(k, n, l, yes);
	if (n->op == WHERE_MATCH && l->str)
		return matches(k, n, b, l->str, yes);
	return PROF_OK;
}

/* The value of node i for sample s; the parser bounded the depth. */
static enum prof_status
eval(struct work *k, uint32_t i, const struct sample *s, bool *yes)
{
	const struct where_node *n = &k->w->node[i];
	const struct label *l = profile_label(k->p, s);
	enum prof_status st;

	switch (n->op) {
	case WHERE_OR:
	case WHERE_AND:
		st = eval(k, n->a, s, yes);
		if (st == PROF_OK && *yes == (n->op == WHERE_AND))
			st = eval(k, n->b, s, yes);
		return st;
	case WHERE_NOT:
		st = eval(k, n->a, s, yes);
		*yes = !*yes;
		return st;
	default:
		break;
	}
	*yes = false;
	for (uint32_t j = 0; j < s->n_label && !*yes; j++) {
		if (l[j].key != k->bound[i].key)
			continue;
		st = passes(k, i, &l[j], yes);
		if (st != PROF_OK)
			return st;
	}
	return PROF_OK;
}

enum prof_status
filter_where(struct profile *p, const struct where *w, bool *found,
	     struct prof_err *err)
{
	struct work k = { .p = p, .w = w, .err = err };
	unsigned char *keep = malloc(p->n_sample + 1);
	enum prof_status st = work_init(&k);

	*found = false;
	if (!keep && st == PROF_OK)
		st = prof_nomem(err);
	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		bool yes = false;

		st = eval(&k, w->root, &p->sample[i], &yes);
		*found = *found || yes;
		keep[i] = yes;
	}
	if (st == PROF_OK)
		filter_keep(p, keep);
	work_release(&k);
	free(keep);
	return st;
}
