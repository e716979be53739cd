/*
 * frame.h - how a function of an interpreter is stored in a stack: the same for
 * libsample, the shared memory and the recorder.
 */
#ifndef INTERP_FRAME_H
#define INTERP_FRAME_H

#include <stdint.h>

/* The interpreters whose functions are read. */
enum interp_number {
	INTERP_NONE,
	INTERP_PYTHON,
	INTERP_PHP,
	INTERP_RUBY,
	INTERP_NUMBERS
};

/*
 * A frame is no address: the number of its code, and its place in that, in
 * bytes, or, if the code has no table of lines, its line. Addresses of programs
 * and of the kernel begin with two equal bits. Code 0 is a part of the stack
 * that could not be read; then the place is an enum interp_number.
 */
#define INTERP_FRAME(code, at)                                                 \
	(UINT64_C(1) << 63 | (uint64_t)(code) << 32 | (uint32_t)(at))
#define INTERP_IS_FRAME(pc) ((pc) >> 62 == 2)
#define INTERP_FRAME_CODE(pc) ((uint32_t)((pc) >> 32) & 0x3fffffff)
#define INTERP_FRAME_AT(pc) ((uint32_t)(pc))
#define INTERP_MAX_CODE ((UINT32_C(1) << 22) - 1)

/* The forms of tables from places to lines. */
enum interp_lines {
	LINES_NONE,
	LINES_LNOTAB,
	LINES_310,
	LINES_311,
	LINES_RUBY_8, /* with entries of 8 bytes, or 12 */
	LINES_RUBY_12
};

#endif
