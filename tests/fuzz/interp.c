/*
 * interp.c - walks of interpreters' frames in memory that is anything: a sound
 * image of a version of one, with words of it changed by the input to other
 * places in it, into a page that is not mapped, to other numbers, and to
 * addresses that are not a program's. The walk must end, within its array; what
 * it tells the recorder must be well formed.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "interp.h"
#include "libsample/sampler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum {
	PAGES = 4, /* and one that is not mapped */
	N_OUT = 64,
};

struct sampler sampler;

static uint8_t *image;

uintptr_t
image_address(size_t at)
{
	return (uintptr_t)image + at;
}

void
image_put(size_t at, uintptr_t word)
{
	memcpy(image + at, &word, sizeof(word));
}

void
image_copy(size_t to, size_t from, size_t n)
{
	memcpy(image + to, image + from, n);
}

static void
check_slot(const struct shm_slot *slot)
{
	const struct shm_code *c = &slot->u.code;

	if (slot->kind == SHM_CODE &&
	    slot->count !=
		    offsetof(struct shm_code, text) +
			    ((size_t)c->n_scope + c->n_name) * c->name_unit +
			    (size_t)c->n_file * c->file_unit)
		abort();
}

static void
walk(const struct interp *in, bool failed)
{
	static struct interp_memory memory;
	static _Atomic uintptr_t hint;
	struct interp_thread thread = { 1, true, &hint };
	uintptr_t pc[N_OUT];
	struct unwind_frames out = { .pc = pc, .max = N_OUT };
	struct interp_walk w;
	struct unwind_guest *g;

	atomic_store(&hint, image_address(THREAD));
	atomic_store(&interp_state.found, in);
	g = interp_begin(&w, &memory, &thread, NULL, 0);
	if (!g)
		abort();
	for (size_t i = 0; i < N_FRAME; i++)
		if (!g->frame(g, &out, in->lo,
			      image_address(STACK + (i + 1) * STACK_STEP),
			      image_address(i % 2 ? TABLE : FRAMES + i * 448)))
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
	unsigned which = n ? data[0] % (PYTHONS + PHPS + RUBYS) : 0;
	struct interp in = { .kind = NULL };

	set_up();
	memset(image, 0, (size_t)PAGES * INTERP_PAGE);
	interp_forget();
	if (which < PYTHONS)
		image_python(&in, which);
	else if (which < PYTHONS + PHPS)
		image_php(&in, which - PYTHONS);
	else
		image_ruby(&in, which - PYTHONS - PHPS);
	in.lo = in.eval_lo = 0x1000;
	in.hi = in.eval_hi = 0x2000;
	for (size_t i = 2; i + 4 <= n; i += 4) {
		size_t at = (size_t)(data[i] << 8 | data[i + 1]) %
			    (PAGES * INTERP_PAGE - 8);
		uintptr_t word = (uintptr_t)(data[i + 2] << 8 | data[i + 3]);

		image_put(at, word & 0x8000
				      ? image_address(word % ((PAGES + 1) *
							      INTERP_PAGE))
			      : word & 0x4000 ? word << 49
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
