/* retry.c - see retry.h. */
#include "config.h"

#include "retry.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum prof_status
write_all(int fd, const void *data, size_t n, struct prof_err *err)
{
	const char *p = data;

	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return prof_fail(err, PROF_EIO, "%s", strerror(errno));
		p += w;
		n -= (size_t)w;
	}
	return PROF_OK;
}

int
wait_child(pid_t pid)
{
	int status = -1;

	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	return status;
}
