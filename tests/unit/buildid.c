/* buildid.c - the build-id in the notes of a program. */
#include "config.h"

#include "lib/base/buildid.h"
#include "tests/unit/unit.h"

#define GNU "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\1\2\xff\0"
#define GO_HEAD "\4\0\0\0\x09\0\0\0\4\0\0\0Go\0\0"
#define GO GO_HEAD "ab/cd/xyZ\0\0\0"

static const char *
id_of(const char *notes, size_t n, bool want)
{
	static char id[BUILD_ID_TEXT];

	*id = '\0';
	assert_int_equal(
		build_id_in_notes((const uint8_t *)notes, n, 4, false, id),
		want);
	return id;
}

#define ID_OF(notes, want) id_of(notes, sizeof(notes) - 1, want)

static void
test_which(void **state)
{
	(void)state;
	assert_string_equal(ID_OF(GNU, true), "0102ff");
	assert_string_equal(ID_OF(GO, false), "78795a");
	assert_string_equal(ID_OF(GO GNU, true), "0102ff");
	assert_string_equal(ID_OF(GNU GO, true), "0102ff");
	assert_string_equal(ID_OF(GO_HEAD "ab/cd/xy", false), "");
	assert_string_equal(ID_OF(GO_HEAD "abcdefghi\0\0\0", false), "");
	assert_string_equal(ID_OF(GO_HEAD "abcdefgh/\0\0\0", false), "");
}

UNIT_TESTS(cmocka_unit_test(test_which))
