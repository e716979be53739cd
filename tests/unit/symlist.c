/*
 * symlist.c - names out of lists: perf maps, jitdumps, kernel symbols.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "symbols/lists/symlist.h"
#include "tests/unit/unit.h"

/* A symbol_fn: "ADDRESS NAME FILE:LINE", into the text at ctx. */
struct answers {
	const uint64_t *addr;
	char text[1024];
};

static void
take(void *ctx, size_t i, const struct symbol_frame *f, size_t n)
{
	struct answers *a = ctx;
	size_t at = strlen(a->text);

	assert_int_equal(n, 1);
	snprintf(a->text + at, sizeof(a->text) - at, "%llx %s",
		 (unsigned long long)a->addr[i], f->name);
	at = strlen(a->text);
	if (*f->file)
		snprintf(a->text + at, sizeof(a->text) - at, " %s:%d", f->file,
			 (int)f->line);
	strcat(a->text, "\n");
}

/* What the list says of addresses, which end with 0, is want in any order. */
static void
expect(const struct symlist *l, const uint64_t *addr, const char *want)
{
	struct answers a = { .addr = addr };
	size_t n = 0, length = 0;

	while (addr[n])
		n++;
	assert_int_equal(symlist_run(l, addr, n, take, &a, NULL), PROF_OK);
	for (const char *s = want; *s; s += strcspn(s, "\n") + 1) {
		char line[256];

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(s, "\n") + 1,
			 s);
		if (!strstr(a.text, line))
			fail_msg("no %sin:\n%s", line, a.text);
		length += strlen(line);
	}
	assert_int_equal(strlen(a.text), length);
}

#define ADDRESSES(...)                                                         \
	(const uint64_t[])                                                     \
	{                                                                      \
		__VA_ARGS__, 0                                                 \
	}

static void
test_perfmap(void **state)
{
	static const char text[] = "1000 10 one\n"
				   "0x2000 0x20 two with blanks\n"
				   "\n"
				   "not a line\n"
				   "3000 0 empty\n"
				   "11112222333344445 10 too long\n"
				   "2010 8 over two\n"
				   "fffffffffffffff0 100 last\r\n"
				   "4000 10 cut off";
	struct symlist l = { 0 };

	(void)state;
	assert_int_equal(perfmap_read(&l, text, sizeof(text) - 1, NULL),
			 PROF_OK);
	assert_int_equal(l.n, 4);
	expect(&l,
	       ADDRESSES(0xfff, 0x1000, 0x100f, 0x1010, 0x2000, 0x200f, 0x2010,
			 0x2017, 0x2018, 0x201f, 0x3000, 0x4000,
			 0xfffffffffffffff8),
	       "1000 one\n100f one\n2000 two with blanks\n"
	       "200f two with blanks\n2010 over two\n2017 over two\n"
	       "2018 two with blanks\n201f two with blanks\n"
	       "fffffffffffffff8 last\r\n");
	symlist_release(&l);
}

/* --- jitdumps --- */

struct dump {
	struct buf b;
	bool swapped;
};

static void
put(struct dump *d, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t shift = 8 * (d->swapped ? n - 1 - i : i);
		uint8_t byte = (uint8_t)(v >> shift);

		assert_int_equal(buf_add(&d->b, &byte, 1), 0);
	}
}

static void
put_record(struct dump *d, unsigned kind, size_t n)
{
	put(d, kind, 4);
	put(d, 16 + n, 4);
	put(d, 0, 8);
}

static void
put_header(struct dump *d)
{
	put(d, 0x4a695444, 4);
	put(d, 1, 4);
	put(d, 40, 4);
	put(d, 62, 4);
	put(d, 0, 4);
	put(d, 1234, 4);
	put(d, 0, 8);
	put(d, 0, 8);
}

static void
put_load(struct dump *d, uint64_t addr, uint64_t size, uint64_t index,
	 const char *name)
{
	put_record(d, 0, 40 + strlen(name) + 1 + 4);
	put(d, 1234, 4);
	put(d, 1234, 4);
	put(d, addr, 8);
	put(d, addr, 8);
	put(d, size, 8);
	put(d, index, 8);
	buf_add(&d->b, name, strlen(name) + 1);
	put(d, 0xcccccccc, 4);
}

static void
put_move(struct dump *d, uint64_t from, uint64_t to, uint64_t size,
	 uint64_t index)
{
	put_record(d, 1, 48);
	put(d, 1234, 4);
	put(d, 1234, 4);
	put(d, from, 8);
	put(d, from, 8);
	put(d, to, 8);
	put(d, size, 8);
	put(d, index, 8);
}

/* Two lines, at once and 8 bytes later, in one file. */
static void
put_debug(struct dump *d, uint64_t addr, uint64_t shift, int line)
{
	put_record(d, 2, 16 + 2 * 16 + 5 + 2);
	put(d, addr, 8);
	put(d, 2, 8);
	put(d, addr + shift, 8);
	put(d, (uint64_t)line, 4);
	put(d, 7, 4);
	buf_add(&d->b, "a.js", 5);
	put(d, addr + shift + 8, 8);
	put(d, (uint64_t)line + 1, 4);
	put(d, 7, 4);
	buf_add(&d->b, "\xff", 2);
}

static void
make_dump(struct dump *d, uint64_t shift)
{
	put_header(d);
	put_debug(d, 0x1000, shift, 10);
	put_load(d, 0x1000, 0x20, 1, "first");
	put_load(d, 0x2000, 0x20, 2, "second");
	put_record(d, 4, 8); /* unwinding information */
	put(d, 0, 8);
	put_move(d, 0x1000, 0x3000, 0x20, 1);
	put_load(d, 0x1000, 0x10, 3, "third");
	put_move(d, 0x9000, 0xa000, 0x20, 4); /* of nobody */
	put_move(d, 0x3000, 0x4000, 0x20, 2); /* it is not there */
}

static void
expect_dump(const struct symlist *l)
{
	expect(l,
	       ADDRESSES(0x1000, 0x1010, 0x2000, 0x3000, 0x3007, 0x3008, 0x301f,
			 0x3020, 0x4000, 0xa000),
	       "1000 third\n1010 first a.js:11\n2000 second\n"
	       "3000 first a.js:10\n3007 first a.js:10\n3008 first a.js:11\n"
	       "301f first a.js:11\n");
}

static void
test_jitdump(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct dump d = { .swapped = i & 1 };
		struct symlist l = { 0 };

		make_dump(&d, i & 2 ? 0x40 : 0);
		assert_true(jitdump_is(d.b.data, d.b.n));
		assert_int_equal(jitdump_read(&l, d.b.data, d.b.n, NULL),
				 PROF_OK);
		expect_dump(&l);
		symlist_release(&l);
		buf_release(&d.b);
	}
}

static void
test_jitdump_cut(void **state)
{
	struct prof_err err = { 0 };
	struct dump d = { 0 };

	(void)state;
	make_dump(&d, 0);
	for (size_t n = 0; n < d.b.n; n++) {
		struct symlist l = { 0 };
		enum prof_status st = jitdump_read(&l, d.b.data, n, NULL);

		assert_int_equal(st, n < 40 ? PROF_EFORMAT : PROF_OK);
		symlist_release(&l);
	}
	for (size_t at = 40; at < d.b.n; at++) {
		struct symlist l = { 0 };
		uint8_t was = d.b.data[at];

		d.b.data[at] = 0xff;
		(void)!jitdump_read(&l, d.b.data, d.b.n, &err);
		d.b.data[at] = was;
		symlist_release(&l);
	}
	buf_release(&d.b);
}

static void
test_jitdump_damaged(void **state)
{
	struct prof_err err = { 0 };
	struct symlist l = { 0 };
	struct dump d = { 0 };

	(void)state;
	put_header(&d);
	put_load(&d, 0x1000, 0x20, 1, "first");
	put(&d, 0, 4);
	put(&d, 3, 4);
	put(&d, 0, 8);
	assert_int_equal(jitdump_read(&l, d.b.data, d.b.n, &err), PROF_EFORMAT);
	assert_string_equal(err.msg, "jitdump: byte 106: a record of 3 bytes");
	expect(&l, ADDRESSES(0x1000), "1000 first\n");
	symlist_release(&l);
	d.b.data[4] = 2;
	assert_int_equal(jitdump_read(&l, d.b.data, d.b.n, &err), PROF_EFORMAT);
	assert_string_equal(err.msg, "a jitdump of an unknown version");
	buf_release(&d.b);
}

/* --- kernels --- */

static void
test_kallsyms(void **state)
{
	static const char text[] = "0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000000 T startup\n"
				   "ffffffff81000010 t __inner\n"
				   "ffffffff81000010 t inner\n"
				   "ffffffff81000020 D data\n"
				   "ffffffffc0000100 t late\t[mod]\n"
				   "ffffffffc0000000 t early\t[mod]\n"
				   "nonsense\n"
				   "ffffffffc0000200";
	struct kallsyms k = { 0 };

	(void)state;
	assert_int_equal(kallsyms_read(&k, text, sizeof(text) - 1, NULL),
			 PROF_OK);
	assert_true(k.stext == 0xffffffff81000000);
	assert_true(k.text == 0xffffffff81000000);
	expect(&k.list,
	       ADDRESSES(0xffffffff80ffffff, 0xffffffff81000000,
			 0xffffffff8100000f, 0xffffffff81000010,
			 0xffffffff82000000, 0xffffffffc0000000,
			 0xffffffffc00000ff, 0xffffffffc0000100),
	       "ffffffff81000000 startup\nffffffff8100000f startup\n"
	       "ffffffff81000010 inner\nffffffffc0000000 early\n"
	       "ffffffffc00000ff early\nffffffffc0000100 late\n");
	symlist_release(&k.list);
}

UNIT_TESTS(cmocka_unit_test(test_perfmap), cmocka_unit_test(test_jitdump),
	   cmocka_unit_test(test_jitdump_cut),
	   cmocka_unit_test(test_jitdump_damaged),
	   cmocka_unit_test(test_kallsyms))
