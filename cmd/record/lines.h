/*
 * lines.h - the tables by which interpreters find the line of an instruction
 * (enum interp_lines). doc/interpreters.md describes them.
 */
#ifndef RECORD_LINES_H
#define RECORD_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "libsample/shm.h"

/* From this place of the code on, in bytes, it has this line; 0: none. */
struct line_row {
	uint32_t at;
	int32_t line;
};

/*
 * Decode the n bytes of a table of code that begins in the line first. Returns
 * the rows, ascending, *n_row of them, for free(); NULL without memory. Damage
 * ends a table early.
 */
struct line_row *lines_decode(enum interp_lines form, const uint8_t *table,
			      size_t n, int32_t first, size_t *n_row);

/* The line at a place; 0: none. */
int32_t lines_at(const struct line_row *row, size_t n, uint32_t at);

#endif
