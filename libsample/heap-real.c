/*
 * heap-real.c - the allocator behind us: the next object in the loader's order
 * with these names: libc, or a linked or preloaded allocator. It is looked up
 * at the first allocation, before any constructor has run. The look-up may
 * allocate memory, which comes from an arena.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "hook.h"
#include "real.h"

enum {
	ARENA = 64 * 1024,
	ALIGN = 16, /* before each block, for its size */
	PAGE = 4096,
};

static struct {
	_Atomic size_t used;
	_Alignas(PAGE) char bytes[ARENA];
} arena;

bool
heap_is_early(const void *p)
{
	uintptr_t at = (uintptr_t)p - (uintptr_t)arena.bytes;

	return at < sizeof(arena.bytes);
}

static void *
arena_aligned(size_t align, size_t size)
{
	size_t room, start;
	char *p;

	if (align < ALIGN)
		align = ALIGN;
	if (size > ARENA || align > PAGE)
		goto none;
	room = (size + align + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
	start = atomic_fetch_add(&arena.used, room);
	if (start > ARENA || room > ARENA - start)
		goto none;
	p = arena.bytes + (start + ALIGN + align - 1) / align * align;
	memcpy(p - ALIGN, &size, sizeof(size));
	heap_filter_forever(p);
	return p;
none:
	errno = ENOMEM;
	return NULL;
}

static void *
arena_malloc(size_t size)
{
	return arena_aligned(ALIGN, size);
}

static void *
arena_calloc(size_t n, size_t size)
{
	/* It is zero: no byte is used twice. */
	return size && n > ARENA / size ? arena_malloc(ARENA + 1)
					: arena_malloc(n * size);
}

static void *
arena_realloc(void *p, size_t size)
{
	return p ? heap_move_early(p, size) : arena_malloc(size);
}

static void
arena_free(void *p)
{
	(void)p;
}

static int
arena_posix_memalign(void **out, size_t align, size_t size)
{
	*out = arena_aligned(align, size);
	return *out ? 0 : ENOMEM;
}

static void *
arena_valloc(size_t size)
{
	return arena_aligned(PAGE, size);
}

static const struct heap_real from_arena = {
	arena_malloc,  arena_calloc,  arena_realloc,
	arena_free,    arena_aligned, arena_posix_memalign,
	arena_aligned, arena_valloc,  arena_valloc,
};

void *
heap_move_early(void *p, size_t size)
{
	size_t old;
	void *q = heap_real.malloc(size);

	memcpy(&old, (char *)p - ALIGN, sizeof(old));
	if (q)
		memcpy(q, p, old < size ? old : size);
	return q;
}

static void *
first_malloc(size_t size)
{
	heap_resolve();
	return heap_real.malloc(size);
}

static void *
first_calloc(size_t n, size_t size)
{
	heap_resolve();
	return heap_real.calloc(n, size);
}

static void *
first_realloc(void *p, size_t size)
{
	heap_resolve();
	return heap_real.realloc(p, size);
}

static void
first_free(void *p)
{
	heap_resolve();
	heap_real.free(p);
}

static void *
first_memalign(size_t align, size_t size)
{
	heap_resolve();
	return heap_real.memalign(align, size);
}

static int
first_posix_memalign(void **out, size_t align, size_t size)
{
	heap_resolve();
	return heap_real.posix_memalign(out, align, size);
}

static void *
first_aligned_alloc(size_t align, size_t size)
{
	heap_resolve();
	return heap_real.aligned_alloc(align, size);
}

static void *
first_valloc(size_t size)
{
	heap_resolve();
	return heap_real.valloc(size);
}

static void *
first_pvalloc(size_t size)
{
	heap_resolve();
	return heap_real.pvalloc(size);
}

struct heap_real heap_real = {
	first_malloc,        first_calloc,   first_realloc,
	first_free,          first_memalign, first_posix_memalign,
	first_aligned_alloc, first_valloc,   first_pvalloc,
};

void
heap_resolve(void)
{
	static _Atomic bool is_begun;
	int saved = errno;
	struct heap_real found = from_arena;
	void *allocator;

	if (atomic_load_explicit(&is_begun, memory_order_relaxed) ||
	    atomic_exchange(&is_begun, true))
		return;
	heap_real = from_arena;
	real_find(&found.malloc, "malloc");
	real_find(&found.calloc, "calloc");
	real_find(&found.realloc, "realloc");
	real_find(&found.free, "free");
	real_find(&found.memalign, "memalign");
	real_find(&found.posix_memalign, "posix_memalign");
	real_find(&found.aligned_alloc, "aligned_alloc");
	real_find(&found.valloc, "valloc");
	real_find(&found.pvalloc, "pvalloc");
	memcpy(&allocator, &found.malloc, sizeof(allocator));
	heap_new_resolve(allocator);
	real_found();
	heap_real = found;
	errno = saved;
}

/* Is this the entry by which a program without PIE, as Debian's python, calls
 * ours: an undefined symbol? musl does not tell symbols. */
static bool
is_entry(void *function, const void *object)
{
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1)
		return ((const ElfW(Ehdr) *)object)->e_type == ET_EXEC;
	return dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
	       symbol && symbol->st_shndx == SHN_UNDEF;
}

/*
 * libsample is initialized, as this library depends on it. Which malloc the
 * program has is found by address, as ours has the same name.
 */
__attribute__((constructor)) static void
load(void)
{
	void *theirs;
	Dl_info us, them;

	heap_resolve();
	theirs = dlsym(RTLD_DEFAULT, "malloc");
	if (theirs && dladdr(&arena, &us) && dladdr(theirs, &them) &&
	    us.dli_fbase != them.dli_fbase && !is_entry(theirs, them.dli_fbase))
		sample_hook_note("has a malloc of its own, which cannot be "
				 "seen: what comes from it is not in the "
				 "profile");
}
