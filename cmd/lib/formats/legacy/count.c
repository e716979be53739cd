/* count.c - text profiles that count stacks: Go's, of contention, of threads.
 */
#include "config.h"

#include <inttypes.h>

#include "impl.h"

/* --- Go's "NAME profile: total N", then "COUNT @ ADDRESSES" --- */

/* The name and the total in the first line; false if it isn't one. */
static bool
count_head(struct span line, struct span *name, struct span *total)
{
	name->p = line.p;
	while (line.p < line.end && !is_blank(*line.p))
		line.p++;
	name->end = line.p;
	return span_len(*name) && span_take(&line, " profile: total ") &&
	       span_digits(&line, total) && line.p == line.end;
}

bool
legacy_is_count(struct span line)
{
	struct span name, total;

	return count_head(line, &name, &total);
}

static enum prof_status
count_types(struct legacy *l, struct span name)
{
	uint32_t type = strtab_add(&l->p->strings, name.p, span_len(name));
	uint32_t col = profile_add_type(l->p, "", "count");

	if (type == STRTAB_NONE || col == PROF_NONE)
		return prof_nomem(l->err);
	l->p->type[col].type = type;
	l->p->period_type = l->p->type[col];
	l->p->period = 1;
	return PROF_OK;
}

enum prof_status
legacy_count(struct legacy *l, struct text *t)
{
	bool at_map = false;
	enum prof_status st;
	struct span name, total;
	int64_t want, sum = 0;

	if (!text_next(t) || !count_head(t->line, &name, &total))
		return LINE_FAIL(l, t, "want 'NAME profile: total N'");
	if (!span_int(total, &want))
		want = -1;
	st = count_types(l, name);
	while (st == PROF_OK && text_next(t)) {
		struct span s = t->line, digits;
		int64_t value;

		at_map = legacy_is_map(s);
		if (at_map || span_begins(s, "---")) {
			st = legacy_check_single(l, t);
			break;
		}
		if (span_is_comment(s)) {
			st = legacy_go_name(l, t);
			continue;
		}
		/* Go's threadcreate has samples without addresses. */
		if (!span_digits(&s, &digits) || !span_int(digits, &value) ||
		    !span_take(&s, " @"))
			return LINE_FAIL(l, t, "want 'count @ addresses'");
		st = legacy_stack(l, t, s);
		if (st == PROF_OK)
			st = legacy_go_labels(l, *t);
		if (st == PROF_OK)
			st = legacy_sample(l, ADJUST_ALL, false, &value,
					   l->go.label, l->go.n_label);
		if (__builtin_add_overflow(sum, value, &sum))
			want = -1;
	}
	if (st == PROF_OK && want >= 0 && want != sum)
		legacy_doubt(l,
			     "the total is %" PRId64
			     ", the stacks have %" PRId64 ": was it cut?",
			     want, sum);
	return st == PROF_OK ? legacy_map(l, t, at_map) : st;
}

/* --- contention --- */

struct contention {
	int64_t hz; /* cycles per second, 0: delays are nanoseconds */
	int64_t period;
	bool is_old; /* lines may have no count */
};

static enum prof_status
contention_attribute(struct legacy *l, const struct text *t, struct span key,
		     struct span value, struct contention *c)
{
	int64_t v;

	if (!span_int(value, &v))
		return LINE_FAIL(l, t, "want a number after '='");
	if (span_is(key, "cycles/second")) {
		c->hz = v;
	} else if (span_is(key, "sampling period")) {
		c->period = v;
		l->p->period = v;
	} else if (span_is(key, "ms since reset")) {
		if (__builtin_mul_overflow(v, INT64_C(1000000),
					   &l->p->duration_ns))
			return LINE_FAIL(l, t, "more than 292 years");
	} else if (!span_is(key, "discarded samples")) {
		return LINE_FAIL(l, t,
				 "unknown attribute of a contention "
				 "profile");
	}
	return PROF_OK;
}

/* "delay count @ addresses" */
static enum prof_status
contention_sample(struct legacy *l, const struct text *t,
		  const struct contention *c)
{
	struct span s = span_trim(t->line);
	uint64_t delay = 0, count = 1;
	int64_t value[2];
	enum prof_status st;
	bool ok = span_dec(&s, &delay);

	if (ok && !(c->is_old && span_begins(s, " @")))
		ok = span_blanks(&s) && span_dec(&s, &count);
	if (!ok || !span_take(&s, " @"))
		return LINE_FAIL(l, t, "want 'delay count @ addresses'");
	value[0] = (int64_t)count;
	value[1] = (int64_t)delay;
	if (c->period > 0 &&
	    __builtin_mul_overflow(value[0], c->period, &value[0]))
		return LINE_FAIL(l, t, "count times period is past 64 bits");
	if (c->period > 0 && c->hz > 0) {
		double ns = (double)delay * (double)c->period /
			    ((double)c->hz / 1e9);

		if (!(ns < 0x1p63))
			return LINE_FAIL(l, t, "more than 292 years");
		value[1] = (int64_t)ns;
	}
	st = legacy_stack(l, t, s);
	if (st == PROF_OK)
		st = legacy_sample(l, ADJUST_ALL, false, value, NULL, 0);
	return st;
}

enum prof_status
legacy_contention(struct legacy *l, struct text *t)
{
	static const char *const types[] = { "contentions", "count", "delay",
					     "nanoseconds", NULL };
	struct contention c = { .period = 1 };
	bool in_samples = false, at_map = false;
	enum prof_status st = legacy_types(l, types);

	if (st == PROF_OK)
		st = legacy_period(l, "contentions", "count", 1);
	if (text_next(t))
		c.is_old = span_begins(t->line, "--- Stacks:");
	while (st == PROF_OK && text_next(t)) {
		struct span key, value;

		at_map = legacy_is_map(t->line);
		if (at_map || span_begins(t->line, "---")) {
			st = legacy_check_single(l, t);
			break;
		}
		if (span_is_comment(t->line)) {
			st = legacy_go_name(l, t);
			continue;
		}
		if (!in_samples && span_attribute(t->line, &key, &value)) {
			st = contention_attribute(l, t, key, value, &c);
			continue;
		}
		in_samples = true;
		st = contention_sample(l, t, &c);
	}
	return st == PROF_OK ? legacy_map(l, t, at_map) : st;
}

/* --- threads --- */

/* "--- Thread 7f00 (name: main/4242) stack: ---", anywhere in the line. */
static bool
is_thread(struct span s)
{
	static const char title[] = "--- Thread ";
	struct span digits;
	uint64_t id;

	s.p = span_find(s, title);
	if (!s.p)
		return false;
	s.p += strlen(title);
	if (!span_hex(&s, &id) || !span_take(&s, " (name: "))
		return false;
	while (s.p < s.end && (s.p = memchr(s.p, '/', span_len(s)))) {
		s.p++;
		if (span_digits(&s, &digits) && span_take(&s, ") stack: ---"))
			return true;
	}
	return false;
}

static bool
is_threadz(struct span s)
{
	struct span digits;
	const char *at = span_find(s, "--- threadz ");

	if (!at)
		return false;
	s.p = at;
	return span_take(&s, "--- threadz ") && span_digits(&s, &digits) &&
	       span_take(&s, " ---");
}

bool
legacy_is_threads(struct span line)
{
	return is_threadz(line) || is_thread(line);
}

/*
 * The addresses of a line, anywhere in it: symbols may be there too. A digit in
 * upper case does not end an address.
 */
static enum prof_status
thread_frames(struct legacy *l, const struct text *t)
{
	struct span s = t->line;
	enum prof_status st = PROF_OK;
	uint64_t addr;

	while (st == PROF_OK && (s.p = span_find(s, "0x"))) {
		s.p += 2;
		if (span_hex(&s, &addr))
			st = legacy_push(l, addr);
		else if (s.p < s.end &&
			 memchr("0123456789abcdefABCDEF", *s.p, 22))
			st = LINE_FAIL(l, t, "address past 64 bits");
	}
	return st;
}

/*
 * Read one thread; t is at its title, and then at the line after its frames.
 * *more is false if there is none.
 */
static enum prof_status
one_thread(struct legacy *l, struct text *t, bool *more)
{
	const int64_t one = 1;
	enum prof_status st = PROF_OK;
	bool again = false;

	while ((*more = text_next(t)) && !legacy_is_map(t->line) &&
	       !span_begins(t->line, "---")) {
		if (span_find(t->line, "same as previous thread"))
			again = true;
		else
			st = thread_frames(l, t);
		if (st != PROF_OK)
			return st;
	}
	if (!again && l->n_addr)
		return legacy_sample(l, ADJUST_CALLERS, true, &one, NULL, 0);
	/* The same as the thread before, or unknown: pprof reads both so. */
	l->n_addr = 0;
	if (l->p->n_sample)
		++*profile_value(l->p, l->p->n_sample - 1);
	return PROF_OK;
}

enum prof_status
legacy_threads(struct legacy *l, struct text *t)
{
	static const char *const types[] = { "thread", "count", NULL };
	enum prof_status st = legacy_types(l, types);
	bool more = text_next(t);

	if (st == PROF_OK)
		st = legacy_period(l, "thread", "count", 1);
	if (more && is_threadz(t->line)) {
		do
			more = text_next(t);
		while (more && !legacy_is_map(t->line) &&
		       !span_begins(t->line, "-"));
	}
	while (st == PROF_OK && more && !legacy_is_map(t->line)) {
		if (span_begins(t->line, "---- no stack trace for"))
			break;
		if (!is_thread(t->line))
			return LINE_FAIL(l, t,
					 "want '--- Thread ID (name: "
					 "NAME/ID) stack: ---'");
		st = one_thread(l, t, &more);
	}
	if (st == PROF_OK && !more)
		return LINE_FAIL(l, t,
				 "the list of threads has no end: "
				 "truncated?");
	return st == PROF_OK ? legacy_map(l, t, legacy_is_map(t->line)) : st;
}
