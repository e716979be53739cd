/*
 * filters.c - the frames that pprof hides in legacy profiles: the profilers'
 * own. The profile has them as drop_frames and keep_frames.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "impl.h"

static const char cpu_drop[] =
	"ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|"
	"__pthread_sighandler|__restore";

static const char heap_drop[] =
	"calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|"
	"pvalloc|valloc|realloc|tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|"
	"tc_free|tc_memalign|tc_posix_memalign|tc_pvalloc|tc_valloc|"
	"tc_realloc|tc_new|tc_delete|tc_newarray|tc_deletearray|"
	"tc_new_nothrow|tc_newarray_nothrow|malloc_zone_malloc|"
	"malloc_zone_calloc|malloc_zone_valloc|malloc_zone_realloc|"
	"malloc_zone_memalign|malloc_zone_free|runtime\\..*|BaseArena::.*|"
	"(::)?do_malloc_no_errno|(::)?do_malloc_pages|(::)?do_malloc|"
	"DoSampledAllocation|MallocedMemBlock::MallocedMemBlock|_M_allocate|"
	"__builtin_(vec_)?delete|__builtin_(vec_)?new|"
	"__gnu_cxx::new_allocator::allocate|__libc_malloc|"
	"__malloc_alloc_template::allocate|allocate|cpp_alloc|"
	"operator new(\\[\\])?|simple_alloc::allocate|"
	/* jemalloc's, in programs that are linked with it */
	"aligned_alloc|[mr]allocx|je_.*|_rjem_.*";

static const char heap_keep[] =
	"runtime\\.panic|runtime\\.reflectcall|runtime\\.call[0-9]*";

static const char contention_drop[] =
	"RecordLockProfileData|(base::)?RecordLockProfileData.*|"
	"(base::)?SubmitMutexProfileData.*|"
	"(base::)?SubmitSpinLockProfileData.*|(base::Mutex::)?AwaitCommon.*|"
	"(base::Mutex::)?Unlock.*|(base::Mutex::)?UnlockSlow.*|"
	"(base::Mutex::)?ReaderUnlock.*|(base::MutexLock::)?~MutexLock.*|"
	"(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|"
	"(Mutex::)?ReaderUnlock.*|(MutexLock::)?~MutexLock.*|"
	"(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|"
	"(SpinLockHolder::)?~SpinLockHolder.*";

/* The patterns for each kind of columns; others get those of CPU profiles. */
static const struct {
	const char *type[4];
	const char *drop;
	const char *keep;
} filters[] = {
	{ { "allocations", "size" }, heap_drop, heap_keep },
	{ { "objects", "space" }, heap_drop, heap_keep },
	{ { "inuse_objects", "inuse_space" }, heap_drop, heap_keep },
	{ { "alloc_objects", "alloc_space" }, heap_drop, heap_keep },
	{ { "alloc_objects", "alloc_space", "inuse_objects", "inuse_space" },
	  heap_drop,
	  heap_keep },
	{ { "contentions", "delay" }, contention_drop, "" },
};

bool
legacy_drop_library(struct profile *p, const char *name)
{
	bool *is_in = calloc(p->n_location + 1, sizeof(*is_in));

	if (!is_in)
		return false;
	for (size_t i = 0; i < p->n_location; i++) {
		uint32_t m = p->location[i].mapping;
		const char *file = m == PROF_NONE
					   ? ""
					   : profile_str(p, p->mapping[m].file);
		const char *slash = strrchr(file, '/');

		file = slash ? slash + 1 : file;
		is_in[i] = !strncmp(file, name, strlen(name));
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		struct sample *s = &p->sample[i];

		while (s->n_stack > 1 && is_in[p->stack[s->stack]]) {
			s->stack++;
			s->n_stack--;
		}
	}
	free(is_in);
	return true;
}

int
legacy_set_filters(struct profile *p)
{
	const char *drop = cpu_drop, *keep = "";

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		size_t n = 0;

		while (n < 4 && n < p->n_type && filters[i].type[n] &&
		       !strcmp(filters[i].type[n],
			       profile_str(p, p->type[n].type)))
			n++;
		if (n == p->n_type && (n == 4 || !filters[i].type[n]) && n) {
			drop = filters[i].drop;
			keep = filters[i].keep;
		}
	}
	p->drop_frames = profile_intern(p, drop);
	p->keep_frames = profile_intern(p, keep);
	return p->drop_frames == STRTAB_NONE || p->keep_frames == STRTAB_NONE
		       ? -1
		       : 0;
}

enum prof_status
legacy_filters(struct legacy *l)
{
	/*
	 * Go gives no names to frames of its runtime, at both ends of a stack.
	 * runtime.main would look like runtime code called by the nameless
	 * frame before it, and the whole program would be dropped.
	 */
	if (l->go.is_used)
		return PROF_OK;
	return legacy_set_filters(l->p) == 0 ? PROF_OK : prof_nomem(l->err);
}
