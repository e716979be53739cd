/* clock.c - see clock.h; libsample/clock.c is the other side. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

enum prof_status
perfclock_open(int *fd, struct prof_err *err)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
	};

	*fd = -1;
	/* A seccomp filter may kill for an unknown call. */
	if (prctl(PR_GET_SECCOMP) != SECCOMP_MODE_DISABLED)
		return prof_fail(err, PROF_ENOTSUP,
				 "no perf clock under a seccomp filter");
	*fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			   PERF_FLAG_FD_CLOEXEC);
	if (*fd >= 0)
		return PROF_OK;
	if (errno == EACCES || errno == EPERM)
		return prof_fail(err, PROF_ENOTSUP,
				 "no perf clock without CAP_PERFMON or "
				 "kernel.perf_event_paranoid at 1 or less");
	return prof_fail(err, PROF_ENOTSUP, "no perf clock: %s",
			 strerror(errno));
}
