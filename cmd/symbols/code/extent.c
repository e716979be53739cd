/* extent.c - see extent.h. */
#include "config.h"

#include "extent.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/base/search.h"
#include "symbols/binary/binary.h"
#include "symbols/dwarf/cfi.h"
#include "symbols/elf/object.h"
#include "symbols/elf/symtab.h"

/* The start of a function: a symbol, or a range of .eh_frame. */
struct mark {
	uint64_t start;
	uint64_t end;     /* of .eh_frame; 0: unknown */
	const char *name; /* NULL: none */
};

/* The symbols between a range and the one before it. */
struct gap {
	bool has_any;
	uint64_t first, last;
};

struct finder {
	const struct code_map *code;
	const struct code_range *range;
	size_t n;
	struct gap *gap; /* n + 1: before each range, and after the last */
	struct mark *mark;
	size_t n_mark, cap;
	struct arena *arena;
	bool nomem;
};

/* The tables that name the functions of a binary. */
struct tables {
	struct symtab table[2];
	size_t n;
	struct object mini;
	bool is_stripped; /* most functions have no symbol */
};

/* --- tables --- */

static bool
add_table(struct tables *t, Elf *elf, unsigned type)
{
	bool is_open = elf && symtab_open(elf, type, &t->table[t->n]);

	t->n += is_open;
	return is_open;
}

static void
tables_open(struct tables *t, const struct binary *b)
{
	const struct object *o = binary_object(b);

	*t = (struct tables){ .mini = { .fd = -1 } };
	if (add_table(t, o->elf, SHT_SYMTAB))
		return;
	add_table(t, o->elf, SHT_DYNSYM);
	if (add_table(t, binary_debug(b)->elf, SHT_SYMTAB))
		return;
	t->is_stripped = true;
	if (object_open_mini(&t->mini, o) == PROF_OK)
		add_table(t, t->mini.elf, SHT_SYMTAB);
}

static void
tables_close(struct tables *t)
{
	for (size_t i = 0; i < t->n; i++)
		symtab_release(&t->table[i]);
	object_close(&t->mini);
}

/* --- marks --- */

/* The first range that ends after address a, or n. */
static size_t
range_after(const struct finder *f, uint64_t a)
{
	return search_above(f->range, f->n, sizeof(*f->range),
			    offsetof(struct code_range, end), a);
}

/* Is a in range i, rather than in the gap before it? */
static bool
is_in(const struct finder *f, size_t i, uint64_t a)
{
	return i < f->n && a >= f->range[i].start;
}

static void
add_mark(struct finder *f, uint64_t start, uint64_t end, const char *name)
{
	char *copy = NULL;

	if (name && *name) {
		copy = arena_alloc(f->arena, strlen(name) + 1);
		if (copy)
			strcpy(copy, name);
	}
	if ((name && *name && !copy) ||
	    array_reserve(&f->mark, &f->cap, f->n_mark + 1, sizeof(*f->mark)) <
		    0)
		f->nomem = true;
	else
		f->mark[f->n_mark++] = (struct mark){ start, end, copy };
}

/*
 * A callback of symtab_each(). Sorting all symbols of a large program would
 * take longer than disassembling a function. So the first pass finds the last
 * and the first symbol of each gap, which bound the functions in the ranges,
 * and a second pass takes the names.
 */
static void
find_gap(void *ctx, uint64_t value, uint64_t size, const char *name)
{
	struct finder *f = ctx;
	size_t i = range_after(f, value);
	struct gap *g = &f->gap[i];

	(void)size;
	(void)name;
	if (is_in(f, i, value))
		return;
	if (!g->has_any || value < g->first)
		g->first = value;
	if (!g->has_any || value > g->last)
		g->last = value;
	g->has_any = true;
}

static void
take_name(void *ctx, uint64_t value, uint64_t size, const char *name)
{
	struct finder *f = ctx;
	size_t i = range_after(f, value);

	(void)size;
	if (is_in(f, i, value) || value == f->gap[i].last)
		add_mark(f, value, 0, name);
}

/* A callback of cfi_each(). */
static void
take_cfi(void *ctx, uint64_t start, uint64_t end)
{
	struct finder *f = ctx;
	size_t i = range_after(f, start);

	if (i < f->n && (is_in(f, i, start) || end > f->range[i].start))
		add_mark(f, start, end, NULL);
}

static bool
has_mark_at(const struct finder *f, uint64_t a)
{
	for (size_t i = 0; i < f->n_mark; i++)
		if (f->mark[i].start == a)
			return true;
	return false;
}

/* The start of a section without a function there, as of .plt, is a mark. */
static void
take_sections(struct finder *f, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names, r;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR) ||
		    sh.sh_type != SHT_PROGBITS ||
		    (f->code->section && f->code->section != elf_ndxscn(scn)))
			continue;
		r = range_after(f, sh.sh_addr);
		if (r < f->n && sh.sh_size <= UINT64_MAX - sh.sh_addr &&
		    f->range[r].start < sh.sh_addr + sh.sh_size &&
		    !has_mark_at(f, sh.sh_addr))
			add_mark(f, sh.sh_addr, 0,
				 elf_strptr(elf, names, sh.sh_name));
	}
}

static int
cmp_mark(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (!x->name || !y->name)
		return !x->name - !y->name;
	return strcmp(x->name, y->name);
}

/* --- extents --- */

/* The names of the marks from i to end, each once, into e. */
static bool
take_names(struct finder *f, struct extent *e, size_t i, size_t end)
{
	e->name = arena_array(f->arena, end - i, sizeof(*e->name));
	if (!e->name)
		return false;
	for (; i < end; i++) {
		const char *name = f->mark[i].name;

		if (name &&
		    (!e->n_name || strcmp(name, e->name[e->n_name - 1])))
			e->name[e->n_name++] = name;
	}
	return true;
}

/* Marks with the same start are one function, which ends at the next mark. */
static bool
make_extents(struct finder *f, struct extents *out)
{
	/* One more: a new arena has no room to point at. */
	out->extent =
		arena_array(f->arena, f->n_mark + 1, sizeof(*out->extent));
	if (!out->extent)
		return false;
	for (size_t i = 0, next; i < f->n_mark; i = next) {
		struct extent *e = &out->extent[out->n];
		size_t r;

		*e = (struct extent){ .start = f->mark[i].start,
				      .end = code_end(f->code,
						      f->mark[i].start) };
		for (next = i;
		     next < f->n_mark && f->mark[next].start == e->start;
		     next++)
			if (f->mark[next].end && f->mark[next].end < e->end)
				e->end = f->mark[next].end;
		if (next < f->n_mark && f->mark[next].start < e->end)
			e->end = f->mark[next].start;
		r = range_after(f, e->start);
		if (e->end <= e->start || r == f->n ||
		    f->range[r].start >= e->end)
			continue;
		if (!take_names(f, e, i, next))
			return false;
		out->n++;
	}
	return true;
}

enum prof_status
extents_find(const struct binary *b, const struct code_range *range, size_t n,
	     struct extents *out, struct prof_err *err)
{
	struct finder f = { .code = binary_code(b), .range = range, .n = n };
	struct tables t;

	*out = (struct extents){ .arena = arena_new() };
	f.arena = out->arena;
	f.gap = calloc(n + 1, sizeof(*f.gap));
	if (!out->arena || !f.gap) {
		free(f.gap);
		return prof_nomem(err);
	}
	tables_open(&t, b);
	for (size_t i = 0; i < t.n; i++)
		symtab_each(&t.table[i], f.code, find_gap, &f);
	for (size_t i = 0; i < t.n; i++)
		symtab_each(&t.table[i], f.code, take_name, &f);
	for (size_t i = 0; i <= n; i++)
		if (f.gap[i].has_any && i)
			add_mark(&f, f.gap[i].first, 0, NULL);
	if (t.is_stripped)
		cfi_each(binary_object(b), take_cfi, &f);
	take_sections(&f, binary_object(b)->elf);
	tables_close(&t);
	if (f.n_mark)
		qsort(f.mark, f.n_mark, sizeof(*f.mark), cmp_mark);
	if (f.nomem || !make_extents(&f, out))
		f.nomem = true;
	free(f.gap);
	free(f.mark);
	return f.nomem ? prof_nomem(err) : PROF_OK;
}

void
extents_release(struct extents *e)
{
	arena_free(e->arena);
	*e = (struct extents){ 0 };
}

const struct extent *
extents_at(const struct extents *e, uint64_t a)
{
	size_t lo = search_above(e->extent, e->n, sizeof(*e->extent),
				 offsetof(struct extent, end), a);

	return lo < e->n && e->extent[lo].start <= a ? &e->extent[lo] : NULL;
}

/* --- variables --- */

struct variables {
	const uint64_t *addr;
	size_t n;
	struct arena *arena;
	struct variable *out;
	bool nomem;
};

/*
 * A callback of symtab_each_object(): of the symbols before an address, keep
 * the last; variables_find() carries it on to the addresses that follow.
 */
static void
take_variable(void *ctx, uint64_t value, uint64_t size, const char *name)
{
	struct variables *v = ctx;
	size_t i = search_from(v->addr, v->n, sizeof(*v->addr), 0, value);
	struct variable *at = &v->out[i];
	char *copy;

	if (i == v->n || v->addr[i] - value >= size ||
	    (*at->name && at->start >= value))
		return;
	copy = arena_alloc(v->arena, strlen(name) + 1);
	if (copy)
		*at = (struct variable){ value, size, strcpy(copy, name) };
	else
		v->nomem = true;
}

enum prof_status
variables_find(const struct binary *b, const uint64_t *addr, size_t n,
	       struct arena *a, struct variable *out, struct prof_err *err)
{
	struct variables v = { addr, n, a, out, false };
	struct tables t;

	for (size_t i = 0; i < n; i++)
		out[i] = (struct variable){ 0, 0, "" };
	tables_open(&t, b);
	for (size_t i = 0; i < t.n && n; i++)
		symtab_each_object(&t.table[i], take_variable, &v);
	tables_close(&t);
	for (size_t i = 1; i < n; i++)
		if (!*out[i].name &&
		    addr[i] - out[i - 1].start < out[i - 1].size)
			out[i] = out[i - 1];
	return v.nomem ? prof_nomem(err) : PROF_OK;
}
