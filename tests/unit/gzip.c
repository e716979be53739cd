/*
 * gzip.c - writing gzip with threads: zlib reads it back as one member,
 * and neither threads nor the way it was cut change a byte.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/buf.h"
#include "lib/wire/compress.h"
#include "lib/wire/gzip-out.h"
#include "lib/wire/packer.h"
#include "tests/lib/random.h"
#include "tests/unit/unit.h"

enum { N_KIND = 4 };

/* Bytes that give different kinds of blocks. */
static uint8_t *
make_data(struct rng *r, int kind, size_t n)
{
	uint8_t *data = malloc(n + 1);

	assert_non_null(data);
	for (size_t i = 0; i < n; i++)
		switch (kind) {
		case 0: /* stored */
			data[i] = (uint8_t)rng_draw(r, 256);
			break;
		case 1: /* long matches */
			data[i] = (uint8_t)(i / 100000);
			break;
		case 2: /* codes of many lengths, short matches */
			data[i] = (uint8_t)(rng_draw(r, 1 + rng_draw(r, 256)) *
					    rng_draw(r, 2));
			break;
		default: /* turns from one to the other */
			data[i] = (uint8_t)(i >> 16 & 1 ? rng_draw(r, 256)
							: i % 251 / 7);
		}
	return data;
}

/* Write the data in cuts of at most `cut` bytes: the stream, the caller's. */
static uint8_t *
pack(const uint8_t *data, size_t n, int level, unsigned n_thread, uint32_t cut,
     size_t *n_out)
{
	int fd = memfd_create("gzip", 0);
	struct rng r = { cut };
	struct gzip_out *o;
	struct stat sb;
	uint8_t *out;

	assert_true(fd >= 0);
	assert_int_equal(gzip_out_begin(fd, level, n_thread, &o, NULL), 0);
	for (size_t at = 0, k; at < n; at += k) {
		k = 1 + rng_draw(&r, cut);
		if (k > n - at)
			k = n - at;
		assert_int_equal(gzip_out_put(o, data + at, k, NULL), 0);
	}
	assert_int_equal(gzip_out_end(o, NULL), 0);
	assert_int_equal(fstat(fd, &sb), 0);
	*n_out = (size_t)sb.st_size;
	out = malloc(*n_out);
	assert_non_null(out);
	assert_int_equal(pread(fd, out, *n_out, 0), *n_out);
	close(fd);
	return out;
}

static void
check_inflates(uint8_t *gz, size_t n_gz, const uint8_t *data, size_t n)
{
	uint8_t *back = malloc(n + 1);
	z_stream z = { .next_in = gz,
		       .avail_in = (uInt)n_gz,
		       .next_out = back,
		       .avail_out = (uInt)n + 1 };

	assert_non_null(back);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, n);
	assert_memory_equal(back, data, n);
	inflateEnd(&z);
	free(back);
}

static void
it_is_one_member_whatever_the_threads(void **state)
{
	static const size_t size[] = { 0,
				       1,
				       1000,
				       PACKER_PIECE - 1,
				       PACKER_PIECE,
				       PACKER_PIECE + 1,
				       2 * PACKER_PIECE,
				       5 * PACKER_PIECE + 12345 };
	struct rng r = { 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++) {
		int level = (int)(i * 3 % 10), kind = (int)i % N_KIND;
		uint8_t *data = make_data(&r, kind, size[i]), *one, *two;
		size_t n_one, n_two;

		one = pack(data, size[i], level, 1, 4000000, &n_one);
		check_inflates(one, n_one, data, size[i]);
		for (unsigned t = 2; t < 8; t += 3) {
			two = pack(data, size[i], level, t, 100000, &n_two);
			assert_int_equal(n_one, n_two);
			assert_memory_equal(one, two, n_one);
			free(two);
		}
		free(one);
		free(data);
	}
}

static void
every_level_and_kind(void **state)
{
	struct rng r = { 2 };
	size_t n = PACKER_PIECE + 300000;

	(void)state;
	for (int kind = 0; kind < N_KIND; kind++) {
		uint8_t *data = make_data(&r, kind, n);

		for (int level = 0; level < 10; level++) {
			size_t n_gz;
			uint8_t *gz = pack(data, n, level, 2, 1 << 20, &n_gz);

			check_inflates(gz, n_gz, data, n);
			free(gz);
		}
		free(data);
	}
}

static void
a_full_disk_is_said_once(void **state)
{
	struct rng r = { 3 };
	size_t n = 4 * PACKER_PIECE;
	uint8_t *data = make_data(&r, 0, n);
	struct prof_err err = { 0 };
	struct gzip_out *o;

	(void)state;
	for (unsigned t = 1; t < 4; t++) {
		int fd = open("/dev/full", O_WRONLY);

		assert_true(fd >= 0);
		assert_int_equal(gzip_out_begin(fd, 6, t, &o, NULL), 0);
		(void)!gzip_out_put(o, data, n, &err);
		assert_int_equal(gzip_out_end(o, &err), PROF_EIO);
		assert_string_equal(err.msg, strerror(ENOSPC));
		close(fd);
	}
	free(data);
}

/* A section of a file may say that it unpacks to nothing. */
static void
nothing_has_a_place(void **state)
{
	static const uint8_t nothing[] = { 0x78, 0x9c, 3, 0, 0, 0, 0, 1 };
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(zlib_inflate(nothing, sizeof(nothing), 0, &out, NULL),
			 PROF_OK);
	assert_int_equal(out.n, 0);
	assert_non_null(out.data); /* else zlib counts from no address */
	buf_release(&out);
}

UNIT_TESTS(cmocka_unit_test(it_is_one_member_whatever_the_threads),
	   cmocka_unit_test(every_level_and_kind),
	   cmocka_unit_test(a_full_disk_is_said_once),
	   cmocka_unit_test(nothing_has_a_place))
