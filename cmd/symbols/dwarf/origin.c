/* origin.c - see scan.h. */
#include "config.h"

#include "scan.h"

#include "entry.h"

#define MAX_ORIGINS 16 /* references from a function to its name */

/* An entry, with the context to read it. */
struct place {
	const struct dwarf_unit *unit;
	struct abbrevs *abbrevs;
	uint64_t entry;
};

/*
 * Follow a reference; the abbreviations of p become those of its target. false:
 * it is invalid.
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
read_place(const struct place *p, struct dwarf_entry *e)
{
	struct cursor c = dwarf_at(p->unit->file, DWARF_INFO, p->entry);
	const struct abbrev *ab;

	c.end = p->unit->file->section[DWARF_INFO].data + p->unit->end;
	ab = abbrev_lookup(p->abbrevs, cursor_uleb(&c));
	if (ab)
		entry_read(p->abbrevs, ab, &c, e);
	return ab && !c.bad;
}

static int64_t
number(const struct dwarf_value *v)
{
	return v->kind == VALUE_NUMBER && v->u <= INT32_MAX ? (int64_t)v->u : 0;
}

/*
 * Read the attributes of a function, then missing ones from the entry that it
 * is an instance of (DW_AT_abstract_origin, DW_AT_specification), and so on. A
 * mangled name wins wherever it is.
 */
static void
read_node(struct scan *s, struct scan_node *node, struct abbrev_cache *cache)
{
	struct place at = { s->tree, s->abbrevs, node->entry };
	const char *linkage = NULL, *mips = NULL, *name = NULL;
	struct dwarf_entry e;

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

void
origin_read_nodes(struct scan *s, struct abbrev_cache *cache)
{
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t id = s->inner[i]; id != SCAN_NONE;) {
			struct scan_node *node = &s->node[id];

			/* Its ancestors are read, too. */
			if (node->is_read)
				break;
			read_node(s, node, cache);
			id = node->is_inlined ? node->parent : SCAN_NONE;
		}
}
