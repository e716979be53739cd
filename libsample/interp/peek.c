/*
 * peek.c - copy memory that may not be mapped, by process_vm_readv() and
 * process_vm_writev() on the own process: they copy, or fail, whatever other
 * threads unmap meanwhile. See unwind/far.c, which reads stacks so. A call
 * costs almost a microsecond, and a further piece of one thirty times less, so
 * pages are kept for the walk, and what is scattered is read in one call.
 */
#include "config.h"

#include <string.h>

#include "interp.h"

#define NO_PAGE 1

enum { MAX_READ = 1024 /* calls in one walk */ };

bool
interp_peek_begin(struct interp_memory *m)
{
	if (m->in_use)
		return false;
	m->in_use = 1;
	m->pid = 0;
	m->n_read = 0;
	m->stack_lo = m->stack_hi = 0;
	for (int i = 0; i < INTERP_PAGES; i++)
		m->page[i] = NO_PAGE;
	for (int i = 0; i < INTERP_SEEN; i++)
		m->seen[i].code = 0;
	return true;
}

void
interp_peek_end(struct interp_memory *m)
{
	m->in_use = 0;
}

/* Returns how many bytes were copied. */
static size_t
copy(struct interp_memory *m, void *to, size_t size, const struct iovec *from,
     size_t n)
{
	long got = -1;

	if (m->n_read++ < MAX_READ)
		got = unwind_own_read(&m->pid, to, size, from, n);
	return got > 0 ? (size_t)got : 0;
}

/* The copy of the page at addr, or NULL. */
static const uint8_t *
page_at(struct interp_memory *m, uintptr_t page)
{
	struct iovec from = { (void *)page, INTERP_PAGE };
	unsigned i;

	for (i = 0; i < INTERP_PAGES; i++)
		if (m->page[i] == page)
			return m->byte[i];
	i = m->next++ % INTERP_PAGES;
	m->page[i] = NO_PAGE;
	if (copy(m, m->byte[i], INTERP_PAGE, &from, 1) != INTERP_PAGE)
		return NULL;
	m->page[i] = page;
	return m->byte[i];
}

bool
interp_peek(struct interp_memory *m, uintptr_t addr, void *to, size_t n)
{
	if (n > INTERP_PAGE || addr > UINTPTR_MAX - 2 * INTERP_PAGE)
		return false;
	if (addr >= m->stack_lo && addr < m->stack_hi &&
	    n <= m->stack_hi - addr) {
		memcpy(to, (const void *)addr, n);
		return true;
	}
	while (n > 0) {
		uintptr_t off = addr % INTERP_PAGE;
		size_t part = INTERP_PAGE - off < n ? INTERP_PAGE - off : n;
		const uint8_t *page = page_at(m, addr - off);

		if (!page)
			return false;
		memcpy(to, page + off, part);
		to = (uint8_t *)to + part;
		addr += part;
		n -= part;
	}
	return true;
}

size_t
interp_peek_codes(struct interp_memory *m, const uintptr_t *addr, size_t n,
		  size_t size)
{
	if (n > INTERP_BATCH || size > INTERP_CODE_MAX)
		return 0;
	for (size_t i = 0; i < n; i++)
		m->from[i] = (struct iovec){ (void *)addr[i], size };
	return n ? copy(m, m->code, n * size, m->from, n) / size : 0;
}
