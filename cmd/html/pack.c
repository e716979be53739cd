/*
 * pack.c - frames, functions and packages of the page, and its tree; see
 * pack.h. Frames are sorted so that those of one function stand together, the
 * functions that are in the most stacks first: that keeps numbers small, and
 * lets the page join siblings of one function by looking at neighbours.
 */
#include "config.h"

#include "pack.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/report/own-code.h"
#include "lib/report/palette.h"

struct builder {
	struct pack *k;
	uint32_t *function_of; /* of each key: the profile's, or PROF_NONE */
	uint64_t *uses_of;     /* of each name (string of frames): by samples */
	uint32_t *frame_of;    /* of key * 2 + inlined: frame + 1 */
	uint32_t *slots;       /* frames of the locations, as the tree wants */
};

static void *
zeros(struct arena *a, size_t n, size_t size)
{
	void *p = arena_array(a, n + 1, size);

	if (p)
		memset(p, 0, (n + 1) * size);
	return p;
}

/* --- frames --- */

/* Give every line of every location its frame of the page. */
static enum prof_status
list_frames(struct builder *b, struct prof_err *err)
{
	struct pack *k = b->k;
	const struct frames *f = k->frames;
	const struct profile *p = k->p;
	uint32_t n_slot = f->first[p->n_location];

	b->frame_of = zeros(k->arena, f->n_key * 2, sizeof(*b->frame_of));
	b->function_of = zeros(k->arena, f->n_key, sizeof(*b->function_of));
	b->slots = zeros(k->arena, n_slot, sizeof(*b->slots));
	k->frame = zeros(k->arena, f->n_key * 2 + 1, sizeof(*k->frame));
	if (!b->frame_of || !b->function_of || !b->slots || !k->frame)
		return prof_nomem(err);
	for (size_t l = 0; l < p->n_location; l++) {
		const struct location *loc = &p->location[l];
		const struct line *line = profile_line(p, loc);
		uint32_t n = f->first[l + 1] - f->first[l];

		for (uint32_t i = 0; i < n; i++) {
			uint32_t key = f->node[f->first[l] + i];
			uint32_t *at = &b->frame_of[key * 2 + (i + 1 < n)];

			if (!*at) {
				k->frame[k->n_frame].key = key;
				k->frame[k->n_frame].is_inlined = i + 1 < n;
				*at = (uint32_t)++k->n_frame;
			}
			b->slots[f->first[l] + i] = *at - 1;
			b->function_of[key] =
				loc->n_line ? line[i].function : PROF_NONE;
			k->frame[*at - 1].is_bare = !loc->n_line;
		}
	}
	return PROF_OK;
}

static int
compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
frame_cmp(const void *p, const void *q, void *builder)
{
	const struct builder *b = builder;
	const struct pack_frame *x = &b->k->frame[*(const uint32_t *)p];
	const struct pack_frame *y = &b->k->frame[*(const uint32_t *)q];
	const struct frame_key *s = &b->k->frames->key[x->key];
	const struct frame_key *t = &b->k->frames->key[y->key];
	const struct strtab *str = &b->k->frames->strings;
	uint64_t u = b->uses_of[s->name], v = b->uses_of[t->name];
	int r;

	if (u != v)
		return u > v ? -1 : 1;
	if ((r = strtab_cmp(str, s->name, t->name)) ||
	    (r = strtab_cmp(str, s->file, t->file)) ||
	    (r = compare(s->start_line, t->start_line)) ||
	    (!s->name && (r = strtab_cmp(str, s->object, t->object))) ||
	    (r = compare(s->line, t->line)) ||
	    (r = compare(s->column, t->column)) ||
	    (r = strtab_cmp(str, s->object, t->object)))
		return r;
	if (s->address != t->address)
		return s->address < t->address ? -1 : 1;
	return compare(x->is_inlined, y->is_inlined);
}

/* Count how often samples have frames of each name. */
static enum prof_status
count_names(struct builder *b, struct prof_err *err)
{
	const struct frames *f = b->k->frames;
	const struct profile *p = b->k->p;
	uint64_t *uses = calloc(p->n_location + 1, sizeof(*uses));

	b->uses_of = zeros(b->k->arena, f->strings.n_str, sizeof(*b->uses_of));
	if (!uses || !b->uses_of) {
		free(uses);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		const uint32_t *stack = profile_stack(p, &p->sample[i]);

		for (uint32_t k = 0; k < p->sample[i].n_stack; k++)
			uses[stack[k]]++;
	}
	for (size_t l = 0; l < p->n_location; l++)
		for (uint32_t i = f->first[l]; i < f->first[l + 1]; i++)
			b->uses_of[f->key[f->node[i]].name] += uses[l];
	free(uses);
	return PROF_OK;
}

/*
 * Sort the frames, before there are stacks of them: then the tree comes out in
 * its order. Sorting by nodes of the tree would make pages no smaller, but the
 * tree would have to be sorted again, which took a quarter of all time.
 */
static enum prof_status
sort_frames(struct builder *b, struct prof_err *err)
{
	struct pack *k = b->k;
	const struct frames *f = k->frames;
	uint32_t n = (uint32_t)k->n_frame;
	uint32_t *order = zeros(k->arena, n, sizeof(*order));
	uint32_t *rank = zeros(k->arena, n, sizeof(*rank));
	struct pack_frame *sorted = zeros(k->arena, n + 1, sizeof(*sorted));

	k->frame_of = zeros(k->arena, k->p->n_location, sizeof(*k->frame_of));
	if (!order || !rank || !sorted || !k->frame_of ||
	    count_names(b, err) != PROF_OK)
		return prof_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), frame_cmp, b);
	for (uint32_t i = 0; i < n; i++) {
		rank[order[i]] = i;
		sorted[i] = k->frame[order[i]];
	}
	k->frame = sorted;
	for (size_t l = 0; l < k->p->n_location; l++) {
		for (uint32_t i = f->first[l]; i < f->first[l + 1]; i++)
			b->slots[i] = rank[b->slots[i]];
		k->frame_of[l] = b->slots[f->first[l + 1] - 1];
	}
	return PROF_OK;
}

/* --- functions --- */

/* Functions of neighbouring frames: the frames are sorted by them. */
static enum prof_status
list_functions(struct builder *b, struct prof_err *err)
{
	struct pack *k = b->k;
	const struct profile *p = k->p;

	k->function = zeros(k->arena, k->n_frame + 1, sizeof(*k->function));
	if (!k->function)
		return prof_nomem(err);
	for (size_t i = 0; i < k->n_frame; i++) {
		const struct frame_key *key = &k->frames->key[k->frame[i].key];
		struct pack_function *f = &k->function[k->n_function];
		uint32_t of = b->function_of[k->frame[i].key];
		uint32_t object = key->name ? 0 : key->object;

		if (!k->n_function || f[-1].name != key->name ||
		    f[-1].file != key->file ||
		    f[-1].start_line != key->start_line ||
		    f[-1].object != object) {
			*f = (struct pack_function){
				.name = key->name,
				.file = key->file,
				.start_line = key->start_line,
				.object = object,
				.raw_file = of == PROF_NONE
						    ? 0
						    : p->function[of].file,
			};
			k->n_function++;
		}
		k->frame[i].function = (uint32_t)k->n_function - 1;
	}
	return PROF_OK;
}

/* The object files, in the order of the frames. */
static enum prof_status
list_objects(struct builder *b, struct prof_err *err)
{
	struct pack *k = b->k;
	size_t n_str = k->frames->strings.n_str;
	bool *seen = zeros(k->arena, n_str, sizeof(*seen));

	k->object = zeros(k->arena, k->n_frame + 1, sizeof(*k->object));
	if (!seen || !k->object)
		return prof_nomem(err);
	k->object[k->n_object++] = 0;
	seen[0] = true;
	for (size_t i = 0; i < k->n_frame; i++) {
		uint32_t s = k->frames->key[k->frame[i].key].object;

		if (!seen[s])
			k->object[k->n_object++] = s;
		seen[s] = true;
	}
	return PROF_OK;
}

/* --- packages --- */

static enum prof_status
list_packages(struct builder *b, struct prof_err *err)
{
	struct pack *k = b->k;
	const struct str *str = k->frames->strings.str;
	const struct frame_key *key;
	uint32_t *at = zeros(k->arena, k->n_function * 2 + 2, sizeof(*at));

	k->package = zeros(k->arena, k->n_function, sizeof(*k->package));
	if (!at || !k->package)
		return prof_nomem(err);
	for (size_t i = 0, done = 0; i < k->n_frame; i++) {
		struct pack_function *f = &k->function[k->frame[i].function];
		uint32_t name;

		if (k->frame[i].function < done)
			continue;
		done = k->frame[i].function + 1;
		key = &k->frames->key[k->frame[i].key];
		name = palette_package_add(&k->strings, &str[key->name],
					   str[key->object].s);
		if (name == STRTAB_NONE)
			return prof_nomem(err);
		/* Each function adds at most one string. */
		if (!at[name]) {
			k->package[k->n_package].name = name;
			at[name] = (uint32_t)++k->n_package;
		}
		f->package = at[name] - 1;
	}
	return PROF_OK;
}

static enum prof_status
decide_own(struct pack *k, size_t column, struct prof_err *err)
{
	uint32_t *function =
		zeros(k->arena, k->frames->n_key, sizeof(*function));
	uint32_t *package = zeros(k->arena, k->n_function, sizeof(*package));

	k->own = zeros(k->arena, k->n_function, sizeof(*k->own));
	if (!function || !package || !k->own)
		return prof_nomem(err);
	for (size_t i = 0; i < k->n_frame; i++)
		function[k->frame[i].key] = k->frame[i].function;
	for (size_t i = 0; i < k->n_function; i++)
		package[i] = k->package[k->function[i].package].name;
	return own_decide(&(struct own_source){ .frames = k->frames,
						.function = function,
						.n_function = k->n_function,
						.package = package,
						.names = &k->strings,
						.column = column },
			  k->own, err);
}

/*
 * The frame and the function of what is cut; at the end of both tables, so its
 * nodes go behind their siblings.
 */
static enum prof_status
add_cut(struct pack *k, struct prof_err *err)
{
	uint32_t *rank = zeros(k->arena, k->n_frame + 1, sizeof(*rank));

	if (!rank)
		return prof_nomem(err);
	k->frame[k->n_frame] = (struct pack_frame){
		.key = FLAME_NONE,
		.function = (uint32_t)k->n_function,
	};
	k->function[k->n_function] = (struct pack_function){ 0 };
	k->n_function++;
	k->n_frame++;
	for (uint32_t i = 0; i < k->n_frame; i++)
		rank[i] = i;
	return flame_tree_sort(&k->tree, rank, k->n_frame, k->p->n_sample, err);
}

static enum prof_status
make_tree(struct pack *k, const struct flame_source *src, size_t column,
	  size_t max_nodes, struct prof_err *err)
{
	enum prof_status st = flame_stacks_init(&k->stacks, src, err);

	if (st == PROF_OK)
		st = flame_stacks_sort(&k->stacks, NULL, err);
	if (st != PROF_OK)
		return st;
	k->n_all_nodes = flame_stacks_nodes(&k->stacks);
	if (max_nodes && k->n_all_nodes > max_nodes)
		return pack_cut(k, column, max_nodes, (uint32_t)k->n_frame,
				err);
	return flame_tree_init(&k->tree, &k->stacks, NULL, err);
}

static enum prof_status
build(struct builder *b, size_t column, size_t max_nodes, struct prof_err *err)
{
	struct pack *k = b->k;
	struct flame_source src = { .p = k->p, .first = k->frames->first };
	enum prof_status st = list_frames(b, err);

	if (st == PROF_OK)
		st = sort_frames(b, err);
	src.frame = b->slots;
	src.n_frame = k->n_frame;
	if (st == PROF_OK)
		st = make_tree(k, &src, column, max_nodes, err);
	if (st == PROF_OK)
		st = list_functions(b, err);
	if (st == PROF_OK)
		st = list_objects(b, err);
	if (st == PROF_OK)
		st = list_packages(b, err);
	if (st == PROF_OK)
		st = decide_own(k, column, err);
	if (st == PROF_OK && k->cut_at > 0)
		st = add_cut(k, err);
	flame_stacks_release(&k->stacks);
	return st;
}

enum prof_status
pack_init(struct pack *k, const struct profile *p,
	  const struct frames_options *o, size_t column, size_t max_nodes,
	  struct prof_err *err)
{
	struct frames_options fine = {
		.granularity = BY_ADDRESS,
		.columns = true,
		.by_object = true,
		.no_text = true,
		.trim_path = o->trim_path,
		.source_path = o->source_path,
	};
	struct builder b = { .k = k };
	enum prof_status st;

	*k = (struct pack){ .p = p, .arena = arena_new() };
	if (!k->arena || strtab_init(&k->strings, k->arena) < 0)
		return prof_nomem(err);
	st = frames_new(p, &fine, &k->frames, err);
	return st == PROF_OK ? build(&b, column, max_nodes, err) : st;
}

void
pack_release(struct pack *k)
{
	flame_stacks_release(&k->stacks);
	flame_tree_release(&k->tree);
	frames_free(k->frames);
	arena_free(k->arena);
	*k = (struct pack){ 0 };
}
