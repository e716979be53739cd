/*
 * start.c - sessions that the program starts itself. A prof-record process does
 * the work, as in its own sessions: so the profile survives the program, and no
 * compressor runs in the program's memory.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"
#include "sampler.h"

enum { MAX_HZ = 10000 };

static struct {
	pthread_mutex_t lock; /* protects the members below */
	struct shm *shm;      /* of sessions started here; made once */
	int memory;           /* its descriptor, while a session begins */
	int control;          /* socket to the recorder */
	bool is_on;
} session = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Find prof-record: its path into path, of size PATH_MAX. */
static bool
find_recorder(char *path)
{
	static const char *const beside[] = { "../bin/prof-record",
					      "../prof-record" };
	const char *named = secure_getenv("PROF_RECORD");
	Dl_info info;

	if (named && *named) {
		snprintf(path, PATH_MAX, "%s", named);
		return access(path, X_OK) == 0;
	}
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		const char *slash;

		if (!dladdr((void *)(uintptr_t)find_recorder, &info) ||
		    !info.dli_fname || !(slash = strrchr(info.dli_fname, '/')))
			break;
		snprintf(path, PATH_MAX, "%.*s/%s",
			 (int)(slash - info.dli_fname), info.dli_fname,
			 beside[i]);
		if (access(path, X_OK) == 0)
			return true;
	}
	snprintf(path, PATH_MAX, "%s", BINDIR "/prof-record");
	return access(path, X_OK) == 0;
}

/* The environment for the recorder, without variables by which it would be
 * sampled itself. */
static char **
clean_environment(void)
{
	static const char *const drop[] = { "LD_PRELOAD=", "CPUPROFILE=",
					    SHM_ENV "=" };
	size_t n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++) {
		bool keep = true;

		for (size_t k = 0; k < sizeof(drop) / sizeof(*drop); k++)
			if (!strncmp(environ[i], drop[k], strlen(drop[k])))
				keep = false;
		if (keep)
			env[kept++] = environ[i];
	}
	return env;
}

/* In the child that becomes the recorder: only async-signal-safe calls. */
_Noreturn static void
become_recorder(const char *path, char *const *argv, char *const *env,
		int control, int memory)
{
	sigset_t none;
	int null;

	setsid();
	control = fcntl(control, F_DUPFD, 10);
	memory = fcntl(memory, F_DUPFD, 10);
	null = open("/dev/null", O_RDWR);
	if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(control, 3) < 0 ||
	    dup2(memory, 4) < 0)
		_exit(127);
	syscall(SYS_close_range, 5, ~0U, 0);
	for (int sig = 1; sig < _NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, _NSIG / 8);
	execve(path, argv, env);
	_exit(127);
}

/*
 * Start the recorder so that the program's wait() does not return it: with
 * clone(), so that no SIGCHLD is sent and no fork handler runs.
 */
static int
spawn(const char *file, int control, int memory)
{
	char path[PATH_MAX];
	const char *argv[] = { path, "--session", "-q", "-o", file, NULL };
	char **env;
	sigset_t old;
	long pid;

	if (!find_recorder(path))
		return ENOENT;
	env = clean_environment();
	if (!env)
		return ENOMEM;
	signals_block(&old);
	pid = syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (pid == 0) {
		if (syscall(SYS_clone, 0, NULL, NULL, NULL, 0) == 0)
			become_recorder(path, (char *const *)(uintptr_t)argv,
					env, control, memory);
		_exit(0);
	}
	if (pid > 0)
		while (waitpid((pid_t)pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	signals_restore(&old);
	free(env);
	return pid < 0 ? EAGAIN : 0;
}

/* Send a request to the recorder, and wait for its answer. */
static int
ask(char what)
{
	char answer = 'n';
	ssize_t n;

	if (what && send(session.control, &what, 1, MSG_NOSIGNAL) != 1)
		return EIO;
	do
		n = recv(session.control, &answer, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1 && answer == 'y' ? 0 : EIO;
}

/* Prepare the memory for the session, empty except for the settings. */
static int
prepare(const struct sample_options *o)
{
	struct shm *shm = session.shm;
	unsigned hz = o && o->hz ? o->hz : 100;
	uint32_t one = 1;

	if (hz > MAX_HZ)
		return EINVAL;
	/* Not by the function, which a glibc before 2.27 has not. */
	session.memory = (int)syscall(SYS_memfd_create, SHM_NAME,
				      MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (session.memory < 0)
		return errno;
	/* A handler may read it at any time: so its address stays, and `stop`
	 * is set in it first. */
	shm = shm_resize(session.memory, sizeof(*shm)) != 0 ||
			      pwrite(session.memory, &one, sizeof(one),
				     offsetof(struct shm, stop)) != sizeof(one)
		      ? MAP_FAILED
		      : mmap(shm, sizeof(*shm), PROT_READ | PROT_WRITE,
			     MAP_SHARED | (shm ? MAP_FIXED : 0), session.memory,
			     0);
	if (shm == MAP_FAILED) {
		int error = errno;

		close(session.memory);
		return error;
	}
	session.shm = shm;
	fcntl(session.memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	shm->set.magic = SHM_MAGIC;
	shm->set.version = SHM_VERSION;
	shm->set.size = sizeof(*shm);
	shm->set.period_ns = 1000000000 / hz;
	shm->set.clock = o && o->wall ? SHM_CLOCK_WALL : SHM_CLOCK_CPU;
	shm->set.signal = o ? (uint32_t)o->signal : 0;
	shm->set.owner = (int32_t)getpid();
	shm->set.what = SHM_CPU;
	return 0;
}

/* Called with the lock. */
static int
start(const char *file, const struct sample_options *o)
{
	int pair[2], error, fd;

	/* Now, not after hours of sampling. */
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno;
	close(fd);
	error = prepare(o);
	if (error)
		return error;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		close(session.memory);
		return errno;
	}
	session.control = pair[0];
	error = spawn(file, pair[1], session.memory);
	close(pair[1]);
	close(session.memory);
	if (!error)
		error = ask('\0');
	if (!error) {
		atomic_store(&session.shm->stop, 0);
		error = sampler_begin(session.shm, false);
		if (error)
			atomic_store(&session.shm->stop, 1);
	}
	if (error)
		close(session.control);
	return error;
}

int
sample_start(const char *file, const struct sample_options *options)
{
	int saved = errno;
	int rc = 0;

	/*
	 * In a program with more rights than its caller (set-user-id,
	 * set-group-id, file capabilities), start no process and write no file:
	 * environment, folder and file name may be the caller's.
	 */
	if (getauxval(AT_SECURE))
		return EPERM;
	if (!sampler_init())
		return EAGAIN;
	pthread_mutex_lock(&session.lock);
	if (session.is_on)
		rc = EBUSY;
	else if (!sampler_is_on()) /* else prof-record samples us already */
		rc = start(file, options);
	if (!rc && sampler.shm == session.shm)
		session.is_on = true;
	pthread_mutex_unlock(&session.lock);
	errno = saved;
	return rc;
}

/* Forked children are part of their parent's profile. */
static bool
is_owner(void)
{
	return session.is_on && session.shm->set.owner == (int32_t)getpid();
}

int
sample_stop(void)
{
	int saved = errno;
	int rc = 0;

	pthread_mutex_lock(&session.lock);
	if (is_owner()) {
		sampler_end();
		rc = ask('s');
		close(session.control);
		session.is_on = false;
	} else if (!sampler_is_on()) {
		rc = EALREADY;
	}
	pthread_mutex_unlock(&session.lock);
	errno = saved;
	return rc;
}

int
sample_flush(void)
{
	int saved = errno;
	int rc = 0;

	pthread_mutex_lock(&session.lock);
	if (is_owner())
		rc = ask('f');
	else if (!sampler_is_on())
		rc = EALREADY;
	pthread_mutex_unlock(&session.lock);
	errno = saved;
	return rc;
}

int
sample_is_on(void)
{
	return sampler_is_on();
}

int
sample_thread(void)
{
	struct thread *t;

	if (!sampler_init())
		return EAGAIN;
	if (thread_self) {
		thread_unmask();
		return 0;
	}
	t = thread_new();
	if (!t)
		return ENOMEM;
	thread_enter(t);
	return 0;
}

/* The process exits normally: complete the file before its parent continues. A
 * forked child must not end its parent's profile. */
__attribute__((destructor)) static void
unload(void)
{
	if (is_owner())
		sample_stop();
}
