/*
 * graph-tag.c - labels of samples, collected at the nodes of their stacks; see
 * graph-build.h. All string labels of a sample make one tag; of the numeric
 * labels only "bytes" becomes tags, as in pprof's graphs.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "graph-build.h"
#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"

#define NO_GROUP UINT32_MAX /* instead of a group: a string tag */

/* Add the tag to those of the last sample, whose weight is w. */
static int
add_tag(struct tagger *t, const struct tag_id *tag, int64_t w)
{
	struct pair_slot *s = pairs_add(
		&t->ids, tag->text, tag->is_numeric ? tag->group : NO_GROUP);

	if (!s ||
	    array_reserve(&t->id, &t->cap_id, s->index, sizeof(*t->id)) < 0 ||
	    array_reserve(&t->of_sample, &t->cap_of_sample, t->n_of_sample + 1,
			  sizeof(*t->of_sample)) < 0)
		return -1;
	if (!s->stamp) {
		s->stamp = 1;
		t->id[s->index - 1] = *tag;
	}
	t->id[s->index - 1].total =
		units_add(t->id[s->index - 1].total, units_abs(w));
	t->of_sample[t->n_of_sample++] = s->index - 1;
	return 0;
}

static int
part_cmp(const void *a, const void *b)
{
	const struct str *x = a, *y = b;
	int r = memcmp(x->s, y->s, x->len < y->len ? x->len : y->len);

	return r ? r : (x->len > y->len) - (x->len < y->len);
}

/* Append "key:value" to the scratch text. */
static int
add_part(struct tagger *t, const struct label *l)
{
	const struct str *key = &t->b->p->strings.str[l->key];
	const struct str *value = &t->b->p->strings.str[l->str];

	return buf_add(&t->text, key->s, key->len) < 0 ||
			       buf_add(&t->text, ":", 1) < 0
		       ? -1
		       : buf_add(&t->text, value->s, value->len);
}

/* The text of the string labels of s: a string of the graph, 0 for none. */
static uint32_t
join_labels(struct tagger *t, const struct sample *s)
{
	const struct profile *p = t->b->p;
	const struct label *l = profile_label(p, s);
	size_t n = 0, start, at = 0;

	t->text.n = 0;
	if (array_reserve(&t->part, &t->cap_part, s->n_label,
			  sizeof(*t->part)) < 0)
		return STRTAB_NONE;
	for (uint32_t k = 0; k < s->n_label && l[k].str; k++) {
		if (l[k].key == t->units.base)
			continue;
		start = t->text.n;
		if (add_part(t, &l[k]) < 0)
			return STRTAB_NONE;
		t->part[n++].len = (uint32_t)(t->text.n - start);
	}
	if (n == 0)
		return 0;
	/* Reserve room for the joined text, too, before taking pointers. */
	start = t->text.n;
	if (buf_reserve(&t->text, start + n) < 0)
		return STRTAB_NONE;
	for (size_t k = 0; k < n; at += t->part[k++].len)
		t->part[k].s = (const char *)t->text.data + at;
	qsort(t->part, n, sizeof(*t->part), part_cmp);
	for (size_t k = 0; k < n; k++)
		if ((k && buf_add(&t->text, "\n", 1) < 0) ||
		    buf_add(&t->text, t->part[k].s, t->part[k].len) < 0)
			return STRTAB_NONE;
	return strtab_add(&t->b->g->strings, (const char *)t->text.data + start,
			  t->text.n - start);
}

static int
add_number(struct tagger *t, const struct label *l, uint32_t group, int64_t w)
{
	struct strtab *strings = &t->b->g->strings;
	const char *to = t->b->o->tag_unit, *unit = label_unit(&t->units, l);
	struct tag_id tag = { .group = group,
			      .is_numeric = true,
			      .number = l->num };
	struct quantity q;

	units_format(&q, l->num, unit, to ? to : "auto");
	t->text.n = 0;
	if (buf_add(&t->text, q.number, strlen(q.number)) < 0 ||
	    buf_add(&t->text, q.unit, strlen(q.unit)) < 0)
		return -1;
	tag.text = strtab_add(strings, (const char *)t->text.data, t->text.n);
	tag.unit = strtab_addz(strings, unit);
	if (tag.text == STRTAB_NONE || tag.unit == STRTAB_NONE)
		return -1;
	return add_tag(t, &tag, w);
}

static int
find_tags(struct tagger *t, const struct sample *s, int64_t w)
{
	const struct label *l = profile_label(t->b->p, s);
	struct tag_id tag = { 0 };

	tag.text = join_labels(t, s);
	if (tag.text == STRTAB_NONE || (tag.text && add_tag(t, &tag, w) < 0))
		return -1;
	for (uint32_t k = 0; k < s->n_label; k++)
		if (!l[k].str && l[k].key == t->bytes &&
		    add_number(t, &l[k], tag.text, w) < 0)
			return -1;
	return 0;
}

/* Remove tags lighter than cut from the samples: no node shows them. */
static void
drop_light(struct tagger *t, int64_t cut)
{
	size_t kept = 0, from = 0;

	for (size_t i = 0; i < t->b->p->n_sample; i++) {
		size_t end = t->first[i + 1];

		for (; from < end; from++)
			if (t->id[t->of_sample[from]].total >= cut)
				t->of_sample[kept++] = t->of_sample[from];
		t->first[i + 1] = kept;
	}
	t->n_of_sample = kept;
}

int
tagger_init(struct tagger *t, struct build *b, int64_t cut)
{
	static const char bytes[] = "bytes";
	const struct profile *p = b->p;
	struct graph *g = b->g;
	int64_t w, dw;

	memset(t, 0, sizeof(*t));
	t->b = b;
	t->bytes = strtab_find(&p->strings, bytes, strlen(bytes));
	t->first = calloc(p->n_sample + 1, sizeof(*t->first));
	if (!t->first || strtab_init(&g->strings, g->arena) < 0 ||
	    label_units_init(&t->units, p) < 0 ||
	    pairs_init(&t->ids, g->strings.key[0]) < 0)
		return -1;
	for (size_t i = 0; i < p->n_sample; i++) {
		if (build_weight(b, i, &w, &dw) &&
		    find_tags(t, &p->sample[i], w) < 0)
			return -1;
		t->first[i + 1] = t->n_of_sample;
	}
	drop_light(t, cut);
	return 0;
}

void
tagger_release(struct tagger *t)
{
	label_units_release(&t->units);
	pairs_release(&t->ids);
	pairs_release(&t->at);
	buf_release(&t->text);
	free(t->id);
	free(t->tag);
	free(t->of_sample);
	free(t->first);
	free(t->part);
}

int
tagger_begin(struct tagger *t)
{
	pairs_release(&t->at);
	return pairs_init(&t->at, t->b->g->strings.key[1]);
}

int
tagger_count(struct tagger *t, size_t i, uint32_t node, int64_t w, int64_t dw,
	     bool is_flat)
{
	for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
		uint32_t id = t->of_sample[k];
		struct pair_slot *s = pairs_add(&t->at, node, id);
		struct tag_at *at;

		if (!s || array_reserve(&t->tag, &t->cap_tag, s->index,
					sizeof(*t->tag)) < 0)
			return -1;
		at = &t->tag[s->index - 1];
		if (!s->stamp) {
			s->stamp = 1;
			*at = (struct tag_at){ node, id, { 0 }, { 0 } };
		}
		graph_sum_add(is_flat ? &at->flat : &at->cum,
			      (struct graph_sum){ w, dw });
	}
	return 0;
}

static int
tag_cmp(const void *a, const void *b, void *tagger)
{
	const struct tag_at *x = a, *y = b;
	const struct tagger *t = tagger;
	const struct tag_id *p = &t->id[x->id], *q = &t->id[y->id];
	int r;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (p->is_numeric != q->is_numeric)
		return p->is_numeric ? 1 : -1;
	r = strtab_cmp(&t->b->g->strings, p->text, q->text);
	return r ? r : strtab_cmp(&t->b->g->strings, p->group, q->group);
}

int
tagger_finish(struct tagger *t)
{
	struct graph *g = t->b->g;
	size_t n = t->at.n;

	if (n == 0)
		return 0;
	g->tag = arena_array(g->arena, n, sizeof(*g->tag));
	if (!g->tag)
		return -1;
	qsort_r(t->tag, n, sizeof(*t->tag), tag_cmp, t);
	for (size_t k = 0; k < n; k++) {
		const struct tag_at *at = &t->tag[k];
		const struct tag_id *id = &t->id[at->id];
		struct graph_node *node = &g->node[at->node];

		if (node->n_tag++ == 0)
			node->tag = (uint32_t)k;
		g->tag[k] = (struct graph_tag){ .text = id->text,
						.group = id->group,
						.unit = id->unit,
						.is_numeric = id->is_numeric,
						.number = id->number,
						.flat = at->flat,
						.cum = at->cum };
	}
	return 0;
}
