/* naming.c - see naming.h. */
#include "config.h"

#include "naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/palette.h"

struct work {
	struct naming *n;
	const struct frames *f;
	struct strtab names; /* of packages and binaries, but no others */
	uint32_t *binary;    /* of each key: in names; 0: unknown */
	uint32_t *package;   /* of each key: in names; 0: none */
	double *weight;      /* of each name: self values of its keys */
	unsigned char *hue;  /* of each name */
};

/* The base name of the file that a location is mapped from, in names. */
static uint32_t
binary_of(struct work *w, const struct location *l)
{
	const struct profile *p = w->f->p;
	const struct str *file;
	const char *base;
	size_t len;

	if (l->mapping == PROF_NONE)
		return 0;
	file = &p->strings.str[p->mapping[l->mapping].file];
	if (!file->len)
		return 0;
	base = frames_base(file->s, &len);
	return strtab_add(&w->names, base, len);
}

/* The package of key k, in names: what its name says, else its binary. */
static uint32_t
package_of(struct work *w, uint32_t k)
{
	const struct str *name = &w->f->strings.str[w->f->key[k].name];
	size_t n;
	const char *s = palette_package(name->s, name->len, &n);

	return n ? strtab_add(&w->names, s, n) : w->binary[k];
}

static int
find_packages(struct work *w)
{
	const struct frames *f = w->f;

	for (size_t l = f->p->n_location; l--;) {
		uint32_t b = binary_of(w, &f->p->location[l]);

		if (b == STRTAB_NONE)
			return -1;
		/* The first location of a key decides. */
		for (uint32_t i = f->first[l]; i < f->first[l + 1]; i++)
			w->binary[f->node[i]] = b;
	}
	for (uint32_t k = 0; k < f->n_key; k++) {
		w->package[k] = package_of(w, k);
		if (w->package[k] == STRTAB_NONE)
			return -1;
	}
	return 0;
}

/* Add each sample's value to the package that its stack ends in. */
static void
weigh(struct work *w, size_t column)
{
	const struct profile *p = w->f->p;

	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		double v = (double)p->value[i * p->n_type + column];
		uint32_t leaf;

		if (!s->n_stack)
			continue;
		leaf = w->f->node[w->f->first[profile_stack(p, s)[0]]];
		w->weight[w->package[leaf]] += v < 0 ? -v : v;
	}
}

static enum prof_status
choose_hues(struct work *w, struct prof_err *err)
{
	size_t n = w->names.n_str;
	struct palette_package *list = calloc(n, sizeof(*list));
	enum prof_status st;

	if (!list)
		return prof_nomem(err);
	/* Name 0 is "", no package: it comes last and its hue is not used. */
	for (size_t i = 0; i < n; i++)
		list[i] = (struct palette_package){
			.name = w->names.str[i].s,
			.n = w->names.str[i].len,
			.weight = i ? w->weight[i] : -1,
		};
	st = palette_assign(list, n, err);
	for (size_t i = 0; i < n && st == PROF_OK; i++)
		w->hue[i] = (unsigned char)list[i].hue;
	free(list);
	return st;
}

static unsigned
colour_of(const struct work *w, uint32_t package, const struct str *text,
	  bool has_name)
{
	unsigned tone = palette_hash(text->s, text->len) & 1;

	if (!has_name)
		return PALETTE_NO_SYMBOL;
	/* Without any packages functions have colours of their own. */
	if (w->names.n_str == 1)
		return palette_hash(text->s, text->len) % (2 * PALETTE_HUES);
	return package ? 2 * w->hue[package] + tone : PALETTE_NO_PACKAGE;
}

static void
name_frames(struct work *w, enum naming_by by)
{
	static const struct str unknown = { .s = "[unknown]", .len = 9 };
	struct naming *n = w->n;

	for (uint32_t k = 0; k < w->f->n_key; k++) {
		const struct frame_key *key = &w->f->key[k];
		struct flame_frame *frame = &n->frame[k];

		if (by == BY_FRAME) {
			frame->text = frames_text(w->f, k);
			frame->is_inlined = w->f->is_inlined[k];
			frame->colour = colour_of(w, w->package[k], frame->text,
						  key->name != 0);
			continue;
		}
		n->rename[k] = by == BY_PACKAGE ? w->package[k] : w->binary[k];
		frame = &n->frame[n->rename[k]];
		frame->text =
			n->rename[k] ? &w->names.str[n->rename[k]] : &unknown;
		frame->colour = colour_of(w, n->rename[k], frame->text, true);
	}
}

static int
text_cmp(const void *p, const void *q, void *naming)
{
	uint32_t x = *(const uint32_t *)p, y = *(const uint32_t *)q;
	const struct naming *n = naming;
	const struct str *s = n->frame[x].text, *t = n->frame[y].text;
	size_t len;
	int r = 0;

	if (s && t) {
		len = s->len < t->len ? s->len : t->len;
		r = memcmp(s->s, t->s, len);
		if (!r)
			r = (s->len > t->len) - (s->len < t->len);
	} else {
		r = !s - !t;
	}
	return r ? r : (x > y) - (x < y);
}

static int
rank_frames(struct naming *n)
{
	uint32_t *order = malloc((n->n + 1) * sizeof(*order));

	if (!order)
		return -1;
	for (uint32_t i = 0; i < n->n; i++)
		order[i] = i;
	qsort_r(order, n->n, sizeof(*order), text_cmp, n);
	for (uint32_t i = 0; i < n->n; i++)
		n->order[order[i]] = i;
	free(order);
	return 0;
}

static void *
zeros(struct arena *a, size_t n, size_t size)
{
	void *p = arena_array(a, n, size);

	if (p)
		memset(p, 0, n * size);
	return p;
}

enum prof_status
naming_init(struct naming *n, const struct frames *f, enum naming_by by,
	    size_t column, struct prof_err *err)
{
	struct work w = { .n = n, .f = f };
	struct arena *a = arena_new();
	enum prof_status st;

	*n = (struct naming){ .arena = a };
	if (!a || strtab_init(&w.names, a) < 0)
		return prof_nomem(err);
	w.binary = zeros(a, f->n_key, sizeof(*w.binary));
	w.package = zeros(a, f->n_key, sizeof(*w.package));
	if (!w.binary || !w.package || find_packages(&w) < 0)
		return prof_nomem(err);
	w.weight = zeros(a, w.names.n_str, sizeof(*w.weight));
	w.hue = zeros(a, w.names.n_str, sizeof(*w.hue));
	n->n = by != BY_FRAME && w.names.n_str > f->n_key ? w.names.n_str
							  : f->n_key;
	n->frame = zeros(a, n->n, sizeof(*n->frame));
	n->order = zeros(a, n->n, sizeof(*n->order));
	n->rename = zeros(a, n->n, sizeof(*n->rename));
	if (!w.weight || !w.hue || !n->frame || !n->order || !n->rename)
		return prof_nomem(err);
	weigh(&w, column);
	st = choose_hues(&w, err);
	if (st != PROF_OK)
		return st;
	name_frames(&w, by);
	if (by == BY_FRAME)
		n->rename = NULL;
	return rank_frames(n) < 0 ? prof_nomem(err) : PROF_OK;
}

void
naming_release(struct naming *n)
{
	arena_free(n->arena);
	*n = (struct naming){ 0 };
}
