/*
 * launch.c - start a program under libsample and wait for it. A program that
 * would run without the sampler is refused before it runs, because an
 * unexplained empty profile costs its reader an hour.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "launch.h"
#include "lib/base/buf.h"
#include "lib/base/filename.h"
#include "lib/model/runtime.h"
#include "libsample/shm.h"
#include "procfs.h"

enum { SCRIPTS = 4 /* nesting of interpreters */ };

static const int passed_on[] = { SIGHUP,  SIGINT,  SIGQUIT,
				 SIGTERM, SIGUSR1, SIGUSR2 };

static bool
can_run(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

/* Find the path of name; false with errno. */
static bool
search(const char *name, char path[PATH_MAX])
{
	const char *dir = getenv("PATH");
	const char *end;
	int n;

	if (strchr(name, '/')) {
		n = snprintf(path, PATH_MAX, "%s", name);
		if (n >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
		if (can_run(path))
			return true;
		if (access(path, F_OK) == 0)
			errno = EACCES;
		return false;
	}
	for (dir = dir ? dir : "/bin:/usr/bin"; *name; dir = end + 1) {
		end = strchrnul(dir, ':');
		n = snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - dir), dir,
			     end == dir ? "" : "/", name);
		if (n < PATH_MAX && can_run(path))
			return true;
		if (!*end)
			break;
	}
	errno = ENOENT;
	return false;
}

/* Has the process the session in its environment? A program that changes its
 * title, such as nginx, may have written over it. */
static bool
has_session(pid_t pid, const char *session)
{
	const char word[] = SHM_ENV "=";
	bool found = false;
	size_t n;
	char *text = procfs_read(pid, "environ", &n), *at;

	for (at = text; at && at < text + n && !found; at += strlen(at) + 1)
		found = !strncmp(at, word, sizeof(word) - 1) &&
			!strcmp(at + sizeof(word) - 1, session);
	free(text);
	return found;
}

/* Has it the memory with that inode? */
static bool
has_memory(pid_t pid, uint64_t ino)
{
	bool found = false;
	uint64_t of_row;
	size_t n;
	char *text = procfs_read(pid, "maps", &n), *row, *save;

	for (row = text ? strtok_r(text, "\n", &save) : NULL; row && !found;
	     row = strtok_r(NULL, "\n", &save))
		found = strstr(row, "/memfd:" SHM_NAME) &&
			sscanf(row, "%*s %*s %*s %*s %" SCNu64, &of_row) == 1 &&
			of_row == ino;
	free(text);
	return found;
}

/* Is it a child that reads files for us, and has all our memory? */
static bool
is_our_reader(pid_t pid)
{
	struct stat self, other;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat("/proc/self/exe", &self) == 0 &&
	       procfs_place(pid, path, &other) && self.st_dev == other.st_dev &&
	       self.st_ino == other.st_ino;
}

/*
 * The number of processes with the session in their environment or its memory,
 * except l's first. Pids increase, so lower ones are skipped.
 */
unsigned
launch_left(const struct launch *l, const char *session)
{
	DIR *dir = opendir("/proc");
	char path[64];
	struct stat st = { 0 };
	struct dirent *e;
	unsigned n = 0;

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(session, ","),
		 session);
	if (stat(path, &st) != 0)
		st.st_ino = 0;
	while (dir && (e = readdir(dir))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid > l->pid)
			n += has_session(pid, session) ||
			     (has_memory(pid, st.st_ino) &&
			      !is_our_reader(pid));
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Is it a program in this folder, which PATH does not have? */
static bool
is_here(const char *name)
{
	return !strchr(name, '/') && access(name, X_OK) == 0;
}

/* What reads or runs a file that is no program: NULL if its name does not say.
 */
static const char *
opener(const char *name)
{
	static const char *const table[][2] = {
		{ ".pb.gz", "prof-text" },
		{ ".pb", "prof-text" },
		{ ".prof", "prof-text" },
		{ ".data", "prof-import" },
		{ ".folded", "prof-import" },
		{ ".jfr", "prof-import" },
		{ ".py", "prof-record python3" },
		{ ".rb", "prof-record ruby" },
		{ ".php", "prof-record php" },
		{ ".js", "node --cpu-prof" },
		{ ".jar", "prof-record java -jar" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (filename_ends_in(name, table[i][0]))
			return table[i][1];
	return NULL;
}

/* Why name cannot be executed, by error, and what to do. */
static enum prof_status
not_found(const char *name, int error, struct prof_err *err)
{
	struct stat sb;
	bool is_file = stat(name, &sb) == 0 && S_ISREG(sb.st_mode);

	if (is_file && !(sb.st_mode & 0111) && opener(name))
		return prof_fail(err, PROF_EIO, "%s: not a program; use %s %s",
				 name, opener(name), name);
	if (error == ENOENT)
		return prof_fail(err, PROF_EIO, "%s: %s%s%s", name,
				 strchr(name, '/') ? strerror(error)
						   : "command not found",
				 is_here(name) ? "; use ./" : "",
				 is_here(name) ? name : "");
	if (error == EACCES && is_file && !(sb.st_mode & 0111))
		return prof_fail(err, PROF_EIO,
				 "%s: %s; chmod +x makes it a program", name,
				 strerror(error));
	return prof_fail(err, PROF_EIO, "%s: %s", name, strerror(error));
}

enum prof_status
launch_find(struct launch *l, const char *name, enum obstacle *o,
	    struct prof_err *err)
{
	char path[PATH_MAX], next[PATH_MAX];

	*o = OBSTACLE_NONE;
	if (!search(name, l->path))
		return not_found(name, errno, err);
	strcpy(path, l->path);
	for (int i = 0; *o == OBSTACLE_NONE && *path && i < SCRIPTS; i++) {
		*o = obstacle_find(path, next);
		strcpy(path, next);
	}
	return PROF_OK;
}

/* The folder of this program, without the slash. */
static bool
own_directory(char dir[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);
	char *slash;

	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/* The companion libraries of libsample that interpose libc. */
static const struct {
	uint32_t what;
	const char *name;
} companions[] = {
	{ SHM_HEAP, "libsample-heap.so" },
	{ SHM_LOCK, "libsample-lock.so" },
	{ SHM_PRELOAD_WAIT, "libsample-wait.so" },
};
enum { N_COMPANION = sizeof(companions) / sizeof(*companions) };

/*
 * The path of companion i: beside libsample in the build folder, in a folder of
 * plugins beside it ($(pkglibdir)) where it is installed.
 */
static void
companion_path(const struct launch *l, size_t i, char path[PATH_MAX + 64])
{
	const char *slash = strrchr(l->library, '/');
	int n = slash ? (int)(slash - l->library) : 0;

	snprintf(path, PATH_MAX + 64, "%.*s/%s", n, l->library,
		 companions[i].name);
	if (access(path, F_OK) != 0)
		snprintf(path, PATH_MAX + 64, "%.*s/" PACKAGE "/%s", n,
			 l->library, companions[i].name);
}

bool
launch_is_own(const struct launch *l, const char *path)
{
	bool is_own = !strcmp(path, l->library);
	char own[PATH_MAX + 64];

	for (size_t i = 0; *l->library && i < N_COMPANION && !is_own; i++) {
		companion_path(l, i, own);
		is_own = !strcmp(path, own);
	}
	return is_own;
}

enum prof_status
launch_library(struct launch *l, uint32_t what, struct prof_err *err)
{
	static const char *const beside[] = {
		"/.libs/" LIBSAMPLE_SONAME,
		"/../lib/" LIBSAMPLE_SONAME,
	};
	const char *named = getenv("PROF_LIBSAMPLE");
	char dir[PATH_MAX], path[PATH_MAX + 64];

	if (named && *named) {
		if (!realpath(named, l->library))
			return prof_fail(err, PROF_EIO, "%s: %s", named,
					 strerror(errno));
	} else {
		bool found = false;

		for (size_t i = 0; i < 2 && !found && own_directory(dir); i++) {
			snprintf(path, sizeof(path), "%s%s", dir, beside[i]);
			found = realpath(path, l->library);
		}
		if (!found &&
		    !realpath(LIBDIR "/" LIBSAMPLE_SONAME, l->library))
			return prof_fail(err, PROF_EIO,
					 "%s: %s; set PROF_LIBSAMPLE to where "
					 "it is",
					 LIBDIR "/" LIBSAMPLE_SONAME,
					 strerror(errno));
	}
	/* The loader splits LD_PRELOAD at these. */
	if (strpbrk(l->library, " :"))
		return prof_fail(err, PROF_EIO,
				 "%s: a path with a space or a colon cannot be "
				 "preloaded",
				 l->library);
	for (size_t i = 0; i < N_COMPANION; i++) {
		companion_path(l, i, path);
		if (what & companions[i].what && access(path, R_OK) != 0)
			return prof_fail(err, PROF_EIO, "%s: %s", path,
					 strerror(errno));
	}
	l->what = what;
	return PROF_OK;
}

static void
signal_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(set, passed_on[i]);
}

/*
 * Set LD_PRELOAD: libsample after the program's own, its companions before, as
 * an allocator may be among those. libsample/init.c knows the order.
 */
static bool
set_preload(const struct launch *l)
{
	const char *own = getenv("LD_PRELOAD");
	char path[PATH_MAX + 64];
	struct buf value = { 0 };
	FILE *f = buf_stream(&value);
	bool done;

	if (!f)
		return false;
	for (size_t i = 0; i < N_COMPANION; i++) {
		companion_path(l, i, path);
		if (l->what & companions[i].what)
			fprintf(f, "%s:", path);
	}
	if (own && *own)
		fprintf(f, "%s:", own);
	fwrite(l->library, 1, strlen(l->library) + 1, f);
	done = buf_stream_close(f) == 0 &&
	       setenv("LD_PRELOAD", (char *)value.data, 1) == 0;
	buf_release(&value);
	return done;
}

/*
 * AddressSanitizer's library asks to be loaded first. It need not be: libsample
 * passes on the calls that it intercepts. The user's own options follow, so
 * they take precedence.
 */
static bool
set_sanitizer(void)
{
	const char *own = getenv("ASAN_OPTIONS");
	char *value;
	bool done;

	if (asprintf(&value, "verify_asan_link_order=0%s%s",
		     own && *own ? ":" : "", own ? own : "") < 0)
		return false;
	done = setenv("ASAN_OPTIONS", value, 1) == 0;
	free(value);
	return done;
}

/* Those whose functions libsample reads itself would only take longer. */
bool
launch_asks(const struct launch *l, const struct runtime *r)
{
	return l->jit && r->variable &&
	       !(r->is_read && *l->library && !l->no_interp);
}

/* What is set is kept. */
static bool
set_runtimes(const struct launch *l)
{
	const struct runtime *r = NULL;

	while ((r = runtime_next(r)))
		if (launch_asks(l, r) && setenv(r->variable, r->value, 0) != 0)
			return false;
	return true;
}

/* State that launch_start() changes for itself, and restores for the
 * program. */
struct inherited {
	sigset_t mask;
	struct sigaction child; /* of SIGCHLD */
};

/* In the child. Returns only on failure, with errno. */
static void
become(const struct launch *l, char **argv, const char *session,
       const struct inherited *before)
{
	if (*l->library && (!set_preload(l) || !set_sanitizer() ||
			    setenv(SHM_ENV, session, 1) != 0))
		return;
	if (!set_runtimes(l))
		return;
	if (l->join_stdout && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return;
	if (l->files.rlim_max)
		setrlimit(RLIMIT_NOFILE, &l->files);
	cli_hand_on();
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	execv(l->path, argv);
}

/* Run a script without "#!" with the shell, as execvp() does. */
static void
become_shell(const struct launch *l, char **argv)
{
	size_t n = 0;
	char **more;

	while (argv[n])
		n++;
	more = calloc(n + 2, sizeof(*more));
	if (!more || !(more[1] = strdup(l->path)))
		return;
	more[0] = (char[]){ "/bin/sh" };
	for (size_t i = 1; i < n; i++)
		more[i + 1] = argv[i];
	execv(more[0], more);
}

enum prof_status
launch_start(struct launch *l, char **argv, const char *session,
	     struct prof_err *err)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct inherited before;
	sigset_t set;
	int error = 0;
	int fd[2], gate[2];
	char go;

	/* Closed by exec; otherwise carries the error. */
	if (pipe2(fd, O_CLOEXEC) != 0 || pipe2(gate, O_CLOEXEC) != 0)
		return prof_fail(err, PROF_EIO, "%s", strerror(errno));
	/* Make orphans our children: the kernel bills only those. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1L) != 0)
		l->wait_all = false;
	/* Our parent may ignore SIGCHLD: waiting would then fail. */
	sigaction(SIGCHLD, &usual, &before.child);
	signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, &before.mask);
	l->pid = fork();
	if (l->pid == 0) {
		close(gate[1]);
		(void)!read(gate[0], &go, 1);
		become(l, argv, session, &before);
		if (errno == ENOEXEC)
			become_shell(l, argv);
		error = errno;
		(void)!write(fd[1], &error, sizeof(error));
		_exit(127);
	}
	close(fd[1]);
	close(gate[0]);
	if (l->pid > 0 && l->before)
		l->before(l->before_ctx, l->pid);
	close(gate[1]);
	if (l->pid < 0)
		error = errno;
	else if (read(fd[0], &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(fd[0]);
	if (error && l->pid > 0)
		waitpid(l->pid, NULL, 0);
	return error ? prof_fail(err, PROF_EIO, "%s: %s", l->path,
				 strerror(error))
		     : PROF_OK;
}

/* The CPU time of a process without its children's; 0: unknown. */
static uint64_t
used_ns(pid_t pid)
{
	struct procfs_stat stat;
	uint64_t ns = 0;
	size_t n;
	char *text = procfs_read(pid, "stat", &n);

	if (text && procfs_stat(text, &stat))
		ns = stat.cpu_ms * 1000000;
	free(text);
	return ns;
}

/* Reap children that have ended; true when all have. */
static bool
reap(struct launch *l)
{
	siginfo_t ended = { 0 };
	int status, error;

	while ((error = waitid(P_ALL, 0, &ended,
			       WEXITED | WNOHANG | WNOWAIT)) == 0 &&
	       ended.si_pid > 0) {
		bool is_ours = ended.si_pid == l->pid && !l->has_ended;

		if (is_ours) /* /proc has it until it is reaped */
			l->used_ns = used_ns(l->pid);
		waitpid(ended.si_pid, &status, 0);
		if (is_ours) {
			l->status = status;
			l->has_ended = true;
		}
		ended.si_pid = 0;
	}
	return l->has_ended && (!l->wait_all || (error && errno == ECHILD));
}

bool
launch_wait(struct launch *l, int ms)
{
	struct timespec time = { .tv_sec = ms / 1000,
				 .tv_nsec = ms % 1000 * 1000000L };
	siginfo_t info;
	sigset_t set;
	int sig;

	signal_set(&set);
	sig = sigtimedwait(&set, &info, &time);
	if (reap(l))
		return true;
	if (sig <= 0 || sig == SIGCHLD)
		return false;
	if (l->has_ended)
		return true;
	/* SI_KERNEL: from the terminal, to the whole foreground. */
	if (info.si_code != SI_KERNEL)
		kill(l->pid, sig);
	return false;
}

void
launch_hand_on(void)
{
	sigset_t set;

	signal_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	cli_hand_on();
}

int
launch_status(const struct launch *l)
{
	int sig = WIFSIGNALED(l->status) ? WTERMSIG(l->status) : 0;
	struct rlimit none = { 0, 0 };
	sigset_t set;

	if (!sig)
		return WEXITSTATUS(l->status);
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return 128 + sig;
}
