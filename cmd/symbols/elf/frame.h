/*
 * frame.h - the function at an address, as DWARF, symbol tables, lists of
 * symbols and the cache all return it.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * A function at an address, or inlined there. Strings are never NULL; "" is
 * unknown. Unknown numbers are 0. name is as in the object file: mangled.
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
