/* slurp.c - see slurp.h. */
#include "config.h"

#include "slurp.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "regular.h"

#define MAX_BYTES ((size_t)1 << 30)
#define STEP ((size_t)1 << 16)

static enum prof_status
read_all(int fd, struct buf *out, struct prof_err *err)
{
	size_t had = out->n;
	ssize_t n;

	/* Files of /proc claim to be empty. */
	do {
		if (out->n - had > MAX_BYTES)
			return prof_fail(err, PROF_ELIMIT,
					 "larger than a gigabyte");
		if (buf_reserve(out, STEP) < 0)
			return prof_nomem(err);
		n = read(fd, out->data + out->n, STEP);
		if (n > 0)
			out->n += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? prof_fail(err, PROF_EIO, "%s", strerror(errno))
		     : PROF_OK;
}

enum prof_status
slurp(const char *path, bool ours, struct buf *out, struct prof_err *err)
{
	enum prof_status st;
	struct stat sb;
	int fd = regular_open(path, ours, &sb, err);

	if (fd < 0)
		return PROF_EIO;
	if (ours && sb.st_uid != 0 && sb.st_uid != geteuid())
		st = prof_fail(err, PROF_EIO, "belongs to another user");
	else
		st = read_all(fd, out, err);
	close(fd);
	return st;
}
