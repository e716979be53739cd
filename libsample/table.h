/*
 * table.h - the writing side of the shared memory of shm.h. All functions may
 * be called from signal handlers, in any number of threads and processes.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm.h"

/*
 * Add ticks to the stack pc[0..n), leaf first, with key, an SHM_KEY whose depth
 * is n <= SHM_DEPTH. Bounded work: no loop waits for another writer. Returns
 * false if there is no room: the caller counts the loss.
 */
bool table_add(struct shm *shm, uint64_t key, const uintptr_t *pc,
	       uint32_t ticks);

/*
 * Append a record of a kind other than SHM_STACK: size bytes at data, then
 * n_tail bytes at tail. Returns false, writing nothing, if the log is full or
 * they do not fit a slot.
 */
bool table_tell(struct shm *shm, enum shm_kind kind, const void *data,
		size_t size, const void *tail, size_t n_tail);

#endif
