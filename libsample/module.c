/*
 * module.c - tell the recorder what code is at which address, so that the
 * profile of a killed program still has names; and keep the unwinder's tables
 * up to date. Called at start and after each dlopen and dlclose.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"
#include "segment.h"
#include "table.h"
#include "unwind/filter.h"
#include "unwind/impl.h"

enum {
	PATIENCE = 200,      /* ms to wait for room in the log */
	N_FIRST = 4096 / 32, /* initial room for segments */
};

static struct {
	pthread_mutex_t lock;          /* protects these and the segments */
	size_t room;                   /* for segments */
	unsigned long long adds, subs; /* the loader's, last time */
	bool deaf;                     /* the recorder no longer reads */
} modules = { .lock = PTHREAD_MUTEX_INITIALIZER };

/*
 * Append a record that must not be lost: wait for room, as the recorder empties
 * the log many times a second. If it has not for a while, it is dead; later
 * calls do not wait.
 */
static bool
tell(enum shm_kind kind, const void *data, size_t size, const void *tail,
     size_t n_tail)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < PATIENCE && !modules.deaf; i++) {
		if (table_tell(sampler.shm, kind, data, size, tail, n_tail))
			return true;
		nanosleep(&ms, NULL);
	}
	modules.deaf = true;
	return false;
}

void
module_note(const char *format, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n > 0)
		tell(SHM_NOTE, text, strlen(text) + 1, NULL, 0);
}

/* The build-id in the notes of the object, or NULL. */
static const uint8_t *
build_id(const struct dl_phdr_info *info, size_t *size)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		size_t align = ph->p_align == 8 ? 8 : 4;
		const char *at = (const char *)(info->dlpi_addr + ph->p_vaddr);
		size_t left = ph->p_memsz;

		if (ph->p_type != PT_NOTE)
			continue;
		while (left >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			size_t name = (note->n_namesz + align - 1) & -align;
			size_t desc = (note->n_descsz + align - 1) & -align;

			if (name > left - sizeof(*note) ||
			    desc > left - sizeof(*note) - name)
				break;
			if (note->n_type == NT_GNU_BUILD_ID &&
			    note->n_namesz == 4 &&
			    !memcmp(at + sizeof(*note), "GNU", 4)) {
				*size = note->n_descsz;
				return (const uint8_t *)at + sizeof(*note) +
				       name;
			}
			at += sizeof(*note) + name + desc;
			left -= sizeof(*note) + name + desc;
		}
	}
	*size = 0;
	return NULL;
}

/* The addresses of this program header. False: it has no code. */
static bool
segment_of(const struct dl_phdr_info *info, int i, struct segment *s)
{
	const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
	uint64_t page = sampler.page_size;
	uint64_t start = info->dlpi_addr + ph->p_vaddr;

	if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || !ph->p_memsz)
		return false;
	s->start = start & -page;
	s->limit = (start + ph->p_memsz + page - 1) & -page;
	s->pass = segments.pass;
	return true;
}

static void
identify(const struct dl_phdr_info *info, struct segment *s)
{
	struct cfi_image image;
	size_t n_id;
	const uint8_t *id;

	s->id = s->start ^ s->limit * 31;
	id = build_id(info, &n_id);
	if (!id && unwind_image_init(&image, info))
		s->id ^= unwind_image_id(&image, info);
	for (size_t k = 0; k < n_id; k++)
		s->id = (s->id ^ id[k]) * UINT64_C(0x100000001b3);
	for (const char *p = info->dlpi_name; p && *p; p++)
		s->id = (s->id ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
}

/*
 * The known segment that this is. One that the pass before saw is the same if
 * since then the loader has only loaded, or only unloaded; else their
 * identities must be equal.
 */
static struct segment *
find_segment(const struct dl_phdr_info *info, struct segment *s,
	     bool may_differ)
{
	struct segment *known = NULL;

	for (size_t i = 0; i < segments.n && !known; i++)
		if (segments.at[i].start == s->start)
			known = &segments.at[i];
	if (known && known->pass + 1 == segments.pass && !may_differ)
		return known;
	identify(info, s);
	return known && known->id == s->id ? known : NULL;
}

/* Uses mmap: this may run inside a program's malloc. */
static bool
remember(const struct segment *s)
{
	if (segments.n == modules.room) {
		size_t room = modules.room ? modules.room * 2 : N_FIRST;
		void *more =
			modules.room
				? mremap(segments.at, modules.room * sizeof(*s),
					 room * sizeof(*s), MREMAP_MAYMOVE)
				: mmap(NULL, room * sizeof(*s),
				       PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (more == MAP_FAILED)
			return false;
		segments.at = more;
		modules.room = room;
	}
	segments.at[segments.n++] = *s;
	return true;
}

/*
 * The program's path under the name that was executed, which may be a link:
 * python3, not python3.11. The name is used only if it still is the same file,
 * and not if it is of a descriptor or a process: /proc/self/exe, /dev/fd/3.
 */
static void
path_as_run(char path[PATH_MAX])
{
	const char *run = (const char *)getauxval(AT_EXECFN);
	const char *slash = run ? strrchr(run, '/') : NULL;
	char dir[PATH_MAX], full[PATH_MAX];

	if (!slash || slash == run || !strncmp(run, "/proc/", 6) ||
	    !strncmp(run, "/dev/", 5) || (size_t)(slash - run) >= sizeof(dir) ||
	    !realpath(run, full) || strcmp(full, path) != 0)
		return;
	memcpy(dir, run, (size_t)(slash - run));
	dir[slash - run] = '\0';
	if (realpath(dir, full) && strlen(full) + strlen(slash) < PATH_MAX) {
		strcpy(path, full);
		strcat(path, slash);
	}
}

/* Make the path absolute, as the recorder may have another working
 * directory. */
static void
path_of(const struct dl_phdr_info *info, bool is_first, char path[PATH_MAX])
{
	const char *name = info->dlpi_name;
	ssize_t n;

	path[0] = '\0';
	if (is_first && (!name || !*name)) {
		n = readlink("/proc/self/exe", path, PATH_MAX - 1);
		path[n > 0 ? n : 0] = '\0';
		path_as_run(path);
	} else if (name && !strncmp(name, "linux-vdso", 10)) {
		strcpy(path, "[vdso]");
	} else if (name && !realpath(name, path)) {
		snprintf(path, PATH_MAX, "%s", name);
	}
}

/* Is it libsample-heap.so or another companion, whose frames are not the
 * program's? */
static bool
is_companion(const char *name)
{
	const char *slash = name ? strrchr(name, '/') : NULL;

	return slash && !strncmp(slash, "/libsample-", 11);
}

static bool
tell_segment(const struct dl_phdr_info *info, int i, bool is_first,
	     bool is_interp, const struct segment *s)
{
	const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
	struct shm_module m = { .space = atomic_load(&sampler.space) };
	uintptr_t here = (uintptr_t)module_refresh;
	char path[PATH_MAX];
	const uint8_t *id;
	size_t n, room = sizeof((struct shm_slot *)0)->u.bytes -
			 offsetof(struct shm_module, path);

	m.start = s->start;
	m.limit = s->limit;
	m.offset = ph->p_offset & -(uint64_t)getpagesize();
	m.hide = is_interp && sampler.shm->set.interp == SHM_INTERP_ONLY;
	m.is_self = (here >= s->start && here < s->limit) ||
		    is_companion(info->dlpi_name);
	id = build_id(info, &n);
	if (id && n <= sizeof(m.build_id)) {
		m.n_build_id = (uint32_t)n;
		memcpy(m.build_id, id, n);
	}
	path_of(info, is_first, path);
	n = strlen(path) + 1;
	if (n > room) /* better none than a wrong one */
		path[0] = '\0', n = 1;
	return tell(SHM_MODULE, &m, offsetof(struct shm_module, path), path, n);
}

/* Has an object that is new an interpreter? */
static bool
has_interp(const struct dl_phdr_info *info, bool is_first)
{
	const char *why;
	bool found;

	if (sampler.shm->set.interp == SHM_INTERP_OFF)
		return false;
	found = interp_look(info, is_first, &why);
	if (found && !filter_allows(FILTER_READ))
		why = "a filter of system calls (seccomp) forbids to read "
		      "them, or might kill for it";
	if (why)
		module_note("%s[%d]: the functions of its interpreter are not "
			    "read: %s",
			    sampler.name, (int)sampler.pid, why);
	return found;
}

/* A pass over the loaded objects. */
struct pass {
	bool is_first; /* first object of the list: the program */
	bool may_skip; /* if the loader has neither loaded nor unloaded */
	bool is_adding;
	bool may_differ; /* the loader has both loaded and unloaded */
	bool has_new;    /* there was something to add */
};

static int
each_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct pass *pass = arg;
	bool is_first = pass->is_first, is_looked = false, is_interp = false;
	struct segment s, *known;

	(void)size;
	pass->is_first = false;
	if (is_first && pass->may_skip && segments.n &&
	    modules.adds == info->dlpi_adds && modules.subs == info->dlpi_subs)
		return 1;
	if (is_first && !pass->is_adding) {
		pass->may_differ = modules.adds != info->dlpi_adds &&
				   modules.subs != info->dlpi_subs;
		modules.adds = info->dlpi_adds;
		modules.subs = info->dlpi_subs;
		segments.pass++;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (!segment_of(info, i, &s))
			continue;
		known = find_segment(info, &s, pass->may_differ);
		if (known)
			known->pass = segments.pass;
		else if (!pass->is_adding)
			pass->has_new = true;
		else {
			if (!is_looked)
				is_interp = has_interp(info, is_first);
			is_looked = true;
			if (tell_segment(info, i, is_first, is_interp, &s))
				remember(&s);
		}
	}
	return 0;
}

static void
count_unseen(void)
{
	size_t n = 0;

	for (size_t i = 0; i < segments.n; i++)
		n += segments.at[i].pass != segments.pass;
	atomic_store(&segments.n_unseen, n);
}

static void
forget_all_unseen(void)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < PATIENCE && segments.n_unseen && !modules.deaf;)
		if (!segments_forget()) {
			nanosleep(&ms, NULL);
			i++;
		}
}

/*
 * What was unloaded stays in the space and in the unwinder's tables until the
 * next tick (segments_bury) or until something new is loaded: so a program that
 * loads and unloads the same in a loop costs a look at the loader's list.
 */
static void
refresh(bool may_skip)
{
	struct pass pass = { .is_first = true, .may_skip = may_skip };

	dl_iterate_phdr(each_object, &pass);
	count_unseen();
	if (!pass.has_new)
		return;
	/* A child must not write into its parent's space. */
	if (!atomic_load(&sampler.space) ||
	    atomic_exchange(&sampler.is_forked, false))
		atomic_store(&sampler.space,
			     sampler_new_space(atomic_load(&sampler.space)));
	forget_all_unseen();
	pass = (struct pass){ .is_first = true, .is_adding = true };
	dl_iterate_phdr(each_object, &pass);
	unwind_refresh();
}

/* A handler in another thread may hold the second lock, for microseconds. */
static void
take_segments(void)
{
	while (atomic_exchange(&segments.is_taken, true))
		sched_yield();
}

static void
release_segments(void)
{
	atomic_store(&segments.is_taken, false);
}

/* With the lock. */
static void
update_modules(bool may_skip)
{
	if (!sampler_is_on())
		return;
	take_segments();
	refresh(may_skip);
	release_segments();
}

void
module_refresh(void)
{
	int saved = errno;
	sigset_t old;

	signals_block(&old);
	pthread_mutex_lock(&modules.lock);
	update_modules(false);
	pthread_mutex_unlock(&modules.lock);
	signals_restore(&old);
	errno = saved;
}

void
module_check(void)
{
	int saved = errno;
	sigset_t old;

	signals_block(&old);
	/*
	 * The thread that has the lock is already refreshing. Waiting for it
	 * may deadlock: the program may start threads in a callback of
	 * dl_iterate_phdr(), holding the loader's lock, which that thread
	 * needs.
	 */
	if (pthread_mutex_trylock(&modules.lock) == 0) {
		update_modules(true);
		pthread_mutex_unlock(&modules.lock);
	}
	signals_restore(&old);
	errno = saved;
}

void
module_reset(void)
{
	sigset_t old;

	signals_block(&old);
	pthread_mutex_lock(&modules.lock);
	take_segments();
	segments.n = 0;
	interp_forget();
	atomic_store(&segments.n_unseen, 0);
	modules.deaf = false;
	atomic_store(&sampler.space, 0);
	atomic_store(&sampler.is_forked, false);
	release_segments();
	pthread_mutex_unlock(&modules.lock);
	signals_restore(&old);
}

void
module_fork_prepare(void)
{
	pthread_mutex_lock(&modules.lock);
	take_segments();
}

void
module_fork_parent(void)
{
	release_segments();
	pthread_mutex_unlock(&modules.lock);
}

void
module_fork_child(void)
{
	atomic_store(&sampler.is_forked, true);
	release_segments();
	pthread_mutex_unlock(&modules.lock);
}
