/*
 * legacy.c - recognize legacy formats, and build profiles of addresses. The
 * parsers are cpu.c, heap.c, count.c, java.c and symbolized.c, and map.c for
 * the memory map that ends most of them. They read what pprof reads;
 * doc/formats.md lists where they read more, or refuse more.
 */
#include "config.h"

#include "legacy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "impl.h"
#include "lib/formats/guess.h"

/* --- kinds --- */

static bool
is_cpu(const uint8_t *p, size_t n)
{
	static const struct {
		uint8_t word[16];
		size_t n;
	} start[] = {
		{ { [4] = 3 }, 8 },
		{ { [7] = 3 }, 8 },
		{ { [8] = 3 }, 16 },
		{ { [15] = 3 }, 16 },
	};

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++)
		if (n >= start[i].n && !memcmp(p, start[i].word, start[i].n))
			return true;
	return false;
}

/*
 * Step to the first line that is no comment or warning: google's servers write
 * warnings that begin with '%' before it. False if there is none, or if this is
 * not text: profile.proto soon has control characters, as tags.
 */
static bool
first_line(struct text *t)
{
	while (text_next(t)) {
		bool skip =
			span_is_comment(t->line) || span_begins(t->line, "%");

		for (const char *p = t->line.p; p < t->line.end; p++)
			if ((unsigned char)*p < ' ' && !is_blank(*p))
				return false;
		if (!skip)
			return true;
	}
	return false;
}

enum legacy_kind
legacy_sniff(const void *raw, size_t n)
{
	struct text t = { .p = raw, .end = (const char *)raw + n };

	if (is_cpu(raw, n))
		return LEGACY_CPU;
	if (!first_line(&t))
		return guess_magic(raw, n) ? LEGACY_FOREIGN : LEGACY_NONE;
	if (span_begins(t.line, "--- symbol"))
		return LEGACY_SYMBOLIZED;
	if (legacy_is_heap(t.line))
		return LEGACY_HEAP;
	if (legacy_is_jemalloc(t.line))
		return LEGACY_JEMALLOC;
	if (legacy_is_count(t.line))
		return LEGACY_COUNT;
	if (span_begins(t.line, "--- contentionz ") && legacy_is_java(t))
		return LEGACY_JAVA_CONTENTION;
	if (span_begins(t.line, "--- contentionz ") ||
	    span_begins(t.line, "--- mutex:") ||
	    span_begins(t.line, "--- contention:") ||
	    span_begins(t.line, "--- Stacks:"))
		return LEGACY_CONTENTION;
	if (span_begins(t.line, "--- heapz 1 ---"))
		return LEGACY_JAVA_HEAP;
	if (legacy_is_threads(t.line))
		return LEGACY_THREADS;
	/* A heap header that is nearly right gets a message of its own. */
	if (span_begins(t.line, "heap profile:"))
		return LEGACY_HEAP;
	return guess_magic(raw, n) ? LEGACY_FOREIGN : LEGACY_NONE;
}

/* --- building --- */

enum prof_status
legacy_push(struct legacy *l, uint64_t addr)
{
	if (l->n_addr == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 128;
		uint64_t *a = reallocarray(l->addr, cap, sizeof(*a));
		uint32_t *s;

		if (!a)
			return prof_nomem(l->err);
		l->addr = a;
		s = reallocarray(l->stack, cap, sizeof(*s));
		if (!s)
			return prof_nomem(l->err);
		l->stack = s;
		l->cap = cap;
	}
	l->addr[l->n_addr++] = addr;
	return PROF_OK;
}

/*
 * pprof reads the part that looks like an address and drops the rest: 0x11AB is
 * 0x11. No known tool writes such a line.
 */
enum prof_status
legacy_stack(struct legacy *l, const struct text *t, struct span s)
{
	enum prof_status st = PROF_OK;
	uint64_t addr;

	span_blanks(&s);
	while (st == PROF_OK && s.p < s.end) {
		struct span word = { s.p, s.p }, at;
		bool ok = true;

		while (s.p < s.end && !is_blank(*s.p)) {
			ok = ok && (*s.p < 'A' || *s.p > 'Z');
			s.p++;
		}
		word.end = s.p;
		at = word;
		ok = ok && span_take(&at, "0x") && span_hex(&at, &addr);
		if (!ok || at.p != at.end)
			return LINE_FAIL(l, t, "'%.*s' is not an address",
					 (int)(span_len(word) < 40
						       ? span_len(word)
						       : 40),
					 word.p);
		st = legacy_push(l, addr);
		span_blanks(&s);
	}
	return st;
}

uint32_t
legacy_find(const struct legacy *l, uint64_t address)
{
	return idmap_find(&l->location, address);
}

enum prof_status
legacy_function(struct legacy *l, struct idmap *map, bool by_name,
		struct span name, struct span file, uint32_t *out)
{
	struct strtab *s = &l->p->strings;
	struct function f = { .name = strtab_add(s, name.p, span_len(name)),
			      .file = strtab_add(s, file.p, span_len(file)) };
	uint64_t key = (uint64_t)f.name << 32 | (by_name ? 0 : f.file);

	f.system_name = f.name;
	if (f.name == STRTAB_NONE || f.file == STRTAB_NONE)
		return prof_nomem(l->err);
	*out = idmap_find(map, key);
	if (*out != IDMAP_NONE)
		return PROF_OK;
	*out = profile_add_function(l->p, &f);
	if (*out == PROF_NONE || idmap_add(map, key, *out) < 0)
		return prof_nomem(l->err);
	return PROF_OK;
}

/* The location of an address, added when it is new. */
static uint32_t
location(struct legacy *l, uint64_t address)
{
	const struct location new = { .address = address,
				      .mapping = PROF_NONE };
	uint32_t at = legacy_find(l, address);

	if (at != IDMAP_NONE)
		return at;
	at = profile_add_location(l->p, &new, NULL, 0);
	if (at == PROF_NONE || idmap_add(&l->location, address, at) < 0)
		return PROF_NONE;
	return at;
}

enum prof_status
legacy_sample(struct legacy *l, enum adjust adjust, bool unique_leaf,
	      const int64_t *value, const struct label *label, size_t n_label)
{
	enum prof_status st = legacy_go_flush(l);
	size_t n = l->n_addr;

	if (st != PROF_OK)
		return st;
	for (size_t i = 0; i < n; i++) {
		bool down = adjust == ADJUST_ALL ||
			    (adjust == ADJUST_CALLERS && i > 0);

		l->stack[i] = location(l, l->addr[i] - down);
		if (l->stack[i] == PROF_NONE)
			return prof_nomem(l->err);
	}
	if (unique_leaf && n > 1 && l->addr[0] == l->addr[1]) {
		n--;
		memmove(l->stack + 1, l->stack + 2,
			(n - 1) * sizeof(*l->stack));
	}
	l->n_addr = 0;
	if (profile_add_sample(l->p, l->stack, n, value, label, n_label) ==
	    PROF_NONE)
		return prof_nomem(l->err);
	return PROF_OK;
}

enum prof_status
legacy_types(struct legacy *l, const char *const *types)
{
	for (; *types; types += 2)
		if (profile_add_type(l->p, types[0], types[1]) == PROF_NONE)
			return prof_nomem(l->err);
	return PROF_OK;
}

enum prof_status
legacy_period(struct legacy *l, const char *type, const char *unit,
	      int64_t period)
{
	struct value_type t = { profile_intern(l->p, type),
				profile_intern(l->p, unit) };

	if (t.type == STRTAB_NONE || t.unit == STRTAB_NONE)
		return prof_nomem(l->err);
	l->p->period_type = t;
	l->p->period = period;
	return PROF_OK;
}

/* The warnings before the first line are kept, as comments. */
static enum prof_status
preamble(struct legacy *l, struct text *t)
{
	struct text next = *t;

	while (text_next(&next) &&
	       (span_is_comment(next.line) || span_begins(next.line, "%"))) {
		struct span s = next.line;
		char *text;
		int n;

		*t = next;
		if (!span_take(&s, "%warn"))
			continue;
		s = span_trim(s);
		n = asprintf(&text, "warning: %.*s",
			     (int)(span_len(s) & 0xffff), s.p);
		if (n < 0)
			return prof_nomem(l->err);
		if (span_len(s) && profile_add_comment(l->p, text) == PROF_NONE)
			n = -1;
		free(text);
		if (n < 0)
			return prof_nomem(l->err);
	}
	return PROF_OK;
}

enum prof_status
legacy_any(struct legacy *l, enum legacy_kind kind, struct text t)
{
	enum prof_status st;

	if (kind == LEGACY_CPU)
		return legacy_cpu(l, (const uint8_t *)t.p,
				  (size_t)(t.end - t.p));
	st = preamble(l, &t);
	if (st != PROF_OK)
		return st;
	switch (kind) {
	case LEGACY_HEAP:
		return legacy_heap(l, &t);
	case LEGACY_JEMALLOC:
		return legacy_jemalloc(l, &t);
	case LEGACY_COUNT:
		return legacy_count(l, &t);
	case LEGACY_THREADS:
		return legacy_threads(l, &t);
	case LEGACY_CONTENTION:
		return legacy_contention(l, &t);
	case LEGACY_JAVA_HEAP:
	case LEGACY_JAVA_CONTENTION:
		return legacy_java(l, &t, kind);
	case LEGACY_SYMBOLIZED:
		return legacy_symbolized(l, &t);
	case LEGACY_CPU:
	case LEGACY_NONE:
	case LEGACY_FOREIGN:
		break;
	}
	return prof_fail(l->err, PROF_EFORMAT, "not a legacy profile");
}

void
legacy_doubt(struct legacy *l, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	if (l->p->n_doubt)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	profile_doubt(l->p, "%s", text);
}

/* A truncated text is still a text. */
static void
check_end(struct legacy *l, enum legacy_kind kind, const char *raw, size_t n)
{
	size_t lines = 1;

	if (kind == LEGACY_CPU || kind == LEGACY_SYMBOLIZED ||
	    raw[n - 1] == '\n')
		return;
	for (const char *p = raw; (p = memchr(p, '\n', n - (size_t)(p - raw)));
	     p++)
		lines++;
	legacy_doubt(l, "line %zu, the last one, has no newline: was it cut?",
		     lines);
}

enum prof_status
legacy_parse(const void *raw, size_t n, unsigned flags, struct profile **out,
	     struct prof_err *err)
{
	struct legacy l = { .raw = raw, .flags = flags, .err = err };
	struct text t = { .p = raw, .end = (const char *)raw + n };
	enum legacy_kind kind = legacy_sniff(raw, n);
	enum prof_status st = PROF_OK;

	*out = NULL;
	if (kind == LEGACY_FOREIGN)
		return prof_fail(err, PROF_ENOTSUP,
				 "not a profile: looks like %s",
				 guess_magic(raw, n));
	l.p = profile_new();
	if (!l.p || idmap_init(&l.location, 0) < 0 ||
	    idmap_init(&l.go.function, 0) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = legacy_any(&l, kind, t);
	if (st == PROF_OK)
		check_end(&l, kind, raw, n);
	if (st == PROF_OK)
		st = legacy_filters(&l);
	idmap_release(&l.location);
	idmap_release(&l.go.function);
	free(l.addr);
	free(l.stack);
	if (st == PROF_OK)
		*out = l.p;
	else
		profile_free(l.p);
	return st;
}
