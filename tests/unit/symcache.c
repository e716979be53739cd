/* symcache.c - the bytes of an entry of the symbol cache. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/binary/symcache-image.h"
#include "tests/unit/unit.h"

static const struct symbol_frame chain[] = {
	{ "inner", "/src/a.h", 7, 3, 5 },
	{ "outer", "/src/a.c", UINT32_MAX, 0, 0 },
	{ "", "", 0, 0, 0 },
};

/* An image with answers at 0x10 and UINT64_MAX, and nothing at 0x20. */
static struct buf
make(const char *key)
{
	struct symbol_frame huge = { "x", "", (int64_t)1 << 32, 0, 0 };
	struct buf out = { 0 };
	struct image_maker m;

	assert_int_equal(image_maker_init(&m), 0);
	assert_int_equal(image_add(&m, UINT64_MAX, chain, 1), 0);
	assert_int_equal(image_add(&m, 0x20, NULL, 0), 0);
	assert_int_equal(image_add(&m, 0x10, chain, 3), 0);
	assert_int_equal(image_add(&m, 0x30, &huge, 1), 0);
	assert_int_equal(image_write(&m, key, &out), 0);
	image_maker_release(&m);
	return out;
}

static void
what_is_written_is_found(void **state)
{
	static struct symbol_frame frame[SYMCACHE_MAX_FRAMES];
	struct buf b = make("key");
	struct image im;

	(void)state;
	assert_true(image_read(&im, b.data, b.n, "key", true));
	assert_int_equal(im.n_addr, 3);
	assert_int_equal(image_find(&im, 0x10, frame), 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(frame[i].name, chain[i].name);
		assert_string_equal(frame[i].file, chain[i].file);
		assert_int_equal(frame[i].line, chain[i].line);
		assert_int_equal(frame[i].column, chain[i].column);
		assert_int_equal(frame[i].start_line, chain[i].start_line);
	}
	assert_int_equal(image_find(&im, UINT64_MAX, frame), 1);
	assert_int_equal(image_find(&im, 0x20, frame), 0);
	assert_int_equal(image_find(&im, 0x30, frame), -1);
	assert_int_equal(image_find(&im, 0x11, frame), -1);
	assert_int_equal(image_find(&im, 0, frame), -1);
	buf_release(&b);
}

static void
another_object_is_another(void **state)
{
	struct buf b = make("key");
	struct image im;

	(void)state;
	assert_false(image_read(&im, b.data, b.n, "kez", true));
	assert_false(image_read(&im, b.data, b.n, "ke", true));
	assert_false(image_read(&im, b.data, b.n, "", true));
	buf_release(&b);
}

static void
damage_is_seen(void **state)
{
	struct buf b = make("key");
	struct image im;

	(void)state;
	for (size_t n = 0; n < b.n; n++) {
		/* A copy of its own: no byte past its end is read. */
		void *cut = malloc(n ? n : 1);

		assert_non_null(cut);
		memcpy(cut, b.data, n);
		assert_false(image_read(&im, cut, n, "key", false));
		free(cut);
	}
	for (size_t i = 0; i < b.n; i++) {
		b.data[i] ^= 0x40;
		assert_false(image_read(&im, b.data, b.n, "key", true));
		b.data[i] ^= 0x40;
	}
	assert_true(image_read(&im, b.data, b.n, "key", true));
	buf_release(&b);
}

/* Without the checksum, every byte may be wrong: no offset leads outside. */
static void
offsets_are_checked(void **state)
{
	static struct symbol_frame frame[SYMCACHE_MAX_FRAMES];
	static const uint8_t evil[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct buf b = make("key");
	struct image im;

	(void)state;
	for (size_t i = 0; i < b.n; i++)
		for (size_t k = 0; k < sizeof(evil); k++) {
			uint8_t was = b.data[i];
			int n;

			b.data[i] = evil[k];
			if (image_read(&im, b.data, b.n, "key", false)) {
				n = image_find(&im, 0x10, frame);
				while (n-- > 0)
					assert_true(strlen(frame[n].name) <
						    b.n);
			}
			b.data[i] = was;
		}
	buf_release(&b);
}

static void
nothing_is_an_image_too(void **state)
{
	struct symbol_frame frame;
	struct buf out = { 0 };
	struct image_maker m;
	struct image im;

	(void)state;
	assert_int_equal(image_maker_init(&m), 0);
	assert_int_equal(image_write(&m, "", &out), 0);
	assert_true(image_read(&im, out.data, out.n, "", true));
	assert_int_equal(image_find(&im, 0, &frame), -1);
	image_maker_release(&m);
	buf_release(&out);
}

UNIT_TESTS(cmocka_unit_test(what_is_written_is_found),
	   cmocka_unit_test(another_object_is_another),
	   cmocka_unit_test(damage_is_seen),
	   cmocka_unit_test(offsets_are_checked),
	   cmocka_unit_test(nothing_is_an_image_too))
