/*
 * bigmem.h - huge pages for large allocations. A profile is a few arrays of
 * many megabytes, each filled once from end to end: with 4 KiB pages a quarter
 * of the time of reading one goes into page faults. Use it for blocks that are
 * allocated in their final size: moving huge pages on growth costs more than
 * they save.
 */
#ifndef BIGMEM_H
#define BIGMEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Ask for huge pages inside the n bytes at p. Only a hint: it cannot fail. */
static inline void
bigmem_hint(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
	const uintptr_t huge = (uintptr_t)2 << 20, page = 4096;
	uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)p + n) & ~(page - 1);

	if (n >= 2 * huge)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
	(void)p, (void)n;
#endif
}

#endif
