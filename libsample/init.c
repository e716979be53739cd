/*
 * init.c - joins the session of a recorder, in a program that was started with
 * libsample preloaded, and arranges for the children of that program.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sampler.h"
#include "wrap.h"

/*
 * Map the memory that the environment names. The descriptor is closed at once:
 * the program's numbers stay what they were, and closing them all cannot hurt.
 */
static struct shm *
join(const char *session)
{
	const char *comma = strchr(session, ',');
	char path[64];
	struct shm *shm = MAP_FAILED;
	struct stat st;
	uint64_t nonce;
	int fd;

	if (!comma || (size_t)(comma - session) >= sizeof path)
		return NULL;
	memcpy(path, session, (size_t)(comma - session));
	path[comma - session] = '\0';
	nonce = strtoull(comma + 1, NULL, 16);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof *shm)
		shm = mmap(NULL, sizeof *shm, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	close(fd);
	if (shm == MAP_FAILED)
		return NULL;
	/* The path may name another process's file by now. */
	if (shm->magic != SHM_MAGIC || shm->version != SHM_VERSION ||
	    shm->nonce != nonce || shm->period_ns == 0 ||
	    atomic_load(&shm->stop)) {
		munmap(shm, sizeof *shm);
		return NULL;
	}
	return shm;
}

/* Programs that this one starts shall not know of the session. */
static void
leave_environment(void)
{
	char *preload = getenv("LD_PRELOAD");
	char *last = preload ? strrchr(preload, ':') : NULL;

	unsetenv(SHM_ENV);
	/* The recorder put itself last, and only one separator before. */
	if (last)
		*last = '\0';
	else
		unsetenv("LD_PRELOAD");
}

static sigset_t fork_mask; /* under the locks */

/*
 * Signals stay blocked through fork: copying the tables of a big process takes
 * longer than a period, and old kernels start over when a signal arrives.
 */
static void
fork_prepare(void)
{
	sigset_t old;

	signals_block(&old);
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
	signals_restore(&old);
}

static void
fork_child(void)
{
	sigset_t old = fork_mask;

	sampler.pid = getpid();
	unwind_atfork_child();
	thread_fork_child(sampler.shm->children == SHM_CHILDREN_MERGE);
	module_fork_child();
	if (sampler.clock == SHM_CLOCK_WALL &&
	    sampler.shm->children == SHM_CHILDREN_MERGE)
		wall_start();
	signals_restore(&old);
}

static void
begin(struct shm *shm)
{
	struct thread *t;

	sampler.period_ns = shm->period_ns;
	sampler.clock =
		shm->clock == SHM_CLOCK_WALL ? SHM_CLOCK_WALL : SHM_CLOCK_CPU;
	sampler.pid = getpid();
	sampler.shm = shm;
	atomic_fetch_add(&shm->n_process, 1);
	module_refresh();
	if (thread_init() != 0 ||
	    pthread_atfork(fork_prepare, fork_parent, fork_child) != 0 ||
	    wrap_handle(shm->signal ? (int)shm->signal : SIGPROF) != 0) {
		module_note("%s[%d]: cannot be sampled: %s",
			    program_invocation_short_name, (int)sampler.pid,
			    strerror(errno));
		sampler.shm = NULL;
		return;
	}
	t = thread_new();
	if (t)
		thread_enter(t);
	if (sampler.clock == SHM_CLOCK_WALL)
		wall_start();
}

void
sampler_init(void)
{
	static _Atomic bool done;
	int saved = errno;
	const char *session;
	struct shm *shm;

	if (atomic_exchange(&done, true))
		return;
	session = getenv(SHM_ENV);
	shm = session ? join(session) : NULL;
	if (shm) {
		if (shm->children == SHM_CHILDREN_NONE)
			leave_environment();
		begin(shm);
	}
	errno = saved;
}

/* Libraries that start threads in their constructors come before us: they get
 * here through pthread_create(). */
__attribute__((constructor)) static void
load(void)
{
	sampler_init();
}
