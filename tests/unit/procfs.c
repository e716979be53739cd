/* procfs.c - what processes can do to the texts about them in /proc. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/perf/cpus.h"
#include "record/procfs.h"
#include "tests/unit/unit.h"

static void
test_map(void **state)
{
	static const struct {
		const char *row, *path; /* NULL: no code */
		uint64_t start, limit, offset;
	} row[] = {
		{ "7f00-7f10 r-xp 00001000 08:01 123      /a b\n", "/a b",
		  0x7f00, 0x7f10, 0x1000 },
		{ "7f00-7f10 r-xp 00000000 00:00 0 \n", "", 0x7f00, 0x7f10, 0 },
		{ "7f00-7f10 r-xp 00000000 00:00 0\n", "", 0x7f00, 0x7f10, 0 },
		{ "0-1000 --xp 00000000 00:00 0 [stack]", "[stack]", 0, 0x1000,
		  0 },
		{ "ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]",
		  "[vsyscall]", 0xffffffffff600000, 0xffffffffff601000, 0 },
		{ "7f00-7f10 r-xp 0 08:01 1 /x\\012y (deleted)\n",
		  "/x\\012y (deleted)", 0x7f00, 0x7f10, 0 },
		{ "7f00-7f10 rw-p 00001000 08:01 123 /x\n", NULL, 0, 0, 0 },
		{ "7f10-7f00 r-xp 00001000 08:01 123 /x\n", NULL, 0, 0, 0 },
		{ "7f00-7f00 r-xp 00001000 08:01 123 /x\n", NULL, 0, 0, 0 },
		{ "7f00-7f10 r-xp\n", NULL, 0, 0, 0 },
		{ "7f00-7f10 r-xp 00001000 08:01", NULL, 0, 0, 0 },
		{ "", NULL, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct procfs_map m;
		char text[128];

		strcpy(text, row[i].row);
		if (!procfs_map(text, &m)) {
			assert_null(row[i].path);
			continue;
		}
		assert_string_equal(m.path, row[i].path ? row[i].path : "none");
		assert_true(m.start == row[i].start && m.limit == row[i].limit);
		assert_true(m.offset == row[i].offset);
	}
}

static void
test_stat(void **state)
{
	struct procfs_stat s;

	(void)state;
	assert_true(procfs_stat("12 (a) R 1) (b) S 1 2 3 4 -1 6 7 8 9 10 11 12 "
				"13 14 15 16 17 18 19 20 21 22 23 24 25 26\n",
				&s));
	assert_string_equal(s.name, "a) R 1) (b");
	assert_int_equal(s.cpu_ms, (11 + 12) * 1000 / sysconf(_SC_CLK_TCK));
	assert_int_equal(s.stack, 25);
	assert_true(procfs_stat(
		"1 (0123456789012345678901234567890123456789) "
		"S 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6",
		&s));
	assert_string_equal(s.name, "0123456789012345678901234567890");
	assert_false(procfs_stat("1 (x) S 1 2 3", &s));
	assert_false(procfs_stat("1 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13", &s));
	assert_false(procfs_stat("1 )x( S 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 "
				 "8 9 1 2 3 4 5 6",
				 &s));
	assert_false(procfs_stat("", &s));
}

/* The name of the program comes first. */
static void
test_anon(void **state)
{
	(void)state;
	assert_int_equal(procfs_anon_kb("Name:\tRssAnon:9999999\nPid:\t1\n"
					"RssAnon:\t     120 kB\n"),
			 120);
	assert_int_equal(procfs_anon_kb("Name:\tRssAnon:9999999\n"), 0);
}

static void
test_syscall(void **state)
{
	uint64_t sp = 0, pc = 0;

	(void)state;
	assert_true(look_syscall("230 0x0 0x0 0x7f 0x0 0x1 0x2 0x7ffc10 "
				 "0x7f0123\n",
				 &sp, &pc));
	assert_true(sp == 0x7ffc10 && pc == 0x7f0123);
	assert_true(look_syscall("-1 0x10 0x20\n", &sp, &pc));
	assert_true(sp == 0x10 && pc == 0x20);
	assert_false(look_syscall("0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0", &sp,
				  &pc)); /* a thread of the kernel */
	assert_false(look_syscall("running\n", &sp, &pc));
	assert_false(look_syscall("-1 0x10", &sp, &pc));
}

static void
test_cpus(void **state)
{
	struct cpus c;

	(void)state;
	assert_true(cpus_parse(&c, "0-1,3\n"));
	assert_int_equal(c.limit, 4);
	assert_true(cpus_have(&c, 0) && cpus_have(&c, 3));
	assert_false(cpus_have(&c, 2) || cpus_have(&c, 4));
	assert_true(cpus_parse(&c, "4095"));
	assert_false(cpus_parse(&c, "4096"));
	assert_false(cpus_parse(&c, "0-99999999999999999999"));
	assert_false(cpus_parse(&c, "3-1"));
	assert_false(cpus_parse(&c, "0,"));
	assert_false(cpus_parse(&c, "\n"));
}

/* A file that exists, and one that does not. */
static void
test_read(void **state)
{
	size_t n;
	char *text = procfs_read(getpid(), "stat", &n);

	(void)state;
	assert_non_null(text);
	assert_int_equal(strlen(text), n);
	assert_non_null(strchr(text, '('));
	free(text);
	assert_null(procfs_read(getpid(), "no-such-file", &n));
	assert_int_equal(n, 0);
}

UNIT_TESTS(cmocka_unit_test(test_map), cmocka_unit_test(test_stat),
	   cmocka_unit_test(test_anon), cmocka_unit_test(test_syscall),
	   cmocka_unit_test(test_cpus), cmocka_unit_test(test_read))
