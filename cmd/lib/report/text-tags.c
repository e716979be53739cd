/* text-tags.c - the labels of a profile, and the share of each. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "lib/base/arena.h"
#include "lib/base/pairs.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "report.h"
#include "text-print.h"
#include "text.h"

#define N_RECENT 1024 /* a power of two */

/* All samples with one value of one key. */
struct tag {
	uint32_t key;  /* string of the profile */
	uint32_t text; /* string of tags.strings: the value */
	struct graph_sum sum;
};

struct tags {
	const struct report *r;
	struct label_units units;
	struct arena *arena;
	struct strtab strings;
	struct pairs at; /* (key, text) -> tag */
	struct tag *tag;
	size_t cap;
	/* Recently formatted numbers: most occur again. */
	struct recent {
		int64_t num;
		uint32_t key, unit, text; /* text 0: free */
	} * recent;
};

/* The value of a label as text: a string of t, or STRTAB_NONE. */
static uint32_t
label_text(struct tags *t, const struct label *l)
{
	const struct str *str = &t->r->p->strings.str[l->str];
	const char *to = t->r->o->unit;
	struct recent *recent;
	struct quantity q;
	size_t n;

	if (l->str)
		return strtab_add(&t->strings, str->s, str->len);
	recent = &t->recent[((uint64_t)l->num * 0x9e3779b97f4a7c15u >> 40) &
			    (N_RECENT - 1)];
	if (recent->text && recent->num == l->num && recent->key == l->key &&
	    recent->unit == l->unit)
		return recent->text;
	units_format(&q, l->num, label_unit(&t->units, l), to ? to : "auto");
	n = strlen(q.number) + strlen(q.unit);

	char *text = arena_alloc(t->arena, n + 1);

	if (!text)
		return STRTAB_NONE;
	strcpy(stpcpy(text, q.number), q.unit);
	*recent = (struct recent){ l->num, l->key, l->unit,
				   strtab_add(&t->strings, text, n) };
	return recent->text;
}

static int
add_label(struct tags *t, const struct label *l, struct graph_sum w)
{
	uint32_t text = label_text(t, l);
	struct pair_slot *s;
	struct tag *grown;

	if (text == STRTAB_NONE)
		return -1;
	s = pairs_add(&t->at, l->key, text);
	if (!s)
		return -1;
	if (!s->stamp) {
		s->stamp = 1;
		grown = arena_grow(t->arena, t->tag, &t->cap, s->index,
				   sizeof(*grown));
		if (!grown)
			return -1;
		t->tag = grown;
		t->tag[s->index - 1] = (struct tag){ l->key, text, { 0, 0 } };
	}
	graph_sum_add(&t->tag[s->index - 1].sum, w);
	return 0;
}

static int
collect(struct tags *t)
{
	const struct profile *p = t->r->p;

	t->arena = arena_new();
	t->recent = calloc(N_RECENT, sizeof(*t->recent));
	if (!t->arena || !t->recent || strtab_init(&t->strings, t->arena) < 0 ||
	    label_units_init(&t->units, p) < 0 ||
	    pairs_init(&t->at, t->strings.key[0]) < 0)
		return -1;
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct label *l = profile_label(p, &p->sample[i]);
		struct graph_sum w = report_sum(t->r, i);

		for (uint32_t k = 0; k < p->sample[i].n_label; k++)
			if (l[k].key != t->units.base &&
			    add_label(t, &l[k], w) < 0)
				return -1;
	}
	return 0;
}

/* Compare by key; then the heaviest first. */
static int
tag_cmp(const void *a, const void *b, void *tags)
{
	const struct tag *x = a, *y = b;
	const struct tags *t = tags;
	int64_t v = graph_value(x->sum), w = graph_value(y->sum);
	int r = strtab_cmp(&t->r->p->strings, x->key, y->key);

	if (r)
		return r;
	if (units_abs(v) != units_abs(w))
		return units_abs(v) < units_abs(w) ? 1 : -1;
	if (v != w)
		return v < w ? 1 : -1;
	return strtab_cmp(&t->strings, x->text, y->text);
}

/* "VALUE (PERCENT)", and its width in columns. */
struct cell {
	struct quantity q;
	char percent[UNITS_PERCENT + 3];
	size_t width;
};

static void
make_cell(const struct report *r, int64_t v, struct cell *c)
{
	char percent[UNITS_PERCENT];

	report_format(r, &c->q, v);
	units_percent(percent, v, r->total);
	c->percent[0] = '\0';
	if (r->total > 0)
		snprintf(c->percent, sizeof(c->percent), " (%s)", percent);
	c->width = strlen(c->q.number) +
		   escape_width(c->q.unit, strlen(c->q.unit)) +
		   strlen(c->percent);
}

static void
put_cell(FILE *out, const struct cell *c)
{
	text_put_quantity(out, 0, &c->q);
	fputs(c->percent, out);
}

/* The n tags of one key. */
static void
put_key(FILE *out, const struct tags *t, const struct tag *tag, size_t n)
{
	const struct str *key = &t->r->p->strings.str[tag->key];
	size_t indent = escape_width(key->s, key->len) + 2, width = 0;
	struct quantity all;
	struct cell cell;
	struct graph_sum sum = { 0, 0 };

	for (size_t i = 0; i < n; i++) {
		make_cell(t->r, graph_value(tag[i].sum), &cell);
		width = cell.width > width ? cell.width : width;
		graph_sum_add(&sum, tag[i].sum);
	}
	putc(' ', out);
	text_put_str(out, key);
	report_format(t->r, &all, t->r->total);
	make_cell(t->r, graph_value(sum), &cell);
	fputs(": Total ", out);
	text_put_quantity(out, 0, &cell.q);
	fputs(" of ", out);
	text_put_quantity(out, 0, &all);
	fprintf(out, "%s\n", cell.percent);
	for (size_t i = 0; i < n; i++) {
		make_cell(t->r, graph_value(tag[i].sum), &cell);
		fprintf(out, "%*s", (int)(indent + 1 + width - cell.width), "");
		put_cell(out, &cell);
		fputs(": ", out);
		text_put_str(out, &t->strings.str[tag[i].text]);
		putc('\n', out);
	}
	putc('\n', out);
}

enum prof_status
text_tags(FILE *out, const struct report *r, struct prof_err *err)
{
	struct tags t = { .r = r };
	enum prof_status st = PROF_OK;

	if (collect(&t) < 0) {
		st = prof_nomem(err);
		goto out;
	}
	if (t.at.n)
		qsort_r(t.tag, t.at.n, sizeof(*t.tag), tag_cmp, &t);
	for (size_t i = 0, n; i < t.at.n; i += n) {
		for (n = 1; i + n < t.at.n && t.tag[i + n].key == t.tag[i].key;)
			n++;
		put_key(out, &t, &t.tag[i], n);
	}
out:
	label_units_release(&t.units);
	pairs_release(&t.at);
	arena_free(t.arena);
	free(t.recent);
	return st;
}
