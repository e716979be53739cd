/*
 * stacks.c - list and sort the stacks of a profile; see flame.h.
 *
 * Stacks are compared by a key of as many frames as fit into 64 bits, and
 * sorted by these keys; those with equal keys are sorted further by the next
 * frames. So each frame is read about once, where a comparison sort would
 * compare the common callers again and again. Nothing recurses: runs to be
 * sorted are on a stack.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "flame.h"
#include "lib/base/array.h"
#include "lib/model/profile.h"

#define FEW 32 /* runs up to this use insertion sort */

/* --- listing --- */

struct list {
	struct flame_stacks *s;
	const struct flame_source *src;
	size_t n, cap; /* of s->frame */
};

static void
add_frame(struct list *l, size_t begin, uint32_t frame)
{
	if (l->src->rename)
		frame = l->src->rename[frame];
	if (frame == FLAME_NONE || (l->src->joins_equal && l->n > begin &&
				    l->s->frame[l->n - 1] == frame))
		return;
	l->s->frame[l->n++] = frame;
}

/* The position of the outermost pivot of a stack, root first; n: none. */
static size_t
find_pivot(const struct flame_source *src, const uint32_t *frame, size_t n)
{
	size_t at = 0;

	while (at < n && !src->pivot[frame[at]])
		at++;
	return at;
}

/* Keep only one side of the pivot of the stack that begins at begin. */
static void
cut_at_pivot(struct list *l, size_t begin)
{
	uint32_t *frame = l->s->frame + begin;
	size_t n = l->n - begin, at = find_pivot(l->src, frame, n);

	if (at == n) {
		l->n = begin;
	} else if (l->src->callers) {
		for (size_t i = 0; i < at / 2; i++) {
			uint32_t swap = frame[i];

			frame[i] = frame[at - 1 - i];
			frame[at - 1 - i] = swap;
		}
		l->n = begin + at;
	} else {
		memmove(frame, frame + at + 1, (n - at - 1) * sizeof(*frame));
		l->n = begin + n - at - 1;
	}
}

/* Add one stack; there is room for it. */
static void
add_stack(struct list *l, const uint32_t *stack, uint32_t n_stack)
{
	const struct flame_source *src = l->src;
	bool is_reversed = src->is_reversed;
	size_t begin = l->n;

	for (uint32_t k = 0; k < n_stack; k++) {
		uint32_t at = stack[is_reversed ? k : n_stack - 1 - k];
		uint32_t first = src->first[at], end = src->first[at + 1];

		for (uint32_t i = first; i < end; i++)
			add_frame(
				l, begin,
				src->frame[is_reversed ? i
						       : end - 1 - i + first]);
	}
	if (src->pivot)
		cut_at_pivot(l, begin);
}

bool *
flame_without_pivot(const struct flame_source *src)
{
	const struct profile *p = src->p;
	bool *has = calloc(p->n_location + 1, sizeof(*has));
	bool *without = malloc(p->n_sample + 1);

	for (size_t l = 0; has && l < p->n_location; l++) {
		for (uint32_t i = src->first[l]; i < src->first[l + 1]; i++) {
			uint32_t frame = src->frame[i];

			if (src->rename)
				frame = src->rename[frame];
			has[l] |= frame != FLAME_NONE && src->pivot[frame];
		}
	}
	for (size_t i = 0; has && without && i < p->n_sample; i++) {
		const uint32_t *stack = profile_stack(p, &p->sample[i]);

		without[i] = true;
		for (uint32_t k = 0; k < p->sample[i].n_stack; k++)
			without[i] &= !has[stack[k]];
	}
	if (!has) {
		free(without);
		without = NULL;
	}
	free(has);
	return without;
}

/* The largest number of frames of a location. */
static size_t
most_frames(const struct flame_source *src)
{
	size_t most = 1;

	for (size_t l = 0; l < src->p->n_location; l++)
		if (src->first[l + 1] - src->first[l] > most)
			most = src->first[l + 1] - src->first[l];
	return most;
}

enum prof_status
flame_stacks_init(struct flame_stacks *s, const struct flame_source *src,
		  struct prof_err *err)
{
	const struct profile *p = src->p;
	struct list l = { .s = s, .src = src };
	size_t most = most_frames(src);

	*s = (struct flame_stacks){ .n = p->n_sample, .n_frame = src->n_frame };
	s->start = calloc(s->n + 1, sizeof(*s->start));
	s->order = calloc(s->n + 1, sizeof(*s->order));
	s->shared = calloc(s->n + 1, sizeof(*s->shared));
	/* frame must not be NULL, even if all stacks are empty. */
	if (!s->start || !s->order || !s->shared ||
	    array_reserve(&s->frame, &l.cap, 1, sizeof(*s->frame)) < 0)
		return prof_nomem(err);
	for (size_t i = 0; i < s->n; i++) {
		const struct sample *sample = &p->sample[i];
		size_t room;

		if (__builtin_mul_overflow((size_t)sample->n_stack, most,
					   &room) ||
		    room > UINT32_MAX ||
		    array_reserve(&s->frame, &l.cap, l.n + room,
				  sizeof(*s->frame)) < 0)
			return prof_nomem(err);
		add_stack(&l, profile_stack(p, sample), sample->n_stack);
		s->start[i + 1] = l.n;
	}
	return PROF_OK;
}

void
flame_stacks_release(struct flame_stacks *s)
{
	free(s->frame);
	free(s->start);
	free(s->order);
	free(s->shared);
	*s = (struct flame_stacks){ 0 };
}

/* --- sorting --- */

struct item {
	uint64_t key;
	uint32_t sample;
};

/* Samples order[from] to order[to - 1] are equal in their first frames. */
struct run {
	uint32_t from, to, depth;
};

struct sorter {
	struct flame_stacks *s;
	const uint32_t *rank;
	unsigned bits; /* of a rank + 1 */
	unsigned per;  /* frames in a key */
	struct item *item, *other;
	struct run *todo;
	size_t n_todo;
};

/* The key of the frames from depth on; an ended stack sorts first. */
static uint64_t
key_at(const struct sorter *t, uint32_t sample, uint32_t depth)
{
	const struct flame_stacks *s = t->s;
	const uint32_t *at = s->frame + s->start[sample];
	uint32_t n = flame_stack_length(s, sample);
	uint64_t key = 0;

	for (uint32_t i = depth; i < depth + t->per; i++) {
		uint64_t r = 0;

		if (i < n)
			r = (t->rank ? t->rank[at[i]] : at[i]) + (uint64_t)1;
		key = key << t->bits | r;
	}
	return key;
}

static void
sort_few(struct item *item, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct item x = item[i];
		size_t k = i;

		for (; k > 0 && item[k - 1].key > x.key; k--)
			item[k] = item[k - 1];
		item[k] = x;
	}
}

/* Radix sort by the bytes in which keys differ, the lowest first. Stable, like
 * the insertion sort. */
static void
sort_many(struct sorter *t, size_t n)
{
	uint64_t all = UINT64_MAX, some = 0;

	for (size_t i = 0; i < n; i++) {
		all &= t->item[i].key;
		some |= t->item[i].key;
	}
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t start[257] = { 0 };
		struct item *swap = t->other;

		if (!((all ^ some) >> shift & 255))
			continue;
		for (size_t i = 0; i < n; i++)
			start[(t->item[i].key >> shift & 255) + 1]++;
		for (int k = 0; k < 256; k++)
			start[k + 1] += start[k];
		for (size_t i = 0; i < n; i++)
			t->other[start[t->item[i].key >> shift & 255]++] =
				t->item[i];
		t->other = t->item;
		t->item = swap;
	}
}

/* Sort one run by its next frames, and note the runs that stay equal. */
static void
sort_run(struct sorter *t, const struct run *run)
{
	uint32_t *order = t->s->order + run->from;
	uint32_t n = run->to - run->from;
	uint64_t last = ((uint64_t)1 << t->bits) - 1;

	for (uint32_t i = 0; i < n; i++)
		t->item[i] = (struct item){ key_at(t, order[i], run->depth),
					    order[i] };
	if (n <= FEW)
		sort_few(t->item, n);
	else
		sort_many(t, n);
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && t->item[k].key == t->item[i].key; k++)
			order[k] = t->item[k].sample;
		/* Stacks whose key ends in 0 have ended. */
		if (k - i > 1 && (t->item[i].key & last))
			t->todo[t->n_todo++] =
				(struct run){ run->from + i, run->from + k,
					      run->depth + t->per };
	}
}

/* Count the frames that each stack shares with the preceding one. */
static void
find_shared(struct flame_stacks *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const uint32_t *x = s->frame + s->start[s->order[i]], *y;
		uint32_t n = flame_stack_length(s, s->order[i]), m, k = 0;

		if (i > 0) {
			y = s->frame + s->start[s->order[i - 1]];
			m = flame_stack_length(s, s->order[i - 1]);
			while (k < n && k < m && x[k] == y[k])
				k++;
		}
		s->shared[i] = k;
	}
}

enum prof_status
flame_stacks_sort(struct flame_stacks *s, const uint32_t *rank,
		  struct prof_err *err)
{
	struct sorter t = { .s = s, .rank = rank, .bits = 1 };
	struct run run = { 0, (uint32_t)s->n, 0 };

	if (s->n >= UINT32_MAX)
		return prof_fail(err, PROF_ELIMIT, "more than 2^32 samples");
	while (t.bits < 33 && s->n_frame >> t.bits)
		t.bits++;
	t.per = 64 / t.bits;
	/* Runs are disjoint, with at least two samples. */
	t.item = calloc(s->n + 1, sizeof(*t.item));
	t.other = calloc(s->n + 1, sizeof(*t.other));
	t.todo = calloc(s->n / 2 + 1, sizeof(*t.todo));
	if (t.item && t.other && t.todo) {
		for (uint32_t i = 0; i < s->n; i++)
			s->order[i] = i;
		sort_run(&t, &run);
		while (t.n_todo) {
			run = t.todo[--t.n_todo];
			sort_run(&t, &run);
		}
		find_shared(s);
	}
	free(t.item);
	free(t.other);
	free(t.todo);
	return t.item && t.other && t.todo ? PROF_OK : prof_nomem(err);
}

size_t
flame_stacks_nodes(const struct flame_stacks *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += flame_stack_length(s, s->order[i]) - s->shared[i];
	return n;
}
