/*
 * scan.c - see scan.h. The parts: walk.c finds the functions,
 * origin.c their names, line.c the lines.
 */
#include "config.h"

#include "scan.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf/frame.h"

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

/* Find the unit that has the functions: u itself or its split unit. */
static void
find_tree(struct scan *s, const struct dwarf_unit *u)
{
	const struct scan_object *o = s->object;

	s->tree = u;
	if (u->dwo_name && split_find_unit(u, o->main, o->package, o->seen,
					   o->budget, &s->dwo, &s->split))
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
			walk_functions(s);
		else
			s->damaged = true;
		origin_read_nodes(s, cache);
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
	/* Another file may reuse this address. */
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
scan_frames(struct scan *s, size_t i, struct symbol_frame *frame)
{
	const struct line_row *row = &s->row[i];
	uint32_t id = s->inner[i];
	size_t n = 1;

	if (id == SCAN_NONE && !s->is_owner)
		return 0;
	frame[0] = (struct symbol_frame){ .name = "", .file = "" };
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
		frame[n++] = (struct symbol_frame){
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
