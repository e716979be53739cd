/*
 * arena.c - see arena.h. Small pieces are cut from shared chunks; large ones
 * and growable arrays have blocks of their own, which realloc() can move by
 * remapping pages, without a copy.
 */
#include "config.h"

#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "bigmem.h"

#define CHUNK_SIZE ((size_t)64 * 1024)
#define ALIGN(n)                                                               \
	(((n) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1))

struct block {
	alignas(max_align_t) struct block *prev;
	struct block *next;
};

struct arena {
	struct block head; /* ring of all blocks */
	char *free;        /* rest of the current chunk */
	size_t n_free;
};

struct arena *
arena_new(void)
{
	struct arena *a = malloc(sizeof(*a));

	if (!a)
		return NULL;
	a->head.prev = a->head.next = &a->head;
	a->free = NULL;
	a->n_free = 0;
	return a;
}

void
arena_free(struct arena *a)
{
	struct block *b, *next;

	if (!a)
		return;
	for (b = a->head.next; b != &a->head; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

static void
link_block(struct arena *a, struct block *b)
{
	b->prev = a->head.prev;
	b->next = &a->head;
	b->prev->next = b;
	a->head.prev = b;
}

static void *
new_block(struct arena *a, size_t size)
{
	struct block *b;

	if (size > PTRDIFF_MAX - sizeof(*b))
		return NULL;
	b = malloc(sizeof(*b) + size);
	if (!b)
		return NULL;
	bigmem_hint(b + 1, size);
	link_block(a, b);
	return b + 1;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	char *p;

	if (size > CHUNK_SIZE / 4)
		return new_block(a, size);
	size = ALIGN(size);
	if (size > a->n_free) {
		p = new_block(a, CHUNK_SIZE);
		if (!p)
			return NULL;
		a->free = p;
		a->n_free = CHUNK_SIZE;
	}
	p = a->free;
	a->free += size;
	a->n_free -= size;
	return p;
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	if (size && n > PTRDIFF_MAX / size)
		return NULL;
	return arena_alloc(a, n * size);
}

void *
arena_grow(struct arena *a, void *p, size_t *cap, size_t n, size_t size)
{
	struct block *b = NULL;
	size_t want = *cap < 16 ? 16 : *cap;

	if (p && n <= *cap)
		return p;
	while (want < n) {
		if (want > PTRDIFF_MAX / 2)
			return NULL;
		want *= 2;
	}
	if (want > (PTRDIFF_MAX - sizeof(*b)) / size)
		return NULL;
	if (!p) {
		p = new_block(a, want * size);
		if (p)
			*cap = want;
		return p;
	}
	b = (struct block *)p - 1;
	b->prev->next = b->next;
	b->next->prev = b->prev;
	struct block *moved = realloc(b, sizeof(*b) + want * size);
	if (!moved) {
		link_block(a, b);
		return NULL;
	}
	if (*cap * size <= CHUNK_SIZE) /* little was used: like new */
		bigmem_hint(moved + 1, want * size);
	link_block(a, moved);
	*cap = want;
	return moved + 1;
}
