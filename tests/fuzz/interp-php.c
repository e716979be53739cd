/* interp-php.c - see interp.h. Frames of PHP, in generators too, and of C; each
 * other version is one for threads. */
#include "config.h"

#include <stdlib.h>

/* For its layouts. */
#include "interp.h"
#include "libsample/interp/php.c"

enum { OFFSET = TYPES + 0x40 };

static uintptr_t
thread(void)
{
	return image_address(0);
}

void
image_php(struct interp *in, unsigned which)
{
	const char *why = NULL;

	in->kind = &interp_php;
	in->symbol[SYM_GLOBALS] = image_address(THREAD);
	for (unsigned i = 0; i <= which; i++)
		in->symbol[SYM_74 + i] = 1;
	if (!interp_php.init(in, &why))
		abort();
	in->symbol[SYM_GLOBALS] -= in->layout[GLOBALS_FRAME];
	if (which % 2) {
		image_put(OFFSET, in->symbol[SYM_GLOBALS] - image_address(0));
		in->symbol[SYM_OFFSET] = image_address(OFFSET);
		in->symbol[SYM_THREAD] = (uintptr_t)thread;
		in->symbol[SYM_GLOBALS] = 0;
	}
	image_put(THREAD, image_address(FRAMES));
	image_put(NAME + TEXT_TYPE, IS_STRING);
	image_put(NAME + TEXT_SIZE, 5);
	for (size_t code = OTHER_CODE; code <= CODE;
	     code += CODE - OTHER_CODE) {
		image_put(code, code == CODE ? IS_USER : IS_INTERNAL);
		image_put(code + CODE_NAME, image_address(NAME));
		image_put(code + CODE_SCOPE, image_address(TYPES));
		image_put(code + in->layout[CODE_FILE], image_address(NAME));
		image_put(code + in->layout[CODE_OPCODES],
			  image_address(TABLE));
	}
	image_put(TYPES + CLASS_NAME, image_address(NAME));
	/* A generator, whose parents are the others of a circle of three. */
	for (size_t i = 0; i < 3; i++) {
		size_t g = STACK + 0x100 * i;

		image_put(g + in->layout[GENERATOR_FRAME],
			  image_address(FRAMES));
		image_put(g + in->layout[GENERATOR_PARENT],
			  image_address(STACK + 0x100 * ((i + 1) % 3)));
	}
	for (size_t i = 0; i < N_FRAME; i++) {
		size_t frame = FRAMES + i * FRAME_STEP;

		image_put(frame + FRAME_PREVIOUS,
			  i + 1 < N_FRAME ? image_address(frame + FRAME_STEP)
					  : 0);
		if (i % 5 != 4)
			image_put(frame + FRAME_CODE,
				  image_address(i % 3 ? CODE : OTHER_CODE));
		image_put(frame + FRAME_AT, image_address(TABLE));
		image_put(frame + FRAME_THIS, image_address(STACK));
		image_put(frame + FRAME_FLAGS,
			  (i % 2 ? IS_TOP : 0) | IS_OBJECT);
	}
}
