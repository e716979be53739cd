/*
 * scan.h - the functions, inlined functions and lines at the addresses
 * of one unit. Units do not depend on each other, so threads may take one each.
 */
#ifndef DWARF_SCAN_H
#define DWARF_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abbrev.h"
#include "line.h"
#include "split.h"
#include "unit.h"

struct symbol_frame;

#define SCAN_NONE UINT32_MAX

/* A function, or an inlined copy of one, with code at a wanted address. */
struct scan_node {
	uint64_t entry;  /* its offset in .debug_info */
	uint32_t parent; /* the enclosing function, or SCAN_NONE */
	bool is_inlined;
	bool is_read; /* the members below are set */
	const char *name;
	int64_t start_line;
	uint64_t call_file; /* where it was inlined */
	int64_t call_line, call_column;
};

/* Shared by all scans of one object. */
struct scan_object {
	const struct dwarf_file *file;
	const struct object *main; /* its file */
	const struct dwarf_object *package;
	const struct code_map *code;
	struct dwarf_budget *budget;
	struct split_seen *seen;
};

struct scan {
	const struct scan_object *object;
	const uint64_t *addr; /* n of them, ascending */
	size_t n;
	struct line_row *row; /* of each address */
	uint32_t *inner;      /* ... the innermost function, or SCAN_NONE */
	struct scan_node *node;
	size_t n_node, cap_node;
	struct dwarf_lines lines;
	struct dwarf_object dwo;
	struct dwarf_unit split; /* in dwo or the package, if it is there */
	const struct dwarf_unit *tree; /* the unit that has the functions */
	struct abbrevs *abbrevs;       /* of tree, during the walk */
	bool is_owner; /* the addresses are known to belong to it */
	bool damaged;  /* something was skipped */
	bool nomem;
};

/*
 * Look up the n > 0 addresses in u, a unit of object's file. If u is not known
 * to own them, only addresses in its functions are answered. Always call
 * scan_release() afterwards; until then s must not be moved, and addr must
 * stay.
 */
void scan_unit(struct scan *s, const struct scan_object *object,
	       const struct dwarf_unit *u, bool is_owner, const uint64_t *addr,
	       size_t n, struct abbrev_cache *cache);
void scan_release(struct scan *s);

/*
 * The frames at address i, innermost first, into frame, which has room for
 * SCAN_MAX_FRAMES. Returns their number, 0 if unknown.
 */
#define SCAN_MAX_FRAMES 512
size_t scan_frames(struct scan *s, size_t i, struct symbol_frame *frame);

/*
 * Read the attributes of the functions at the addresses of s: from their
 * entries, or from those that they are instances of, which may be in another
 * unit or another file (origin.c).
 */
void origin_read_nodes(struct scan *s, struct abbrev_cache *cache);

/*
 * walk.c: find the functions of s->tree, by s->abbrevs, that have code at
 * s->addr. Damage ends the walk and sets s->damaged; what was found before it
 * stays.
 */
void walk_functions(struct scan *s);

#endif
