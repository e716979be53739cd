/*
 * table.h - the writing side of the shared memory of shm.h. All of it may be
 * called from a signal handler, in any number of threads and processes.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm.h"

/*
 * Count ticks more for the stack pc[0..n), leaf first, of this SHM_KEY, whose
 * depth is n <= SHM_DEPTH. Bounded work: no loop waits for another writer.
 * Returns false when there is no room: they are lost then, which is for the
 * caller to count.
 */
bool table_add(struct shm *shm, uint64_t key, const uintptr_t *pc,
	       uint32_t ticks);

/*
 * Append a record of some kind other than SHM_STACK: size bytes at data, then
 * the n_tail bytes at tail. Returns false, writing nothing, when the log is
 * full, or when they do not fit a slot.
 */
bool table_tell(struct shm *shm, enum shm_kind kind, const void *data,
		size_t size, const void *tail, size_t n_tail);

#endif
