/*
 * heap-new.c - C++'s operators new and delete. libstdc++'s call malloc() and
 * free(), and are counted there. Those in the allocator's own object (tcmalloc,
 * jemalloc) do not call its malloc(), and are sampled here.
 *
 * If the program does not use C++, but loads a library that does (a module of a
 * scripting language), our operators are found first, and libstdc++'s are
 * visible only to that library. Then ours do the same as libstdc++'s; only to
 * throw they need the originals.
 *
 * Written in C, with the mangled names. All arguments are integers, at most
 * three; in the calling conventions of the supported machines, an extra
 * argument is harmless.
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "real.h"

typedef void *new_fn(size_t size, uintptr_t a, uintptr_t b);
typedef void delete_fn(void *p, uintptr_t a, uintptr_t b);

enum new_kind {
	NEW,
	NEW_ARRAY,
	NEW_NOTHROW,
	NEW_ARRAY_NOTHROW,
	NEW_ALIGN,
	NEW_ARRAY_ALIGN,
	NEW_ALIGN_NOTHROW,
	NEW_ARRAY_ALIGN_NOTHROW,
	N_NEW
};

static const char *const new_name[N_NEW] = {
	"_Znwm",
	"_Znam",
	"_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t",
	"_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_ZnamSt11align_val_tRKSt9nothrow_t",
};

enum delete_kind {
	DELETE,
	DELETE_ARRAY,
	DELETE_SIZE,
	DELETE_ARRAY_SIZE,
	DELETE_NOTHROW,
	DELETE_ARRAY_NOTHROW,
	DELETE_ALIGN,
	DELETE_ARRAY_ALIGN,
	DELETE_SIZE_ALIGN,
	DELETE_ARRAY_SIZE_ALIGN,
	DELETE_ALIGN_NOTHROW,
	DELETE_ARRAY_ALIGN_NOTHROW,
	N_DELETE
};

static const char *const delete_name[N_DELETE] = {
	"_ZdlPv",
	"_ZdaPv",
	"_ZdlPvm",
	"_ZdaPvm",
	"_ZdlPvRKSt9nothrow_t",
	"_ZdaPvRKSt9nothrow_t",
	"_ZdlPvSt11align_val_t",
	"_ZdaPvSt11align_val_t",
	"_ZdlPvmSt11align_val_t",
	"_ZdaPvmSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t",
	"_ZdaPvSt11align_val_tRKSt9nothrow_t",
};

/* Where the allocations of an operator are counted. */
enum where {
	BELOW, /* it calls malloc(), or another function of ours */
	ASK,   /* the allocator's: watch what it calls */
	HERE,
};

static struct {
	new_fn *new[N_NEW]; /* NULL: there is none */
	delete_fn *delete[N_DELETE];
	_Atomic enum where where[N_NEW];
} operators;

void
heap_new_resolve(const void *allocator)
{
	Dl_info info;
	const void *base = NULL;
	void *found;

	if (dladdr(allocator, &info))
		base = info.dli_fbase;
	for (size_t i = 0; i < N_NEW; i++) {
		found = dlsym(RTLD_NEXT, new_name[i]);
		memcpy(&operators.new[i], &found, sizeof(found));
		operators.where[i] =
			found && dladdr(found, &info) && info.dli_fbase == base
				? ASK
				: BELOW;
	}
	for (size_t i = 0; i < N_DELETE; i++)
		real_find(&operators.delete[i], delete_name[i]);
}

static __attribute__((noinline)) void *
slow_new(new_fn *real, size_t size, uintptr_t a, uintptr_t b, const void *ra)
{
	bool is_due = heap_is_due(size);
	void *p = real(size, a, b);

	if (is_due)
		heap_sample(p, size, ra);
	return p;
}

/*
 * The allocator's operator may still call its malloc() or aligned_alloc() by
 * these names. Then the allocation was counted there, and `left` has changed.
 * Once that is known, it is remembered.
 */
static __attribute__((noinline)) void *
ask_new(enum new_kind kind, size_t size, uintptr_t a, uintptr_t b,
	const void *ra)
{
	uint64_t before = heap_thread.left;
	bool is_sure = heap_thread.is_drawn && size > 0;
	void *p = operators.new[kind](size, a, b);
	bool is_here = heap_thread.left == before;

	if (p && is_sure)
		operators.where[kind] = is_here ? HERE : BELOW;
	if (p && is_here && !heap_passes(size) && heap_is_due(size))
		heap_sample(p, size, ra);
	return p;
}

/*
 * The operator that the caller at ra would use without us, to throw when there
 * is no memory. Never the array form: it would tail-call the plain operator,
 * which is ours, and we would seem to call ourselves.
 */
static void *
last_resort(enum new_kind kind, size_t size, uintptr_t a, uintptr_t b,
	    const void *ra)
{
	struct link_map *map;
	Dl_info info;
	new_fn *real = NULL;
	void *handle, *found;

	if (!dladdr1 || !dladdr1(ra, &info, (void **)&map, RTLD_DL_LINKMAP) ||
	    !(handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD)))
		return NULL;
	found = dlsym(handle, new_name[kind & ~1u]);
	memcpy(&real, &found, sizeof(real));
	/* The handle is not closed, as an exception may unwind through here. */
	return real ? real(size, a, b) : NULL;
}

/* As libstdc++'s; ra is the caller for malloc(), too. */
static __attribute__((noinline)) void *
plain_new(enum new_kind kind, size_t size, uintptr_t a, uintptr_t b,
	  const void *ra)
{
	bool is_due, aligned = kind >= NEW_ALIGN;
	size_t n = size ? size : 1;
	void *p;

	is_due = !heap_passes(n) && heap_is_due(n);
	if (aligned && n > SIZE_MAX - a)
		p = NULL;
	else if (aligned)
		p = heap_real.aligned_alloc(a, (n + a - 1) & -a);
	else
		p = heap_real.malloc(n);
	if (!p)
		return last_resort(kind, size, a, b, ra);
	if (is_due)
		heap_sample(p, n, ra);
	return p;
}

static inline void *
allocate(enum new_kind kind, size_t size, uintptr_t a, uintptr_t b,
	 const void *ra)
{
	new_fn *real = operators.new[kind];

	if (!real) {
		/* No memory was allocated yet, or there is none. */
		heap_resolve();
		real = operators.new[kind];
	}
	if (!real)
		return plain_new(kind, size, a, b, ra);
	switch (atomic_load_explicit(&operators.where[kind],
				     memory_order_relaxed)) {
	case ASK:
		return ask_new(kind, size, a, b, ra);
	case HERE:
		if (!heap_passes(size))
			return slow_new(real, size, a, b, ra);
		break;
	case BELOW:
		break;
	}
	return real(size, a, b);
}

static inline void
release(enum delete_kind kind, void *p, uintptr_t a, uintptr_t b)
{
	delete_fn *real = operators.delete[kind];

	if (!real) {
		free(p);
		return;
	}
	if (heap_may_know(p))
		heap_forget(p);
	real(p, a, b);
}

#define DEFINE_NEW(name, symbol, kind)                                         \
	HEAP_EXPORT void *name(size_t size, uintptr_t a,                       \
			       uintptr_t b) __asm__(symbol);                   \
	void *name(size_t size, uintptr_t a, uintptr_t b)                      \
	{                                                                      \
		return allocate(kind, size, a, b, HEAP_CALLER);                \
	}

#define DEFINE_DELETE(name, symbol, kind)                                      \
	HEAP_EXPORT void name(void *p, uintptr_t a,                            \
			      uintptr_t b) __asm__(symbol);                    \
	void name(void *p, uintptr_t a, uintptr_t b)                           \
	{                                                                      \
		release(kind, p, a, b);                                        \
	}

DEFINE_NEW(op_new, "_Znwm", NEW)
DEFINE_NEW(op_new_array, "_Znam", NEW_ARRAY)
DEFINE_NEW(op_new_nothrow, "_ZnwmRKSt9nothrow_t", NEW_NOTHROW)
DEFINE_NEW(op_new_array_nothrow, "_ZnamRKSt9nothrow_t", NEW_ARRAY_NOTHROW)
DEFINE_NEW(op_new_align, "_ZnwmSt11align_val_t", NEW_ALIGN)
DEFINE_NEW(op_new_array_align, "_ZnamSt11align_val_t", NEW_ARRAY_ALIGN)
DEFINE_NEW(op_new_align_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t",
	   NEW_ALIGN_NOTHROW)
DEFINE_NEW(op_new_array_align_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t",
	   NEW_ARRAY_ALIGN_NOTHROW)

DEFINE_DELETE(op_delete, "_ZdlPv", DELETE)
DEFINE_DELETE(op_delete_array, "_ZdaPv", DELETE_ARRAY)
DEFINE_DELETE(op_delete_size, "_ZdlPvm", DELETE_SIZE)
DEFINE_DELETE(op_delete_array_size, "_ZdaPvm", DELETE_ARRAY_SIZE)
DEFINE_DELETE(op_delete_nothrow, "_ZdlPvRKSt9nothrow_t", DELETE_NOTHROW)
DEFINE_DELETE(op_delete_array_nothrow, "_ZdaPvRKSt9nothrow_t",
	      DELETE_ARRAY_NOTHROW)
DEFINE_DELETE(op_delete_align, "_ZdlPvSt11align_val_t", DELETE_ALIGN)
DEFINE_DELETE(op_delete_array_align, "_ZdaPvSt11align_val_t",
	      DELETE_ARRAY_ALIGN)
DEFINE_DELETE(op_delete_size_align, "_ZdlPvmSt11align_val_t", DELETE_SIZE_ALIGN)
DEFINE_DELETE(op_delete_array_size_align, "_ZdaPvmSt11align_val_t",
	      DELETE_ARRAY_SIZE_ALIGN)
DEFINE_DELETE(op_delete_align_nothrow, "_ZdlPvSt11align_val_tRKSt9nothrow_t",
	      DELETE_ALIGN_NOTHROW)
DEFINE_DELETE(op_delete_array_align_nothrow,
	      "_ZdaPvSt11align_val_tRKSt9nothrow_t", DELETE_ARRAY_ALIGN_NOTHROW)
