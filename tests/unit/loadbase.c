/* loadbase.c - where ELF files were: the rules of lib/model/loadbase.h. */

#include "lib/model/loadbase.h"
#include "tests/unit/unit.h"

#define NO_BASE UINT64_C(0xbadbadbadbad)

/* A row: a file with up to two segments, a mapping, and the base. */
struct row {
	const char *name;
	enum load_type type;
	struct load_segment segment[2];
	uint64_t start, limit, offset;
	uint64_t symbol; /* of the kernel; 0: not known */
	uint64_t base;   /* NO_BASE: an error */
};

#define KERNEL UINT64_C(0xffffffff81000000)

static const struct row rows[] = {
	{ "non-PIE text",
	  LOAD_EXEC,
	  { { 0x401000, 0x1000, 0x2000, 0x2000, 0x1000, true } },
	  0x401000,
	  0x403000,
	  0x1000,
	  0,
	  0 },
	{ "non-PIE loaded elsewhere",
	  LOAD_EXEC,
	  { { 0x401000, 0x1000, 0x2000, 0x2000, 0x1000, true } },
	  0x601000,
	  0x603000,
	  0x1000,
	  0,
	  0x200000 },
	{ "PIE",
	  LOAD_DYN,
	  { { 0x1000, 0x1000, 0x2000, 0x2000, 0x1000, true } },
	  0x555555555000,
	  0x555555557000,
	  0x1000,
	  0,
	  0x555555554000 },
	{ "lld lets file offset and address differ",
	  LOAD_DYN,
	  { { 0x2a40, 0x1a40, 0x500, 0x500, 0x1000, true } },
	  0x555555556000,
	  0x555555557000,
	  0x1000,
	  0,
	  0x555555554000 },
	{ "the second of two segments that share a page",
	  LOAD_DYN,
	  { { 0, 0, 0x1040, 0x1040, 0x1000, false },
	    { 0x2040, 0x1040, 0x3000, 0x3000, 0x1000, true } },
	  0x555555556000,
	  0x55555555a000,
	  0x1000,
	  0,
	  0x555555554000 },
	{ "no segment there",
	  LOAD_DYN,
	  { { 0x1000, 0x1000, 0x2000, 0x2000, 0x1000, true } },
	  0x555555555000,
	  0x555555557000,
	  0x9000,
	  0,
	  NO_BASE },
	{ "a mapping made up: file addresses",
	  LOAD_EXEC,
	  { { 0x401000, 0x1000, 0x2000, 0x2000, 0x1000, true } },
	  0,
	  UINT64_MAX,
	  0,
	  0,
	  0 },
	{ "one of a profile without mappings",
	  LOAD_DYN,
	  { { 0x1000, 0x1000, 0x2000, 0x2000, 0x1000, true } },
	  0,
	  0,
	  0,
	  0,
	  0 },
	{ "kernel, relocated, symbol at the segment's begin",
	  LOAD_EXEC,
	  { { KERNEL, 0x200000, 0x1000000, 0x1000000, 0x200000, true } },
	  0xffffffff9e000000,
	  0xffffffffffffffff,
	  0,
	  KERNEL,
	  0x1d000000 },
	{ "kernel mapped at 0",
	  LOAD_EXEC,
	  { { KERNEL, 0x200000, 0x1000000, 0x1000000, 0x200000, true } },
	  0,
	  0x1000000,
	  0,
	  KERNEL + 0x198,
	  0x7efffe68 },
	{ "kernel module",
	  LOAD_REL,
	  { { 0 } },
	  0xffffffffc0000000,
	  0xffffffffc0010000,
	  0,
	  0,
	  0xffffffffc0000000 },
	{ "relocatable, at an offset",
	  LOAD_REL,
	  { { 0 } },
	  0xffffffffc0000000,
	  0xffffffffc0010000,
	  0x1000,
	  0,
	  NO_BASE },
	{ "a core dump",
	  LOAD_OTHER,
	  { { 0x1000, 0x1000, 0x2000, 0x2000, 0x1000, true } },
	  0x1000,
	  0x3000,
	  0x1000,
	  0,
	  NO_BASE },
	{ "no segments, position independent",
	  LOAD_DYN,
	  { { 0 } },
	  0x7f0000001000,
	  0x7f0000003000,
	  0x1000,
	  0,
	  0x7f0000000000 },
	{ "no segments, fixed",
	  LOAD_EXEC,
	  { { 0 } },
	  0x401000,
	  0x403000,
	  0x1000,
	  0,
	  0 },
	{ "sizes that overflow",
	  LOAD_DYN,
	  { { 0x1000, 0x1000, UINT64_MAX, UINT64_MAX, 0x1000, true } },
	  0x555555555000,
	  0x555555557000,
	  0x1000,
	  0,
	  0x555555554000 },
};

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct load_layout f = { .type = r->type,
					 .segment = r->segment };
		struct load_mapping m = { .start = r->start,
					  .limit = r->limit,
					  .offset = r->offset,
					  .has_kernel_symbol = r->symbol != 0,
					  .kernel_symbol = r->symbol };
		struct prof_err err = { 0 };
		enum prof_status st;
		uint64_t base;

		while (f.n_segment < 2 && r->segment[f.n_segment].memsz)
			f.n_segment++;
		if (f.n_segment)
			f.text = r->segment[0].vaddr;
		st = load_base(&f, &m, r->start + 0x50, &base, &err);
		if (r->base == NO_BASE ? st != PROF_EINVALID
				       : st != PROF_OK || base != r->base)
			fail_msg("%s: status %d, base 0x%llx %s", r->name, st,
				 (unsigned long long)base, err.msg);
	}
}

static void
test_kernel_symbol(void **state)
{
	struct load_mapping even = { .start = 0x1000, .limit = 0x2000 };
	struct load_mapping odd = { .start = 0x1198, .limit = 0x2000 };

	(void)state;
	assert_false(load_wants_kernel_symbol("/bin/app", &even));
	assert_true(load_wants_kernel_symbol("/boot/vmlinux-6.1", &even));
	assert_true(load_wants_kernel_symbol("/bin/app", &odd));
}

UNIT_TESTS(cmocka_unit_test(test_rows), cmocka_unit_test(test_kernel_symbol))
