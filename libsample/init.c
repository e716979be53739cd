/*
 * init.c - join the session of a recorder, in a program started with libsample
 * preloaded, and handle the children of that program.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "number.h"
#include "real.h"
#include "sampler.h"
#include "segment.h"
#include "table.h"
#include "unwind/filter.h"
#include "wrap.h"

/*
 * The address space that this process may still use; UINT64_MAX: any, or
 * unknown.
 */
static uint64_t
free_space(void)
{
	struct rlimit limit;
	char text[32] = "";
	const char *at = text;
	uint64_t used;
	int fd;

	if (getrlimit(RLIMIT_AS, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) < 0)
			text[0] = '\0';
		close(fd);
	}
	used = number_read(&at, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
	return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

/*
 * How much of the memory to map, so that the program finds the space that it
 * needs: at most a quarter of what its limit leaves, and of the heap's tables,
 * which are large and nearly always empty, at most an eighth. 0: not even the
 * rest fits.
 */
static size_t
size_to_map(const struct shm_settings *set)
{
	uint64_t space = free_space();
	unsigned levels = set->live_levels;
	size_t base = shm_size(0, 0), size = shm_size(set->what, levels);

	while (levels > 1 && size - base > space / 8)
		size = shm_size(set->what, --levels);
	sampler.live_levels = levels;
	sampler.is_tight = space != UINT64_MAX;
	return size <= space / 4 ? size : 0;
}

/* Is this the memory of session nonce? The path may be another file by now. */
static bool
is_session(const struct shm_settings *set, uint64_t nonce, off_t size)
{
	return set->magic == SHM_MAGIC && set->version == SHM_VERSION &&
	       set->nonce == nonce && set->period_ns &&
	       set->live_levels <= SHM_LIVE_LEVELS &&
	       size == (off_t)shm_size(set->what, set->live_levels);
}

/*
 * Map the memory named in the environment. The descriptor is closed at once:
 * the program's descriptor numbers do not change, and it may close all of them.
 */
static struct shm *
join(const char *session)
{
	const char *comma = strchr(session, ',');
	char path[64];
	struct shm *shm = MAP_FAILED;
	struct shm_settings set;
	size_t size = 0;
	uint64_t nonce;
	int fd;

	if (!comma || (size_t)(comma - session) >= sizeof(path))
		return NULL;
	memcpy(path, session, (size_t)(comma - session));
	path[comma - session] = '\0';
	comma++;
	nonce = number_read(&comma, 16);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (pread(fd, &set, sizeof(set), 0) == (ssize_t)sizeof(set) &&
	    is_session(&set, nonce, lseek(fd, 0, SEEK_END)))
		size = size_to_map(&set);
	if (size)
		shm = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
	close(fd);
	if (shm == MAP_FAILED)
		return NULL;
	if (atomic_load(&shm->stop)) {
		munmap(shm, size);
		return NULL;
	}
	return shm;
}

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#define FUNCTIONS(F)                                                           \
	F(int, setenv, (const char *, const char *, int))                      \
	F(int, unsetenv, (const char *))

/*
 * Hide the session from programs that this one starts. In LD_PRELOAD the
 * recorder put libsample last and the libraries that interpose malloc and locks
 * first, with one separator between any two. A shell has a setenv() and an
 * unsetenv() of its own, for its variables, which are not set up yet.
 */
static void
leave_environment(const struct shm_settings *set)
{
	struct {
		FUNCTIONS(REAL_MEMBER)
	} real = { 0 };
	uint32_t what = set->what;
	char *preload = secure_getenv("LD_PRELOAD");
	char *last = preload ? strrchr(preload, ':') : NULL;

	FUNCTIONS(REAL_FIND)
	if (!real.setenv || !real.unsetenv)
		return;
	real.unsetenv(SHM_ENV);
	if (last)
		*last = '\0';
	for (int hooks = !!(what & SHM_HEAP) + !!(what & SHM_LOCK) +
			 (what & SHM_CPU && set->clock == SHM_CLOCK_WALL);
	     last && hooks > 0; hooks--) {
		last = strchr(preload, ':');
		preload = last ? last + 1 : NULL;
	}
	if (last)
		real.setenv("LD_PRELOAD", preload, 1);
	else
		real.unsetenv("LD_PRELOAD");
}

/* The process has a clock from now on, if it was to be had. */
static void
mark_clock(void)
{
	uint32_t marks = atomic_load(&sampler.shm->marks);
	bool is_young =
		marks == SHM_MARKS_TICK && sampler.clock == SHM_CLOCK_CPU;

	if (!marks || !thread_self || !clock_is_armed(thread_self))
		return;
	atomic_store(&sampler.is_young, is_young);
	sampler_mark(is_young ? SHM_LOADS : SHM_JOINS);
}

static bool
is_timed(void)
{
	return sampler.shm->set.what & SHM_CPU;
}

static sigset_t fork_mask; /* protected by the locks */

/* Of fork_done(): how often it is registered, and will be called in this child.
 */
static _Atomic unsigned n_done;
static unsigned n_left;

/*
 * Block signals during fork: copying the page tables of a large process takes
 * longer than a period, and old kernels restart when a signal arrives.
 */
static void
fork_prepare(void)
{
	sigset_t old;

	signals_block(&old);
	wrap_fork_prepare();
	module_fork_prepare();
	thread_fork_prepare();
	fork_mask = old;
}

static void
fork_parent(void)
{
	sigset_t old = fork_mask;

	thread_fork_parent();
	module_fork_parent();
	wrap_fork_end();
	signals_restore_fork(&old);
}

static void
fork_child(void)
{
	sigset_t old = fork_mask;
	bool go_on = sampler_is_on() &&
		     sampler.shm->set.children == SHM_CHILDREN_MERGE;
	struct thread *self = thread_self;
	/* Who blocks our signal may give it its default action by a system call
	 * before it executes a program, as Chromium does: a tick would kill. */
	bool is_late = sigismember(&old, atomic_load(&sampler.signal)) == 1 ||
		       (self && mask_has_ours(self, &old));

	n_left = atomic_load(&n_done);
	sampler.pid = getpid();
	sampler.is_quiet = atomic_load(&sampler.is_ready) && !go_on;
	atomic_store(&sampler.busy, 0);
	atomic_store(&sampler.count, NULL);
	unwind_atfork_child();
	thread_fork_child(go_on && !is_late);
	if (self)
		self->is_late = go_on && is_late && is_timed();
	if (go_on) {
		atomic_fetch_add(&sampler.shm->n_fork, 1);
		mark_clock();
	}
	module_fork_child();
	wrap_fork_end();
	signals_restore_fork(&old);
}

void
sampler_resume(void)
{
	thread_self->is_late = false;
	if (!sampler_is_on())
		return;
	thread_arm_again();
	mark_clock();
}

/* The last handler in a child, after those of the program: the thread of wall.c
 * is started with calloc(), and the allocator may have its locks held before.
 */
static void
fork_done(void)
{
	if (n_left && --n_left == 0 && sampler_is_on() && !sampler.is_quiet &&
	    is_timed() && sampler.clock == SHM_CLOCK_WALL)
		wall_start();
}

/* The CPU time of the process so far. */
static uint64_t
used_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int
sampler_begin(struct shm *shm, bool is_start)
{
	int sig = shm->set.signal ? (int)shm->set.signal : SIGPROF;

	sampler.page_size = (size_t)sysconf(_SC_PAGESIZE);
	filter_try();
	sampler.period_ns = shm->set.period_ns;
	sampler.clock = (enum shm_clock)shm->set.clock;
	if (shm->set.what & SHM_CPU && wrap_begin(sig) != 0)
		return errno;
	thread_unmask();
	sampler.shm = shm;
	atomic_store(&sampler.count, NULL);
	atomic_fetch_add(&shm->n_program, 1);
	/* Other threads look at the stacks of those that sleep. */
	module_begin(is_start && sampler.clock != SHM_CLOCK_WALL);
	if (is_start && !atomic_load(&sampler.space))
		atomic_store(&sampler.space, sampler_new_space(0, used_ns()));
	if (is_timed()) {
		thread_arm_all();
		mark_clock();
	}
	if (is_timed() && sampler.clock == SHM_CLOCK_WALL)
		wall_start();
	return 0;
}

void
sampler_end(void)
{
	static const struct timespec ms = { .tv_nsec = 1000000 };

	atomic_store(&sampler.shm->stop, 1);
	thread_disarm_all();
	while (atomic_load(&sampler.busy))
		nanosleep(&ms, NULL);
	module_reset();
	label_reset();
}

/* Track the threads of the process, from this one on. */
static bool
get_ready(void)
{
	struct thread *t;

	sampler.pid = getpid();
	if (thread_init() != 0)
		return false;
	t = thread_new();
	if (t)
		thread_enter(t);
	return true;
}

/*
 * Is this a guest of QEMU's user mode, which itself is a process of the
 * session? Then it has the memory twice, and each second would count twice. The
 * emulator shows us other files for /proc/self. Reading them takes a while, so
 * first ask for what every recent kernel gives to programs, and QEMU does not.
 */
static bool
is_guest(void)
{
	static const char path[] = "/proc/thread-self/maps";
	FILE *f = getauxval(AT_SYSINFO_EHDR) && getauxval(AT_MINSIGSTKSZ)
			  ? NULL
			  : fopen(path, "re");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "/memfd:" SHM_NAME) != NULL;
	if (f)
		fclose(f);
	return n > 1;
}

#define ROUND_4(n) (((n) + 3) & ~UINT64_C(3))

/*
 * Is it a Go program with libc? Its runtime keeps signals from us, so the
 * kernel is to sample it. By the name of the note of Go's linker.
 */
static bool
is_go(void)
{
	const ElfW(Phdr) *ph = (const void *)getauxval(AT_PHDR);
	unsigned long n = getauxval(AT_PHNUM);
	const ElfW(Phdr) *self = ph;
	uintptr_t base = 0;

	for (unsigned long i = 0; ph && i < n; i++)
		if (ph[i].p_type == PT_PHDR)
			base = (uintptr_t)self - ph[i].p_vaddr;
	for (unsigned long i = 0; ph && i < n; i++) {
		const char *at = (const char *)(base + ph[i].p_vaddr);
		const ElfW(Nhdr) *note = (const void *)at;
		bool is_note = ph[i].p_type == PT_NOTE &&
			       segment_is_loaded(&ph[i], ph, n);
		uint64_t left = is_note ? ph[i].p_memsz : 0;

		/* One of several where the system's linker made the program. */
		while (left >= sizeof(*note) + 4) {
			uint64_t size = sizeof(*note) +
					ROUND_4((uint64_t)note->n_namesz) +
					ROUND_4((uint64_t)note->n_descsz);

			if (note->n_namesz == 4 && !memcmp(note + 1, "Go\0", 4))
				return true;
			if (size >= left)
				break;
			left -= size;
			at += size;
			note = (const void *)at;
		}
	}
	return false;
}

bool
sampler_join(void)
{
	static _Atomic bool begun, ready;
	const char *why = NULL;
	int saved = errno, error = 0;
	const char *session;
	struct shm *shm;

	if (atomic_load_explicit(&begun, memory_order_relaxed))
		return atomic_load(&ready);
	/* IFUNC resolvers run before libc is initialized. */
	if (!environ || atomic_exchange(&begun, true))
		return false;
	wrap_init();
	prctl(PR_GET_NAME, sampler.name);
	session = secure_getenv(SHM_ENV);
	shm = session && !is_go() ? join(session) : NULL;
	if (get_ready()) {
		atomic_store(&ready, true);
		if (shm && is_guest())
			why = "it is a guest of QEMU, which is sampled";
		else if (shm && (error = sampler_begin(shm, true)) != 0)
			why = strerror(error);
	}
	if (shm && !sampler.shm) {
		sampler.shm = shm;
		module_note("%s[%d]: cannot be sampled: %s", sampler.name,
			    (int)sampler.pid, why ? why : strerror(ENOMEM));
		sampler.shm = NULL;
	}
	atomic_store(&sampler.is_ready, true);
	errno = saved;
	return atomic_load(&ready);
}

/*
 * pthread_atfork(), whose part in glibc's static library refers to a function
 * that other libcs lack.
 */
static bool
at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	extern void *__dso_handle __attribute__((visibility("hidden")));
	int (*plain)(void (*)(void), void (*)(void), void (*)(void)) = NULL;
	int rc = wrap_atfork(prepare, parent, child, __dso_handle);

	if (rc != ENOSYS)
		return rc == 0;
	real_find(&plain, "pthread_atfork");
	return plain && plain(prepare, parent, child) == 0;
}

void
sampler_watch_forks(void)
{
	static _Atomic bool begun;

	if (!atomic_exchange(&begun, true))
		at_fork(fork_prepare, fork_parent, fork_child);
}

void
sampler_watch_children(void)
{
	if (at_fork(NULL, NULL, fork_done))
		atomic_fetch_add(&n_done, 1);
}

/* Without memory for fork handlers, forked children are not sampled. */
bool
sampler_init(void)
{
	static _Atomic bool begun;
	int saved = errno;

	if (!sampler_join())
		return false;
	if (atomic_load_explicit(&begun, memory_order_relaxed) ||
	    atomic_exchange(&begun, true))
		return true;
	sampler_watch_forks();
	sampler_watch_children();
	if (sampler.shm && sampler.shm->set.children == SHM_CHILDREN_NONE)
		leave_environment(&sampler.shm->set);
	errno = saved;
	return true;
}

/*
 * Constructors of the program's libraries run before this one. If they start
 * threads or, with --heap, allocate, pthread_create() or malloc() initializes
 * libsample earlier.
 */
__attribute__((constructor)) static void
load(void)
{
	if (sampler_init() && !sampler.shm)
		gperf_init();
}
