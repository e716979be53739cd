/* named.c - see named.h. */
#include "config.h"

#include "named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/base/hashtab.h"
#include "lib/model/profile.h"

struct naming {
	struct named *n;
	struct hashtab table;
	unsigned flags;
	size_t cap_frame, n_node, cap_node;
};

static uint32_t
copy_string(struct naming *w, uint32_t s)
{
	const struct str *str = &w->n->p->strings.str[s];

	return strtab_add(&w->n->strings, str->s, str->len);
}

static bool
same(const struct named_frame *a, const struct named_frame *b)
{
	return a->name == b->name && a->file == b->file &&
	       a->object == b->object && a->start_line == b->start_line &&
	       a->line == b->line && a->kind == b->kind &&
	       a->is_inlined == b->is_inlined;
}

/* The number of a frame, or PROF_NONE without memory. */
static uint32_t
find_frame(struct naming *w, const struct named_frame *f)
{
	struct named *n = w->n;
	struct hashtab *t = &w->table;
	uint64_t h =
		hashtab_mix(t, (uint64_t)f->name << 32 | f->file,
			    (uint64_t)f->start_line << 32 ^ (uint64_t)f->line);
	size_t at;
	uint32_t i;

	h = hashtab_mix(t, h, f->object);
	at = hashtab_start(t, (uint32_t)h);
	while ((i = hashtab_next(t, (uint32_t)h, &at)) != HASHTAB_NONE)
		if (same(&n->frame[i], f))
			return i;
	if (array_reserve(&n->frame, &w->cap_frame, n->n_frame + 1,
			  sizeof(*n->frame)) < 0 ||
	    n->n_frame >= PROF_NONE - 1 ||
	    hashtab_add(t, (uint32_t)h, (uint32_t)n->n_frame) < 0)
		return PROF_NONE;
	n->frame[n->n_frame] = *f;
	return (uint32_t)n->n_frame++;
}

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static enum named_kind
kind_of(const char *file)
{
	size_t n = strlen(file);

	if (begins(file, "[kernel") || begins(file, "[guest.kernel") ||
	    (n > 3 && !strcmp(file + n - 3, ".ko")) || strstr(file, ".ko."))
		return NAMED_KERNEL;
	if (begins(file, "//anon") || begins(file, "[jit") ||
	    begins(file, "[anon") || begins(file, "/memfd:") ||
	    begins(file, "jitted-"))
		return NAMED_JIT;
	return NAMED_USER;
}

static uint32_t
nameless(struct naming *w, const struct location *l, uint64_t offset)
{
	const struct profile *p = w->n->p;
	const char *file = "", *slash;
	char text[300];

	if (l->mapping != PROF_NONE)
		file = profile_str(p, p->mapping[l->mapping].file);
	slash = strrchr(file, '/');
	file = slash ? slash + 1 : file;
	if (l->address)
		snprintf(text, sizeof(text), "[%.200s+0x%llx]", file,
			 (unsigned long long)offset);
	else /* of a text that has files without addresses */
		snprintf(text, sizeof(text), "[%.200s]",
			 *file ? file : "unknown");
	return strtab_addz(&w->n->strings, text);
}

static bool
add_frame(struct naming *w, const struct named_frame *f)
{
	uint32_t i = find_frame(w, f);

	if (i == PROF_NONE ||
	    array_reserve(&w->n->node, &w->cap_node, w->n_node + 1,
			  sizeof(*w->n->node)) < 0)
		return false;
	w->n->node[w->n_node++] = i;
	return true;
}

static bool
name_location(struct naming *w, const struct location *l)
{
	const struct profile *p = w->n->p;
	const struct line *line = profile_line(p, l);
	struct named_frame f = { 0 };
	uint64_t offset = l->address;

	if (l->mapping != PROF_NONE) {
		const struct mapping *m = &p->mapping[l->mapping];

		offset = l->address - m->start + m->offset;
		if (w->flags & NAMED_OBJECTS) {
			f.object = copy_string(w, m->file);
			f.kind = kind_of(profile_str(p, m->file));
		}
	}
	if (!l->n_line) {
		f.name = nameless(w, l, offset);
		return f.name != STRTAB_NONE && f.object != STRTAB_NONE &&
		       add_frame(w, &f);
	}
	for (uint32_t i = 0; i < l->n_line; i++) {
		const struct function *fn = &p->function[line[i].function];

		f.name = copy_string(w, fn->name ? fn->name : fn->system_name);
		f.file = copy_string(w, fn->file);
		f.start_line = fn->start_line;
		f.line = w->flags & NAMED_LINES ? line[i].line : 0;
		f.is_inlined = w->flags & NAMED_OBJECTS && i + 1 < l->n_line;
		if (f.name == STRTAB_NONE || f.file == STRTAB_NONE ||
		    f.object == STRTAB_NONE || !add_frame(w, &f))
			return false;
	}
	return true;
}

enum prof_status
named_new(const struct profile *p, unsigned flags, struct named **out,
	  struct prof_err *err)
{
	struct naming w = { .flags = flags };
	bool ok;

	*out = NULL;
	w.n = calloc(1, sizeof(*w.n));
	if (!w.n || hashtab_init(&w.table) < 0) {
		free(w.n);
		return prof_nomem(err);
	}
	w.n->p = p;
	w.n->arena = arena_new();
	w.n->first = calloc(p->n_location + 1, sizeof(*w.n->first));
	ok = w.n->arena && w.n->first &&
	     strtab_init(&w.n->strings, w.n->arena) == 0;
	for (size_t i = 0; ok && i < p->n_location; i++) {
		w.n->first[i] = (uint32_t)w.n_node;
		ok = name_location(&w, &p->location[i]) && w.n_node < PROF_NONE;
	}
	hashtab_release(&w.table);
	if (!ok) {
		named_free(w.n);
		return prof_nomem(err);
	}
	w.n->first[p->n_location] = (uint32_t)w.n_node;
	*out = w.n;
	return PROF_OK;
}

void
named_free(struct named *n)
{
	if (!n)
		return;
	arena_free(n->arena);
	free(n->frame);
	free(n->first);
	free(n->node);
	free(n);
}

uint32_t *
named_functions(const struct named *n)
{
	uint32_t *function = malloc((n->n_frame + 1) * sizeof(*function));
	struct hashtab t;
	bool ok = hashtab_init(&t) == 0;

	for (uint32_t i = 0; ok && function && i < n->n_frame; i++) {
		const struct named_frame *f = &n->frame[i];
		uint32_t hash = (uint32_t)hashtab_mix(
			&t, (uint64_t)f->name << 32 | f->file, f->object);
		size_t at = hashtab_start(&t, hash);
		uint32_t k;

		while ((k = hashtab_next(&t, hash, &at)) != HASHTAB_NONE)
			if (n->frame[k].name == f->name &&
			    n->frame[k].file == f->file &&
			    n->frame[k].object == f->object)
				break;
		if (k == HASHTAB_NONE)
			ok = hashtab_add(&t, hash, k = i) == 0;
		function[i] = k;
	}
	hashtab_release(&t);
	if (ok)
		return function;
	free(function);
	return NULL;
}

size_t
named_stack(const struct named *n, size_t i, uint32_t **frame, size_t *cap)
{
	const struct sample *s = &n->p->sample[i];
	const uint32_t *stack = profile_stack(n->p, s);
	size_t n_frame = 0;

	for (uint32_t k = s->n_stack; k--;) {
		uint32_t from = n->first[stack[k]], to = n->first[stack[k] + 1];

		if (array_reserve(frame, cap, n_frame + (to - from),
				  sizeof(**frame)) < 0)
			return SIZE_MAX;
		while (to > from)
			(*frame)[n_frame++] = n->node[--to];
	}
	return n_frame;
}

enum prof_status
named_refuse_negative(const struct profile *p, size_t column,
		      const char *format, struct prof_err *err)
{
	for (size_t i = 0; i < p->n_sample; i++)
		if (profile_value(p, i)[column] < 0)
			return prof_fail(
				err, PROF_EUSAGE,
				"%s cannot hold the negative values of "
				"a difference",
				format);
	return PROF_OK;
}

/* --- a tree of calls --- */

/* The node of a frame below parent, or TREE_NONE without memory. */
static uint32_t
tree_child(struct tree *t, uint32_t parent, uint32_t frame)
{
	struct pair_slot *slot = pairs_add(&t->pairs, parent, frame);

	if (!slot)
		return TREE_NONE;
	if (slot->index <= t->n)
		return slot->index - 1;
	if (array_reserve(&t->parent, &t->cap_parent, t->n + 1,
			  sizeof(*t->parent)) < 0 ||
	    array_reserve(&t->frame, &t->cap_frame, t->n + 1,
			  sizeof(*t->frame)) < 0)
		return TREE_NONE;
	t->parent[t->n] = parent;
	t->frame[t->n] = frame;
	return (uint32_t)t->n++;
}

enum prof_status
tree_init(struct tree *t, const struct named *names, struct prof_err *err)
{
	const struct profile *p = names->p;
	uint32_t *frame = NULL;
	size_t cap = 0, n;
	bool ok;

	memset(t, 0, sizeof(*t));
	t->leaf = malloc((p->n_sample + 1) * sizeof(*t->leaf));
	ok = t->leaf && pairs_init(&t->pairs, p->strings.key[0]) == 0;
	for (size_t i = 0; ok && i < p->n_sample; i++) {
		uint32_t node = TREE_NONE;

		n = named_stack(names, i, &frame, &cap);
		ok = n != SIZE_MAX;
		for (size_t k = 0; ok && k < n; k++) {
			node = tree_child(t, node, frame[k]);
			ok = node != TREE_NONE;
		}
		t->leaf[i] = node;
	}
	free(frame);
	return ok ? PROF_OK : prof_nomem(err);
}

void
tree_release(struct tree *t)
{
	pairs_release(&t->pairs);
	free(t->parent);
	free(t->frame);
	free(t->leaf);
}
