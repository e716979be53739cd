/* confine.c - see confine.h. */
#include "config.h"

#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "budget.h"
#include "regular.h"
#include "sanitized.h"

enum { NOBODY = 65534 };

bool
confine_is_possible(void)
{
	const char *wish = getenv("PROF_SANDBOX");

	return !IS_SANITIZED && !(wish && !strcmp(wish, "0"));
}

bool
confine_is_wanted(void)
{
	return geteuid() == 0 && confine_is_possible();
}

/* qemu-user wants a signal. */
pid_t
confine_fork(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);

	return pid < 0 && errno == EINVAL ? fork() : pid;
}

pid_t
confine_serve(int *socket, void (*serve)(bool is_ready), struct prof_err *err)
{
	int pair[2];
	pid_t pid;

	*socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		prof_fail(err, PROF_EIO, "socketpair: %s", strerror(errno));
		return -1;
	}
	pid = confine_fork();
	if (pid == 0)
		serve(dup2(pair[1], 0) == 0 && close_range(1, ~0u, 0) == 0);
	if (pid < 0) {
		prof_fail(err, PROF_EIO, "fork: %s", strerror(errno));
		close(pair[0]);
	} else {
		*socket = pair[0];
	}
	close(pair[1]);
	return pid;
}

bool
confine_drop_rights(void)
{
	/* Where 65534 is no user of this namespace, the filter must do. */
	if (setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0)
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, 0) == 0;
}

/* --- limits --- */

static void
limit(int what, rlim_t n)
{
	setrlimit((enum __rlimit_resource)what, &(struct rlimit){ n, n });
}

static size_t
address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

void
confine_limit(size_t bytes, unsigned seconds)
{
	limit(RLIMIT_AS, address_space() + bytes);
	limit(RLIMIT_CPU, seconds);
	limit(RLIMIT_CORE, 0);
	budget_end(); /* which is that of what this process reads itself */
}

bool
confine_may_allow(void)
{
	return prctl(PR_CAPBSET_READ, CAP_SYS_RESOURCE, 0, 0, 0) == 1;
}

static void
more(pid_t pid, int what, rlim_t n)
{
	struct rlimit r;

	if (prlimit(pid, (enum __rlimit_resource)what, NULL, &r) == 0 &&
	    r.rlim_max < RLIM_INFINITY - n) {
		r.rlim_cur = r.rlim_max = r.rlim_max + n;
		prlimit(pid, (enum __rlimit_resource)what, &r, NULL);
	}
}

/* Nanoseconds of a processor that it has used; 0: unknown. */
static uint64_t
used_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (!pid || clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void
confine_allow(pid_t pid, size_t bytes, unsigned seconds)
{
	rlim_t want = used_ns(pid) / 1000000000 + seconds;
	struct rlimit r;

	more(pid, RLIMIT_AS, bytes);
	if (prlimit(pid, RLIMIT_CPU, NULL, &r) == 0 && r.rlim_max < want)
		more(pid, RLIMIT_CPU, want - r.rlim_max);
}

/* --- answers --- */

/* The state of a thread, a folder of that name in dir; 0: it is gone. */
static char
state_of(int dir, const char *name)
{
	char text[512], *past;
	struct stat sb;
	ssize_t n = -1;
	int fd;

	snprintf(text, sizeof(text), "%.20s/stat", name);
	fd = regular_kernels_at(dir, text, &sb, NULL);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n < 0 ? 0 : n] = '\0';
	past = strrchr(text, ')'); /* of the program's name */
	return past && past[1] == ' ' ? past[2] : '\0';
}

/* Has one of its threads a processor, or waits for one? */
static bool
is_runnable(pid_t pid)
{
	bool is_one = false;
	struct dirent *e;
	char path[40];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = regular_list(path);
	while (dir && !is_one && (e = readdir(dir)))
		is_one = *e->d_name != '.' &&
			 state_of(dirfd(dir), e->d_name) == 'R';
	if (dir)
		closedir(dir);
	return is_one;
}

/* A second passed without an answer. Was there work in it? What others leave of
 * the machine must not decide which names are found: on a busy one, a twentieth
 * of it is some, and to wait for a processor is not to do nothing. */
static bool
is_at_work(struct confined *c)
{
	uint64_t before = c->used_ns;

	c->used_ns = used_ns(c->pid);
	return c->used_ns - before >= 50000000 || is_runnable(c->pid);
}

ssize_t
confine_read_some(struct confined *c, int fd, void *out, size_t n)
{
	struct pollfd p[] = { { .fd = fd, .events = POLLIN },
			      { .fd = c->socket, .events = POLLIN } };

	for (;;) {
		int r = poll(p, c->hear ? 2 : 1, 1000);
		ssize_t got;

		if (r > 0 && c->hear && p[1].revents) {
			if (!c->hear(c->ctx))
				c->hear = NULL;
			continue;
		}
		got = r > 0 ? read(fd, out, n) : r;
		if (r != 0 && (got >= 0 || errno != EINTR))
			return got;
		if (r == 0 && !is_at_work(c))
			c->silent++;
		c->is_late = c->silent >= (c->patience ? c->patience
						       : CONFINE_SILENCE) ||
			     (c->is_over && atomic_load(c->is_over));
		if (c->is_late)
			return -1;
	}
}

bool
confine_read(struct confined *c, int fd, void *out, size_t n)
{
	for (char *to = out; n;) {
		ssize_t got = confine_read_some(c, fd, to, n);

		if (got <= 0)
			return false;
		to += got;
		n -= (size_t)got;
	}
	return true;
}

/* --- system calls --- */

bool
confine_has_filter(void)
{
	/* A kernel that knows filters looks at the address first. */
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0 ||
	       errno != EINVAL;
}

/* Limits stand for the filter that the kernel does not have: no file is
 * written, and where none is received, none is opened. */
static bool
limit_calls(enum confine_needs needs)
{
	limit(RLIMIT_FSIZE, 0);
	if (needs < CONFINE_FILES)
		limit(RLIMIT_NOFILE, 0);
	if (needs < CONFINE_THREADS)
		limit(RLIMIT_NPROC, 0);
	return geteuid() != 0;
}

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#endif

bool
confine_calls(enum confine_needs needs)
{
#ifdef ARCH
#define WORD(member)                                                           \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                     \
		 offsetof(struct seccomp_data, member))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define ALLOW(name) UNLESS(__NR_##name, 1), RETURN(SECCOMP_RET_ALLOW)
#define FAIL(name, error)                                                      \
	UNLESS(__NR_##name, 1), RETURN(SECCOMP_RET_ERRNO | (error))
	struct sock_filter filter[] = {
		WORD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		WORD(nr),
		ALLOW(pread64),
		ALLOW(read),
		ALLOW(write),
		ALLOW(lseek),
		ALLOW(fstat),
		ALLOW(newfstatat),
		ALLOW(close),
		ALLOW(mmap),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(mprotect),
		ALLOW(madvise),
		ALLOW(brk),
		ALLOW(getrandom),
		ALLOW(futex),
		ALLOW(exit),
		ALLOW(exit_group),
		ALLOW(clock_gettime),
		ALLOW(sysinfo),
		ALLOW(uname),
		ALLOW(getdents64),
		ALLOW(fcntl),
		ALLOW(geteuid),
		ALLOW(sendmsg),
		ALLOW(recvmsg),
		ALLOW(sched_getaffinity),
		ALLOW(set_robust_list),
		ALLOW(rseq),
		ALLOW(rt_sigprocmask),
		ALLOW(rt_sigaction),  /* the first pthread_create() */
		ALLOW(timer_settime), /* the time of a name */
		/* abort(), and valgrind */
		ALLOW(rt_sigreturn),
		ALLOW(getpid),
		ALLOW(gettid),
		/* libc asks for the number of processors. */
		FAIL(openat, EACCES),
		FAIL(readlinkat, EACCES),
		FAIL(prlimit64, EPERM),
#ifdef __NR_open
		FAIL(open, EACCES),
		FAIL(readlink, EACCES),
#endif
		/* A filter can't see the flags of clone3(). */
		FAIL(clone3, ENOSYS),
		RETURN(SECCOMP_RET_KILL_PROCESS), /* or, with threads: */
		UNLESS(__NR_clone, 3),
		WORD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_KILL_PROCESS),
	};
	const size_t n = sizeof(filter) / sizeof(filter[0]);
	struct sock_fprog program = { (unsigned short)n, filter };

	if (needs == CONFINE_THREADS)
		memmove(&filter[n - 6], &filter[n - 5], 5 * sizeof(*filter));
	program.len -= needs == CONFINE_THREADS ? 1 : 5;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		return true;
	if (confine_has_filter())
		return false;
#endif
	return limit_calls(needs);
}
