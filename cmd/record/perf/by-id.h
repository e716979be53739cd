/*
 * by-id.h - tables of threads or processes by their number. An entry begins
 * with a struct by_id; the table frees none.
 */
#ifndef PERF_BY_ID_H
#define PERF_BY_ID_H

#include <stdint.h>

#define BY_ID_BUCKETS 4096

struct by_id {
	struct by_id *next; /* in its bucket */
	int32_t id;
};

struct by_id_table {
	struct by_id *bucket[BY_ID_BUCKETS];
};

/* The pointer to the entry of id, or to the end of its bucket's list. */
static inline struct by_id **
by_id_place(struct by_id_table *t, int32_t id)
{
	struct by_id **at = &t->bucket[(uint32_t)id % BY_ID_BUCKETS];

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

/* Take the entry of id out of the table; NULL if there is none. */
static inline void *
by_id_take(struct by_id_table *t, int32_t id)
{
	struct by_id **at = by_id_place(t, id), *e = *at;

	if (e)
		*at = e->next;
	return e;
}

#endif
