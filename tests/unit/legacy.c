/*
 * legacy.c - legacy formats: known texts and the profiles they are. The
 * files of testdata are compared with other tools in legacy.t.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/formats/legacy/legacy.h"
#include "lib/formats/legacy/write.h"
#include "lib/model/profile.h"
#include "lib/stream/stream.h"
#include "lib/wire/codec.h"
#include "tests/unit/unit.h"

/* --- profiles as text --- */

/*
 * Columns, period, samples and mappings of p, a line each:
 *	objects/count space/bytes, 1
 *	1 100 @ 1100 1200:main bytes=100
 *	1000-2000 +0 /bin/app
 */
static char *
dump(const struct profile *p)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (size_t i = 0; i < p->n_type; i++)
		fprintf(f, "%s%s/%s", i ? " " : "",
			profile_str(p, p->type[i].type),
			profile_str(p, p->type[i].unit));
	fprintf(f, ", %" PRId64 "\n", p->period);
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];

		for (size_t k = 0; k < p->n_type; k++)
			fprintf(f, "%" PRId64 " ", profile_value(p, i)[k]);
		fprintf(f, "@");
		for (uint32_t k = 0; k < s->n_stack; k++) {
			const struct location *l =
				&p->location[profile_stack(p, s)[k]];
			const struct line *line = profile_line(p, l);

			fprintf(f, " %" PRIx64, l->address);
			for (uint32_t m = 0; m < l->n_line; m++)
				fprintf(f, ":%s",
					profile_str(
						p, p->function[line[m].function]
							   .name));
		}
		for (uint32_t k = 0; k < s->n_label; k++)
			fprintf(f, " %s=%" PRId64,
				profile_str(p, profile_label(p, s)[k].key),
				profile_label(p, s)[k].num);
		fprintf(f, "\n");
	}
	for (size_t i = 0; i < p->n_mapping; i++)
		fprintf(f, "%" PRIx64 "-%" PRIx64 " +%" PRIx64 " %s%s%s\n",
			p->mapping[i].start, p->mapping[i].limit,
			p->mapping[i].offset,
			profile_str(p, p->mapping[i].file),
			p->mapping[i].build_id ? " " : "",
			profile_str(p, p->mapping[i].build_id));
	for (size_t i = 0; i < p->n_comment; i++)
		fprintf(f, "# %s\n", profile_str(p, p->comment[i]));
	fclose(f);
	return text;
}

#define NO_MAP "0-ffffffffffffffff +0 \n"

static void
is(const void *raw, size_t n, unsigned flags, const char *want)
{
	struct prof_err err = { .msg = "" };
	struct profile *p;
	char *got;

	if (legacy_parse(raw, n, flags, &p, &err) != PROF_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(profile_check(p, &err), PROF_OK);
	got = dump(p);
	assert_string_equal(got, want);
	free(got);
	profile_free(p);
}

static void
text_is(const char *text, const char *want)
{
	is(text, strlen(text), 0, want);
}

static void
refused(const char *text, const char *why)
{
	struct prof_err err = { .msg = "" };
	struct profile *p;

	assert_int_not_equal(profile_parse(text, strlen(text), &p, &err),
			     PROF_OK);
	assert_null(p);
	assert_string_equal(err.msg, why);
}

/* The bytes of the profile, as pprof writes them. */
static void
writes(const void *raw, size_t n, const char *hex)
{
	struct buf out = { 0 };
	struct prof_err err;
	struct profile *p;
	char *got;

	assert_int_equal(profile_parse(raw, n, &p, &err), PROF_OK);
	assert_int_equal(profile_encode(p, &out, NULL), PROF_OK);
	got = calloc(out.n * 2 + 1, 1);
	for (size_t i = 0; i < out.n; i++)
		snprintf(got + 2 * i, 3, "%02x", out.data[i]);
	assert_string_equal(got, hex);
	free(got);
	buf_release(&out);
	profile_free(p);
}

/* --- binary CPU profiles --- */

struct cpu {
	uint8_t data[8192];
	size_t n;
};

/* Words of the given width and order, -1 at the end; then text. */
static void
cpu_words(struct cpu *c, unsigned width, bool big, const int64_t *word,
	  const char *text)
{
	c->n = 0;
	for (; *word != -1; word++)
		for (unsigned i = 0; i < width; i++)
			c->data[c->n++] =
				(uint8_t)((uint64_t)*word >>
					  8 * (big ? width - 1 - i : i));
	memcpy(c->data + c->n, text, strlen(text));
	c->n += strlen(text);
}

static const char cpu_hex[] =
	"0a04080110020a0408031004120b080108021003108087a70e120b08010803100410"
	"80b489131a0b08011080201880a00228052207080110011880222207080210011880"
	"242207080310011880263200320773616d706c65733205636f756e74320363707532"
	"0b6e616e6f7365636f6e647332062f62696e2f78326350726f66696c65446174613a"
	"3a4164647c50726f66696c65446174613a3a70726f665f68616e646c65727c437075"
	"50726f66696c65723a3a70726f665f68616e646c65727c5f5f707468726561645f73"
	"696768616e646c65727c5f5f726573746f726538065a04080310046080ade2047000";

static void
cpu_has_four_layouts(void **state)
{
	static const int64_t word[] = { 0, 3,      0,      10000,  0,
					3, 2,      0x1100, 0x1201, 4,
					2, 0x1100, 0x1301, 0,      1,
					0, -1 };
	struct cpu c;

	(void)state;
	for (int i = 0; i < 4; i++) {
		cpu_words(&c, i & 1 ? 8 : 4, i & 2, word,
			  "00001000-00009000 r-xp 00000000 00:00 0 /bin/x\n");
		writes(c.data, c.n, cpu_hex);
	}
}

static void
cpu_is_cut_nowhere(void **state)
{
	static const int64_t word[] = { 0, 3,      0, 10000, 0, 1,
					2, 0x1100, 9, 1,     0, -1 };
	struct profile *p;
	struct cpu c;
	size_t ok = 0;

	(void)state;
	cpu_words(&c, 8, false, word, "");
	for (size_t n = 16; n < c.n; n++) {
		ok += profile_parse(c.data, n, &p, NULL) == PROF_OK;
		profile_free(p);
	}
	assert_int_equal(ok, 2); /* after the header; after the record */
}

/* 64 stacks: n have the same caller of the leaf; all, the same root. */
static void
handler_cpu(struct cpu *c, int n)
{
	int64_t word[5 + 64 * 5 + 4] = { 0, 3, 0, 1000, 0 }, *w = word + 5;

	for (int i = 0; i < 64; i++) {
		*w++ = 1;
		*w++ = 3;
		*w++ = 0x1000 + i;
		*w++ = i < n ? 0x2001 : 0x3001 + i;
		*w++ = n == 64 ? 0x4001 : 0x4001 + i;
	}
	*w++ = 0, *w++ = 1, *w++ = 0, *w = -1;
	cpu_words(c, 8, false, word, "");
}

static size_t
frames(const struct cpu *c, unsigned flags)
{
	struct profile *p;
	size_t n;

	assert_int_equal(legacy_parse(c->data, c->n, flags, &p, NULL), PROF_OK);
	n = p->n_stack;
	profile_free(p);
	return n;
}

static void
handler_frames_go_when_asked_to(void **state)
{
	struct cpu c;

	(void)state;
	handler_cpu(&c, 62);
	assert_int_equal(frames(&c, 0), 64 * 3);
	assert_int_equal(frames(&c, LEGACY_STRIP_HANDLER), 64 * 3 - 62);
	handler_cpu(&c, 61);
	assert_int_equal(frames(&c, LEGACY_STRIP_HANDLER), 64 * 3);
	/* Then the next caller has its turn. */
	handler_cpu(&c, 64);
	assert_int_equal(frames(&c, LEGACY_STRIP_HANDLER), 64);
}

static void
leaf_given_twice_is_one_frame(void **state)
{
	static const int64_t word[] = {
		0, 3, 0, 1000, 0, 1, 3, 0x1100, 0x1100, 0x1201, 0, 1, 0, -1
	};
	struct cpu c;

	(void)state;
	cpu_words(&c, 8, false, word, "");
	is(c.data, c.n, 0,
	   "samples/count cpu/nanoseconds, 1000000\n"
	   "1 1000000 @ 1100 1200\n" NO_MAP);
}

/* --- text --- */

static void
count(void **state)
{
	static const char text[] = "conns profile: total 3\n"
				   "1 @ 0x1101 0x1201\n"
				   "2 @ 0x1101\n";

	(void)state;
	writes(text, strlen(text),
	       "0a040801100212060801080210011204080110021a0d080118ffffffffffff"
	       "ffffff0122070801100118802222070802100118802432003205636f6e6e73"
	       "3205636f756e74326350726f66696c65446174613a3a4164647c50726f6669"
	       "6c65446174613a3a70726f665f68616e646c65727c43707550726f66696c65"
	       "723a3a70726f665f68616e646c65727c5f5f707468726561645f7369676861"
	       "6e646c65727c5f5f726573746f726538035a040801100260017000");
	text_is("threadcreate profile: total 7\r\n6 @\r\n#\t0x0\r\n\r\n"
		"1 @ 0x0\r\n",
		"threadcreate/count, 1\n6 @\n1 @ ffffffffffffffff\n" NO_MAP);
	text_is("# at noon\nheap profile: total 5\n5 @ 0x1101\n"
		"MAPPED_LIBRARIES:\n1000-2000 r-xp 0 08:01 7 /bin/x\n",
		"heap/count, 1\n5 @ 1100\n1000-2000 +0 /bin/x\n");
	refused("x profile: total 1\n1 @ 0x1\n1 @ 1101\n",
		"line 3: '1101' is not an address");
}

static void
heap(void **state)
{
	(void)state;
	text_is("heap profile: 1: 1024 [ 2: 3072] @ heap_v2/524288\n"
		" 1: 1024 [ 2: 3072] @ 0x1101 0x1201\n",
		"alloc_objects/count alloc_space/bytes inuse_objects/count "
		"inuse_space/bytes, 524288\n"
		"683 1050112 512 524800 @ 1100 1200 bytes=1024\n" NO_MAP);
	text_is("heap profile: 0: 0 [0: 0] @ heap/1048576\n"
		"1: 1000 [1: 1000] @ 0x1\n"
		"10: 10000 [10: 10000] @ 0x2\n"
		"I0102 03:04:05 w.cc:7] -20: -40000 [0: 0] @ 0x3\n"
		"0: 0 [ 0: 0] @ 0x4\n"
		"# runtime.MemStats\n",
		"objects/count space/bytes, 524288\n"
		"524 524788 @ 0 bytes=1000\n"
		"5247 5247881 @ 1 bytes=1000\n"
		"-5252 -10505772 @ 2 bytes=2000\n"
		"0 0 @ 3\n" NO_MAP);
	text_is("log: heap profile: 1: 2 [9: 9] @ growthz, and so on\n"
		"1: 2 [9: 9] @ 0x2\n",
		"alloc_objects/count alloc_space/bytes inuse_objects/count "
		"inuse_space/bytes, 1\n"
		"9 9 1 2 @ 1 bytes=2\n" NO_MAP);
	text_is("%warn sampling is off\n%unknown\n"
		"heap profile: 1: 2 [1: 2] @ heapprofile\n",
		"objects/count space/bytes, 1\n# warning: sampling is off\n");
	refused("%warn x\nheap profile: 1: 2 [1: 2] @ heapz\n",
		"line 2: heap profile of unknown kind 'heapz'");
}

static void
jemalloc(void **state)
{
	(void)state;
	text_is("heap_v2/524288\n"
		"  t*: 3: 3072 [0: 0]\n"
		"  t0: 3: 3072 [0: 0]\n"
		"@ 0x1101 0x1201\n"
		"  t*: 1: 1024 [0: 0]\n"
		"  t0: 1: 1024 [0: 0]\n"
		"@ 0x1301\n"
		"  t*: 2: 2048 [0: 0]\n\n"
		"MAPPED_LIBRARIES:\n"
		"1000-2000 r-xp 00000000 08:01 7 /bin/x\n",
		"objects/count space/bytes, 524288\n"
		"512 524800 @ 1100 1200 bytes=1024\n"
		"1025 1049600 @ 1300 bytes=1024\n"
		"1000-2000 +0 /bin/x\n");
	text_is("heap_v2/1\n  t*: 1: 10 [2: 20]\n@ 0x2\n"
		"  t*: 1: 10 [2: 20]\n",
		"alloc_objects/count alloc_space/bytes inuse_objects/count "
		"inuse_space/bytes, 1\n2 20 1 10 @ 1 bytes=10\n" NO_MAP);
	refused("heap_v2/1\n@ 0x2\n  hello\n",
		"line 3: not a line of a jemalloc profile");
}

static void
contention(void **state)
{
	(void)state;
	text_is("--- contentionz 0 ---\ncycles/second = 2000000000\n"
		"sampling period = 100\nms since reset = 5000\n"
		"  2000 10 @ 0x1101 0x1201\n",
		"contentions/count delay/nanoseconds, 100\n"
		"1000 100000 @ 1100 1200\n" NO_MAP);
	text_is("--- mutex:\n5 2 @ 0x1101\n#\t0x1100\tmain.f+0x1\tm.go:1\n"
		"MAPPED_LIBRARIES:\n",
		"contentions/count delay/nanoseconds, 1\n2 5 @ "
		"1100:main.f\n" NO_MAP);
	text_is("--- mutex:\ncycles/second=1000000000\n"
		"5 2 @ 0x1101 0x1201 0x1201 0x1301\n"
		"#\t0x1100\tb.inner+0x1\t\tb.go:1\n"
		"#\t0x1100\tb.outer(...)+0x12\t/a b/b.go:2\n"
		"#\t0x1200\tagain+0x1\tb.go:3\n"
		"#\t0x1200\tagain+0x1\tb.go:3\n"
		"#\t0x1300\n#\t0x9999\tx+0x1\tx.go:1\n"
		"1 1 @ 0x1101\n#\t0x1100\tother+0x1\tb.go:1\n",
		"contentions/count delay/nanoseconds, 1\n"
		"2 5 @ 1100:b.inner:b.outer(...) 1200:again 1200:again 1300\n"
		"1 1 @ 1100:b.inner:b.outer(...)\n" NO_MAP);
	text_is("--- Stacks:\n2010 @ 0x1101\n",
		"contentions/count delay/nanoseconds, 1\n1 2010 @ "
		"1100\n" NO_MAP);
	refused("--- contentionz 0 ---\n2010 @ 0x1101\n",
		"line 2: want 'delay count @ addresses'");
	refused("--- contentionz 0 ---\n-20 10 @ 0x1101\n",
		"line 2: want 'delay count @ addresses'");
}

static void
threads(void **state)
{
	(void)state;
	text_is("--- threadz 1 ---\n\n"
		"--- Thread 7f (name: a/b/12) stack: ---\n"
		"  PC: 0x1101 main\n  0x1201 0x1301\n"
		"--- Thread 8f (name: w/13) stack: ---\n"
		" [same as previous thread]\n"
		"---- no stack trace for 9f\n",
		"thread/count, 1\n2 @ 1101 1200 1300\n" NO_MAP);
}

static void
java(void **state)
{
	(void)state;
	text_is("--- contentionz 1 ---\nformat = java\n"
		"resolution = microseconds\nsampling period = 100\n"
		" 14 5 @ 0x3 0x4 0x5\n\n"
		" 0x3 generated stub/JIT\n 0x4 app.Pool.take (Pool.java:77)\n",
		"contentions/count delay/microseconds, 100\n"
		"500 1400 @ 0:STUB 0:app.Pool.take 5\n" NO_MAP);
	refused("--- heapz 1 ---\nformat = java\nresolution = bytes\n"
		" 10 1 @ 0x1\n 10 @ 0x1\n",
		"line 5: neither a sample nor a name");
}

static void
symbolized(void **state)
{
	(void)state;
	text_is("--- symbol\nbinary=/bin/x\n"
		"0x0000000000001100 main<0000000000001000>--inner\n"
		"0x1201 a::operator--(int)--leaf\n"
		"0x1300 0x1300\n---\n"
		"--- heap\n"
		"heap profile: 1: 2 [1: 2] @ heapprofile\n"
		"1: 2 [1: 2] @ 0x1201 0x1101 0x1301\n",
		"objects/count space/bytes, 1\n"
		"1 2 @ 1200:leaf:a::operator--(int) 1100:inner:main 1300 "
		"bytes=2\n"
		"0-ffffffffffffffff +0 /bin/x\n");
	refused("--- symbol\n0x1 a\n---\n--- profile\n--- symbol\n---\n",
		"line 4: no profile of a known kind follows");
}

/* --- the memory map --- */

/* What a map becomes; at: an address in each mapping of interest. */
static void
map_is(const char *at, const char *lines, const char *want)
{
	char *text, *all;

	assert_true(asprintf(&text,
			     "x profile: total 1\n1 @%s\n--- Memory map: ---\n"
			     "%s",
			     at, lines) > 0);
	assert_true(asprintf(&all, "x/count, 1\n%s", want) > 0);
	text_is(text, all);
	free(text);
	free(all);
}

static void
the_program_comes_first(void **state)
{
	(void)state;
	map_is("",
	       "1000-2000 r-xp 0 00:00 1 [vdso]\n"
	       "3000-4000 r-xp 0 00:00 1 /lib/libc.so.6\n"
	       "9000-a000 r-xp 0 00:00 1 /bin/main (deleted)\n"
	       "b000-c000 r-xp 0 00:00 1 /bin/other\n",
	       "1 @\n9000-a000 +0 /bin/main\n3000-4000 +0 /lib/libc.so.6\n"
	       "1000-2000 +0 [vdso]\nb000-c000 +0 /bin/other\n");
	map_is("", "500000-600000 r-xp 00100000 00:00 1 /bin/m\n",
	       "1 @\n400000-600000 +0 /bin/m\n");
	map_is("",
	       "1000-2000 r-xp 0 00:00 0 /anon_hugepage (deleted)\n"
	       "2000-3000 r-xp 1000 00:00 1 /bin/m\n",
	       "1 @\n2000-3000 +1000 /bin/m\n");
}

static void
pieces_are_joined(void **state)
{
	(void)state;
	map_is("",
	       "1000-2000 r-xp 0 00:00 1 /lib/a.so\n"
	       "2000-3000 r-xp 1000 00:00 1 /lib/a.so\n",
	       "1 @\n1000-3000 +0 /lib/a.so\n");
	map_is("",
	       "1000-2000 r-xp 1000 00:00 1 /lib/a.so\n"
	       "2000-3000 r-xp 9000 00:00 1 /lib/a.so\n",
	       "1 @\n1000-2000 +1000 /lib/a.so\n2000-3000 +9000 /lib/a.so\n");
}

static void
lines_of_maps(void **state)
{
	(void)state;
	map_is("",
	       "build=/opt\nbuild=/never\n"
	       "0x1000-0x2000: $build/x\n"
	       "I01 02:03 w.cc:77] 3000 4000 rwxp $build/y (@10) beef\n"
	       "5000-6000 rw-p 0 00:00 0 /data\n"
	       "7000-8000 r-xs 1000 00:00 12 /dev/shm/jit\n"
	       "\001\002 binary rubbish\n"
	       "99999999999999999-9 r-xp 0 00:00 1 /too/large\n",
	       "1 @\n1000-2000 +0 /opt/x\n3000-4000 +10 /opt/y beef\n"
	       "7000-8000 +1000 /dev/shm/jit\n");
}

static void
locations_find_mappings(void **state)
{
	(void)state;
	/* Inside; before, in the part of the file that was not mapped. */
	map_is(" 0x3011 0x2011 0x9001", "3000-4000 r-xp 1000 00:00 1 /bin/m\n",
	       "1 @ 3010 2010 9000\n2000-4000 +0 /bin/m\n" NO_MAP);
}

/* Each '$' asks for a lot of text: an error, soon. */
static void
variables_cannot_blow_up(void **state)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	fprintf(f, "x profile: total 1\n1 @\n--- Memory map: ---\nv=");
	for (int i = 0; i < 8000; i++)
		fputc('x', f);
	for (int i = 0; i < 10000; i++)
		fprintf(f, "\n1-2 $v");
	fclose(f);
	refused(text, "line 160: variables expand to too much text");
	free(text);
}

/* --- writing --- */

/* text, read as a profile and written again, is `again`, or its first part. */
static void
is_written(const void *raw, size_t n, enum legacy_kind kind, const char *again)
{
	struct buf out = { 0 };
	struct prof_err err = { .msg = "" };
	struct profile *p;

	assert_int_equal(legacy_parse(raw, n, 0, &p, &err), PROF_OK);
	assert_int_equal(legacy_write(p, kind, &out, &err), PROF_OK);
	if (again) {
		assert_int_equal(buf_add(&out, "", 1), 0);
		assert_string_equal((char *)out.data, again);
	} else {
		char *want = dump(p);

		is(out.data, out.n, 0, want);
		free(want);
	}
	buf_release(&out);
	profile_free(p);
}

static void
text_is_written(const char *text, enum legacy_kind kind, const char *again)
{
	is_written(text, strlen(text), kind, again);
}

#define MAPS                                                                   \
	"1000-2000 r-xp 00000000 00:00 0 /bin/app\n"                           \
	"7000-9000 r-xp 00000100 00:00 0 /lib/libc.so\n"

static void
what_is_written_can_be_read(void **state)
{
	/* Three frames; a leaf that is somebody's caller; a count of two. */
	static const int64_t word[] = { 0,      3,      0,      10000,  0, 3,
					3,      0x1100, 0x1201, 0x7301, 4, 2,
					0x1200, 0x7301, 0,      1,      0, -1 };
	struct cpu c;

	(void)state;
	cpu_words(&c, 8, false, word, MAPS);
	is_written(c.data, c.n, LEGACY_CPU, NULL);
	text_is_written("heap profile:      3:      300 [     9:      900] @ "
			"heapprofile\n"
			"     1:      100 [     4:      400] @ 0x1100 0x1200\n"
			"     2:      200 [     5:      500] @ 0x1100\n"
			"\nMAPPED_LIBRARIES:\n" MAPS,
			LEGACY_HEAP,
			"heap profile:      3:      300 [     9:      900] @ "
			"heapprofile\n"
			"     1:      100 [     4:      400] @ 0x1100 0x1200\n"
			"     2:      200 [     5:      500] @ 0x1100\n"
			"\nMAPPED_LIBRARIES:\n" MAPS);
	text_is_written("heap profile:      1:      100 [     1:      100] @ "
			"growth\n"
			"     1:      100 [     1:      100] @ 0x1100\n"
			"\nMAPPED_LIBRARIES:\n" MAPS,
			LEGACY_HEAP,
			"heap profile:      1:      100 [     1:      100] @ "
			"growth\n"
			"     1:      100 [     1:      100] @ 0x1100\n"
			"\nMAPPED_LIBRARIES:\n" MAPS);
	text_is_written("--- contentionz 1 ---\n"
			"cycles/second = 1000000000\n"
			"sampling period = 1\n"
			"ms since reset = 20\n"
			"discarded samples = 0\n"
			"700 3 @ 0x1100 0x1200\n"
			"--- Memory map: ---\n" MAPS,
			LEGACY_CONTENTION,
			"--- contentionz 1 ---\n"
			"cycles/second = 1000000000\n"
			"sampling period = 1\n"
			"ms since reset = 20\n"
			"discarded samples = 0\n"
			"700 3 @ 0x1100 0x1200\n"
			"--- Memory map: ---\n" MAPS);
}

/* Two programs at the same addresses, one of them elsewhere, too. */
static void
one_address_space_is_written(void **state)
{
	struct mapping m[] = {
		{ .start = 0x1000, .limit = 0x2000 },
		{ .start = 0x1800, .limit = 0x3000 },
		{ .start = 0x5000, .limit = 0x6000 },
	};
	static const uint64_t at[] = { 0x1900, 0x1901, 0x5100 };
	struct profile *p = profile_new();
	struct buf out = { 0 };
	int64_t value[2] = { 0 };

	(void)state;
	assert_non_null(p);
	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	p->period = 1000000;
	for (uint32_t i = 0; i < 3; i++) {
		struct location l = { .address = at[i], .mapping = i };

		m[i].file = profile_intern(p, i == 1 ? "/b" : "/a");
		assert_int_equal(profile_add_mapping(p, &m[i]), i);
		assert_int_equal(profile_add_location(p, &l, NULL, 0), i);
		value[0] = 1; /* one signal with that many ticks */
		value[1] = (i + 1) * 1000000;
		assert_int_equal(profile_add_sample(p, &i, 1, value, NULL, 0),
				 i);
	}
	assert_int_equal(legacy_write(p, LEGACY_CPU, &out, NULL), PROF_OK);
	is(out.data, out.n, 0,
	   "samples/count cpu/nanoseconds, 1000000\n"
	   "1 1000000 @ 1900\n"
	   "3 3000000 @ 5100\n"
	   "1000-2000 +0 /a\n"
	   "5000-6000 +0 /a\n");
	assert_int_equal(legacy_write(p, LEGACY_THREADS, &out, NULL),
			 PROF_ENOTSUP);
	buf_release(&out);
	profile_free(p);
}

UNIT_TESTS(cmocka_unit_test(cpu_has_four_layouts),
	   cmocka_unit_test(cpu_is_cut_nowhere),
	   cmocka_unit_test(handler_frames_go_when_asked_to),
	   cmocka_unit_test(leaf_given_twice_is_one_frame),
	   cmocka_unit_test(count), cmocka_unit_test(heap),
	   cmocka_unit_test(jemalloc), cmocka_unit_test(contention),
	   cmocka_unit_test(threads), cmocka_unit_test(java),
	   cmocka_unit_test(symbolized),
	   cmocka_unit_test(the_program_comes_first),
	   cmocka_unit_test(pieces_are_joined), cmocka_unit_test(lines_of_maps),
	   cmocka_unit_test(locations_find_mappings),
	   cmocka_unit_test(variables_cannot_blow_up),
	   cmocka_unit_test(what_is_written_can_be_read),
	   cmocka_unit_test(one_address_space_is_written))
