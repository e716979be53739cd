/*
 * java.c - Java's text profiles, which name their locations themselves:
 *
 *	--- heapz 1 ---
 *	format = java
 *	resolution = bytes
 *	  1024  1 @ 0x1 0x2
 *	0x1 java.util.Arrays.copyOf (Arrays.java:3332)
 *
 * Here the size or delay comes before the count.
 */
#include "config.h"

#include "impl.h"

#define JAVA_HEAP_RATE 524288

bool
legacy_is_java(struct text t)
{
	struct span key, value;

	while (text_next(&t)) {
		if (span_is_comment(t.line))
			continue;
		if (!span_attribute(t.line, &key, &value))
			return false;
		if (span_is(key, "format") || span_is(key, "resolution"))
			return true;
	}
	return false;
}

struct java {
	bool is_heap;
	int64_t period; /* 0: not sampled */
};

/* Add the columns; the profile gives the unit of the second. */
static enum prof_status
set_types(struct legacy *l, const struct java *j, struct span unit)
{
	uint32_t u = strtab_add(&l->p->strings, unit.p, span_len(unit));
	const char *const types[] = {
		j->is_heap ? "inuse_objects" : "contentions", "count",
		j->is_heap ? "inuse_space" : "delay", "", NULL
	};
	enum prof_status st;

	if (u == STRTAB_NONE)
		return prof_nomem(l->err);
	l->p->n_type = 0; /* the last one counts */
	st = legacy_types(l, types);
	if (st == PROF_OK)
		l->p->type[1].unit = u;
	return st;
}

static enum prof_status
attribute(struct legacy *l, const struct text *t, struct java *j,
	  struct span key, struct span value)
{
	int64_t v;

	if (span_is(key, "format")) {
		if (!span_is(value, "java"))
			return LINE_FAIL(l, t, "unknown format of a profile");
		return PROF_OK;
	}
	if (span_is(key, "resolution"))
		return set_types(l, j, value);
	if (!j->is_heap && !span_int(value, &v))
		return LINE_FAIL(l, t, "want a number after '='");
	if (!j->is_heap && span_is(key, "sampling period")) {
		j->period = v;
		return legacy_period(l, "contentions", "count", v);
	}
	if (!j->is_heap && span_is(key, "ms since reset")) {
		if (!__builtin_mul_overflow(v, INT64_C(1000000),
					    &l->p->duration_ns))
			return PROF_OK;
		return LINE_FAIL(l, t, "more than 292 years");
	}
	return LINE_FAIL(l, t, "unknown attribute of a Java profile");
}

/* "1024 1 @ 0x1 0x2"; false in *is: the line is something else. */
static enum prof_status
sample(struct legacy *l, const struct text *t, const struct java *j, bool *is)
{
	struct label label = { .key = profile_intern(l->p, "bytes") };
	struct span s = span_trim(t->line);
	uint64_t size, count;
	int64_t value[2];
	enum prof_status st;

	*is = false;
	if (!span_dec(&s, &size) || !span_spaces(&s) || !span_dec(&s, &count) ||
	    !span_spaces(&s) || !span_take(&s, "@"))
		return PROF_OK;
	*is = true;
	if (l->p->n_type == 0)
		return LINE_FAIL(l, t, "a sample, but no resolution before it");
	value[0] = (int64_t)count;
	value[1] = (int64_t)size;
	if (j->is_heap) {
		if (count == 0)
			return LINE_FAIL(l, t, "a sample of 0 objects");
		label.num = value[1] / value[0];
		legacy_unsample(JAVA_HEAP_RATE, &value[0], &value[1]);
	} else if (j->period &&
		   (__builtin_mul_overflow(value[0], j->period, &value[0]) ||
		    __builtin_mul_overflow(value[1], j->period, &value[1]))) {
		return LINE_FAIL(l, t, "value times period is past 64 bits");
	}
	st = legacy_stack(l, t, s);
	if (st == PROF_OK)
		st = legacy_sample(l, ADJUST_NONE, false, value, &label,
				   j->is_heap);
	return st;
}

enum prof_status
legacy_java(struct legacy *l, struct text *t, enum legacy_kind kind)
{
	struct java j = { .is_heap = kind == LEGACY_JAVA_HEAP };
	enum prof_status st = PROF_OK;
	bool in_samples = false, is = true;
	struct text before = *t;

	text_next(t);
	while (st == PROF_OK && (before = *t, text_next(t))) {
		struct span key, value;

		if (span_is_comment(t->line))
			continue;
		if (!in_samples && span_attribute(t->line, &key, &value)) {
			st = attribute(l, t, &j, key, value);
			continue;
		}
		in_samples = true;
		st = sample(l, t, &j, &is);
		if (!is)
			break;
	}
	if (st == PROF_OK && l->p->n_type == 0)
		return LINE_FAIL(l, t, "a Java profile without resolution");
	if (!is)
		*t = before; /* the line is the first name */
	return st == PROF_OK ? legacy_java_names(l, t) : st;
}

/* --- names --- */

/* A number in base 10, even with leading zeros; a negative one is 0. */
static bool
line_number(struct span s, int64_t *line)
{
	bool is_negative = span_take(&s, "-");
	uint64_t v;

	if (!span_dec(&s, &v) || s.p < s.end)
		return false;
	*line = is_negative ? 0 : (int64_t)v;
	return true;
}

/*
 * "name (file:12)", "name (/path/of/file)", "generated stub/JIT" or "name":
 * its parts.
 */
static void
describe(struct span s, struct span *name, struct span *file, int64_t *line)
{
	static const char stub[] = "STUB";
	const char *open = memrchr(s.p, '(', span_len(s)), *colon;

	*name = s;
	*file = (struct span){ s.end, s.end };
	*line = 0;
	if (open && s.p < open && s.end[-1] == ')' && is_blank(open[-1])) {
		*name = span_trim((struct span){ s.p, open });
		*file = (struct span){ open + 1, s.end - 1 };
		colon = memrchr(file->p, ':', span_len(*file));
		if (colon && colon > file->p &&
		    line_number((struct span){ colon + 1, file->end }, line)) {
			file->end = colon;
			return;
		}
		colon = memrchr(file->p, '/', span_len(*file));
		if (colon)
			file->p = colon + 1;
	} else if (span_find(s, "generated stub/JIT")) {
		*name = (struct span){ stub, stub + strlen(stub) };
	}
}

static enum prof_status
name_location(struct legacy *l, struct idmap *by_name, const struct text *t)
{
	struct span s = span_trim(t->line), name, file;
	struct line line = { 0 };
	enum prof_status st;
	uint64_t addr;
	uint32_t loc;

	if (span_is_comment(s))
		return PROF_OK;
	if (!span_take(&s, "0x"))
		return s.p < s.end && *s.p >= '0' && *s.p <= '9'
			       ? LINE_FAIL(l, t, "neither a sample nor a name")
			       : PROF_OK;
	if (!span_hex(&s, &addr) || !span_blanks(&s))
		return LINE_FAIL(l, t, "want '0xADDRESS name (file:line)'");
	loc = legacy_find(l, addr);
	if (loc == IDMAP_NONE)
		return PROF_OK; /* no sample has it */
	describe(s, &name, &file, &line.line);
	st = legacy_function(l, by_name, true, name, file, &line.function);
	if (st == PROF_OK && profile_set_lines(l->p, loc, &line, 1) < 0)
		st = prof_nomem(l->err);
	/* Numbers of the virtual machine mean nothing outside it. */
	l->p->location[loc].address = 0;
	return st;
}

enum prof_status
legacy_java_names(struct legacy *l, struct text *t)
{
	struct text none = { 0 };
	enum prof_status st = PROF_OK;
	struct idmap by_name;

	if (idmap_init(&by_name, 0) < 0)
		return prof_nomem(l->err);
	while (st == PROF_OK && text_next(t))
		st = name_location(l, &by_name, t);
	idmap_release(&by_name);
	return st == PROF_OK ? legacy_map(l, &none, true) : st;
}
