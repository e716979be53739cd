/* interp-python.c - see interp.h. */
#include "config.h"

#include <stdlib.h>

/* For its layouts. */
#include "interp.h"
#include "libsample/interp/python.c"

enum { INTERPRETER = 0x100 /* its place in the image */ };

static void
put_objects(const uint16_t *at)
{
	image_put(CODE + OBJECT_TYPE, image_address(TYPES));
	image_put(CODE + at[CODE_FILE], image_address(NAME));
	image_put(CODE + at[CODE_NAME], image_address(NAME));
	image_put(CODE + at[CODE_LINES], image_address(TABLE));
	image_put(CODE + at[CODE_FIRST_LINE], 7);
	image_copy(OTHER_CODE, CODE, NAME - CODE);
	image_put(NAME + OBJECT_TYPE, image_address(TYPES + 8));
	image_put(NAME + OBJECT_SIZE, 5);
	image_put(NAME + TEXT_STATE, 1 << 2 | 1 << 5 | 1 << 6);
	image_put(TABLE + OBJECT_TYPE, image_address(TYPES + 16));
	image_put(TABLE + OBJECT_SIZE, 6);
}

/* Each frame has an evaluator of its own, with its mark on the stack. */
static void
put_frames(const uint16_t *at)
{
	unsigned minor = at[VERSION_MINOR];

	image_put(at[RUNTIME_INTERPRETERS], image_address(INTERPRETER));
	image_put(INTERPRETER + at[INTERPRETER_THREADS], image_address(THREAD));
	image_put(THREAD + at[THREAD_ID], 1);
	image_put(THREAD + at[THREAD_FRAME], image_address(FRAMES));
	if (at[THREAD_CFRAME])
		image_put(THREAD + at[THREAD_CFRAME], image_address(STACK));
	for (size_t i = 0; i < N_FRAME; i++) {
		size_t frame = FRAMES + i * FRAME_STEP;
		size_t mark = STACK + i * STACK_STEP;

		image_put(frame + at[FRAME_PREVIOUS],
			  i + 1 < N_FRAME ? image_address(frame + FRAME_STEP)
					  : 0);
		image_put(frame + at[FRAME_CODE],
			  image_address(i % 3 ? CODE : OTHER_CODE));
		image_put(frame + at[FRAME_AT], 2);
		if (minor == 11 || minor == 12)
			image_put(mark + at[THREAD_FRAME],
				  image_address(frame));
		if (at[THREAD_CFRAME])
			image_put(mark + at[CFRAME_PREVIOUS],
				  image_address(mark + STACK_STEP));
		if (minor == 11)
			image_put(frame + at[FRAME_OWNER], 1);
		else if (minor > 12 && i % 2)
			image_put(frame + at[FRAME_OWNER], OWNER_STACK);
	}
}

void
image_python(struct interp *in, unsigned which)
{
	unsigned minor = 8 + which;
	/* 3.13 describes itself; the layout of 3.12 will do. */
	unsigned long version = 3 << 24 | (minor < 13 ? minor : 12) << 16;
	const char *why;

	in->kind = &interp_python;
	in->symbol[SYM_RUNTIME] = image_address(0);
	in->symbol[SYM_CODE_TYPE] = image_address(TYPES);
	in->symbol[SYM_TEXT_TYPE] = image_address(TYPES + 8);
	in->symbol[SYM_BYTES_TYPE] = image_address(TYPES + 16);
	in->symbol[SYM_VERSION] = (uintptr_t)&version;
	if (!interp_python.init(in, &why))
		abort();
	in->symbol[SYM_VERSION] = 0;
	in->layout[VERSION_MINOR] = (uint16_t)minor;
	put_objects(in->layout);
	put_frames(in->layout);
}
