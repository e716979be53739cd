/*
 * filter.c - see filter.h. The child shares no memory with the process: a
 * filter's kill may dump core, and old kernels then kill all who share it. It
 * sends no signal when it ends, and is not seen by the program's wait().
 *
 * Not taken: reading how many filters there are, in /proc/self/status, at each
 * walk (20 us, and three system calls that may be filtered, too); a helper
 * process outside the filter, which the handler would have to wait for.
 */
#include "config.h"

#include "filter.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static bool was_filtered; /* when they were tried */
static unsigned allowed;  /* a bit for each */

static bool
is_filtered(void)
{
	return syscall(SYS_prctl, PR_GET_SECCOMP, 0L, 0L, 0L, 0L) !=
	       SECCOMP_MODE_DISABLED;
}

/* May a filter come to this thread, which has one, and not be noticed? */
static bool
may_change_unseen(void)
{
	return syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) != 0;
}

static bool
is_admin(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	/* Permitted: it may become effective. */
	return syscall(SYS_capget, &header, data) != 0 ||
	       data[CAP_SYS_ADMIN / 32].permitted >> CAP_SYS_ADMIN % 32 & 1;
}

/* In the child. Arguments are as in earnest: filters may look at them. */
static bool
make_call(enum filter_call call)
{
	char from = 1, to = 0;
	struct iovec source = { &from, 1 }, target = { &to, 1 };

	switch (call) {
	case FILTER_READ:
		return syscall(SYS_process_vm_readv, syscall(SYS_getpid),
			       &target, 1L, &source, 1L, 0L) == 1 &&
		       syscall(SYS_process_vm_writev, syscall(SYS_getpid),
			       &source, 1L, &target, 1L, 0L) == 1;
	case FILTER_LOOK:
		syscall(SYS_sched_getattr, 0L, NULL, 0L, 0L);
		syscall(SYS_sched_setattr, 0L, NULL, 0L);
		return syscall(SYS_close_range, 0U, ~0U, CLOSE_RANGE_UNSHARE) ==
		       0;
	case FILTER_PERF:
		syscall(SYS_perf_event_open, NULL, 0L, -1L, -1L, 0L);
		return true;
	}
	return false;
}

static bool
survives(enum filter_call call)
{
	static const struct rlimit none;
	int saved = errno, status = -1;
	long pid;

	/* No flags; its memory is a copy. */
	pid = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
	if (pid == 0) {
		syscall(SYS_prlimit64, 0L, RLIMIT_CORE, &none, NULL);
		syscall(SYS_exit_group, (long)!make_call(call));
	}
	while (pid > 0 && syscall(SYS_wait4, pid, &status, __WALL, NULL) < 0 &&
	       errno == EINTR)
		;
	errno = saved;
	return status == 0;
}

void
filter_try(void)
{
	was_filtered = is_filtered();
	allowed = 0;
	if (!was_filtered || may_change_unseen() || is_admin())
		return;
	for (enum filter_call call = FILTER_READ; call <= FILTER_PERF; call++)
		if (survives(call))
			allowed |= 1u << call;
}

bool
filter_allows(enum filter_call call)
{
	return was_filtered ? allowed >> call & 1 && !may_change_unseen()
			    : !is_filtered();
}
