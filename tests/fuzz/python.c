/*
 * python.c - walks of Python's frames in memory that is anything: a sound image
 * of one of the versions, with words of it changed by the input to other places
 * in it, into a page that is not mapped, and to other numbers. The walk must
 * end, within its array; what it tells the recorder must be well formed.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* For its layouts. */
#include "libsample/interp/python.c"
#include "libsample/sampler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum {
	PAGES = 4, /* and one that is not mapped */
	N_FRAME = 40,
	N_OUT = 64,
	STACK = 0x2000, /* of the machine, in the image: each evaluator's frame
			 */
	STACK_STEP = 128,
	FRAMES = 0x400,
	FRAME_STEP = 128,
	CODE = 0x1c00,
	OTHER_CODE = 0x1a00, /* read along with it */
	NAME = 0x1d00,
	TABLE = 0x1e00,
	TYPES = 0x1f00,
	THREAD = 0x200,
	INTERPRETER = 0x100,
};

struct sampler sampler;

static uint8_t *image;

static void
put(size_t at, uintptr_t word)
{
	memcpy(image + at, &word, sizeof(word));
}

static uintptr_t
address(size_t at)
{
	return (uintptr_t)image + at;
}

static void
put_objects(const uint16_t *at)
{
	put(CODE + OBJECT_TYPE, address(TYPES));
	put(CODE + at[CODE_FILE], address(NAME));
	put(CODE + at[CODE_NAME], address(NAME));
	put(CODE + at[CODE_LINES], address(TABLE));
	put(CODE + at[CODE_FIRST_LINE], 7);
	memcpy(image + OTHER_CODE, image + CODE, NAME - CODE);
	put(NAME + OBJECT_TYPE, address(TYPES + 8));
	put(NAME + OBJECT_SIZE, 5);
	put(NAME + TEXT_STATE, 1 << 2 | 1 << 5 | 1 << 6);
	put(TABLE + OBJECT_TYPE, address(TYPES + 16));
	put(TABLE + OBJECT_SIZE, 6);
}

/* Each frame has an evaluator of its own, with its mark on the stack. */
static void
put_frames(const uint16_t *at)
{
	unsigned minor = at[VERSION_MINOR];

	put(at[RUNTIME_INTERPRETERS], address(INTERPRETER));
	put(INTERPRETER + at[INTERPRETER_THREADS], address(THREAD));
	put(THREAD + at[THREAD_ID], 1);
	put(THREAD + at[THREAD_FRAME], address(FRAMES));
	if (at[THREAD_CFRAME])
		put(THREAD + at[THREAD_CFRAME], address(STACK));
	for (size_t i = 0; i < N_FRAME; i++) {
		size_t frame = FRAMES + i * FRAME_STEP;
		size_t mark = STACK + i * STACK_STEP;

		put(frame + at[FRAME_PREVIOUS],
		    i + 1 < N_FRAME ? address(frame + FRAME_STEP) : 0);
		put(frame + at[FRAME_CODE], address(i % 3 ? CODE : OTHER_CODE));
		put(frame + at[FRAME_AT], 2);
		if (minor == 11 || minor == 12)
			put(mark + at[THREAD_FRAME], address(frame));
		if (at[THREAD_CFRAME])
			put(mark + at[CFRAME_PREVIOUS],
			    address(mark + STACK_STEP));
		if (minor == 11)
			image[frame + at[FRAME_OWNER]] = 1;
		else if (minor > 12 && i % 2)
			image[frame + at[FRAME_OWNER]] = OWNER_STACK;
	}
}

static void
check_slot(const struct shm_slot *slot)
{
	const struct shm_code *c = &slot->u.code;

	if (slot->kind == SHM_CODE &&
	    slot->count != offsetof(struct shm_code, text) +
				   (size_t)c->n_name * c->name_unit +
				   (size_t)c->n_file * c->file_unit)
		abort();
}

static void
walk(const struct interp *in, bool failed)
{
	static struct interp_memory memory;
	static _Atomic uintptr_t hint;
	struct interp_thread thread = { 1, &hint };
	uintptr_t pc[N_OUT];
	struct unwind_frames out = { .pc = pc, .max = N_OUT };
	struct interp_walk w;
	struct unwind_guest *g;

	atomic_store(&hint, address(THREAD));
	atomic_store(&interp_state.found, in);
	g = interp_begin(&w, &memory, &thread);
	if (!g)
		abort();
	for (size_t i = 0; i < N_FRAME; i++)
		if (!g->frame(g, &out, in->lo,
			      address(STACK + (i + 1) * STACK_STEP)))
			unwind_frames_add(&out, 1);
	g->end(g, &out, failed);
	interp_end(&w);
	if (out.n > N_OUT || w.n > 2 * INTERP_WALK || memory.in_use ||
	    unwind_frames_end(&out, !failed) > N_OUT)
		abort();
}

static void
set_up(void)
{
	const int rw = PROT_READ | PROT_WRITE;
	const int how = MAP_PRIVATE | MAP_ANONYMOUS;

	if (image)
		return;
	image = mmap(NULL, (PAGES + 1) * INTERP_PAGE, rw, how, -1, 0);
	sampler.shm = mmap(NULL, sizeof(*sampler.shm), rw, how, -1, 0);
	interp_state.known =
		mmap(NULL, INTERP_KNOWN * sizeof(uint64_t), rw, how, -1, 0);
	if (image == MAP_FAILED || sampler.shm == MAP_FAILED ||
	    interp_state.known == MAP_FAILED ||
	    mprotect(image + (size_t)PAGES * INTERP_PAGE, INTERP_PAGE,
		     PROT_NONE) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	unsigned minor = n ? 8 + data[0] % 6 : 8;
	/* 3.13 describes itself; the layout of 3.12 will do. */
	unsigned long version = 3 << 24 | (minor < 13 ? minor : 12) << 16;
	struct interp in = { .kind = &interp_python };
	const char *why;

	set_up();
	memset(image, 0, (size_t)PAGES * INTERP_PAGE);
	interp_forget();
	in.symbol[SYM_RUNTIME] = address(0);
	in.symbol[SYM_CODE_TYPE] = address(TYPES);
	in.symbol[SYM_TEXT_TYPE] = address(TYPES + 8);
	in.symbol[SYM_BYTES_TYPE] = address(TYPES + 16);
	in.symbol[SYM_VERSION] = (uintptr_t)&version;
	if (!interp_python.init(&in, &why))
		abort();
	in.layout[VERSION_MINOR] = (uint16_t)minor;
	in.lo = in.eval_lo = 0x1000;
	in.hi = in.eval_hi = 0x2000;
	put_objects(in.layout);
	put_frames(in.layout);
	for (size_t i = 2; i + 4 <= n; i += 4) {
		size_t at = (size_t)(data[i] << 8 | data[i + 1]) %
			    (PAGES * INTERP_PAGE - 8);
		uintptr_t word = (uintptr_t)(data[i + 2] << 8 | data[i + 3]);

		put(at, word & 0x8000
				? address(word % ((PAGES + 1) * INTERP_PAGE))
				: word);
	}
	walk(&in, n & 1);
	for (size_t i = 0; i < SHM_N_SLOT && sampler.shm->slot[i].kind; i++)
		check_slot(&sampler.shm->slot[i]);
	atomic_store(&sampler.shm->head, 0);
	atomic_store(&sampler.shm->next_code, 0);
	for (size_t i = 0; i < SHM_N_SLOT && sampler.shm->slot[i].kind; i++)
		sampler.shm->slot[i] = (struct shm_slot){ 0 };
	return 0;
}
