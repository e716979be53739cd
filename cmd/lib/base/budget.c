/* budget.c - see budget.h. */
#include "config.h"

#include "budget.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sanitized.h"

/* The stacks of threads count, although few of their pages are ever used. */
#define STACK_BYTES ((size_t)8 << 20)
#define MAX_STACKS 64

/* A limit of ours is odd; the kernel ignores all but whole pages, and shells
 * set even ones. So the limit itself is all the state there is. */
static bool
is_ours(const struct rlimit *r)
{
	return r->rlim_cur != RLIM_INFINITY && (r->rlim_cur & 1);
}

void
budget_begin(size_t bytes)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit r;

	if (IS_SANITIZED || getrlimit(RLIMIT_DATA, &r) < 0 ||
	    (r.rlim_cur != RLIM_INFINITY && !is_ours(&r)))
		return;
	if (bytes < BUDGET_LEAST)
		bytes = BUDGET_LEAST;
	n = n < 1 ? 1 : n > MAX_STACKS ? MAX_STACKS : n;
	bytes += (size_t)n * STACK_BYTES;
	if (bytes >= r.rlim_max)
		return;
	r.rlim_cur = bytes | 1;
	setrlimit(RLIMIT_DATA, &r);
}

static bool
set_limit(rlim_t bytes, const struct rlimit *now, struct rlimit *old)
{
	struct rlimit r = *now;

	r.rlim_cur = bytes < r.rlim_max ? bytes : r.rlim_max;
	return prlimit(0, RLIMIT_DATA, &r, old) == 0;
}

/* Threads read files at the same time: what another has added in between is
 * found in the old value, and added again. */
void
budget_read(size_t n)
{
	rlim_t more = n < SIZE_MAX / 4 / BUDGET_PER_BYTE ? n * BUDGET_PER_BYTE
							 : SIZE_MAX / 4;
	struct rlimit now, old;

	if (IS_SANITIZED || !n || getrlimit(RLIMIT_DATA, &now) < 0)
		return;
	while (is_ours(&now) && now.rlim_cur < SIZE_MAX / 4 &&
	       set_limit(now.rlim_cur + more, &now, &old) &&
	       old.rlim_cur > now.rlim_cur) {
		rlim_t missed = old.rlim_cur - now.rlim_cur;

		now.rlim_cur += more;
		more = missed;
	}
}

uint64_t
budget_file_bytes(const struct stat *sb)
{
	uint64_t size = (uint64_t)sb->st_size;
	uint64_t on_disk = (uint64_t)sb->st_blocks * 512;

	/* 0: unknown to the file system */
	return on_disk && on_disk < size ? on_disk : size;
}

void
budget_file(const struct stat *sb)
{
	if (S_ISREG(sb->st_mode) && sb->st_size > 0)
		budget_read((size_t)budget_file_bytes(sb));
}

size_t
budget_bytes(void)
{
	struct rlimit r;

	if (IS_SANITIZED || getrlimit(RLIMIT_DATA, &r) < 0 || !is_ours(&r))
		return SIZE_MAX;
	return (size_t)r.rlim_cur;
}

void
budget_end(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_DATA, &r) == 0 && is_ours(&r)) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_DATA, &r);
	}
}
