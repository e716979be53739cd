/*
 * exec.c - libc's exec functions. A perf clock (clock.c) must stop before the
 * system call: the kernel discards pending signals of timers then, but not
 * those of perf clocks, which would kill the new program, as it has no handler
 * yet.
 *
 * Signal handlers and children of vfork() may call these functions. Such a
 * child runs in its parent's memory and has no clock of its own.
 */
#include "config.h"

#include <alloca.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "real.h"
#include "sampler.h"
#include "wrap.h"

#define EXPORT __attribute__((visibility("default")))

typedef char *const *argv_t;
typedef int exec_fn(const char *, argv_t, argv_t);

#define FUNCTIONS(F)                                                           \
	F(int, execve, (const char *, argv_t, argv_t))                         \
	F(int, execvpe, (const char *, argv_t, argv_t))                        \
	F(int, fexecve, (int, argv_t, argv_t))                                 \
	F(int, execveat, (int, const char *, argv_t, argv_t, int))

static struct {
	FUNCTIONS(REAL_MEMBER)
} real;

void
exec_init(void)
{
	FUNCTIONS(REAL_FIND)
}

/* What must be undone if the call fails. */
struct undo {
	bool is_stopped, is_shown;
};

/* Stop the clock of this thread. */
static struct undo
before(void)
{
	struct undo undo;

	wrap_init();
	undo.is_shown = thread_mask_show();
	undo.is_stopped = thread_exec_begin();
	return undo;
}

/* The call failed, with rc. */
static int
after(struct undo undo, int rc)
{
	if (undo.is_stopped)
		thread_arm_again();
	if (undo.is_shown)
		thread_mask_hide();
	return rc;
}

EXPORT int
execve(const char *path, char *const argv[], char *const env[])
{
	struct undo undo = before();

	return after(undo, real.execve(path, argv, env));
}

EXPORT int
execvpe(const char *file, char *const argv[], char *const env[])
{
	struct undo undo = before();

	return after(undo, real.execvpe(file, argv, env));
}

EXPORT int
fexecve(int fd, char *const argv[], char *const env[])
{
	struct undo undo = before();

	return after(undo, real.fexecve(fd, argv, env));
}

EXPORT int
execveat(int dir, const char *path, char *const argv[], char *const env[],
	 int flags)
{
	struct undo undo = before();

	return after(undo, real.execveat(dir, path, argv, env, flags));
}

EXPORT int
execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int
execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Call execute with the words from first to NULL, and the environment after
 * NULL if it is there. On the stack, as after fork() there may be no malloc().
 */
static int
execute_words(exec_fn *execute, const char *path, const char *first,
	      va_list words, bool has_env)
{
	size_t n = 0;
	va_list again;
	char **argv;

	va_copy(again, words);
	for (const char *w = first; w; w = va_arg(again, char *))
		n++;
	va_end(again);
	argv = alloca((n + 1) * sizeof(*argv));
	argv[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i <= n; i++)
		argv[i] = va_arg(words, char *);
	return execute(path, argv,
		       has_env ? va_arg(words, char *const *) : environ);
}

EXPORT int
execl(const char *path, const char *first, ...)
{
	va_list words;
	int rc;

	va_start(words, first);
	rc = execute_words(execve, path, first, words, false);
	va_end(words);
	return rc;
}

EXPORT int
execlp(const char *file, const char *first, ...)
{
	va_list words;
	int rc;

	va_start(words, first);
	rc = execute_words(execvpe, file, first, words, false);
	va_end(words);
	return rc;
}

EXPORT int
execle(const char *path, const char *first, ...)
{
	va_list words;
	int rc;

	va_start(words, first);
	rc = execute_words(execve, path, first, words, true);
	va_end(words);
	return rc;
}
