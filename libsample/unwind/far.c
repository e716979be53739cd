/*
 * far.c - read stack memory that may not be mapped, through the kernel: for the
 * walk of an unknown stack. Makes only system calls, as it runs in the signal
 * handler.
 *
 * process_vm_readv() on the own process copies or fails; checking first and
 * then reading would be a race with another thread's munmap(). It looks up and
 * pins the pages of each piece that it reads. process_vm_writev() does so where
 * it writes, and copies from here as write(2) does: for what is scattered.
 */
#include "config.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "filter.h"
#include "impl.h"
#include "unwind.h"

/* An address at which no page begins. */
#define NO_PAGE 1

/* Reads in one walk: one for each page, and three where a frame begins in one
 * and ends in the next. */
#define MAX_READ 128

bool
unwind_far_begin(struct unwind_far *far)
{
	if (!far || far->in_use)
		return false;
	far->in_use = 1;
	far->pid = 0;
	far->n_read = 0;
	far->limit = 0;
	far->page = NO_PAGE;
	return true;
}

long
unwind_own_read(int *pid, void *to, size_t size, const struct iovec *from,
		size_t n)
{
	struct iovec all = { to, size };
	int saved = errno;
	long got = -1;

	if (*pid == 0)
		*pid = filter_allows(FILTER_READ) ? (int)syscall(SYS_getpid)
						  : -1;
	/* 3 us for 50 pieces, not 24. But a page may be a device's, which this
	 * would read, and an address outside of programs fails all of them. */
	if (*pid > 0 && n > 1)
		got = syscall(SYS_process_vm_writev, (long)*pid, from, (long)n,
			      &all, 1L, 0L);
	if (*pid > 0 && got < 0)
		got = syscall(SYS_process_vm_readv, (long)*pid, &all, 1L, from,
			      (long)n, 0L);
	errno = saved;
	return got;
}

static bool
fetch_page(struct unwind_far *far, uintptr_t page)
{
	struct iovec from = { (void *)page, sizeof(far->word) };
	long n = -1;

	if (far->n_read++ < MAX_READ)
		n = unwind_own_read(&far->pid, far->word, sizeof(far->word),
				    &from, 1);
	far->page = n == (long)sizeof(far->word) ? page : NO_PAGE;
	return far->page == page;
}

bool
unwind_far_load(struct unwind_far *far, uintptr_t addr, uintptr_t *value)
{
	uintptr_t off = addr % UNWIND_FAR_BYTES;

	if (addr >= far->limit ||
	    (addr - off != far->page && !fetch_page(far, addr - off)))
		return false;
	*value = far->word[off / sizeof(far->word[0])];
	return true;
}
