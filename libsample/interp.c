/*
 * interp.c - put an interpreter's frames in their place in a walk: see
 * interp.h. Signal handlers run all of it.
 *
 * The evaluator calls itself through C code: a run of the interpreter's frames
 * stands for each of its frames on the machine's stack. The walk goes outwards,
 * and so do the runs, so each is put where the evaluator's next frame is met.
 */
#include "config.h"

#include <string.h>

#include "interp/interp.h"
#include "sampler.h"
#include "table.h"

enum {
	EVAL_BYTES = 1 << 14, /* of the evaluator's frame, at most */
	MAX_NAME = 1000,      /* bytes */
	MAX_FILE = 2000,      /* bytes */
	MAX_LINES = 1 << 17,  /* bytes */
	TAG_BITS = 30,        /* of the hash that a word of known has not */
	WAIT_BYTES = 2048,    /* of pthread_cond_timedwait(), at most */
};

_Static_assert(INTERP_MAX_CODE < UINT32_C(1) << TAG_BITS, "it fits a word");
_Static_assert(2 * MAX_NAME + MAX_FILE <= INTERP_PAGE, "they fit the text");

/* The number of code with this hash; 0: it has none. */
static uint32_t
known_find(uint64_t hash)
{
	_Atomic uint64_t *way =
		interp_state.known +
		hash % (INTERP_KNOWN / INTERP_WAYS) * INTERP_WAYS;

	for (int i = 0; i < INTERP_WAYS; i++) {
		uint64_t word =
			atomic_load_explicit(&way[i], memory_order_relaxed);

		if (word && (word ^ hash) >> TAG_BITS == 0)
			return (uint32_t)word & ((UINT32_C(1) << TAG_BITS) - 1);
	}
	return 0;
}

/* Others may do the same: then the code has two numbers, which is harmless. */
static void
known_add(uint64_t hash, uint32_t id)
{
	_Atomic uint64_t *way =
		interp_state.known +
		hash % (INTERP_KNOWN / INTERP_WAYS) * INTERP_WAYS;
	int i = 0;

	while (i < INTERP_WAYS &&
	       atomic_load_explicit(&way[i], memory_order_relaxed))
		i++;
	if (i == INTERP_WAYS)
		i = (int)(hash >> 20 & (INTERP_WAYS - 1));
	atomic_store_explicit(&way[i], hash >> TAG_BITS << TAG_BITS | id,
			      memory_order_relaxed);
}

/* Units of a string that are kept. */
static uint16_t
units(const struct interp_text *t, unsigned max_bytes)
{
	unsigned max = max_bytes / (t->unit ? t->unit : 1);

	return (uint16_t)(t->n < max ? t->n : max);
}

static bool
tell_lines(struct interp_walk *w, uint32_t id, const struct interp_code *c,
	   uint32_t n)
{
	struct shm_lines_part part = { .code = id };
	const struct interp_text *lines = c->lines;
	uint8_t *text = w->memory->text;

	for (uint32_t size, at = 0; part.at < n; part.at += size, at += size) {
		while (at == lines->n)
			lines++, at = 0;
		size = lines->n - at < INTERP_PAGE ? lines->n - at
						   : INTERP_PAGE;
		if (size > n - part.at)
			size = n - part.at;
		if (!interp_peek(w->memory, lines->at + at, text, size) ||
		    !table_tell(sampler.shm, SHM_LINES_PART, &part,
				offsetof(struct shm_lines_part, bytes), text,
				size))
			return false;
	}
	return true;
}

/* Give code a number and tell the recorder what it is. 0: that failed. */
static uint32_t
tell_code(struct interp_walk *w, const struct interp_code *c)
{
	struct shm *shm = sampler.shm;
	struct shm_code record = {
		.interp = (uint8_t)w->in->kind->number,
		.lines_are = c->lines_are,
		.name_unit = c->name.unit,
		.file_unit = c->file.unit,
		.join = c->join,
		.n_before = (uint16_t)(c->n_before < MAX_NAME ? c->n_before
							      : MAX_NAME),
		.n_scope = units(&c->scope, MAX_NAME),
		.n_name = units(&c->name, MAX_NAME),
		.n_file = units(&c->file, MAX_FILE),
		.first_line = c->first_line,
	};
	size_t n_scope = (size_t)record.n_scope * c->name.unit;
	size_t n_name = (size_t)record.n_name * c->name.unit;
	size_t n_file = (size_t)record.n_file * c->file.unit;
	uint8_t *text = w->memory->text;

	for (int i = 0; i < 4; i++) {
		uint32_t room = MAX_LINES - record.n_lines;

		record.n_lines += c->lines[i].n < room ? c->lines[i].n : room;
	}
	if (atomic_load(&shm->next_code) >= INTERP_MAX_CODE)
		return 0;
	record.code = atomic_fetch_add(&shm->next_code, 1) + 1;
	return record.code <= INTERP_MAX_CODE &&
			       tell_lines(w, record.code, c, record.n_lines) &&
			       interp_peek(w->memory, c->scope.at, text,
					   n_scope) &&
			       interp_peek(w->memory, c->name.at,
					   text + n_scope, n_name) &&
			       interp_peek(w->memory, c->file.at,
					   text + n_scope + n_name, n_file) &&
			       table_tell(shm, SHM_CODE, &record,
					  offsetof(struct shm_code, text), text,
					  n_scope + n_name + n_file)
		       ? record.code
		       : 0;
}

static unsigned
seen_place(const struct interp_frame *f)
{
	return (unsigned)(((f->code ^ f->owner) >> 4) * 0x9e3779b1u >> 16) %
	       INTERP_SEEN;
}

/* If this walk had f's code before, its number, and set base; else 0. */
static uint32_t
seen_find(const struct interp_memory *m, struct interp_frame *f)
{
	unsigned i = seen_place(f);

	if (m->seen[i].code != f->code || m->seen[i].owner != f->owner ||
	    !m->seen[i].id)
		return 0;
	f->base = m->seen[i].base;
	return m->seen[i].id;
}

/* The number of f's code, of which these bytes were read, and set base; 0:
 * none. */
static uint32_t
number_of(struct interp_walk *w, struct interp_frame *f, const uint8_t *bytes)
{
	uint64_t hash = w->in->kind->identify(w, f, bytes);
	unsigned seen = seen_place(f);
	struct interp_code c;
	uint32_t id;

	if (!hash)
		return 0;
	hash *= UINT64_C(0xff51afd7ed558ccd);
	hash ^= hash >> 32;
	id = known_find(hash);
	if (!id && w->in->kind->describe(w, f, bytes, &c)) {
		id = tell_code(w, &c);
		if (id)
			known_add(hash, id);
	}
	w->memory->seen[seen].code = f->code;
	w->memory->seen[seen].owner = f->owner;
	w->memory->seen[seen].base = f->base;
	w->memory->seen[seen].id = id;
	return id;
}

/* Set base, and id to the numbers of the code, of n frames; 0 where it was not
 * read. */
static void
number_frames(struct interp_walk *w, struct interp_frame *f, size_t n,
	      uint32_t *id)
{
	struct interp_memory *m = w->memory;
	size_t size = w->in->code_bytes, n_code = 0, got;
	uint8_t which[INTERP_BATCH];

	for (size_t i = 0; i < n; i++) {
		id[i] = seen_find(m, &f[i]);
		if (id[i])
			continue;
		which[n_code] = (uint8_t)i;
		m->addr[n_code++] = f[i].code;
	}
	for (size_t at = 0; at < n_code; at += got + 1) {
		got = interp_peek_codes(m, m->addr + at, n_code - at, size);
		for (size_t k = 0; k < got; k++) {
			size_t i = which[at + k];

			id[i] = seen_find(m, &f[i]);
			if (!id[i])
				id[i] = number_of(w, &f[i], m->code + k * size);
		}
	}
}

/* Read the next frames, of whichever runs, to w->memory->ahead. */
static void
read_ahead(struct interp_walk *w)
{
	const struct interp_kind *kind = w->in->kind;
	struct interp_memory *m = w->memory;
	struct interp_frame *f = m->read;
	uint32_t id[INTERP_BATCH];
	uint8_t of[INTERP_BATCH];
	struct interp_walk walk = *w;
	size_t n = 0, n_code = 0;

	for (; n < INTERP_BATCH && walk.frame; n++) {
		m->ahead[n].here = walk.frame;
		m->ahead[n].shown = 0;
		f[n_code] = (struct interp_frame){ 0 };
		if (walk.n++ >= INTERP_WALK || !kind->next(&walk, &f[n_code])) {
			w->is_ahead_bad = true;
			break;
		}
		m->ahead[n].frame = walk.frame;
		m->ahead[n].entry = walk.entry;
		m->ahead[n].is_last = f[n_code].is_last;
		if (f[n_code].code)
			of[n_code++] = (uint8_t)n;
	}
	w->n = walk.n;
	w->link = walk.link;
	w->n_ahead = (uint32_t)n;
	w->n_put = 0;
	if (kind->finish && n_code)
		kind->finish(w, f, n_code);
	number_frames(w, f, n_code, id);
	if (kind->lines && n_code)
		kind->lines(w, f, n_code);
	for (size_t i = 0; i < n_code; i++) {
		uint32_t at = kind->place ? kind->place(&f[i]) : f[i].at;

		m->ahead[of[i]].is_last = f[i].is_last;
		if (f[i].code)
			m->ahead[of[i]].shown =
				id[i] ? INTERP_FRAME(id[i], at)
				      : INTERP_FRAME(0, kind->number);
	}
}

/* Add the frames of the next run. False: there were none. */
static bool
put_run(struct interp_walk *w, struct unwind_frames *out)
{
	uint64_t unread = INTERP_FRAME(0, w->in->kind->number), shown;
	bool is_last = false, any = false;

	while (!is_last && w->frame) {
		if (w->n_put == w->n_ahead && !w->is_ahead_bad)
			read_ahead(w);
		if (w->n_put == w->n_ahead) {
			unwind_frames_add(out, unread);
			w->n_bad++;
			w->frame = 0;
			any = true;
			break;
		}
		shown = w->memory->ahead[w->n_put].shown;
		if (shown) {
			unwind_frames_add(out, shown);
			w->n_bad += shown == unread;
			any = true;
		}
		is_last = w->memory->ahead[w->n_put].is_last &&
			  w->memory->ahead[w->n_put].here >= w->until;
		w->frame = w->memory->ahead[w->n_put].frame;
		w->entry = w->memory->ahead[w->n_put++].entry;
	}
	if (!w->frame)
		w->state = INTERP_DONE;
	return any;
}

/* Put a frame for what the interpreter does, unless it is the last one. */
static void
put_name(struct interp_walk *w, struct unwind_frames *out, const char *name)
{
	struct interp_code c = {
		.name = { (uintptr_t)name, (uint32_t)strlen(name), 1 },
		.file = { .unit = 1 },
	};
	uint64_t hash = interp_mix(1, c.name.at);
	uint32_t id = known_find(hash);

	if (!id && (id = tell_code(w, &c)))
		known_add(hash, id);
	if (id && (!out->n || *out->last != INTERP_FRAME(id, 0)))
		unwind_frames_add(out, INTERP_FRAME(id, 0));
}

/* If pc is in the function of a phase, put a frame in its place. */
static bool
put_phase(struct interp_walk *w, struct unwind_frames *out, uintptr_t pc)
{
	const struct interp *in = w->in;

	for (size_t i = 0; i < INTERP_PHASES; i++) {
		if (pc - in->phase[i].lo >= in->phase[i].hi - in->phase[i].lo ||
		    (in->kind->phase[i].is_on && !in->kind->phase[i].is_on(w)))
			continue;
		put_name(w, out, in->kind->phase[i].does);
		return true;
	}
	return false;
}

static void
start(struct interp_walk *w)
{
	w->state = INTERP_ON;
	if (!w->in->kind->begin(w))
		w->n_bad++, w->frame = 0;
	if (!w->frame)
		w->state = INTERP_DONE;
}

/* The caller's part of the stack that cfa is in is mapped, and stays. */
static void
find_stack(struct interp_walk *w, uintptr_t cfa)
{
	for (size_t i = 0; i < w->n_stack; i++)
		if (cfa >= w->stack[i].lo && cfa < w->stack[i].hi) {
			w->memory->stack_lo = cfa;
			w->memory->stack_hi = w->stack[i].hi;
		}
	w->n_stack = 0;
}

/* Is the innermost frame one that C entered? */
static bool
is_entered(const struct interp_walk *w)
{
	struct interp_walk walk = *w;
	struct interp_frame f = { 0 };

	return w->in->kind->next(&walk, &f) && f.is_last && f.code;
}

static bool
guest_frame(struct unwind_guest *g, struct unwind_frames *out, uintptr_t pc,
	    uintptr_t cfa, uintptr_t last)
{
	struct interp_walk *w = (struct interp_walk *)(void *)g;
	const struct interp *in = w->in;

	if (w->n_stack)
		find_stack(w, cfa);
	if (pc - in->lo >= in->hi - in->lo) {
		w->callee = pc;
		return false;
	}
	if (!w->is_met && in->kind->waits && in->waits &&
	    w->callee - in->waits < WAIT_BYTES)
		put_name(w, out, in->kind->waits);
	w->is_met = true;
	w->kept = last;
	if (w->state == INTERP_UNSEEN) {
		start(w);
		if (in->kind->collects && w->frame && w->thread->is_own &&
		    in->kind->collects(w))
			put_name(w, out, "[garbage collection]");
	}
	if (put_phase(w, out, pc))
		return true;
	/* It has a frame already, and its evaluator does not run yet. */
	if (w->state == INTERP_ON && !w->n &&
	    pc - in->enter_lo < in->enter_hi - in->enter_lo && is_entered(w))
		put_run(w, out);
	if (w->state == INTERP_DONE ||
	    (w->entry ? cfa - w->entry - 1 >= EVAL_BYTES
		      : pc - w->eval_lo >= w->eval_hi - w->eval_lo) ||
	    (in->kind->run && !in->kind->run(w)))
		return false;
	return put_run(w, out);
}

/*
 * If machine code without unwind information ended the walk, or the stack of a
 * fiber, the interpreter's frames beyond it are known nevertheless.
 */
static void
guest_end(struct unwind_guest *g, struct unwind_frames *out, bool failed)
{
	struct interp_walk *w = (struct interp_walk *)(void *)g;

	if (failed && w->state == INTERP_UNSEEN)
		start(w);
	if (failed && w->state == INTERP_ON)
		unwind_frames_add(out, UNWIND_GAP);
	while (w->state == INTERP_ON)
		put_run(w, out);
}

struct unwind_guest *
interp_begin(struct interp_walk *w, struct interp_memory *m,
	     const struct interp_thread *thread,
	     const struct unwind_stack *stack, size_t n_stack)
{
	const struct interp *in = atomic_load(&interp_state.found);

	w->in = NULL;
	w->n_bad = 0;
	if (!in || sampler.shm->set.interp == SHM_INTERP_OFF)
		return NULL;
	if (!interp_peek_begin(m)) {
		w->n_bad = 1;
		return NULL;
	}
	w->guest.frame = guest_frame;
	w->guest.end = guest_end;
	w->in = in;
	w->memory = m;
	w->thread = thread;
	w->stack = stack;
	w->n_stack = thread->is_own ? n_stack : 0;
	w->state = INTERP_UNSEEN;
	w->is_met = false;
	w->n = 0;
	w->frame = w->entry = w->link = w->kept = 0;
	w->first = w->until = w->callee = 0;
	w->n_ahead = w->n_put = 0;
	w->is_ahead_bad = false;
	w->eval_lo = in->eval_lo;
	w->eval_hi = in->eval_hi;
	return &w->guest;
}

uint32_t
interp_end(struct interp_walk *w)
{
	if (w->in)
		interp_peek_end(w->memory);
	return w->n_bad;
}
