/*
 * cpu.c - gperftools' binary CPU profile: words of 4 or 8 bytes in either byte
 * order, then text.
 *
 *	header:  0  3  kind  period in microseconds  0
 *	record:  count  depth  pc of the leaf ... pc of the root
 *	trailer: 0  1  0
 *	text:    the memory map, or Java's names of locations (kind 1)
 *
 * A profiler that flushed but did not stop has written no trailer and no text.
 */
#include "config.h"

#include <inttypes.h>

#include "impl.h"

struct words {
	const uint8_t *p;
	const uint8_t *end;
	unsigned width;
	bool is_big; /* byte order */
};

enum { KIND_NATIVE, KIND_JAVA };

static uint64_t
word_at(const struct words *w, size_t i)
{
	const uint8_t *p = w->p + i * w->width;
	uint64_t v = 0;

	for (unsigned k = 0; k < w->width; k++)
		v = v << 8 | p[w->is_big ? k : w->width - 1 - k];
	return v;
}

static size_t
words_left(const struct words *w)
{
	return (size_t)(w->end - w->p) / w->width;
}

/* Infer from the first two words how to read words. False: no way fits. */
static bool
words_begin(struct words *w, const uint8_t *data, size_t n)
{
	for (unsigned i = 0; i < 4; i++) {
		*w = (struct words){ data, data + n, i < 2 ? 4 : 8, i & 1 };
		if (words_left(w) >= 2 && word_at(w, 0) == 0 &&
		    word_at(w, 1) == 3)
			return true;
	}
	return false;
}

#define BYTE_FAIL(l, w, fmt, ...)                                              \
	prof_fail((l)->err, PROF_EFORMAT, "byte %zu: " fmt,                    \
		  (size_t)((w)->p - (l)->raw), ##__VA_ARGS__)

static enum prof_status
read_header(struct legacy *l, struct words *w, uint64_t *kind, uint64_t *period)
{
	if (words_left(w) < 5)
		return BYTE_FAIL(l, w, "truncated header of a CPU profile");
	*kind = word_at(w, 2);
	*period = word_at(w, 3);
	if (*kind > KIND_JAVA)
		return BYTE_FAIL(
			l, w, "CPU profile of unknown version %" PRIu64, *kind);
	/* Tools that have no clock write symbolized profiles without one. */
	if ((*period == 0 && !l->symbolized) || *period > INT64_MAX / 1000 ||
	    word_at(w, 4) != 0)
		return BYTE_FAIL(l, w,
				 "header of a CPU profile with period %" PRIu64
				 " and padding %" PRIu64,
				 *period, word_at(w, 4));
	w->p += 5 * w->width;
	return PROF_OK;
}

/*
 * Check the record at w and find its depth. *is_end: there are no more records;
 * w is then after the trailer, if there is one.
 */
static enum prof_status
next_record(struct legacy *l, struct words *w, size_t i, uint64_t *depth,
	    bool *is_end)
{
	size_t left = words_left(w);

	*is_end = w->p == w->end;
	if (*is_end)
		return PROF_OK;
	if (left < 2)
		return BYTE_FAIL(l, w, "record %zu is truncated", i);
	*depth = word_at(w, 1);
	if (left >= 3 && word_at(w, 0) == 0 && *depth == 1 &&
	    word_at(w, 2) == 0) {
		*is_end = true;
		w->p += 3 * w->width;
		return PROF_OK;
	}
	if (*depth > left - 2)
		return BYTE_FAIL(l, w,
				 "record %zu has a stack of %" PRIu64
				 " frames, but %zu words follow",
				 i, *depth, left - 2);
	return PROF_OK;
}

/* The caller that nearly all leaves share; see find_handler(). */
struct handler {
	uint64_t pc[2];
	size_t n;
};

/*
 * How many frames above the leaf h removes from the stack of the record at w.
 * Its addresses are removed in turn, each at its place.
 */
static size_t
removed_by(const struct handler *h, const struct words *w, uint64_t depth)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += 1 + n < depth && word_at(w, 3 + n) == h->pc[i];
	return n;
}

/*
 * pprof's rule, applied twice: an address that is the caller of the leaf in all
 * samples but one in 32 is removed there. Such an address has the majority, so
 * a vote finds it and a second walk counts it, without a table.
 */
static void
find_handler(struct legacy *l, const struct words *start, struct handler *h)
{
	bool is_end;

	while (h->n < 2) {
		uint64_t depth, pc, best = 0;
		size_t n = 0, votes = 0, count = 0;

		for (int pass = 0; pass < 2; pass++) {
			struct words w = *start;

			for (n = 0; next_record(l, &w, n, &depth, &is_end) ==
					    PROF_OK &&
				    !is_end;
			     n++) {
				size_t k = 1 + removed_by(h, &w, depth);

				pc = k < depth ? word_at(&w, 2 + k) : 0;
				if (k < depth && pass)
					count += pc == best;
				else if (k < depth && votes == 0)
					best = pc, votes = 1;
				else if (k < depth)
					votes += pc == best ? 1 : (size_t)-1;
				w.p += (2 + depth) * w.width;
			}
		}
		if (count == 0 || count < n - n / 32)
			return;
		h->pc[h->n++] = best;
	}
}

static enum prof_status
add_record(struct legacy *l, const struct words *w, uint64_t depth,
	   const struct handler *h, uint64_t kind, uint64_t period, size_t i)
{
	enum adjust adjust = kind == KIND_JAVA || l->symbolized
				     ? ADJUST_NONE
				     : ADJUST_CALLERS;
	uint64_t count = word_at(w, 0);
	bool unique_leaf = kind == KIND_NATIVE && !l->symbolized;
	size_t skip = removed_by(h, w, depth);
	enum prof_status st = PROF_OK;
	int64_t value[2];

	if (count > INT64_MAX ||
	    __builtin_mul_overflow(count, period, &value[1]))
		return BYTE_FAIL(l, w, "record %zu has a count of %" PRIu64, i,
				 count);
	value[0] = (int64_t)count;
	for (uint64_t k = 0; k < depth && st == PROF_OK; k++)
		if (k == 0 || k > skip)
			st = legacy_push(l, word_at(w, 2 + k));
	if (st == PROF_OK)
		st = legacy_sample(l, adjust, unique_leaf, value, NULL, 0);
	return st;
}

static enum prof_status
set_types(struct legacy *l, uint64_t period_us)
{
	static const char *const cpu[] = { "samples", "count", "cpu",
					   "nanoseconds", NULL };
	static const char *const unknown[] = { "samples", "count", NULL };
	enum prof_status st;

	/*
	 * google-pprof says 1 when it converts to the symbolized form, whatever
	 * the period was. No time is better than an invented one.
	 */
	if (l->symbolized && period_us <= 1)
		return legacy_types(l, unknown);
	st = legacy_types(l, cpu);
	return st == PROF_OK ? legacy_period(l, "cpu", "nanoseconds",
					     (int64_t)period_us * 1000)
			     : st;
}

enum prof_status
legacy_cpu(struct legacy *l, const uint8_t *data, size_t n)
{
	struct handler h = { .n = 0 };
	uint64_t kind = 0, period = 0, depth = 0;
	enum prof_status st;
	bool is_end = false, has_trailer = false;
	struct words w;

	if (!words_begin(&w, data, n))
		return prof_fail(l->err, PROF_EFORMAT,
				 "byte %zu: not a CPU profile",
				 (size_t)(data - l->raw));
	st = read_header(l, &w, &kind, &period);
	if (st == PROF_OK)
		st = set_types(l, period);
	if (st != PROF_OK)
		return st;
	if (l->flags & LEGACY_STRIP_HANDLER && kind == KIND_NATIVE &&
	    !l->symbolized)
		find_handler(l, &w, &h);
	for (size_t i = 1; st == PROF_OK; i++) {
		has_trailer = w.p < w.end;
		st = next_record(l, &w, i, &depth, &is_end);
		if (is_end || st != PROF_OK)
			break;
		st = add_record(l, &w, depth, &h, kind, period * 1000, i);
		w.p += (2 + depth) * w.width;
	}
	if (st != PROF_OK)
		return st;
	if (!has_trailer && !l->symbolized)
		legacy_doubt(
			l,
			"no end mark: the program was killed, or is still "
			"running; what came after the last flush is missing");

	struct text t = { .p = (const char *)w.p, .end = (const char *)w.end };

	return kind == KIND_JAVA ? legacy_java_names(l, &t)
				 : legacy_map(l, &t, true);
}
