/* confine.c - see confine.h. */
#include "config.h"

#include "confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sanitized.h"

enum { NOBODY = 65534, MAX_SECONDS = 3600 };

bool
confine_is_wanted(void)
{
	const char *wish = getenv("PROF_SANDBOX");

	return !IS_SANITIZED && geteuid() == 0 && !(wish && !strcmp(wish, "0"));
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
limit(int what, rlim_t n, rlim_t max)
{
	setrlimit((enum __rlimit_resource)what, &(struct rlimit){ n, max });
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
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	limit(RLIMIT_AS, address_space() + bytes, RLIM_INFINITY);
	limit(RLIMIT_CPU, (rlim_t)used.ru_utime.tv_sec + seconds, MAX_SECONDS);
	limit(RLIMIT_CORE, 0, 0);
}

static void
more(int what, rlim_t n)
{
	struct rlimit r;

	if (getrlimit((enum __rlimit_resource)what, &r) == 0 &&
	    r.rlim_cur <= r.rlim_max - n) {
		r.rlim_cur += n;
		setrlimit((enum __rlimit_resource)what, &r);
	}
}

void
confine_allow(size_t bytes, unsigned seconds)
{
	more(RLIMIT_AS, bytes);
	more(RLIMIT_CPU, seconds);
}

/* --- system calls --- */

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#endif

bool
confine_calls(bool has_threads)
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
		ALLOW(prlimit64),
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
		ALLOW(rt_sigaction), /* the first pthread_create() */
		/* libc asks for the number of processors. */
		FAIL(openat, EACCES),
		FAIL(readlinkat, EACCES),
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

	if (has_threads)
		memmove(&filter[n - 6], &filter[n - 5], 5 * sizeof(*filter));
	program.len -= has_threads ? 1 : 5;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
	(void)has_threads;
	return true;
#endif
}
