/* rows.c - rows that a process without rights sent, and changed on the way. */
#include "config.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/confine.h"
#include "tests/unit/unit.h"
#include "unwind/elf-source.h"
#include "unwind/rows.h"

enum { HEAD = 1280 }; /* bytes, with the numbers of rows */

static struct confined sender;

/* Those of this program, as they are sent. */
static int
sent(void)
{
	int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	    fd = memfd_create("rows", MFD_CLOEXEC);
	struct elf_source s = { 0 };
	struct rows *rows;

	assert_int_equal(elf_source_open(&s, program, NULL), PROF_OK);
	assert_int_equal(rows_read(&s, &rows, NULL), PROF_OK);
	assert_int_equal(rows_send(rows, fd), 0);
	rows_free(rows);
	close(program);
	return fd;
}

/* Every bit of the head, alone: the rows are refused, or can be used. */
static void
changed(void **state)
{
	int fd = sent(), n_refused = 0;
	struct rows *rows;
	uint8_t byte;

	(void)state;
	for (int bit = 0; bit < 8 * HEAD; bit++) {
		assert_int_equal(pread(fd, &byte, 1, bit / 8), 1);
		byte ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(pwrite(fd, &byte, 1, bit / 8), 1);
		lseek(fd, 0, SEEK_SET);
		if (rows_receive(&sender, fd, &rows, NULL) == PROF_OK) {
			for (uint64_t at = 0; at < 1 << 20; at += 997)
				rows_word(rows, at);
			rows_free(rows);
		} else {
			n_refused++;
		}
		byte ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(pwrite(fd, &byte, 1, bit / 8), 1);
	}
	assert_true(n_refused >= 3 * 60); /* each number of rows */
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(rows_receive(&sender, fd, &rows, NULL), PROF_OK);
	rows_free(rows);
	close(fd);
}

UNIT_TESTS(cmocka_unit_test(changed))
