/* backlog.c - see backlog.h. Parts are freed as they are read. */
#include "config.h"

#include "backlog.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_BYTES = 128 << 20,
	PART_BYTES = 1 << 20,
};

struct backlog_part {
	struct backlog_part *next;
	size_t at, n;    /* bytes that were read, that are there */
	uint64_t byte[]; /* a kind and a record, and so on */
};

/* Records have multiples of 8 bytes. */
static size_t
size_of(const struct perf_event_header *h)
{
	return sizeof(uint64_t) + (((size_t)h->size + 7) & ~(size_t)7);
}

static struct backlog_part *
part_for(struct backlog *b, size_t n)
{
	struct backlog_part *p = b->last;

	if (p && p->n + n <= PART_BYTES)
		return p;
	p = malloc(sizeof(*p) + PART_BYTES);
	if (!p)
		return NULL;
	p->next = NULL;
	p->at = p->n = 0;
	if (b->last)
		b->last->next = p;
	else
		b->first = p;
	b->last = p;
	return p;
}

bool
backlog_add(struct backlog *b, size_t kind, const struct perf_event_header *h)
{
	const uint64_t head = kind;
	size_t n = size_of(h);
	struct backlog_part *p =
		b->n_bytes + n > MAX_BYTES ? NULL : part_for(b, n);

	if (!p)
		return false;
	memcpy((char *)p->byte + p->n, &head, sizeof(head));
	memcpy((char *)p->byte + p->n + sizeof(head), h, h->size);
	p->n += n;
	b->n_bytes += n;
	return true;
}

const struct perf_event_header *
backlog_peek(const struct backlog *b, size_t *kind)
{
	const uint64_t *at;

	if (!b->n_bytes)
		return NULL;
	at = b->first->byte + b->first->at / sizeof(*at);
	*kind = *at;
	return (const struct perf_event_header *)(at + 1);
}

void
backlog_next(struct backlog *b)
{
	struct backlog_part *p = b->first;
	size_t kind, n = size_of(backlog_peek(b, &kind));

	p->at += n;
	b->n_bytes -= n;
	if (p->at < p->n)
		return;
	if (!p->next) { /* the next record needs it */
		p->at = p->n = 0;
		return;
	}
	b->first = p->next;
	free(p);
}

void
backlog_clear(struct backlog *b)
{
	while (b->n_bytes)
		backlog_next(b);
	free(b->first);
	b->first = b->last = NULL;
}
