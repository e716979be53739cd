/*
 * line.h - line tables (.debug_line; DWARF 5, 6.2). A program runs once for all
 * wanted addresses; only rows that answer one are kept.
 */
#ifndef DWARF_LINE_H
#define DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit.h"

struct code_map;

struct line_file {
	const char *name;
	uint64_t dir;
	char *path; /* joined, on demand; or NULL */
};

/* The parts of a table's header that its program needs. */
struct dwarf_lines {
	const struct dwarf_unit *unit;
	struct dwarf_sizes sizes; /* its own: not those of the unit */
	const char **dir;
	size_t n_dir, cap_dir;
	struct line_file *file;
	size_t n_file, cap_file;
	uint8_t min_length, max_ops;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	uint8_t n_operand[256]; /* of each standard opcode */
	struct cursor program;
	bool nomem;
};

/* The row that covers an address. */
struct line_row {
	bool is_known;
	uint32_t file; /* for lines_path() */
	uint32_t line, column;
};

/*
 * Read the header of the table of u, of a linked file. false: there is none, it
 * is damaged, or there is no memory (l->nomem). Call lines_release() even on
 * failure.
 */
bool lines_init(struct dwarf_lines *l, const struct dwarf_unit *u,
		struct dwarf_budget *budget);
void lines_release(struct dwarf_lines *l);

/*
 * Run the program. row[i], all 0 at first, becomes the row of addr[i];
 * addresses ascend. Sequences outside the code are skipped, as the linker
 * discarded it. false: the table is damaged; rows before the damage are set.
 */
bool lines_find(struct dwarf_lines *l, const struct code_map *code,
		const uint64_t *addr, size_t n, struct line_row *row);

/*
 * The path of a file, absolute unless nothing says where the unit was
 * compiled; "" for one that is not listed. Valid until lines_release().
 */
const char *lines_path(struct dwarf_lines *l, uint64_t file);

#endif
