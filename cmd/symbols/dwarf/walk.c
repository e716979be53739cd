/*
 * walk.c - see scan.h. Only functions with code are read; other entries are
 * skipped. The insides of types, of functions without a wanted address and of
 * functions without code rarely contain functions: where DW_AT_sibling (by GCC)
 * says where such an entry ends, its inside is postponed, and walked only if an
 * address still has no function at the end.
 */
#include "config.h"

#include "scan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "lib/base/array.h"
#include "lib/base/search.h"
#include "range.h"
#include "symbols/elf/symtab.h"

#define MAX_DEPTH 1024 /* of entries in each other */

/* An enclosing entry of the walk. */
struct level {
	uint32_t node; /* the nearest function, or SCAN_NONE */
	bool skip;     /* in a function without wanted addresses */
};

/* The children of an entry, from the first one to its sibling. */
struct inside {
	uint64_t start, end; /* in .debug_info */
	struct level level;
};

struct walk {
	struct scan *s;
	const struct dwarf_unit *unit;
	struct inside *postponed;
	size_t n_postponed, cap_postponed;
	bool is_second; /* walking the postponed entries */
};

static uint32_t
add_node(struct scan *s, const struct scan_node *node)
{
	if (s->n_node >= SCAN_NONE ||
	    array_reserve(&s->node, &s->cap_node, s->n_node + 1,
			  sizeof(*s->node)) < 0) {
		s->nomem = true;
		return SCAN_NONE;
	}
	s->node[s->n_node] = *node;
	return (uint32_t)s->n_node++;
}

/*
 * Make a node for a function if it has code at a wanted address, and assign it
 * those. Inner functions come later and take over theirs. Returns the node, or
 * SCAN_NONE.
 */
static uint32_t
add_function(struct scan *s, const struct scan_node *node,
	     const struct dwarf_entry *e)
{
	uint32_t id = SCAN_NONE;
	struct dwarf_ranges r;
	uint64_t start, end, work = 0;

	ranges_begin(&r, s->tree, &e->low, &e->high, &e->ranges);
	while (ranges_next(&r, &start, &end)) {
		size_t i;

		work++;
		i = search_from(s->addr, s->n, sizeof(*s->addr), 0, start);
		if (i == s->n || s->addr[i] >= end ||
		    !code_end(s->object->code, start))
			continue;
		if (id == SCAN_NONE) {
			id = add_node(s, node);
			if (s->nomem)
				return id;
		}
		for (; i < s->n && s->addr[i] < end; i++, work++)
			s->inner[i] = id;
	}
	if (r.c.bad || !budget_spend(s->object->budget, work))
		s->damaged = true;
	return id;
}

/* Visit an entry that may have code; c is past its abbreviation code. */
static void
visit_entry(struct scan *s, const struct abbrev *ab, struct cursor c,
	    uint64_t at, struct level *in)
{
	struct scan_node node = {
		.entry = at,
		.parent = in->node,
		.is_inlined = ab->tag == DW_TAG_inlined_subroutine,
	};
	struct dwarf_entry e;
	uint32_t id;

	/* Copies inlined into a function lie inside its ranges. */
	if (in->skip && node.is_inlined)
		return;
	entry_read(s->abbrevs, ab, &c, &e);
	if (!budget_spend(s->object->budget, ab->n_attr)) {
		s->damaged = true;
		return;
	}
	id = add_function(s, &node, &e);
	in->skip = id == SCAN_NONE;
	if (id != SCAN_NONE)
		in->node = id;
}

/*
 * Postpone the inside of an entry, if it is skipped at first and has a sibling:
 * move c, past its attributes, to that. false: walk it now.
 */
static bool
postpone(struct walk *w, const struct abbrev *ab, struct cursor *c,
	 const struct level *in)
{
	const uint8_t *info = w->unit->file->section[DWARF_INFO].data;
	struct cursor ref = *c;
	uint64_t start = (uint64_t)(c->p - info), end;

	if (w->is_second || !ab->sibling || !(ab->is_closed || in->skip))
		return false;
	ref.p -= ab->sibling;
	end = w->unit->offset + cursor_u32(&ref);
	/* It must be ahead, or the walk would not end. */
	if (end < start || end >= w->unit->end)
		return false;
	if (array_reserve(&w->postponed, &w->cap_postponed, w->n_postponed + 1,
			  sizeof(*w->postponed)) < 0)
		return false;
	w->postponed[w->n_postponed++] = (struct inside){ start, end, *in };
	c->p = info + end;
	return true;
}

/* Walk entries and their children, to the end of their list or to end. */
static void
walk_list(struct walk *w, const struct inside *at)
{
	const struct dwarf_unit *u = w->unit;
	struct cursor c = dwarf_at(u->file, DWARF_INFO, at->start);
	const uint8_t *info = u->file->section[DWARF_INFO].data;
	struct level level[MAX_DEPTH];
	struct scan *s = w->s;
	size_t depth = 0;

	c.end = info + at->end;
	level[0] = at->level;
	while (c.p < c.end && !s->nomem && !s->damaged) {
		uint64_t entry = (uint64_t)(c.p - info);
		struct level in = level[depth];
		uint64_t code = cursor_uleb(&c);
		const struct abbrev *ab;

		if (code == 0) {
			if (depth == 0)
				return;
			depth--;
			continue;
		}
		ab = abbrev_lookup(s->abbrevs, code);
		if (!ab) {
			s->damaged = true;
			return;
		}
		if (ab->has_code)
			visit_entry(s, ab, c, entry, &in);
		abbrev_skip(s->abbrevs, ab, &c);
		if (!ab->has_children || c.bad || postpone(w, ab, &c, &in))
			continue;
		if (++depth == MAX_DEPTH) {
			s->damaged = true;
			return;
		}
		level[depth] = in;
	}
	s->damaged |= c.bad;
}

/* Walk the postponed entries, only for addresses without a function. */
static void
walk_postponed(struct walk *w)
{
	struct scan *s = w->s;
	uint32_t *first = reallocarray(NULL, s->n, sizeof(*first));

	if (!first) {
		s->nomem = true;
		return;
	}
	memcpy(first, s->inner, s->n * sizeof(*first));
	w->is_second = true;
	for (size_t i = 0; i < w->n_postponed && !s->nomem; i++)
		walk_list(w, &w->postponed[i]);
	for (size_t i = 0; i < s->n; i++)
		if (first[i] != SCAN_NONE)
			s->inner[i] = first[i];
	free(first);
}

void
walk_functions(struct scan *s)
{
	struct inside all = { s->tree->first,
			      s->tree->end,
			      { SCAN_NONE, false } };
	struct walk w = { .s = s, .unit = s->tree };

	walk_list(&w, &all);
	for (size_t i = 0; i < s->n && !s->damaged && !s->nomem; i++)
		if (s->inner[i] == SCAN_NONE) {
			walk_postponed(&w);
			break;
		}
	free(w.postponed);
}
