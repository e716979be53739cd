/* slurp.c - see slurp.h. */
#include "config.h"

#include "slurp.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "regular.h"

#define MAX_BYTES ((size_t)1 << 30)
#define STEP ((size_t)1 << 16)

enum prof_status
slurp_rest(int fd, size_t max, struct buf *out, struct prof_err *err)
{
	struct stat sb;
	size_t want = STEP, had = out->n;
	ssize_t n;
	bool is_file =
		fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_size > 0;

	/* One byte more than the file, so that finding its end needs no
	 * regrowth. Files of /proc claim to be empty. */
	if (is_file) {
		budget_file(&sb);
		want = (size_t)sb.st_size < max ? (size_t)sb.st_size + 1 : max;
	}
	for (;;) {
		if (buf_reserve(out, out->cap - out->n ? 1 : want) < 0)
			return prof_nomem(err);
		n = read(fd, out->data + out->n, out->cap - out->n);
		if (n == 0)
			return PROF_OK;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return prof_fail(err, PROF_EIO, "%s", strerror(errno));
		out->n += (size_t)n;
		if (!is_file)
			budget_read((size_t)n);
		if (out->n - had > max)
			return prof_fail(err, PROF_ELIMIT,
					 "larger than the limit of %zu bytes",
					 max);
	}
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
		st = slurp_rest(fd, MAX_BYTES, out, err);
	close(fd);
	return st;
}
