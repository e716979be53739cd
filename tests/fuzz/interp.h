/*
 * interp.h - sound images of interpreters' memory, for interp.c: a file each,
 * which has their layouts from libsample/interp/.
 */
#ifndef FUZZ_INTERP_H
#define FUZZ_INTERP_H

#include "libsample/interp/interp.h"

enum {
	N_FRAME = 40,
	FRAME_STEP = 128,
	STACK_STEP = 128,
	/* Places in the image. */
	THREAD = 0x200,
	FRAMES = 0x400,
	OTHER_CODE = 0x1a00, /* read along with CODE */
	CODE = 0x1c00,
	NAME = 0x1d00,
	TABLE = 0x1e00,
	TYPES = 0x1f00,
	/* The machine's stack: each evaluator's frame. */
	STACK = 0x2000,
};

uintptr_t image_address(size_t at);
void image_put(size_t at, uintptr_t word);
void image_copy(size_t to, size_t from, size_t n);

/* Make version which, of so many, and fill in symbols and layout. */
enum { PYTHONS = 6, PHPS = 5, RUBYS = 6 };
void image_python(struct interp *in, unsigned which);
void image_php(struct interp *in, unsigned which);
void image_ruby(struct interp *in, unsigned which);

#endif
