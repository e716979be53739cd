/* tagframes.c - labels as frames of the stack; see tags_frames(). */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/idmap.h"
#include "tags.h"

/* One end of the stacks and the keys that make frames there. */
struct end {
	uint32_t *key; /* strings */
	size_t n_key;
	bool found;
};

struct work {
	struct profile *p;
	const char *unit;
	struct idmap made; /* name and key, strings: the location */
	struct buf text;
	struct prof_err *err;
};

static enum prof_status
end_init(struct end *e, struct profile *p, char *const *key, size_t n_key,
	 struct prof_err *err)
{
	*e = (struct end){ calloc(n_key + 1, sizeof(*e->key)), 0, false };
	if (!e->key)
		return prof_nomem(err);
	for (size_t i = 0; i < n_key; i++) {
		if (!*key[i])
			continue;
		e->key[e->n_key] = profile_intern(p, key[i]);
		if (e->key[e->n_key++] == STRTAB_NONE)
			return prof_nomem(err);
	}
	return PROF_OK;
}

/* The location of the frame with this name and file. */
static enum prof_status
find_frame(struct work *w, uint32_t name, uint32_t file, uint32_t *out)
{
	uint64_t id = (uint64_t)file << 32 | name;
	struct function f = { .name = name, .file = file };
	struct location l = { .mapping = PROF_NONE };
	struct line line = { 0 };

	*out = idmap_find(&w->made, id);
	if (*out != IDMAP_NONE)
		return PROF_OK;
	line.function = profile_add_function(w->p, &f);
	if (line.function == PROF_NONE)
		return prof_nomem(w->err);
	*out = profile_add_location(w->p, &l, &line, 1);
	if (*out == PROF_NONE || idmap_add(&w->made, id, *out) < 0)
		return prof_nomem(w->err);
	return PROF_OK;
}

/* Write the frames of one end of sample s at stack: the last key is leaf-most.
 */
static enum prof_status
add_end(struct work *w, const struct sample *s, struct end *e, uint32_t *stack)
{
	for (size_t i = 0; i < e->n_key; i++) {
		uint32_t key = e->key[e->n_key - 1 - i];
		enum prof_status st;
		uint32_t name;
		long n;

		w->text.n = 0;
		n = tags_text(w->p, s, key, w->unit, &w->text);
		if (n < 0)
			return prof_nomem(w->err);
		e->found = e->found || n > 0;
		name = strtab_add(&w->p->strings,
				  w->text.n ? (const char *)w->text.data : "",
				  w->text.n);
		if (name == STRTAB_NONE)
			return prof_nomem(w->err);
		st = find_frame(w, name, key, &stack[i]);
		if (st != PROF_OK)
			return st;
	}
	return PROF_OK;
}

/* Rebuild all stacks: they grow, and the pool has no gaps. */
static enum prof_status
add_frames(struct work *w, struct end *root, struct end *leaf)
{
	struct profile *p = w->p;
	size_t more = root->n_key + leaf->n_key, n = 0;
	uint32_t *stack;

	for (size_t i = 0; i < p->n_sample; i++) {
		if (p->sample[i].n_stack > UINT32_MAX - 1 - more)
			return prof_fail(w->err, PROF_ELIMIT,
					 "sample %zu: stack too deep", i + 1);
		n += p->sample[i].n_stack + more;
	}
	stack = arena_array(p->arena, n, sizeof(*stack));
	if (!stack)
		return prof_nomem(w->err);
	n = 0;
	for (size_t i = 0; i < p->n_sample; i++) {
		struct sample *s = &p->sample[i];
		uint32_t *at = stack + n, *mid = at + leaf->n_key;
		enum prof_status st = add_end(w, s, leaf, at);

		if (st == PROF_OK)
			st = add_end(w, s, root, mid + s->n_stack);
		if (st != PROF_OK)
			return st;
		if (s->n_stack)
			memcpy(mid, profile_stack(p, s),
			       s->n_stack * sizeof(*stack));
		n += s->n_stack + more;
	}

	size_t at = 0;
	for (size_t i = 0; i < p->n_sample; i++) {
		p->sample[i].stack = at;
		p->sample[i].n_stack += (uint32_t)more;
		at += p->sample[i].n_stack;
	}
	p->stack = stack;
	p->n_stack = p->room.stack = n;
	return PROF_OK;
}

enum prof_status
tags_frames(struct profile *p, char *const *root, size_t n_root,
	    char *const *leaf, size_t n_leaf, const char *unit, bool found[2],
	    struct prof_err *err)
{
	struct work w = { .p = p, .unit = unit, .err = err };
	struct end r = { 0 }, l = { 0 };
	enum prof_status st = PROF_OK;

	if (idmap_init(&w.made, 0) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = end_init(&r, p, root, n_root, err);
	if (st == PROF_OK)
		st = end_init(&l, p, leaf, n_leaf, err);
	if (st == PROF_OK && r.n_key + l.n_key)
		st = add_frames(&w, &r, &l);
	found[0] = r.found;
	found[1] = l.found;
	idmap_release(&w.made);
	buf_release(&w.text);
	free(r.key);
	free(l.key);
	return st;
}
