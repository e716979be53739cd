/* base64.c - see base64.h. */
#include "config.h"

#include "base64.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gzip-out.h"

int
base64_add(struct buf *out, const uint8_t *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t *to;

	if (buf_reserve(out, n / 3 * 4 + 4) < 0)
		return -1;
	to = out->data + out->n;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)s[i] << 16;

		if (i + 1 < n)
			v |= (uint32_t)s[i + 1] << 8;
		if (i + 2 < n)
			v |= s[i + 2];
		*to++ = (uint8_t)digits[v >> 18];
		*to++ = (uint8_t)digits[v >> 12 & 63];
		*to++ = (uint8_t)(i + 1 < n ? digits[v >> 6 & 63] : '=');
		*to++ = (uint8_t)(i + 2 < n ? digits[v & 63] : '=');
	}
	out->n = (size_t)(to - out->data);
	return 0;
}

/* Append what was written to fd. */
static enum prof_status
add_file(struct buf *out, int fd, struct prof_err *err)
{
	struct stat st;
	void *map;
	int r;

	if (fstat(fd, &st) < 0)
		return prof_fail(err, PROF_EIO, "fstat failed");
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return prof_nomem(err);
	r = base64_add(out, map, (size_t)st.st_size);
	munmap(map, (size_t)st.st_size);
	return r < 0 ? prof_nomem(err) : PROF_OK;
}

enum prof_status
base64_add_gzip(struct buf *out, const struct buf *data, int level,
		unsigned n_thread, struct prof_err *err)
{
	/* gzip-out.h writes to files: to one in memory. */
	int fd = memfd_create("base64", MFD_CLOEXEC);
	struct gzip_out *gz;
	enum prof_status st;

	if (fd < 0)
		return prof_fail(err, PROF_EIO, "memfd_create failed");
	st = gzip_out_begin(fd, level, n_thread, &gz, err);
	if (st == PROF_OK) {
		st = gzip_out_put(gz, data->data, data->n, err);
		if (st == PROF_OK)
			st = gzip_out_end(gz, err);
		else
			gzip_out_abandon(gz);
	}
	if (st == PROF_OK)
		st = add_file(out, fd, err);
	close(fd);
	return st;
}
