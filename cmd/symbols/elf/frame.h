/*
 * frame.h - the answer to "what is at this address?", which DWARF, a symbol
 * table, a list of symbols and a cache give in the same form.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * A function that is at an address, or was inlined there. Strings are never
 * NULL, and "" when unknown; unknown numbers are 0. name is as in the object
 * file: mangled.
 */
struct symbol_frame {
	const char *name;
	const char *file;
	int64_t line;
	int64_t column;
	int64_t start_line; /* of the function's declaration */
};

/*
 * Receives the answer for address i: n > 0 frames, innermost first. They and
 * their strings are valid only during the call.
 */
typedef void symbol_fn(void *ctx, size_t i, const struct symbol_frame *frame,
		       size_t n);

#endif
