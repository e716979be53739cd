/*
 * perf.c - recordings that are made up here, byte by byte: every field of
 * a sample, both byte orders, old and new sizes of attributes, the life of
 * processes, order, damage. Real ones are compared with perf in import-perf.t.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/formats/perf/impl.h"
#include "lib/formats/perf/perf.h"
#include "lib/model/profile.h"
#include "tests/unit/unit.h"

#define BASE_TYPE (S_IP | S_TID | S_TIME | S_PERIOD)

/* A recording in the making. */
struct rec {
	struct buf b;
	bool big;
	size_t begin; /* of the record in work */
	size_t attr;  /* of the attribute in work */
};

static void
put(struct rec *w, uint64_t v, unsigned n)
{
	uint8_t byte[8];

	for (unsigned i = 0; i < n; i++)
		byte[i] = (uint8_t)(v >> 8 * (w->big ? n - 1 - i : i));
	assert_int_equal(buf_add(&w->b, byte, n), 0);
}

static void
put_text(struct rec *w, const char *s)
{
	size_t n = (strlen(s) + 8) & ~(size_t)7;

	for (size_t i = 0; i < n; i++)
		put(w, i < strlen(s) ? (uint8_t)s[i] : 0, 1);
}

static void
begin(struct rec *w, uint32_t type, uint16_t misc)
{
	w->begin = w->b.n;
	put(w, type, 4);
	put(w, misc, 2);
	put(w, 0, 2);
}

static void
end(struct rec *w)
{
	size_t n = w->b.n - w->begin;

	w->b.data[w->begin + 6 + w->big] = (uint8_t)n;
	w->b.data[w->begin + 7 - w->big] = (uint8_t)(n >> 8);
}

/* A pipe's beginning, and one event: an attribute of size bytes. */
static void
start(struct rec *w, bool big, uint64_t sample_type, uint32_t size)
{
	uint64_t flags = (uint64_t)1 << FLAG_COMM_EXEC, turned = 0;

	*w = (struct rec){ .big = big };
	assert_int_equal(buf_add(&w->b, big ? "2ELIFREP" : "PERFILE2", 8), 0);
	for (unsigned k = 0; k < 64; k++)
		turned |= (flags >> k & 1) << (63 - k);
	put(w, 16, 8);
	begin(w, REC_HEADER_ATTR, 0);
	w->attr = w->b.n;
	put(w, 1, 4);
	put(w, size == 64 ? 0 : size, 4);
	put(w, 0, 8);    /* cpu-clock */
	put(w, 1000, 8); /* period */
	put(w, sample_type, 8);
	put(w, 0, 8);
	put(w, big ? turned : flags, 8);
	while (w->b.n < w->attr + size)
		put(w, 0, 8);
	put(w, 7, 8); /* its id */
	end(w);
}

static void
put_map_fields(struct rec *w, uint32_t pid, uint64_t at, uint64_t size,
	       const char *name)
{
	begin(w, REC_MMAP, MODE_USER);
	put(w, pid, 4);
	put(w, pid, 4);
	put(w, at, 8);
	put(w, size, 8);
	put(w, 0, 8);
	put_text(w, name);
}

static void
put_map(struct rec *w, uint32_t pid, uint64_t at, uint64_t size,
	const char *name)
{
	put_map_fields(w, pid, at, size, name);
	end(w);
}

/* With the fields of sample_id_all: ids 0 and, as in perf's own records, time
 * 0. */
static void
put_map_with_id(struct rec *w, uint32_t pid, uint64_t at, uint64_t size,
		const char *name)
{
	put_map_fields(w, pid, at, size, name);
	put(w, 0, 8);
	put(w, 0, 8);
	end(w);
}

static void
put_comm(struct rec *w, uint32_t pid, uint16_t misc, const char *name)
{
	begin(w, REC_COMM, misc);
	put(w, pid, 4);
	put(w, pid, 4);
	put_text(w, name);
	end(w);
}

static void
put_fork(struct rec *w, uint32_t pid, uint32_t parent, uint32_t type)
{
	begin(w, type, 0);
	put(w, pid, 4);
	put(w, parent, 4);
	put(w, pid, 4);
	put(w, parent, 4);
	put(w, 0, 8);
	end(w);
}

/* A sample of BASE_TYPE without a chain. */
static void
put_hit(struct rec *w, uint32_t pid, uint64_t ip, uint64_t time)
{
	begin(w, REC_SAMPLE, MODE_USER);
	put(w, ip, 8);
	put(w, pid, 4);
	put(w, pid, 4);
	put(w, time, 8);
	put(w, 10, 8);
	end(w);
}

static struct profile *
read_as(struct rec *w, const struct perf_options *o, size_t piece,
	struct perf_notes *notes)
{
	struct perf *r = perf_new(o);
	struct prof_err err = { 0 };
	struct profile *p = NULL;
	enum prof_status st = PROF_OK;

	assert_non_null(r);
	for (size_t at = 0; st == PROF_OK && at < w->b.n; at += piece)
		st = perf_feed(r, 0, w->b.data + at,
			       w->b.n - at < piece ? w->b.n - at : piece, &err);
	if (st == PROF_OK)
		st = perf_end(r, 0, &err);
	if (st == PROF_OK)
		st = perf_finish(r, &p, notes, &err);
	perf_free(r);
	if (p)
		assert_int_equal(profile_check(p, &err), PROF_OK);
	return p;
}

static const struct perf_options plain = { .max_bytes = 1 << 20 };

/* Frame k of sample i: its mapping's file, or "". */
static const char *
file_of(const struct profile *p, size_t i, size_t k)
{
	const struct location *l;

	assert_true(i < p->n_sample && k < p->sample[i].n_stack);
	l = &p->location[profile_stack(p, &p->sample[i])[k]];
	return l->mapping == PROF_NONE
		       ? ""
		       : profile_str(p, p->mapping[l->mapping].file);
}

/* --- every field of a sample --- */

/* The fields of one sample, each as the kernel writes it. */
static void
put_fields(struct rec *w, uint64_t type)
{
	begin(w, REC_SAMPLE, MODE_USER);
	if (type & S_IDENTIFIER)
		put(w, 7, 8);
	if (type & S_IP)
		put(w, 0x1010, 8);
	if (type & S_TID) {
		put(w, 5, 4);
		put(w, 6, 4);
	}
	if (type & S_TIME)
		put(w, 99, 8);
	for (uint64_t b = S_ADDR; b <= S_STREAM_ID; b <<= 1)
		if (type & b && b == S_CPU) {
			put(w, 1, 4);
			put(w, 0, 4);
		} else if (type & b && b & (S_ADDR | S_STREAM_ID)) {
			put(w, 3, 8);
		} else if (type & b && b == S_ID) {
			put(w, 7, 8);
		}
	if (type & S_PERIOD)
		put(w, 10, 8);
	if (type & S_READ)
		put(w, 4, 8);
	if (type & S_CALLCHAIN) {
		put(w, 3, 8);
		put(w, (uint64_t)-512, 8);
		put(w, 0x1010, 8);
		put(w, 0x1020, 8);
	}
	if (type & S_RAW) {
		put(w, 4, 4);
		put(w, 0, 4);
	}
	if (type & S_BRANCH) {
		put(w, 1, 8);
		put(w, 0x1000, 8);
		put(w, 0x1004, 8);
		put(w, 0, 8);
	}
	if (type & S_REGS_USER)
		put(w, 0, 8);
	if (type & S_STACK_USER) {
		put(w, 8, 8);
		put(w, 0, 8);
		put(w, 0, 8);
	}
	for (uint64_t b = S_WEIGHT; b < S_AUX; b <<= 1)
		if (type & b && b != S_IDENTIFIER)
			put(w, b == S_REGS_INTR ? 0 : 2, 8);
	for (uint64_t b = S_CGROUP; b <= S_WEIGHT_STRUCT; b <<= 1)
		if (type & b && b != S_WEIGHT_STRUCT)
			put(w, 2, 8);
	if (type & S_WEIGHT_STRUCT && !(type & S_WEIGHT))
		assert_true(false); /* it would stand before DATA_SRC */
	if (type & S_AUX) {
		put(w, 8, 8);
		put(w, 0, 8);
	}
	end(w);
}

static void
each_field(void **state)
{
	static const uint32_t size[] = { 64, 72, 96, 112, 128, 136, 200 };
	struct perf_notes notes;
	struct profile *p;
	struct rec w;
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < 2 * 25; i++) {
		uint64_t bit = (uint64_t)1 << (i / 2);
		uint64_t type = BASE_TYPE | bit;

		if (bit == S_WEIGHT_STRUCT)
			continue;
		start(&w, i & 1, type, size[i % 7]);
		put_map(&w, 5, 0x1000, 0x1000, "/bin/a");
		put_fields(&w, type);
		p = read_as(&w, &plain, 1 + i, &notes);
		assert_non_null(p);
		assert_int_equal(notes.damaged, 0);
		assert_int_equal(notes.samples, 1);
		assert_int_equal(p->n_sample, 1);
		assert_int_equal(profile_value(p, 0)[1], 10);
		assert_int_equal(p->sample[0].n_stack,
				 bit == S_CALLCHAIN ? 2 : 1);
		assert_string_equal(file_of(p, 0, 0), "/bin/a");
		profile_free(p);
		buf_release(&w.b);
		n++;
	}
	assert_int_equal(n, 48);
}

/* Without PERIOD the event's own counts; a bit from the future is refused. */
static void
period_and_unknown(void **state)
{
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	start(&w, false, S_IP | S_TID, 136);
	put_fields(&w, S_IP | S_TID);
	p = read_as(&w, &plain, 4096, &notes);
	assert_non_null(p);
	assert_int_equal(profile_value(p, 0)[1], 1000);
	profile_free(p);
	buf_release(&w.b);
	start(&w, false, BASE_TYPE | (uint64_t)1 << 30, 136);
	assert_null(read_as(&w, &plain, 4096, &notes));
	buf_release(&w.b);
}

/* --- processes --- */

static void
life(void **state)
{
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	start(&w, false, BASE_TYPE, 136);
	put_comm(&w, 5, MISC_EXEC, "first");
	put_map(&w, 5, 0x10000, 0x1000, "/bin/a");
	put_map(&w, 5, 0x20000, 0x4000, "/lib/x.so");
	put_hit(&w, 5, 0x10010, 1);
	put_fork(&w, 8, 5, REC_FORK);
	put_map(&w, 5, 0x21000, 0x1000, "/lib/y.so"); /* the parent alone */
	put_hit(&w, 5, 0x21010, 2);
	put_hit(&w, 8, 0x21010, 3);
	put_hit(&w, 5, 0x23010, 4); /* behind what was cut */
	put_comm(&w, 8, MISC_EXEC, "second");
	put_hit(&w, 8, 0x10010, 5); /* of the old image still */
	put_map(&w, 8, 0x50000, 0x1000, "/bin/a");
	put_hit(&w, 8, 0x50010, 6);
	put_hit(&w, 8, 0x10010, 6); /* nothing there any more */
	put_fork(&w, 8, 5, REC_EXIT);
	put_hit(&w, 8, 0x50010, 7); /* late */
	p = read_as(&w, &plain, 4096, &notes);
	assert_non_null(p);
	assert_int_equal(notes.unmapped, 1);
	assert_int_equal(p->n_sample, 6);
	assert_string_equal(file_of(p, 0, 0), "/bin/a");
	assert_string_equal(file_of(p, 1, 0), "/lib/y.so");
	assert_string_equal(file_of(p, 2, 0), "/lib/x.so");
	assert_string_equal(file_of(p, 3, 0), "/lib/x.so");
	assert_string_equal(file_of(p, 4, 0), "/bin/a");
	assert_string_equal(file_of(p, 5, 0), "");
	assert_int_equal(profile_value(p, 4)[0], 3);
	/* One mapping for both processes: the address is the first one's. */
	assert_int_equal(p->mapping[0].start, 0x10000);
	assert_int_equal(
		p->location[profile_stack(p, &p->sample[4])[0]].address,
		0x10010);
	profile_free(p);
	buf_release(&w.b);
}

/* Records of two CPUs: the exec is written after what came later. */
static void
order(void **state)
{
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	start(&w, true, BASE_TYPE, 136);
	w.b.data[w.attr + 42] |= 0x20; /* sample_id_all, counted from the top */
	put_map_with_id(&w, 5, 0x1000, 0x1000, "/bin/a");
	put_hit(&w, 5, 0x1010, 30);
	put_hit(&w, 5, 0x1020, 10);
	begin(&w, REC_FINISHED_ROUND, 0);
	end(&w);
	put_hit(&w, 5, 0x1030, 20);
	p = read_as(&w, &plain, 3, &notes);
	assert_non_null(p);
	assert_int_equal(p->n_sample, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			p->location[profile_stack(p, &p->sample[i])[0]].address,
			i == 0   ? 0x1020
			: i == 1 ? 0x1030
				 : 0x1010);
	assert_int_equal(p->duration_ns, 20);
	assert_int_equal(notes.late, 0);
	profile_free(p);
	buf_release(&w.b);
}

/* --- chains --- */

static void
put_chain(struct rec *w, const uint64_t *word, size_t n)
{
	begin(w, REC_SAMPLE, MODE_KERNEL);
	put(w, word[1], 8);
	put(w, 5, 4);
	put(w, 5, 4);
	put(w, 9, 8);
	put(w, 10, 8);
	put(w, n, 8);
	for (size_t i = 0; i < n; i++)
		put(w, word[i], 8);
	end(w);
}

/* Return addresses move into the call, the first after a marker does not; junk
 * and what the walk ran into at its end go. */
static void
chain(void **state)
{
	static const uint64_t word[] = {
		(uint64_t)-128,
		0xffffffff81000010,
		0xffffffff81000020,
		(uint64_t)-512,
		0x1010,
		(uint64_t)-160,
		0x1020,
		0x77777777,
		0,
	};
	static const uint64_t want[] = { 0xffffffff81000010, 0xffffffff8100001f,
					 0x1010, 0x101f };
	struct perf_options o = plain;
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	for (int fold = 0; fold < 3; fold++) {
		o.kernel = (enum perf_kernel)fold;
		start(&w, fold == 1, BASE_TYPE | S_CALLCHAIN, 136);
		put_map(&w, 5, 0x1000, 0x1000, "/bin/a");
		put_chain(&w, word, sizeof(word) / sizeof(*word));
		put_chain(&w, word, sizeof(word) / sizeof(*word));
		p = read_as(&w, &o, 4096, &notes);
		assert_non_null(p);
		assert_int_equal(notes.truncated, 2);
		assert_int_equal(p->n_sample, 1);
		assert_int_equal(p->sample[0].n_stack, fold == 0   ? 4
						       : fold == 1 ? 2
								   : 3);
		for (size_t i = 0; fold == 0 && i < 4; i++)
			assert_int_equal(
				p->location[profile_stack(p, &p->sample[0])[i]]
					.address,
				want[i]);
		profile_free(p);
		buf_release(&w.b);
	}
}

/* Threads that get another name, whichever numbers the two have. */
static void
renamed_threads(void **state)
{
	const struct perf_options o = { .max_bytes = 1 << 20,
					.labels = PERF_THREAD };
	enum { N = 64 };
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	start(&w, false, BASE_TYPE, 136);
	for (uint32_t i = 0; i < N; i++)
		put_comm(&w, 100 + i, 0, "before");
	for (uint32_t i = 0; i < N; i++)
		put_comm(&w, 100 + i, 0, "after");
	for (uint32_t i = 0; i < N; i++)
		put_hit(&w, 100 + i, 0x1000 + i, 5);
	p = read_as(&w, &o, 4096, &notes);
	assert_non_null(p);
	assert_int_equal(p->n_sample, N);
	for (size_t i = 0; i < N; i++) {
		const struct sample *s = &p->sample[i];
		size_t n = 0;

		for (uint32_t k = 0; k < s->n_label; k++) {
			const struct label *l = &profile_label(p, s)[k];

			if (strcmp(profile_str(p, l->key), "thread") != 0)
				continue;
			assert_string_equal(profile_str(p, l->str), "after");
			n++;
		}
		assert_int_equal(n, 1);
	}
	profile_free(p);
	buf_release(&w.b);
}

/* User frames that come in a record of their own, after the sample. */
static void
deferred(void **state)
{
	static const uint64_t word[] = { (uint64_t)-128, 0xffffffff81000010,
					 (uint64_t)-640, 77 };
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	start(&w, false, BASE_TYPE | S_CALLCHAIN, 136);
	w.b.data[w.attr + 42] |= 4; /* sample_id_all */
	put_map_with_id(&w, 5, 0x1000, 0x1000, "/bin/a");
	put_chain(&w, word, 4);
	put_chain(&w, word, 4);
	begin(&w, REC_CALLCHAIN_DEFERRED, MODE_USER);
	put(&w, 77, 8);
	put(&w, 2, 8);
	put(&w, 0x1010, 8);
	put(&w, 0x1020, 8);
	put(&w, 5, 4);
	put(&w, 5, 4);
	put(&w, 12, 8);
	end(&w);
	p = read_as(&w, &plain, 4096, &notes);
	assert_non_null(p);
	assert_int_equal(notes.damaged, 0);
	assert_int_equal(p->n_sample, 1);
	assert_int_equal(profile_value(p, 0)[0], 2);
	assert_int_equal(p->sample[0].n_stack, 3);
	assert_string_equal(file_of(p, 0, 2), "/bin/a");
	profile_free(p);
	buf_release(&w.b);
}

/* --- damage --- */

/* Cut anywhere, and with any byte changed: an answer, never a crash. */
static void
damage(void **state)
{
	struct perf_notes notes;
	struct rec w, cut;
	size_t n_read = 0;

	(void)state;
	start(&w, false, S_KNOWN & ~(uint64_t)S_WEIGHT_STRUCT, 136);
	put_map(&w, 5, 0x1000, 0x1000, "/bin/a");
	put_fields(&w, S_KNOWN & ~(uint64_t)S_WEIGHT_STRUCT);
	put_fork(&w, 8, 5, REC_FORK);
	put_comm(&w, 8, 0, "x");
	for (size_t n = 0; n < w.b.n; n++) {
		cut = w;
		cut.b.n = n;
		profile_free(read_as(&cut, &plain, 4096, &notes));
		for (unsigned v = 1; v < 256; v += 127) {
			struct profile *p;

			w.b.data[n] ^= (uint8_t)v;
			p = read_as(&w, &plain, 4096, &notes);
			n_read += p != NULL;
			profile_free(p);
			w.b.data[n] ^= (uint8_t)v;
		}
	}
	assert_true(n_read > w.b.n);
	buf_release(&w.b);
}

/* Counts near 2^61, whose bytes would wrap around. */
static void
huge_counts(void **state)
{
	static const uint64_t huge[] = { (uint64_t)1 << 61, UINT64_MAX,
					 (uint64_t)1 << 60, 65536 };
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (unsigned k = 0; k < 3; k++) {
			uint64_t type = BASE_TYPE | (k == 0   ? S_CALLCHAIN
						     : k == 1 ? S_BRANCH
							      : S_STACK_USER);

			start(&w, false, type, 136);
			begin(&w, REC_SAMPLE, MODE_USER);
			for (unsigned f = 0; f < 4; f++)
				put(&w, 5, 8);
			put(&w, huge[i], 8);
			put(&w, 0, 8);
			end(&w);
			p = read_as(&w, &plain, 4096, &notes);
			assert_non_null(p);
			assert_int_equal(notes.damaged, 1);
			profile_free(p);
			buf_release(&w.b);
		}
}

/* Processes that fork and fork: their maps are shared. */
static void
many_forks(void **state)
{
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	start(&w, false, BASE_TYPE, 136);
	for (uint32_t i = 0; i < 2000; i++)
		put_map(&w, 5, 0x10000 + i * 0x1000, 0x1000, "/bin/a");
	for (uint32_t i = 0; i < 100000; i++)
		put_fork(&w, 100 + i, 5, REC_FORK);
	put_hit(&w, 99999, 0x10010, 1);
	p = read_as(&w, &plain, 1 << 16, &notes);
	assert_non_null(p);
	assert_string_equal(file_of(p, 0, 0), "/bin/a");
	profile_free(p);
	buf_release(&w.b);
}

/* A mapping in place of many others, which then do not count any more. */
static void
covered(void **state)
{
	struct perf_notes notes;
	struct profile *p;
	struct rec w;

	(void)state;
	start(&w, false, BASE_TYPE, 136);
	for (uint32_t i = 0; i < 100; i++)
		put_map(&w, 5, 0x10000 + i * 0x1000, 0x1000, "/bin/a");
	put_map(&w, 5, 0x10000, 100 * 0x1000, "/bin/b");
	put_map(&w, 5, 0x100000, 0x1000, "/bin/c");
	put_hit(&w, 5, 0x10010, 1);
	put_hit(&w, 5, 0x100010, 1);
	p = read_as(&w, &plain, 1 << 16, &notes);
	assert_non_null(p);
	assert_string_equal(file_of(p, 0, 0), "/bin/b");
	assert_string_equal(file_of(p, 1, 0), "/bin/c");
	profile_free(p);
	buf_release(&w.b);
}

/* A mapping whose record has the bit of build-ids, and 20 bytes behind a first
 * word: the size of the id, or the major number of a device. */
static void
put_map2(struct rec *w, uint64_t at, uint32_t first, const char *name)
{
	begin(w, REC_MMAP2, MODE_USER | MISC_BUILD_ID);
	put(w, 5, 4);
	put(w, 5, 4);
	put(w, at, 8);
	put(w, 0x1000, 8);
	put(w, 0, 8);
	put(w, first, 4);
	for (unsigned i = 1; i <= 20; i++)
		put(w, i, 1);
	put(w, 5, 4);
	put(w, 2, 4);
	put_text(w, name);
	end(w);
}

/* Kernels set that bit in recordings without build-ids, too. */
static void
build_ids(void **state)
{
	static const struct {
		bool is_asked;
		uint32_t first;
		const char *want;
	} row[] = {
		{ false, 8, "" },
		{ false, 0xfe, "" },
		{ false, 0x103, "" },
		{ false, 0x114, "" },
		{ false, 20, "0102030405060708090a0b0c0d0e0f1011121314" },
		{ false, 16, "0102030405060708090a0b0c0d0e0f10" },
		{ true, 8, "0102030405060708" },
		{ true, 0xfe, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct perf_notes notes;
		struct profile *p;
		struct rec w;

		start(&w, false, BASE_TYPE, 136);
		if (row[i].is_asked)
			w.b.data[w.attr + 40 + FLAG_BUILD_ID / 8] |=
				1 << FLAG_BUILD_ID % 8;
		put_map2(&w, 0x10000, row[i].first, "/bin/a");
		put_hit(&w, 5, 0x10010, 1);
		p = read_as(&w, &plain, 1 << 16, &notes);
		assert_non_null(p);
		assert_string_equal(file_of(p, 0, 0), "/bin/a");
		assert_string_equal(profile_str(p, p->mapping[0].build_id),
				    row[i].want);
		profile_free(p);
		buf_release(&w.b);
	}
}

UNIT_TESTS(cmocka_unit_test(each_field), cmocka_unit_test(period_and_unknown),
	   cmocka_unit_test(life), cmocka_unit_test(order),
	   cmocka_unit_test(chain), cmocka_unit_test(renamed_threads),
	   cmocka_unit_test(deferred), cmocka_unit_test(damage),
	   cmocka_unit_test(huge_counts), cmocka_unit_test(many_forks),
	   cmocka_unit_test(covered), cmocka_unit_test(build_ids))
