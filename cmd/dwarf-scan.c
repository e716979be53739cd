/*
 * dwarf-scan.c - see dwarf-scan.h. The entries of the unit are stepped over in
 * one walk; only functions with code are looked at, and of what is inlined
 * only that in functions that have a wanted address. Names are read for what
 * was found at the end.
 */
#include "config.h"

#include "dwarf-scan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf-range.h"
#include "symbolize-symtab.h"
#include "symbolize.h"

#define MAX_DEPTH 1024 /* of entries in each other */
#define MAX_ORIGINS 16 /* from a function to the one that says its name */

/* --- functions --- */

/* A function: its code, or what it is. */
struct entry {
	struct dwarf_value low, high, ranges;
	struct dwarf_value linkage_name, mips_name, name;
	struct dwarf_value origin;
	struct dwarf_value decl_line, call_file, call_line, call_column;
};

/* Read the attributes of an entry, which c is past the code of. */
static void
read_entry(const struct abbrevs *a, const struct abbrev *ab, struct cursor *c,
	   struct entry *e)
{
	const struct abbrev_attr *attr = &a->attr[ab->attr];
	struct dwarf_value specification = { 0 };

	*e = (struct entry){ 0 };
	for (uint32_t i = 0; i < ab->n_attr; i++) {
		struct dwarf_value v =
			form_read(&a->sizes, c, attr[i].form, attr[i].constant);

		switch (attr[i].name) {
		case DW_AT_low_pc:
			e->low = v;
			break;
		case DW_AT_high_pc:
			e->high = v;
			break;
		case DW_AT_ranges:
			e->ranges = v;
			break;
		case DW_AT_linkage_name:
			e->linkage_name = v;
			break;
		case DW_AT_MIPS_linkage_name:
			e->mips_name = v;
			break;
		case DW_AT_name:
			e->name = v;
			break;
		case DW_AT_abstract_origin:
			e->origin = v;
			break;
		case DW_AT_specification:
			specification = v;
			break;
		case DW_AT_decl_line:
			e->decl_line = v;
			break;
		case DW_AT_call_file:
			e->call_file = v;
			break;
		case DW_AT_call_line:
			e->call_line = v;
			break;
		case DW_AT_call_column:
			e->call_column = v;
			break;
		}
	}
	if (e->origin.kind == VALUE_NONE)
		e->origin = specification;
}

static size_t
lower_bound(const struct scan *s, uint64_t a)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->addr[mid] < a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t
add_node(struct scan *s, const struct scan_node *node)
{
	if (s->n_node == s->cap_node) {
		size_t cap = s->cap_node ? 2 * s->cap_node : 64;
		void *grown = reallocarray(s->node, cap, sizeof(*s->node));

		if (!grown || cap >= SCAN_NONE) {
			s->nomem = true;
			return SCAN_NONE;
		}
		s->node = grown;
		s->cap_node = cap;
	}
	s->node[s->n_node] = *node;
	return (uint32_t)s->n_node++;
}

/*
 * Make a node of a function if it has code at a wanted address, and give it
 * those. Inner functions come later and take theirs over. Returns the node,
 * or SCAN_NONE.
 */
static uint32_t
add_function(struct scan *s, const struct scan_node *node,
	     const struct entry *e)
{
	uint32_t id = SCAN_NONE;
	struct dwarf_ranges r;
	uint64_t start, end, work = 0;

	ranges_begin(&r, s->tree, &e->low, &e->high, &e->ranges);
	while (ranges_next(&r, &start, &end)) {
		size_t i;

		work++;
		i = lower_bound(s, start);
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

/* Where the walk is inside of. */
struct level {
	uint32_t node; /* the nearest function, or SCAN_NONE */
	bool skip;     /* in a function without wanted addresses */
};

/* Look at an entry that may have code, which c is past the code of. */
static void
visit(struct scan *s, const struct abbrev *ab, struct cursor c, uint64_t at,
      struct level *in)
{
	struct scan_node node = {
		.entry = at,
		.parent = in->node,
		.is_inlined = ab->tag == DW_TAG_inlined_subroutine,
	};
	struct entry e;
	uint32_t id;

	/* Copies inlined into a function lie inside its ranges. */
	if (in->skip && node.is_inlined)
		return;
	read_entry(s->abbrevs, ab, &c, &e);
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
 * Walk the entries of the unit, and find its functions. Whatever is wrong ends
 * the walk, and what was found stays.
 */
static void
walk(struct scan *s)
{
	const struct dwarf_unit *u = s->tree;
	struct cursor c = dwarf_at(u->file, DWARF_INFO, u->first);
	const uint8_t *start = u->file->section[DWARF_INFO].data;
	struct level level[MAX_DEPTH];
	size_t depth = 0;

	c.end = start + u->end;
	level[0] = (struct level){ SCAN_NONE, false };
	do {
		uint64_t at = (uint64_t)(c.p - start);
		struct level in = level[depth];
		uint64_t code = cursor_uleb(&c);
		const struct abbrev *ab;

		if (code == 0) {
			if (depth == 0)
				break;
			depth--;
			continue;
		}
		ab = abbrev_lookup(s->abbrevs, code);
		if (!ab) {
			s->damaged = true;
			return;
		}
		if (ab->has_code)
			visit(s, ab, c, at, &in);
		abbrev_skip(s->abbrevs, ab, &c);
		if (ab->has_children) {
			if (++depth == MAX_DEPTH) {
				s->damaged = true;
				return;
			}
			level[depth] = in;
		}
	} while (depth && c.p < c.end && !s->nomem && !s->damaged);
	s->damaged |= c.bad;
}

/* --- what is known of a function --- */

/* An entry, and what is needed to read it. */
struct place {
	const struct dwarf_unit *unit;
	struct abbrevs *abbrevs;
	uint64_t entry;
};

/*
 * Go where a value refers to; the abbreviations are then the place's. false:
 * nowhere.
 */
static bool
follow(struct scan *s, struct abbrev_cache *cache, struct place *p,
       const struct dwarf_value *v)
{
	const struct dwarf_file *f = p->unit->file;
	const struct dwarf_unit *u = p->unit;
	uint64_t to = v->u;

	switch (v->kind) {
	case VALUE_REF_UNIT:
		if (to > u->end - u->offset)
			return false;
		to += u->offset;
		break;
	case VALUE_REF_SUP:
		f = f->sup;
		if (!f)
			return false;
		u = unit_at(f, to);
		break;
	case VALUE_REF:
		if (to < u->first || to >= u->end)
			u = unit_at(f, to);
		break;
	default:
		return false;
	}
	if (!u || to < u->first || to >= u->end)
		return false;
	if (u != p->unit) {
		abbrevs_put(p->abbrevs);
		p->abbrevs = abbrevs_get(cache, f, u->abbrevs, &u->sizes,
					 s->object->budget, &s->nomem);
	}
	p->unit = u;
	p->entry = to;
	return p->abbrevs != NULL;
}

static bool
read_place(const struct place *p, struct entry *e)
{
	struct cursor c = dwarf_at(p->unit->file, DWARF_INFO, p->entry);
	const struct abbrev *ab;

	c.end = p->unit->file->section[DWARF_INFO].data + p->unit->end;
	ab = abbrev_lookup(p->abbrevs, cursor_uleb(&c));
	if (ab)
		read_entry(p->abbrevs, ab, &c, e);
	return ab && !c.bad;
}

static int64_t
number(const struct dwarf_value *v)
{
	return v->kind == VALUE_NUMBER && v->u <= INT32_MAX ? (int64_t)v->u : 0;
}

/*
 * Read what an entry says of its function, or else the one that it is an
 * instance of (DW_AT_abstract_origin, DW_AT_specification), and so on. The
 * mangled name wins wherever it is.
 */
static void
read_node(struct scan *s, struct scan_node *node, struct abbrev_cache *cache)
{
	struct place at = { s->tree, s->abbrevs, node->entry };
	const char *linkage = NULL, *mips = NULL, *name = NULL;
	struct entry e;

	node->is_read = true;
	s->abbrevs->n_user++;
	for (int i = 0; i < MAX_ORIGINS && read_place(&at, &e); i++) {
		if (i == 0 && node->is_inlined) {
			node->call_file = e.call_file.kind == VALUE_NUMBER
						  ? e.call_file.u
						  : UINT64_MAX;
			node->call_line = number(&e.call_line);
			node->call_column = number(&e.call_column);
		}
		if (!linkage)
			linkage = unit_string(at.unit, &e.linkage_name);
		if (!mips)
			mips = unit_string(at.unit, &e.mips_name);
		if (!name)
			name = unit_string(at.unit, &e.name);
		if (!node->start_line)
			node->start_line = number(&e.decl_line);
		if ((linkage && node->start_line) ||
		    !follow(s, cache, &at, &e.origin))
			break;
	}
	abbrevs_put(at.abbrevs);
	node->name = linkage ? linkage : mips ? mips : name ? name : "";
}

static void
read_nodes(struct scan *s, struct abbrev_cache *cache)
{
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t id = s->inner[i]; id != SCAN_NONE;) {
			struct scan_node *node = &s->node[id];

			/* So are all that it is in. */
			if (node->is_read)
				break;
			read_node(s, node, cache);
			id = node->is_inlined ? node->parent : SCAN_NONE;
		}
}

/* --- units --- */

static bool
has_code(const struct abbrevs *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->abbrev[i].has_code)
			return true;
	return false;
}

static bool
has_functions(const struct scan *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->inner[i] != SCAN_NONE)
			return true;
	return false;
}

/* Where the functions of the unit are. */
static void
find_tree(struct scan *s, const struct dwarf_unit *u)
{
	const struct scan_object *o = s->object;

	s->tree = u;
	if (u->dwo_name && split_find_unit(u, o->main, o->package, o->budget,
					   &s->dwo, &s->split))
		s->tree = &s->split;
}

static void
find_functions(struct scan *s, struct abbrev_cache *cache)
{
	const struct dwarf_unit *u = s->tree;
	struct dwarf_budget *budget = s->object->budget;

	s->abbrevs = abbrevs_get(cache, u->file, u->abbrevs, &u->sizes, budget,
				 &s->nomem);
	if (!s->abbrevs) {
		s->damaged = true;
	} else if (has_code(s->abbrevs)) {
		if (budget_spend(budget, u->end - u->first))
			walk(s);
		else
			s->damaged = true;
		read_nodes(s, cache);
	}
	abbrevs_put(s->abbrevs);
	s->abbrevs = NULL;
}

static void
find_lines(struct scan *s, const struct dwarf_unit *u)
{
	const struct scan_object *o = s->object;

	if (!lines_init(&s->lines, u, o->budget) ||
	    !lines_find(&s->lines, o->code, s->addr, s->n, s->row))
		s->damaged |= u->has_lines;
	s->nomem |= s->lines.nomem;
}

void
scan_unit(struct scan *s, const struct scan_object *object,
	  const struct dwarf_unit *u, bool is_owner, const uint64_t *addr,
	  size_t n, struct abbrev_cache *cache)
{
	*s = (struct scan){
		.object = object,
		.addr = addr,
		.n = n,
		.is_owner = is_owner,
	};
	s->row = calloc(n, sizeof(*s->row));
	s->inner = reallocarray(NULL, n, sizeof(*s->inner));
	if (!s->row || !s->inner) {
		s->nomem = true;
		return;
	}
	memset(s->inner, 0xff, n * sizeof(*s->inner)); /* SCAN_NONE */
	find_tree(s, u);
	find_functions(s, cache);
	if (is_owner || has_functions(s))
		find_lines(s, u);
	/* The next file may be where this one is now. */
	abbrev_cache_forget(cache, &s->dwo.file);
}

void
scan_release(struct scan *s)
{
	free(s->row);
	free(s->inner);
	free(s->node);
	lines_release(&s->lines);
	dwarf_object_close(&s->dwo);
	*s = (struct scan){ 0 };
}

size_t
scan_frames(struct scan *s, size_t i, struct symbolize_frame *frame)
{
	const struct line_row *row = &s->row[i];
	uint32_t id = s->inner[i];
	size_t n = 1;

	if (id == SCAN_NONE && !s->is_owner)
		return 0;
	frame[0] = (struct symbolize_frame){ .name = "", .file = "" };
	if (row->is_known) {
		frame[0].file = lines_path(&s->lines, row->file);
		frame[0].line = row->line <= INT32_MAX ? row->line : 0;
		frame[0].column = row->column <= INT32_MAX ? row->column : 0;
	}
	while (id != SCAN_NONE) {
		const struct scan_node *node = &s->node[id];

		frame[n - 1].name = node->name;
		frame[n - 1].start_line = node->start_line;
		if (!node->is_inlined || n == SCAN_MAX_FRAMES)
			break;
		frame[n++] = (struct symbolize_frame){
			.name = "",
			.file = lines_path(&s->lines, node->call_file),
			.line = node->call_line,
			.column = node->call_column,
		};
		id = node->parent;
	}
	if (n > 1 || *frame[0].name || *frame[0].file || frame[0].line)
		return n;
	return 0;
}
