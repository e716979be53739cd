/*
 * heap.c - heap profiles as text: of gperftools and Go,
 *
 *	heap profile: 1: 100 [2: 300] @ heap_v2/524288
 *	1: 100 [2: 300] @ 0x1101 0x1201
 *
 * (live objects: bytes [all objects: bytes]), and of jemalloc, where the stack
 * comes first and a line for each thread may follow:
 *
 *	heap_v2/524288
 *	  t*: 1: 100 [0: 0]
 *	@ 0x1101 0x1201
 *	  t*: 1: 100 [0: 0]
 *	  t3: 1: 100 [0: 0]
 *
 * A sampled heap is unsampled: each object was seen with the probability
 * 1 - exp(-size/rate).
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include "impl.h"
#include "lib/base/ascii.h"

/* The numbers of a header or a sample. */
enum { INUSE, ALLOC };
struct counts {
	int64_t count[2];
	int64_t bytes[2];
	bool is_over; /* a sum that does not fit */
};

/* "1: 100 [2: 300]" */
static bool
take_counts(struct span *s, struct counts *c)
{
	uint64_t v;

	if (!span_signed(s, &c->count[INUSE]) || !span_take(s, ":"))
		return false;
	span_spaces(s);
	if (!span_signed(s, &c->bytes[INUSE]))
		return false;
	span_spaces(s);
	if (!span_take(s, "["))
		return false;
	span_spaces(s);
	if (!span_dec(s, &v) || !span_take(s, ":"))
		return false;
	c->count[ALLOC] = (int64_t)v;
	span_spaces(s);
	if (!span_dec(s, &v))
		return false;
	c->bytes[ALLOC] = (int64_t)v;
	span_spaces(s);
	return span_take(s, "]");
}

/* The same, at any word of *s: loggers put words before it. */
static bool
find_counts(struct span *s, struct counts *c)
{
	struct span from = *s;

	while (from.p < from.end) {
		*s = from;
		if (take_counts(s, c))
			return true;
		while (from.p < from.end && !is_blank(*from.p))
			from.p++;
		span_blanks(&from);
	}
	return false;
}

/* --- the header --- */

struct header {
	struct span number[4]; /* their text: live, bytes, all, bytes */
	struct span kind;      /* "heap_v2", "growth" */
	struct span rate;      /* digits, or empty */
};

static bool
is_kind_char(char c)
{
	return c == '_' || is_lower(c) || is_digit(c);
}

/* " @ heap_v2/524288", " @ growthz" */
static bool
take_kind(struct span s, struct header *h)
{
	struct span exact = s;

	span_spaces(&s);
	if (!span_take(&s, "@"))
		return false;
	span_spaces(&s);
	h->kind = h->rate = (struct span){ s.p, s.p };
	if (span_begins(s, "heap")) {
		while (s.p < s.end && is_kind_char(*s.p))
			s.p++;
		h->kind.end = s.p;
		span_take(&s, "/");
		span_digits(&s, &h->rate);
		return true;
	}
	if (!span_take(&exact, " @ growth") &&
	    !span_take(&exact, " @ fragmentation"))
		return false;
	h->kind.end = exact.p;
	return true;
}

/* "heap profile: 1: 100 [2: 300] @ heap_v2/524288", anywhere in the line. */
static bool
find_header(struct span s, struct header *h)
{
	static const char title[] = "heap profile:";
	static const char *const after[] = { ":", "[", ":", "]" };

	while ((s.p = span_find(s, title))) {
		struct span at;
		int i = 0;

		s.p += strlen(title);
		at = s;
		for (; i < 4; i++) {
			span_spaces(&at);
			if (!span_digits(&at, &h->number[i]))
				break;
			if (i & 1)
				span_spaces(&at);
			if (!span_take(&at, after[i]))
				break;
		}
		if (i == 4 && take_kind(at, h))
			return true;
	}
	return false;
}

bool
legacy_is_heap(struct span line)
{
	struct header h;

	return find_header(line, &h);
}

static bool
same_text(struct span a, struct span b)
{
	return span_len(a) == span_len(b) && !memcmp(a.p, b.p, span_len(a));
}

/* Are there columns of all allocations, beside those of live ones? */
static bool
has_alloc(const struct header *h)
{
	for (int i = 0; i < 2; i++)
		if (!same_text(h->number[2 + i], h->number[i]) &&
		    !span_is(h->number[2 + i], "0"))
			return true;
	return false;
}

/* The period of the profile, and the rate to unsample with; false: unknown. */
static bool
sampling(const struct header *h, int64_t *period, int64_t *rate)
{
	struct span digits = h->rate;
	uint64_t v = 0;

	*period = 1;
	*rate = 0;
	if (span_len(digits) && !span_dec(&digits, &v))
		return false;
	if (span_is(h->kind, "heap")) {
		*period = *rate = (int64_t)v / 2;
	} else if (span_is(h->kind, "heap_v2") ||
		   span_is(h->kind, "heapz_v2")) {
		*period = *rate = (int64_t)v;
	} else if (span_begins(h->kind, "heap")) {
		return span_is(h->kind, "heapprofile");
	}
	return true;
}

static enum prof_status
set_types(struct legacy *l, bool alloc, int64_t period)
{
	static const char *const two[] = { "objects", "count", "space", "bytes",
					   NULL };
	static const char *const four[] = {
		"alloc_objects", "count",         "alloc_space",
		"bytes",         "inuse_objects", "count",
		"inuse_space",   "bytes",         NULL
	};
	enum prof_status st = legacy_types(l, alloc ? four : two);

	return st == PROF_OK ? legacy_period(l, "space", "bytes", period) : st;
}

/* --- samples --- */

/* A double as int64_t; what does not fit becomes the nearest that does. */
static int64_t
to_int(double v)
{
	if (v >= 0x1p63)
		return INT64_MAX;
	return v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}

void
legacy_unsample(int64_t rate, int64_t *count, int64_t *size)
{
	double avg, k;

	if (*count == 0 || *size == 0) {
		*count = *size = 0;
		return;
	}
	if (rate <= 1)
		return;
	avg = (double)*size / (double)*count;
	k = 1 / (1 - exp(-avg / (double)rate));
	*count = to_int((double)*count * k);
	*size = to_int((double)*size * k);
}

/* Add the sample of the stack that was read. */
static enum prof_status
add_sample(struct legacy *l, const struct text *t, struct counts *c, bool alloc,
	   int64_t rate)
{
	static const char *const name[] = { "inuse", "allocation" };
	struct label label = { .key = profile_intern(l->p, "bytes") };
	int64_t value[4], *v = value;

	if (label.key == STRTAB_NONE)
		return prof_nomem(l->err);
	for (int i = alloc ? ALLOC : INUSE; i >= INUSE; i--) {
		if (c->count[i] == 0 && c->bytes[i] != 0)
			return LINE_FAIL(l, t,
					 "%s count is 0, but %s bytes are "
					 "%" PRId64,
					 name[i], name[i], c->bytes[i]);
		if (c->count[i])
			label.num = c->bytes[i] / c->count[i];
		legacy_unsample(rate, &c->count[i], &c->bytes[i]);
		*v++ = c->count[i];
		*v++ = c->bytes[i];
	}
	return legacy_sample(l, ADJUST_ALL, false, value, &label, 1);
}

/* --- totals --- */

static void
add_counts(struct counts *sum, const struct counts *c)
{
	for (int i = INUSE; i <= ALLOC; i++)
		if (__builtin_add_overflow(sum->count[i], c->count[i],
					   &sum->count[i]) ||
		    __builtin_add_overflow(sum->bytes[i], c->bytes[i],
					   &sum->bytes[i]))
			sum->is_over = true;
}

/* Note a doubt if the stacks do not sum up to the totals before them. */
static void
check_totals(struct legacy *l, const struct counts *want,
	     const struct counts *sum, bool alloc)
{
	for (int i = alloc ? ALLOC : INUSE; i >= INUSE && !sum->is_over; i--)
		if (want->count[i] != sum->count[i] ||
		    want->bytes[i] != sum->bytes[i])
			legacy_doubt(l,
				     "%s: the totals are %" PRId64
				     " objects of %" PRId64
				     " bytes, the stacks have %" PRId64
				     " of %" PRId64 ": was it cut?",
				     i == ALLOC ? "allocated" : "in use",
				     want->count[i], want->bytes[i],
				     sum->count[i], sum->bytes[i]);
}

/* The totals in a header, if they are numbers. */
static struct counts
header_counts(const struct header *h)
{
	struct counts c = { 0 };
	uint64_t v[4] = { 0 };

	for (int i = 0; i < 4; i++) {
		struct span s = h->number[i];

		if (!span_dec(&s, &v[i]) || v[i] > INT64_MAX)
			v[i] = 0;
	}
	c.count[INUSE] = (int64_t)v[0];
	c.bytes[INUSE] = (int64_t)v[1];
	c.count[ALLOC] = (int64_t)v[2];
	c.bytes[ALLOC] = (int64_t)v[3];
	return c;
}

enum prof_status
legacy_heap(struct legacy *l, struct text *t)
{
	enum prof_status st;
	int64_t period, rate;
	struct counts want, sum = { 0 };
	bool alloc, at_map = false;
	struct header h;

	if (!text_next(t) || !find_header(t->line, &h))
		return LINE_FAIL(l, t, "not the header of a heap profile");
	if (!sampling(&h, &period, &rate))
		return LINE_FAIL(l, t, "heap profile of unknown kind '%.*s'",
				 (int)(span_len(h.kind) & 0xff), h.kind.p);
	alloc = has_alloc(&h);
	want = header_counts(&h);
	st = set_types(l, alloc, period);
	while (st == PROF_OK && text_next(t)) {
		struct span s = span_trim(t->line);
		struct counts c = { 0 };

		at_map = legacy_is_map(s);
		if (at_map)
			break;
		if (span_is_comment(s)) {
			st = legacy_go_name(l, t);
			continue;
		}
		if (!find_counts(&s, &c) || !span_take(&s, " @"))
			return LINE_FAIL(l, t,
					 "want 'count: bytes [count: bytes] @ "
					 "addresses'");
		add_counts(&sum, &c);
		st = legacy_stack(l, t, s);
		if (st == PROF_OK)
			st = add_sample(l, t, &c, alloc, rate);
	}
	if (st == PROF_OK)
		check_totals(l, &want, &sum, alloc);
	return st == PROF_OK ? legacy_map(l, t, at_map) : st;
}

/* --- jemalloc --- */

bool
legacy_is_jemalloc(struct span line)
{
	struct span digits;

	return span_take(&line, "heap_v2/") && span_digits(&line, &digits) &&
	       line.p == line.end;
}

/* "  t*: 1: 100 [0: 0]": the numbers of all threads. */
static bool
is_total(struct span s, struct counts *c)
{
	return span_take(&s, "t*:") && (span_spaces(&s), take_counts(&s, c));
}

/*
 * jemalloc counts all allocations only when asked to (prof_accum), and writes
 * zeros otherwise. The totals of the program come before the first stack.
 */
enum prof_status
legacy_jemalloc(struct legacy *l, struct text *t)
{
	struct span s = { 0 };
	enum prof_status st = PROF_OK;
	bool in_stacks = false, alloc = false, at_map = false;
	bool has_total = false;
	struct counts c = { 0 }, want = { 0 }, sum = { 0 };
	uint64_t rate = 0;

	if (text_next(t))
		s = t->line;
	if (!span_take(&s, "heap_v2/") || !span_dec(&s, &rate))
		return LINE_FAIL(l, t, "bad rate in a jemalloc profile");
	while (st == PROF_OK && text_next(t)) {
		s = span_trim(t->line);
		at_map = legacy_is_map(s);
		if (at_map)
			break;
		if (span_take(&s, "@")) {
			if (!in_stacks)
				st = set_types(l, alloc, (int64_t)rate);
			in_stacks = true;
			l->n_addr = 0;
			if (st == PROF_OK)
				st = legacy_stack(l, t, s);
		} else if (is_total(s, &c)) {
			if (!in_stacks) {
				alloc = c.count[ALLOC] != 0;
				has_total = true;
				want = c;
				continue;
			}
			add_counts(&sum, &c);
			st = add_sample(l, t, &c, alloc, (int64_t)rate);
		} else if (!span_is_comment(s) && !span_begins(s, "t")) {
			return LINE_FAIL(l, t,
					 "not a line of a jemalloc "
					 "profile");
		}
	}
	if (st == PROF_OK && !in_stacks)
		st = set_types(l, alloc, (int64_t)rate);
	if (st == PROF_OK && has_total)
		check_totals(l, &want, &sum, alloc);
	if (st == PROF_OK)
		st = legacy_map(l, t, at_map);
	if (st == PROF_OK && !legacy_drop_library(l->p, "libjemalloc."))
		st = prof_nomem(l->err);
	return st;
}
