/* codec.c - reading and writing profile.proto. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/model/profile.h"
#include "lib/wire/codec.h"
#include "profile.pb-c.h"

static struct profile *
sample_profile(void)
{
	struct profile *p = profile_new();
	struct mapping m = { .start = 0x400000, .limit = 0x500000 };
	struct function f = { .start_line = 7 };
	struct location l = { .address = 0x401000 };
	struct line line[2] = { { .line = 10 }, { .line = 20, .column = 3 } };
	int64_t value[2] = { 3, -30 };
	uint32_t stack[3];

	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	m.file = profile_intern(p, "/bin/app");
	l.mapping = profile_add_mapping(p, &m);
	f.name = f.system_name = profile_intern(p, "main");
	line[1].function = profile_add_function(p, &f);
	f.name = profile_intern(p, "helper");
	line[0].function = profile_add_function(p, &f);
	stack[0] = profile_add_location(p, &l, line, 2);
	l.mapping = PROF_NONE;
	l.address = 0xffffffffffffffffu;
	stack[1] = stack[2] = profile_add_location(p, &l, NULL, 0);

	struct label label[] = {
		{ .key = profile_intern(p, "zeta"), .num = 5 },
		{ .key = profile_intern(p, "void") },
		{ .key = profile_intern(p, "user"),
		  .str = profile_intern(p, "bob"),
		  .num = 9 },
		{ .key = profile_intern(p, "bytes"),
		  .num = 4096,
		  .unit = profile_intern(p, "bytes") },
		{ .key = profile_intern(p, "user"),
		  .str = profile_intern(p, "ann") },
	};
	profile_add_sample(p, stack, 3, value, label, 5);
	profile_add_sample(p, NULL, 0, value, NULL, 0);
	profile_add_comment(p, "hello");
	p->period_type = p->type[1];
	p->period = 10000000;
	p->time_ns = 1700000000000000000;
	return p;
}

static void
labels_are_put_in_order(void **state)
{
	struct profile *p = sample_profile();
	const struct label *l = profile_label(p, &p->sample[0]);

	(void)state;
	assert_int_equal(profile_check(p, NULL), PROF_OK);
	assert_int_equal(p->sample[0].n_label, 4);
	assert_string_equal(profile_str(p, l[0].str), "bob");
	assert_string_equal(profile_str(p, l[1].str), "ann");
	assert_string_equal(profile_str(p, l[2].key), "bytes");
	assert_string_equal(profile_str(p, l[3].key), "zeta");
	assert_int_equal(l[0].num, 0);
	profile_free(p);
}

static void
writing_is_stable(void **state)
{
	struct profile *p = sample_profile(), *q;
	struct buf a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(profile_encode(p, &a, NULL), PROF_OK);
	assert_int_equal(profile_decode(a.data, a.n, &q, NULL), PROF_OK);
	assert_int_equal(profile_check(q, NULL), PROF_OK);
	assert_int_equal(profile_encode(q, &b, NULL), PROF_OK);
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.data, b.data, a.n);
	buf_release(&a);
	buf_release(&b);
	profile_free(p);
	profile_free(q);
}

static void
the_generated_decoder_agrees(void **state)
{
	struct profile *p = sample_profile();
	struct buf a = { 0 };
	Perftools__Profiles__Profile *m;

	(void)state;
	assert_int_equal(profile_encode(p, &a, NULL), PROF_OK);
	m = perftools__profiles__profile__unpack(NULL, a.n, a.data);
	assert_non_null(m);
	assert_int_equal(m->n_sample, 2);
	assert_int_equal(m->sample[0]->n_location_id, 3);
	assert_int_equal(m->sample[0]->location_id[1], 2);
	assert_int_equal(m->sample[0]->value[1], -30);
	assert_int_equal(m->sample[0]->n_label, 4);
	assert_int_equal(m->n_location, 2);
	assert_int_equal(m->location[0]->line[1]->column, 3);
	assert_int_equal(m->location[1]->address, UINT64_MAX);
	assert_int_equal(m->time_nanos, p->time_ns);
	assert_int_equal(m->string_table[0].len, 0);
	perftools__profiles__profile__free_unpacked(m, NULL);
	buf_release(&a);
	profile_free(p);
}

/* Bytes that pprof wrote: ours are the same, not only in meaning. */
static void
bytes_are_those_of_pprof(void **state)
{
	static const char hex[] =
		"0a040801100212060801080210011204080110021a0d080118ffffffffffff"
		"ffffff0122070801100118802222070802100118802432003205636f6e6e73"
		"3205636f756e74326350726f66696c65446174613a3a4164647c50726f6669"
		"6c65446174613a3a70726f665f68616e646c65727c43707550726f66696c65"
		"723a3a70726f665f68616e646c65727c5f5f707468726561645f7369676861"
		"6e646c65727c5f5f726573746f726538035a040801100260017000";
	uint8_t raw[sizeof(hex) / 2];
	struct buf out = { 0 };
	struct profile *p;

	(void)state;
	for (size_t i = 0; i < sizeof(raw); i++) {
		const char byte[3] = { hex[2 * i], hex[2 * i + 1] };

		raw[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	assert_int_equal(profile_decode(raw, sizeof(raw), &p, NULL), PROF_OK);
	assert_int_equal(profile_encode(p, &out, NULL), PROF_OK);
	assert_int_equal(out.n, sizeof(raw));
	assert_memory_equal(out.data, raw, out.n);
	buf_release(&out);
	profile_free(p);
}

static void
truncation_is_an_error_everywhere(void **state)
{
	struct profile *p = sample_profile(), *q;
	struct buf a = { 0 };
	struct prof_err err;
	size_t refused = 0;

	(void)state;
	assert_int_equal(profile_encode(p, &a, NULL), PROF_OK);
	for (size_t n = 0; n < a.n; n++) {
		/* Cut between two fields, what is left may be a profile. */
		if (profile_decode(a.data, n, &q, &err) != PROF_OK) {
			assert_true(err.msg[0]);
			refused++;
		}
		profile_free(q);
	}
	assert_true(refused > a.n * 9 / 10);
	buf_release(&a);
	profile_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_put_in_order),
		cmocka_unit_test(writing_is_stable),
		cmocka_unit_test(the_generated_decoder_agrees),
		cmocka_unit_test(bytes_are_those_of_pprof),
		cmocka_unit_test(truncation_is_an_error_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
