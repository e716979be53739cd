/* naming.c - see naming.h. */
#include "config.h"

#include "naming.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/own-code.h"
#include "lib/report/palette.h"

struct work {
	struct naming *n;
	const struct frames *f;
	struct strtab names;   /* of packages and binaries, but no others */
	uint32_t *binary;      /* of each key: in names; 0: unknown */
	uint32_t *package;     /* of each key: in names; 0: none */
	unsigned char *own;    /* of each key: enum own */
	unsigned char *own_of; /* of each name: if any of its keys is */
	double *weight;        /* of each name: self values of its keys */
	struct palette_package *hues; /* of each name; those used come first */
	uint32_t *place;              /* of each name: in hues */
};

/* The path of the file that a location is mapped from, or "". */
static const char *
object_of(const struct profile *p, const struct location *l)
{
	return l->mapping == PROF_NONE
		       ? ""
		       : p->strings.str[p->mapping[l->mapping].file].s;
}

/* The binary and the package of key k, in names, by a location that has it. */
static int
find_package(struct work *w, uint32_t k, const char *object)
{
	const struct str *name = &w->f->strings.str[w->f->key[k].name];
	size_t len;
	const char *base = frames_base(object, &len);

	w->binary[k] = *object ? strtab_add(&w->names, base, len) : 0;
	w->package[k] = palette_package_add(&w->names, name, object);
	return w->binary[k] == STRTAB_NONE || w->package[k] == STRTAB_NONE ? -1
									   : 0;
}

static int
find_packages(struct work *w)
{
	const struct frames *f = w->f;
	bool *seen = calloc(f->n_key + 1, sizeof(*seen));
	int r = seen ? 0 : -1;

	/* The first location of a key decides. */
	for (size_t l = 0; l < f->p->n_location && r == 0; l++) {
		const char *object = object_of(f->p, &f->p->location[l]);

		for (uint32_t i = f->first[l]; i < f->first[l + 1]; i++) {
			if (!seen[f->node[i]] &&
			    find_package(w, f->node[i], object) < 0)
				r = -1;
			seen[f->node[i]] = true;
		}
	}
	free(seen);
	return r;
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
	uint32_t n = 0;

	memset(w->place, 0xff, w->names.n_str * sizeof(*w->place));
	for (size_t k = 0; k < w->f->n_key; k++) {
		uint32_t package = w->package[k], *at = &w->place[package];

		if (*at == UINT32_MAX) {
			*at = n++;
			w->hues[*at] = (struct palette_package){
				.name = w->names.str[package].s,
				.n = w->names.str[package].len,
				.weight = w->weight[package],
			};
		}
		if (w->own[k])
			w->own_of[package] = w->own[k];
		w->hues[*at].is_own = w->own_of[package];
	}
	return palette_assign(w->hues, n, err);
}

static unsigned
colour_of(const struct work *w, uint32_t package, unsigned own,
	  const struct str *text)
{
	const struct palette_package *hue = &w->hues[w->place[package]];
	unsigned tone = palette_hash(text->s, text->len) & 1;

	if (own == OWN_LIBRARY)
		return PALETTE_LIBRARY + 2 * hue->library_hue + tone;
	return (own == OWN_ALL ? PALETTE_ALL : PALETTE_OWN) + 2 * hue->own_hue +
	       tone;
}

/* Frames of no function: addresses, and what was not sampled. */
static bool
is_unnamed(const struct work *w, uint32_t k)
{
	return !w->f->key[k].name ||
	       !strcmp(frames_text(w->f, k)->s, "[not sampled]");
}

static void
name_frames(struct work *w, enum naming_by by)
{
	static const struct str unknown = { .s = "[unknown]", .len = 9 };
	struct naming *n = w->n;

	for (uint32_t k = 0; k < w->f->n_key; k++) {
		uint32_t package = w->package[k];
		struct flame_frame *frame = &n->frame[k];
		unsigned own = w->own[k];

		if (by == BY_FRAME) {
			frame->text = frames_text(w->f, k);
			frame->is_inlined = w->f->is_inlined[k];
		} else {
			n->rename[k] = package;
			frame = &n->frame[package];
			frame->text =
				package ? &w->names.str[package] : &unknown;
			own = w->own_of[package];
		}
		frame->colour =
			by == BY_FRAME && is_unnamed(w, k)
				? PALETTE_UNNAMED
				: colour_of(w, package, own, frame->text);
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

/* What has as many elements as there are keys. */
static enum prof_status
look_at_keys(struct work *w, size_t column, struct prof_err *err)
{
	struct arena *a = w->n->arena;
	size_t n = w->f->n_key;

	w->binary = zeros(a, n, sizeof(*w->binary));
	w->package = zeros(a, n, sizeof(*w->package));
	w->own = zeros(a, n, sizeof(*w->own));
	if (!w->binary || !w->package || !w->own || find_packages(w) < 0)
		return prof_nomem(err);
	return own_decide(&(struct own_source){ .frames = w->f,
						.n_function = n,
						.package = w->package,
						.names = &w->names,
						.column = column },
			  w->own, err);
}

/* And as there are packages. */
static enum prof_status
colour_packages(struct work *w, size_t column, struct prof_err *err)
{
	struct arena *a = w->n->arena;
	size_t n = w->names.n_str;

	w->own_of = zeros(a, n, sizeof(*w->own_of));
	w->weight = zeros(a, n, sizeof(*w->weight));
	w->hues = zeros(a, n, sizeof(*w->hues));
	w->place = zeros(a, n, sizeof(*w->place));
	if (!w->own_of || !w->weight || !w->hues || !w->place)
		return prof_nomem(err);
	weigh(w, column);
	return choose_hues(w, err);
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
	st = look_at_keys(&w, column, err);
	if (by == BY_BINARY)
		w.package = w.binary;
	if (st == PROF_OK)
		st = colour_packages(&w, column, err);
	if (st != PROF_OK)
		return st;
	n->n = by != BY_FRAME && w.names.n_str > f->n_key ? w.names.n_str
							  : f->n_key;
	n->frame = zeros(a, n->n, sizeof(*n->frame));
	n->order = zeros(a, n->n, sizeof(*n->order));
	n->rename = zeros(a, n->n, sizeof(*n->rename));
	if (!n->frame || !n->order || !n->rename)
		return prof_nomem(err);
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
