/* interp-ruby.c - see interp.h. Two threads, of which one is ours. */
#include "config.h"

#include <stdlib.h>

/* For its layouts. */
#include "interp.h"
#include "libsample/interp/ruby.c"

/* Places in the image, too. */
enum {
	METHOD = 0x300,
	CLASS = 0x340,
	VARIABLE_TABLE = 0x370,
	NAMES = TYPES + 0xa0,
	ARRAY = TYPES + 0xc0, /* its own first element */
	ELEMENTS = TYPES + 0xe8
};

/* Environments of a method, and of one in C; its class, and names. */
static void
image_methods(const uint16_t *at)
{
	image_put(TYPES + 0x70, image_address(METHOD));
	image_put(TYPES + 0x78, image_address(METHOD));
	image_put(TYPES + 0x80, IS_FINISH | IS_LOCAL);
	image_put(TYPES + 0x88, KIND_METHOD_IN_C | IS_C | IS_LOCAL);
	image_put(METHOD, IS_METHOD);
	image_put(METHOD + METHOD_NAME, 1);
	image_put(METHOD + METHOD_OWNER, image_address(CLASS));
	image_put(CLASS, IS_CLASS);
	if (at[CLASS_PATH])
		image_put(CLASS + at[CLASS_PATH], image_address(NAME));
	image_put(CLASS + 24, image_address(CLASS + 32));
	image_put(CLASS + 40, image_address(VARIABLE_TABLE));
	image_put(VARIABLE_TABLE + VARIABLES_BOUND, 2);
	image_put(VARIABLE_TABLE + VARIABLES, image_address(STACK));
	image_put(NAMES + NAMES_ARRAY, image_address(ARRAY));
	image_put(ARRAY, IS_ARRAY);
	image_put(ARRAY + OBJECT_SIZE, 8);
	image_put(ARRAY + OBJECT_DATA, image_address(ELEMENTS));
	image_put(ELEMENTS, image_address(ARRAY));
	image_put(ELEMENTS + 16, image_address(NAME));
}

static int
collects(void)
{
	return 1;
}

void
image_ruby(struct interp *in, unsigned which)
{
	const int version[3] = { which ? 3 : 2, which ? (int)which - 1 : 7 };
	const uint16_t *at = in->layout;
	const char *why;
	size_t id = THREAD;

	in->kind = &interp_ruby;
	in->symbol[SYM_VERSION] = (uintptr_t)version;
	in->symbol[SYM_COLLECTS] = (uintptr_t)collects;
	if (!interp_ruby.init(in, &why))
		abort();
	in->unwind = image_address(NAME);
	ruby.vm = image_address(0);
	ruby.eval_lo = ruby.path = ruby.attached = 0;
	ruby.names = image_address(NAMES);
	/* The list of ractors is in front; that of threads in the second one,
	 * which are circles through these heads. */
	image_put(at[VM_LIST],
		  image_address(at[RACTOR_THREADS] ? STACK + at[RACTOR_NODE]
						   : THREAD));
	if (at[RACTOR_THREADS])
		image_put(STACK + at[RACTOR_THREADS], image_address(THREAD));
	if (at[THREAD_NATIVE]) {
		id = TYPES;
		image_put(THREAD + at[THREAD_NATIVE], image_address(TYPES));
	}
	image_put(id + at[THREAD_ID], 1);
	image_put(THREAD + at[THREAD_RUNS], image_address(TABLE));
	image_put(TABLE + RUNS_STACK, image_address(FRAMES));
	image_put(TABLE + RUNS_WORDS, (N_FRAME + 1) * at[FRAME_BYTES] / 8);
	image_put(TABLE + RUNS_FRAME, image_address(FRAMES));
	for (size_t i = 0; i < N_FRAME; i++) {
		size_t frame = FRAMES + i * at[FRAME_BYTES];

		image_put(frame + FRAME_PC, image_address(STACK + 64));
		image_put(frame + FRAME_ISEQ, image_address(OTHER_CODE));
		image_put(frame + FRAME_EP,
			  image_address(TYPES + 0x80 + i % 3 * 8));
	}
	image_methods(at);
	image_put(OTHER_CODE + ISEQ_CODE, image_address(CODE));
	image_put(CODE, (uint64_t)100 << 32);
	image_put(CODE + CODE_BODY, image_address(STACK));
	image_put(CODE + CODE_FILE, image_address(NAME));
	image_put(CODE + CODE_BASE_NAME, image_address(NAME));
	image_put(CODE + CODE_NAME, image_address(NAME));
	image_put(CODE + at[CODE_LINES], image_address(STACK));
	image_put(CODE + at[CODE_LINES] + LINES_SIZE, 3);
	image_put(CODE + at[CODE_LINES] + LINES_PLACES, image_address(STACK));
	image_put(NAME, IS_STRING | IS_OUTSIDE);
	image_put(NAME + OBJECT_SIZE, 5);
	image_put(NAME + OBJECT_SIZE + 8, image_address(STACK));
}
