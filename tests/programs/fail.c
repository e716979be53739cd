/*
 * fail.c - preloaded into a command by fail.t: one call in it fails.
 *
 *	FAIL="KIND N"	the N-th call of this kind fails, and no other
 *	FAIL_LIST=FILE	none fails; appended to FILE are lines "KIND N": the
 *first call from each place of the program
 *	FAIL_DEPTH=D	with it: places are told apart by D callers (0: each
 *call) FAIL_KILL=1	with the first: SIGKILL ends the process instead
 *
 * Kinds are the names in `kinds`. Calls that libc makes of itself, as in
 * fclose(), are not seen, and neither are those of programs that are not called
 * prof-*.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { ALLOC, OPEN, READ, WRITE, SYNC, RENAME, REMOVE, N_KIND };

static const struct {
	const char *name;
	int error;
} kinds[N_KIND] = {
	[ALLOC] = { "malloc", ENOMEM },  [OPEN] = { "open", EMFILE },
	[READ] = { "read", EIO },        [WRITE] = { "write", ENOSPC },
	[SYNC] = { "fsync", EIO },       [RENAME] = { "rename", EACCES },
	[REMOVE] = { "remove", EACCES },
};

static atomic_long *calls; /* N_KIND, shared with children of fork() */
static enum kind wanted = N_KIND;
static long wanted_at;
static int list_fd = -1;
static int depth;
static bool is_ready;
static uintptr_t text_start, text_end;   /* of the program */
static _Atomic uint64_t places[1 << 14]; /* seen: hashes */
/* backtrace() allocates */
static _Thread_local bool is_listing __attribute__((tls_model("initial-exec")));

static int
find_text(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			text_start = info->dlpi_addr + p->p_vaddr;
			text_end = text_start + p->p_memsz;
		}
	}
	return 1; /* the first is the program */
}

__attribute__((constructor)) static void
start(void)
{
	const char *want = getenv("FAIL"), *list = getenv("FAIL_LIST");
	void *first[1];

	if (strncmp(program_invocation_short_name, "prof-", 5) != 0)
		return;
	for (int k = 0; want && k < N_KIND; k++) {
		size_t n = strlen(kinds[k].name);

		if (!strncmp(want, kinds[k].name, n) && want[n] == ' ') {
			wanted = k;
			wanted_at = atol(want + n);
		}
	}
	if (list) {
		if (getenv("FAIL_DEPTH"))
			depth = atoi(getenv("FAIL_DEPTH"));
		dl_iterate_phdr(find_text, NULL);
		backtrace(first, 1); /* loads its library now */
		list_fd = (int)syscall(
			SYS_openat, AT_FDCWD, list,
			O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	}
	calls = mmap(NULL, sizeof(*calls) * N_KIND, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	is_ready = calls != MAP_FAILED;
}

/* Is it a call of capstone, which follows the NULL that it gets? */
static bool
is_capstone(void *const *frame, int n)
{
	Dl_info who;

	for (int i = 0; i < n && i < 5; i++)
		if (dladdr(frame[i], &who) &&
		    strstr(who.dli_fname, "libcapstone"))
			return true;
	return false;
}

/* Is it to be listed: has no call come from here so far? */
static bool
is_new(enum kind k)
{
	void *frame[64];
	int n = backtrace(frame, 64), left = depth;
	uint64_t h = k + 1;

	if (is_capstone(frame, n))
		return false;
	if (!depth)
		return true;
	for (int i = 0; i < n && left; i++) {
		uintptr_t pc = (uintptr_t)frame[i];

		if (pc >= text_start && pc < text_end) {
			h = (h ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
			h ^= h >> 29;
			left--;
		}
	}
	for (size_t i = h; h; i++) {
		_Atomic uint64_t *p =
			&places[i % (sizeof(places) / sizeof(*places))];
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(p, &none, h))
			return true;
		if (none == h)
			return false;
	}
	return false;
}

/* Does this call fail? Sets errno. */
static bool
fails(enum kind k)
{
	char line[64];
	long n;

	if (!is_ready || is_listing)
		return false;
	n = ++calls[k];
	if (list_fd >= 0) {
		is_listing = true;
		if (is_new(k))
			syscall(SYS_write, list_fd, line,
				(size_t)snprintf(line, sizeof(line), "%s %ld\n",
						 kinds[k].name, n));
		is_listing = false;
		return false;
	}
	if (k != wanted || n != wanted_at)
		return false;
	if (getenv("FAIL_KILL"))
		raise(SIGKILL);
	if (getenv("FAIL_TRAP")) /* to find the place with gdb */
		__builtin_trap();
	errno = kinds[k].error;
	return true;
}

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *
malloc(size_t n)
{
	return fails(ALLOC) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails(ALLOC) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails(ALLOC) ? NULL : __libc_realloc(p, n);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (!__builtin_mul_overflow(n, size, &all))
		return realloc(p, all);
	errno = ENOMEM;
	return NULL;
}

int
posix_memalign(void **p, size_t align, size_t n)
{
	if (fails(ALLOC))
		return ENOMEM;
	*p = __libc_memalign(align, n);
	return *p ? 0 : ENOMEM;
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails(ALLOC) ? NULL : __libc_memalign(align, n);
}

/* NAME(ARGUMENTS) of a kind, which returns `none` when it fails. */
#define CALL(kind, type, none, name, declared, passed)                         \
	type name declared;                                                    \
	type name declared                                                     \
	{                                                                      \
		static type(*_Atomic real) declared;                           \
                                                                               \
		if (fails(kind))                                               \
			return none;                                           \
		if (!real)                                                     \
			real = (type(*) declared)dlsym(RTLD_NEXT, #name);      \
		return real passed;                                            \
	}

CALL(OPEN, FILE *, NULL, fopen, (const char *f, const char *m), (f, m))
CALL(OPEN, FILE *, NULL, fopen64, (const char *f, const char *m), (f, m))
CALL(OPEN, void *, NULL, opendir, (const char *f), (f))
CALL(OPEN, void *, NULL, fdopendir, (int fd), (fd))
CALL(OPEN, int, -1, mkostemp, (char *f, int flags), (f, flags))
CALL(OPEN, int, -1, mkostemp64, (char *f, int flags), (f, flags))
CALL(READ, ssize_t, -1, read, (int fd, void *p, size_t n), (fd, p, n))
CALL(READ, ssize_t, -1, pread, (int fd, void *p, size_t n, off_t at),
     (fd, p, n, at))
CALL(READ, ssize_t, -1, pread64, (int fd, void *p, size_t n, off_t at),
     (fd, p, n, at))
CALL(WRITE, ssize_t, -1, write, (int fd, const void *p, size_t n), (fd, p, n))
CALL(WRITE, ssize_t, -1, pwrite, (int fd, const void *p, size_t n, off_t at),
     (fd, p, n, at))
CALL(WRITE, ssize_t, -1, pwrite64, (int fd, const void *p, size_t n, off_t at),
     (fd, p, n, at))
CALL(WRITE, int, -1, ftruncate, (int fd, off_t n), (fd, n))
CALL(WRITE, int, -1, ftruncate64, (int fd, off_t n), (fd, n))
CALL(SYNC, int, -1, fsync, (int fd), (fd))
CALL(SYNC, int, -1, fdatasync, (int fd), (fd))
CALL(RENAME, int, -1, rename, (const char *a, const char *b), (a, b))
CALL(RENAME, int, -1, renameat, (int i, const char *a, int j, const char *b),
     (i, a, j, b))
CALL(RENAME, int, -1, linkat,
     (int i, const char *a, int j, const char *b, int f), (i, a, j, b, f))
CALL(RENAME, int, -1, mkdir, (const char *f, mode_t m), (f, m))
CALL(RENAME, int, -1, mkdirat, (int fd, const char *f, mode_t m), (fd, f, m))

CALL(REMOVE, int, -1, unlink, (const char *f), (f))
CALL(REMOVE, int, -1, unlinkat, (int fd, const char *f, int flags),
     (fd, f, flags))
CALL(REMOVE, int, -1, rmdir, (const char *f), (f))

/* open() has its mode only with some flags, but any register may be read. */
static int
open_real(int fd, const char *name, int flags, va_list rest)
{
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;

	return fails(OPEN) ? -1
			   : (int)syscall(SYS_openat, fd, name, flags, mode);
}

#define OPENS(call, declared, fd)                                              \
	int call declared                                                      \
	{                                                                      \
		va_list rest;                                                  \
		int got;                                                       \
                                                                               \
		va_start(rest, flags);                                         \
		got = open_real(fd, name, flags, rest);                        \
		va_end(rest);                                                  \
		return got;                                                    \
	}

OPENS(open, (const char *name, int flags, ...), AT_FDCWD)
OPENS(open64, (const char *name, int flags, ...), AT_FDCWD)
OPENS(openat, (int fd, const char *name, int flags, ...), fd)
OPENS(openat64, (int fd, const char *name, int flags, ...), fd)
