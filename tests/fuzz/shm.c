/*
 * shm.c - the recorder's side of the shared memory, while a program writes
 * anything into it. The input is a list of steps: records and stacks as
 * libsample writes them, words anywhere, and actions of the recorder. At the
 * end there must be well-formed profiles.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "libsample/table.h"
#include "record/drain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_STEP = 512, MAX_PASS = 64 };

struct input {
	const uint8_t *at, *end;
};

struct fuzz {
	struct drain d;
	struct tally *t;
	struct input in;
	unsigned n_pass;
	uint64_t hash; /* of the last stack */
};

/* The next n bytes; zeros behind the end. */
static void
bytes(struct input *in, void *to, size_t n)
{
	size_t left = (size_t)(in->end - in->at);
	size_t got = n < left ? n : left;

	memset(to, 0, n);
	memcpy(to, in->at, got);
	in->at += got;
}

static uint64_t
word(struct input *in, size_t n)
{
	uint64_t x = 0;

	bytes(in, &x, n);
	return x;
}

static void
read_note(const char *text)
{
	if (strlen(text) > sizeof(struct shm_slot))
		abort();
}

/* A stack in a space of few, whose frames are near to each other. */
static void
add_stack(struct fuzz *f)
{
	static const unsigned depths[] = { 1, 2, 3, 64, SHM_DEPTH, 63, 0, 8 };
	unsigned event = (unsigned)word(&f->in, 1) % 8;
	unsigned depth = depths[word(&f->in, 1) % 8];
	uint64_t space = word(&f->in, 1) % 4, label = word(&f->in, 1) % 4;
	uintptr_t pc[SHM_DEPTH];
	uint64_t key = SHM_KEY(event, space, label, depth);

	for (size_t i = 0; i < SHM_DEPTH; i++)
		pc[i] = i < 8 ? 0x1000 * (word(&f->in, 1) % 16) : 0x5000 + i;
	if (depth > 2)
		pc[1] = word(&f->in, 1) % 8 ? pc[1] : UNWIND_GAP;
	if (depth > 3 && word(&f->in, 1) % 2)
		pc[2] = INTERP_FRAME(word(&f->in, 1) % 5, word(&f->in, 1));
	f->hash = shm_hash(key, pc, depth);
	table_add(f->d.shm, key, pc, (uint32_t)word(&f->in, 4));
}

static void
add_record(struct fuzz *f)
{
	unsigned kind = 2 + (unsigned)word(&f->in, 1) % 8;
	size_t n = word(&f->in, 1) % 128;
	char record[128];

	bytes(&f->in, record, sizeof(record));
	/* Numbers of spaces and labels that others mean, too. */
	memset(record + 1, 0, 3);
	record[0] &= 3;
	if (kind == SHM_MODULE) {
		struct shm_module m = { .space = (uint32_t)record[0] };

		m.start = 0x1000 * (word(&f->in, 1) % 16);
		m.limit = m.start + 0x1000 * (word(&f->in, 1) % 16);
		m.n_build_id = (uint32_t)word(&f->in, 1) % 40;
		memcpy(record, &m, sizeof(m));
	}
	if (kind == SHM_CODE) { /* its interpreter, lines and units */
		record[4] &= 3;
		record[5] &= 3;
		record[6] &= 7;
		record[7] &= 7;
		memset(record + 9, 0, 1);
		memset(record + 11, 0, 1);
	} else if (kind == SHM_LINES_PART) {
		memset(record + 4, 0, 4);
	}
	table_tell(f->d.shm, (enum shm_kind)kind, record, n, "x", 2);
}

/* Words that are likely to do harm. */
static uint64_t
bad_word(struct fuzz *f)
{
	switch (word(&f->in, 1) % 6) {
	case 0:
		return UINT64_MAX;
	case 1:
		return f->d.tail + (uint64_t)(int8_t)word(&f->in, 1);
	case 2:
		return SHM_TURN(f->d.tail) + SHM_N_SLOT + word(&f->in, 1) % 2;
	case 3:
		return SHM_STATE(word(&f->in, 1), word(&f->in, 1),
				 SHM_COUNT_MAX);
	case 4:
		return 0;
	default:
		return word(&f->in, 8);
	}
}

static void
scribble(struct fuzz *f)
{
	struct shm *shm = f->d.shm;
	uint64_t i = word(&f->in, 2), x = bad_word(f);
	struct shm_slot *slot = &shm->slot[i % SHM_N_SLOT];

	switch (word(&f->in, 1) % 8) {
	case 0:
		atomic_store(&shm->head, x);
		break;
	case 1:
		atomic_store(&shm->slot[(f->d.tail + i % 4) % SHM_N_SLOT].turn,
			     x);
		break;
	case 2:
		slot->kind = (uint32_t)x;
		slot->count = (uint32_t)(x >> 32);
		break;
	case 3:
		atomic_store(&shm->mark[i % SHM_N_ENTRY].state, x);
		break;
	case 4:
		((uint64_t *)(void *)shm)[i % (sizeof(shm->set) / 8 + 16)] = x;
		break;
	case 5:
		((uint64_t *)(void *)shm->process)[i % 64] = x;
		atomic_store(&shm->n_process, (uint32_t)x);
		break;
	case 6:
		if (f->d.heap) {
			struct shm_live *l = &f->d.heap->live[i % SHM_N_LIVE];

			atomic_store(&l->pointer, x);
			l->hash = x % 4 ? f->hash : x;
			if (i % 16 == 0)
				atomic_store(&f->d.heap->level, (uint32_t)x);
		}
		break;
	default:
		memcpy((char *)shm + (i << 16 | word(&f->in, 2)) %
					     (f->d.size - sizeof(x)),
		       &x, sizeof(x));
	}
}

static void
look(struct fuzz *f, struct tally_info *info)
{
	struct profile *p = tally_profile(f->t, info);
	struct prof_err err;

	if (p && profile_check(p, &err) != PROF_OK)
		abort();
	profile_free(p);
}

static void
look_at_all(struct fuzz *f, const struct tally_mark *since)
{
	struct tally_info info = { .set = &f->d.set,
				   .shm = f->d.shm,
				   .with_ended = !since };

	for (int kind = TALLY_CPU; kind <= TALLY_LOCK; kind++) {
		info.kind = (enum tally_kind)kind;
		info.since = since && (int)tally_mark_kind(since) == kind
				     ? since
				     : NULL;
		look(f, &info);
	}
}

static void
step(struct fuzz *f)
{
	switch (word(&f->in, 1) % 8) {
	case 0:
	case 1:
		add_stack(f);
		break;
	case 2:
	case 3:
		add_record(f);
		break;
	case 4:
	case 5:
		scribble(f);
		break;
	case 6:
		if (f->n_pass++ < MAX_PASS)
			drain_pass(&f->d, f->t);
		break;
	default:
		if (f->n_pass++ < MAX_PASS)
			drain_table(&f->d, f->t);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct drain_config config = { .period_ns = 10000000,
				       .heap_period = 65536,
				       .lock_period = 1000,
				       .what = SHM_CPU | SHM_LOCK };
	struct fuzz f = { .in = { data, data + n } };
	struct tally_mark *m = NULL;
	struct prof_err err;

	if (word(&f.in, 1) & 1)
		config.what |= SHM_HEAP;
	f.t = tally_new();
	if (!f.t || drain_open(&f.d, &config, &err) != PROF_OK)
		abort();
	f.d.note = read_note;
	for (int i = 0; i < MAX_STEP && f.in.at < f.in.end; i++) {
		step(&f);
		if (i == MAX_STEP / 64) {
			struct tally_info now = { .set = &f.d.set,
						  .shm = f.d.shm };

			m = tally_mark(f.t, &now, (enum tally_kind)(*data % 4));
		}
	}
	drain_end(&f.d, f.t);
	look_at_all(&f, NULL);
	if (m)
		look_at_all(&f, m);
	tally_mark_free(m);
	drain_close(&f.d);
	tally_free(f.t);
	return 0;
}
