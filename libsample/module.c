/*
 * module.c - keep what the recorder and the unwinder know of loaded objects up
 * to date (segment.c): called at start and after each dlopen and dlclose. At
 * the start of a program its objects are only noted, and its first tick lists
 * them, or what shuts the program in (wrap.c): most processes of a shell script
 * have neither.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "sampler.h"
#include "segment.h"
#include "unwind/impl.h"

static struct {
	pthread_mutex_t lock; /* protects the segments */
} modules = { .lock = PTHREAD_MUTEX_INITIALIZER };

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
		segments_tell(SHM_NOTE, text, strlen(text) + 1, NULL, 0);
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
	segments_list_noted();
	segments_refresh(may_skip);
	release_segments();
}

/* Apart from its caller: paths take a new page of the stack. */
__attribute__((noinline)) static void
keep_run(const char *run, const char *slash)
{
	char dir[PATH_MAX], path[PATH_MAX];
	char *kept;

	if ((size_t)(slash - run) >= sizeof(dir) ||
	    !realpath("/proc/self/exe", path) || !realpath(run, dir) ||
	    strcmp(dir, path) != 0)
		return;
	memcpy(dir, run, (size_t)(slash - run));
	dir[slash - run] = '\0';
	kept = realpath(dir, path) ? unwind_map(PATH_MAX) : NULL;
	if (kept && strlen(path) + strlen(slash) < PATH_MAX)
		segments.run = strcat(strcpy(kept, path), slash);
}

/*
 * The program's path under the name that was executed, if that is a link:
 * python3, not python3.11. The name is used only if it still is the same file,
 * and not if it is of a descriptor or a process: /proc/self/exe, /dev/fd/3.
 */
static void
find_run(void)
{
	const char *run = (const char *)getauxval(AT_EXECFN);
	const char *slash = run ? strrchr(run, '/') : NULL;
	char byte;

	if (slash && slash != run && strncmp(run, "/proc/", 6) != 0 &&
	    strncmp(run, "/dev/", 5) != 0 && readlink(run, &byte, 1) >= 0)
		keep_run(run, slash);
}

/* Those of sanitizers, whose wrappers of libc are not safe in handlers; NULL in
 * programs without. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

void
module_begin(bool is_start)
{
	bool is_safe = !__asan_init && !__tsan_init;

	find_run();
	if (is_start && is_safe && unwind_note())
		segments.is_noted = true;
	else
		module_refresh();
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
	segments_reset();
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
	atomic_store(&sampler.is_forked, atomic_load(&sampler.space) != 0);
	release_segments();
	pthread_mutex_unlock(&modules.lock);
}
