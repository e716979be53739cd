/*
 * tally.c - count stacks of several address spaces. tally-space.c resolves
 * addresses when they arrive.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "tally-int.h"

struct tally *
tally_new(void)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->arena = arena_new();
	hash_init(t->key);
	if (!t->arena || strtab_init(&t->strings, t->arena) != 0) {
		tally_free(t);
		return NULL;
	}
	return t;
}

void
tally_preloads(struct tally *t, const struct launch *l)
{
	t->launch = l;
}

void
tally_free(struct tally *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_space; i++)
		free(t->space[i].range);
	tally_release_files(t);
	arena_free(t->arena);
	free(t->module);
	hashtab_release(&t->modules);
	free(t->space);
	free(t->process);
	hashtab_release(&t->processes);
	free(t->early);
	free(t->label);
	free(t->labels);
	free(t->labels_of);
	hashtab_release(&t->label_sets);
	free(t->place);
	hashtab_release(&t->places);
	free(t->frames.frame);
	free(t->stack);
	free(t->value);
	hashtab_release(&t->stacks);
	tally_event_release(t);
	tally_code_release(t);
	free(t);
}

bool
tally_reserve(struct tally *t, void *array, size_t *room, size_t used, size_t n,
	      size_t size)
{
	if (array_reserve(array, room, used + n, size) == 0)
		return true;
	t->failed = true;
	return false;
}

uint32_t
tally_intern(struct tally *t, const char *s)
{
	uint32_t i = strtab_addz(&t->strings, s);

	if (i == STRTAB_NONE)
		t->failed = true;
	return i;
}

uint32_t
tally_add(struct tally *t, struct hashtab *s, uint64_t hash,
	  hashtab_same_fn *same, const void *key, size_t next)
{
	uint32_t i = hashtab_intern(s, hash, same, t, key, next);

	if (i == HASHTAB_NONE)
		t->failed = true;
	return i;
}

/* Labels. */

static bool
same_labels(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct labels *a = &t->labels[i], *b = key;

	return a->n == b->n &&
	       (a->n == 0 || !memcmp(t->label + a->at, t->label + b->at,
				     a->n * sizeof(*t->label)));
}

/* Read key NUL value NUL into the pool; false at the end. */
static bool
read_label(struct tally *t, const char **text, const char *end)
{
	const char *value = memchr(*text, '\0', (size_t)(end - *text));
	struct label label = { 0 };

	if (!value || ++value >= end ||
	    !memchr(value, '\0', (size_t)(end - value)) ||
	    !tally_reserve(t, &t->label, &t->room_label, t->n_label, 1,
			   sizeof(label)))
		return false;
	label.key = tally_intern(t, *text);
	label.str = tally_intern(t, value);
	if (label.key == STRTAB_NONE || label.str == STRTAB_NONE)
		return false;
	t->label[t->n_label++] = label;
	*text = value + strlen(value) + 1;
	return true;
}

void
tally_label(struct tally *t, const struct shm_label *l, size_t n)
{
	struct labels set = { .at = t->n_label };
	const char *text = l->text, *end = (const char *)l + n;
	uint32_t i;
	uint64_t hash = 0;

	if (n <= offsetof(struct shm_label, text) || l->label > SHM_MAX_LABEL ||
	    !tally_reserve(t, &t->labels, &t->room_labels, t->n_labels, 1,
			   sizeof(set)) ||
	    !tally_reserve(t, &t->labels_of, &t->room_number, t->n_number,
			   l->label >= t->n_number ? l->label + 1 - t->n_number
						   : 0,
			   sizeof(*t->labels_of)))
		return;
	while (t->n_number <= l->label)
		t->labels_of[t->n_number++] = 0;
	while (text < end && read_label(t, &text, end)) {
		hash = hash_mix(
			t->key,
			hash_mix(t->key, hash, t->label[set.at + set.n].key),
			t->label[set.at + set.n].str);
		set.n++;
	}
	i = tally_add(t, &t->label_sets, hash, same_labels, &set, t->n_labels);
	if (i == t->n_labels)
		t->labels[t->n_labels++] = set;
	else
		t->n_label = set.at;
	t->labels_of[l->label] = i == HASHTAB_NONE ? 0 : i + 1;
}

/* Stacks. */

static bool
same_place(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;
	const struct place *a = &t->place[i], *b = key;

	return a->address == b->address && a->module == b->module;
}

static uint32_t
add_place(struct tally *t, uint64_t address, uint32_t module)
{
	struct place place = { address, module };
	uint32_t i;

	if (!tally_reserve(t, &t->place, &t->room_place, t->n_place, 1,
			   sizeof(place)))
		return PROF_NONE;
	i = tally_add(t, &t->places,
		      hash_mix(t->key, hash_mix(t->key, 0, address), module),
		      same_place, &place, t->n_place);
	if (i == t->n_place)
		t->place[t->n_place++] = place;
	return i;
}

/* The module of frame number k, at pc, and its address. s: NULL if the space is
 * unknown. */
static uint32_t
module_of(struct tally *t, struct space *s, uint64_t pc, uint32_t k,
	  uint64_t *address)
{
	uint32_t m = PROF_NONE;

	*address = 0;
	if (k > 0 && pc == UNWIND_GAP)
		return PLACE_GAP;
	if (k == 0 && pc == UNWIND_OWN)
		return PLACE_OWN;
	if (INTERP_IS_FRAME(pc))
		return tally_code_at(t, pc, address);
	/* Callers: a byte of the call, not the instruction after it. */
	*address = pc - (k > 0);
	if (s)
		m = tally_module_at(t, s, address);
	if (s && m == PROF_NONE && tally_read_maps(t, s))
		m = tally_module_at(t, s, address);
	return m;
}

/* The interpreter's own code is left out if the stack has its functions. */
static void
hide_interpreter(const struct tally *t, uint32_t *frame, uint32_t *n)
{
	bool has_code = false;
	uint32_t kept = 0;

	for (uint32_t k = 0; k < *n; k++)
		has_code |= t->place[frame[k]].module == PLACE_CODE;
	for (uint32_t k = 0; has_code && k < *n; k++) {
		uint32_t m = t->place[frame[k]].module;

		if (m >= PLACE_FIRST || !t->module[m].hide)
			frame[kept++] = frame[k];
	}
	if (has_code)
		*n = kept;
}

bool
tally_frames(struct tally *t, struct frames *pool, uint64_t key,
	     const uint64_t *pc, struct stack *stack, uint64_t *hash)
{
	struct space *s = tally_find_space(t, SHM_KEY_SPACE(key));
	uint32_t depth = SHM_KEY_DEPTH(key), number = SHM_KEY_LABEL(key);
	bool is_tick = SHM_KEY_EVENT(key) == SHM_TICK, has_hidden = false;
	bool is_fork = is_tick && depth && pc[0] == UNWIND_FORK;

	*stack = (struct stack){ .at = pool->n, .process = PROF_NONE };
	if (!is_tick)
		depth--; /* the last entry is a number, not a frame */
	if (!tally_reserve(t, &pool->frame, &pool->room, pool->n, depth,
			   sizeof(*pool->frame)))
		return false;
	if (s)
		stack->process = s->process;
	if (number < t->n_number)
		stack->labels = t->labels_of[number];
	*hash = hash_mix(t->key, stack->labels, stack->process);
	for (uint32_t k = 0; k < depth; k++) {
		uint64_t address;
		uint32_t m, place;

		if (k == 0 && is_fork)
			continue;
		m = module_of(t, s, pc[k], k, &address);

		/* Skip a wrapper of ours, which the program did not call. */
		if (m < PLACE_FIRST && t->module[m].is_self) {
			if (k > 0 || !is_tick)
				continue;
			m = PLACE_OWN;
			address = 0;
		}
		/* Nor the part of fork() that calls ours. */
		if (is_fork && k + 1 < depth) {
			is_fork = false;
			continue;
		}
		has_hidden |= m < PLACE_FIRST && t->module[m].hide;
		place = add_place(t, address, m);
		if (place == PROF_NONE)
			return false;
		pool->frame[stack->at + stack->n++] = place;
	}
	if (has_hidden)
		hide_interpreter(t, pool->frame + stack->at, &stack->n);
	for (uint32_t k = 0; k < stack->n; k++)
		*hash = hash_mix(t->key, *hash, pool->frame[stack->at + k]);
	return true;
}

bool
tally_same_stack(const struct frames *pool, const struct stack *a,
		 const struct stack *b)
{
	return a->process == b->process && a->labels == b->labels &&
	       a->n == b->n &&
	       (a->n == 0 || !memcmp(pool->frame + a->at, pool->frame + b->at,
				     a->n * sizeof(*pool->frame)));
}

static bool
same_stack(const void *tally, uint32_t i, const void *key)
{
	const struct tally *t = tally;

	return tally_same_stack(&t->frames, &t->stack[i], key);
}

/* The index of the stack that key and pc mean; a new one has no ticks. */
static uint32_t
stack_of(struct tally *t, uint64_t key, const uint64_t *pc)
{
	struct stack stack;
	uint64_t hash;
	uint32_t i;

	if (!tally_reserve(t, &t->stack, &t->room_stack, t->n_stack, 1,
			   sizeof(stack)) ||
	    !tally_reserve(t, &t->value, &t->room_value,
			   t->n_stack * t->n_column, t->n_column,
			   sizeof(*t->value)) ||
	    !tally_frames(t, &t->frames, key, pc, &stack, &hash))
		return PROF_NONE;
	i = tally_add(t, &t->stacks, hash, same_stack, &stack, t->n_stack);
	if (i != t->n_stack)
		return i;
	for (size_t k = 0; k < t->n_column; k++)
		t->value[i * t->n_column + k] = 0;
	t->stack[t->n_stack++] = stack;
	t->frames.n += stack.n;
	return i;
}

void
tally_stack(struct tally *t, uint64_t key, const uint64_t *pc, uint64_t ticks,
	    uint64_t signals)
{
	struct stack *s;
	uint32_t i;

	if (SHM_KEY_EVENT(key) != SHM_TICK) {
		tally_event(t, key, pc, ticks);
		return;
	}
	i = stack_of(t, key, pc);
	if (i == PROF_NONE)
		return;
	if (!signals)
		signals = 1;
	s = &t->stack[i];
	s->ticks = tally_plus(s->ticks, ticks);
	s->signals = tally_plus(s->signals, signals < ticks ? signals : ticks);
}

/*
 * The frame of libsample's start that calls the others: three of the dynamic
 * loader call that, or it is the last one copied. Other frames of libsample are
 * of wrappers, which call for the program. 0: none.
 */
static uint32_t
start_frame(struct tally *t, uint64_t key, const uint64_t *pc)
{
	struct space *s = tally_find_space(t, SHM_KEY_SPACE(key));
	uint32_t n = SHM_KEY_DEPTH(key);
	bool is_cut = n && pc[n - 1] == UNWIND_GAP;
	uint32_t k = is_cut ? n - 1 : n > 3 ? n - 3 : 0;
	uint32_t last = is_cut && n > 3 ? n - 3 : k ? k - 1 : 0;
	uint64_t address;

	while (k-- > last) {
		uint32_t m = module_of(t, s, pc[k], k, &address);

		if (k && m < PLACE_FIRST && t->module[m].is_self)
			return k;
	}
	return 0;
}

void
tally_chance(struct tally *t, uint64_t key, const uint64_t *pc)
{
	uint32_t k = start_frame(t, key, pc);
	uint32_t i = stack_of(t, key - k, pc + k);

	if (i == PROF_NONE)
		return;
	t->stack[i].ticks++;
	t->stack[i].signals++;
	t->stack[i].chances++;
	t->n_chance++;
}

uint64_t
tally_chances(const struct tally *t)
{
	return t->n_chance;
}

bool
tally_columns(struct tally *t, const struct tally_column *column, size_t n,
	      bool ticks)
{
	if (n > TALLY_MAX_COLUMN)
		return false;
	for (size_t i = 0; i < n; i++)
		t->column[i] = column[i];
	t->n_column = n;
	t->no_ticks = !ticks;
	return true;
}

void
tally_value(struct tally *t, uint64_t key, const uint64_t *pc, size_t column,
	    uint64_t value)
{
	uint32_t i = stack_of(t, key, pc);
	uint64_t *at;

	if (i == PROF_NONE)
		return;
	at = &t->value[i * t->n_column + column];
	*at = tally_plus(*at, value);
}
