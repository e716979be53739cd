/*
 * map.c - the memory map at the end of a legacy profile: lines as in
 * /proc/PID/maps, or brief ones; and which mapping each location lies in.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"
#include "lib/base/ascii.h"
#include "lib/base/bytes.h"
#include "lib/base/search.h"

#define MAX_VARIABLE 64   /* "build=/path" lines that are read */
#define MAX_EXPANDED 8192 /* bytes of a line with its variables replaced */
#define MAX_GROWTH 16     /* all such lines, to all of the map */

bool
legacy_is_map(struct span line)
{
	return span_find(line, "--- Memory map: ---") ||
	       span_find(line, "MAPPED_LIBRARIES:");
}

enum prof_status
legacy_check_single(struct legacy *l, const struct text *t)
{
	size_t left = (size_t)(t->end - t->line.p);

	/* The sniffer would skip these lines, each time anew. */
	if (span_is_comment(t->line) || span_begins(t->line, "%"))
		return PROF_OK;
	switch (legacy_sniff(t->line.p, left)) {
	case LEGACY_NONE:
	case LEGACY_FOREIGN:
		return PROF_OK;
	default:
		return LINE_FAIL(l, t,
				 "another profile begins here "
				 "(prof-merge adds profiles)");
	}
}

struct variable {
	struct span name;
	char *value;
	size_t n;
};

struct map {
	struct legacy *l;
	struct mapping *m; /* in the order of the lines, later of the profile */
	size_t n;
	size_t cap;
	struct variable var[MAX_VARIABLE];
	size_t n_var;
	char *expanded; /* MAX_EXPANDED bytes, or NULL */
	size_t budget;  /* bytes that expansion may still produce */
};

/* --- lines --- */

/* The fields of a line. */
struct entry {
	uint64_t start, limit, offset;
	struct span perm, file, build_id;
};

static struct span
take_word(struct span *s)
{
	struct span w = { s->p, s->p };

	while (s->p < s->end && !is_blank(*s->p))
		s->p++;
	w.end = s->p;
	return w;
}

/* The rest of a line is a path, which may have blanks. */
static struct span
take_path(struct span s)
{
	static const char deleted[] = " (deleted)";
	size_t n = sizeof(deleted) - 1;

	while (s.end > s.p && is_blank(s.end[-1]))
		s.end--;
	if (span_len(s) > n && !memcmp(s.end - n, deleted, n))
		s.end -= n;
	return s;
}

/* "1000-2000", "0x1000 0x2000:" */
static bool
take_range(struct span *s, struct entry *e)
{
	span_blanks(s);
	span_take(s, "0x");
	if (!span_hex(s, &e->start))
		return false;
	if (!span_take(s, "-") && !span_blanks(s))
		return false;
	span_blanks(s);
	span_take(s, "0x");
	if (!span_hex(s, &e->limit))
		return false;
	span_take(s, ":");
	return true;
}

/* A word of "-rwxps", if that is what follows the blanks. */
static void
take_perm(struct span *s, struct entry *e)
{
	struct span at = *s, word;

	e->perm = (struct span){ s->p, s->p };
	if (!span_blanks(&at))
		return;
	word = take_word(&at);
	for (const char *p = word.p; p < word.end; p++)
		if (!memchr("-rwxps", *p, 6))
			return;
	e->perm = word;
	*s = at;
}

/* The rest of a line of /proc: [offset] major:minor inode [file]. */
static bool
take_proc(struct span s, struct entry *e)
{
	struct span inode;
	uint64_t v, minor;

	e->offset = 0;
	if (!span_blanks(&s) || !span_hex(&s, &v))
		return false;
	if (!span_begins(s, ":")) {
		e->offset = v;
		if (!span_blanks(&s) || !span_hex(&s, &v))
			return false;
	}
	if (!span_take(&s, ":") || !span_hex(&s, &minor) || !span_blanks(&s) ||
	    !span_digits(&s, &inode))
		return false;
	e->file = (struct span){ s.p, s.p };
	if (span_blanks(&s))
		e->file = take_path(s);
	return true;
}

/* The rest of a brief line: [file] [(@offset)] [build-id]; false: too large. */
static bool
take_brief(struct span s, struct entry *e)
{
	struct span at;

	e->offset = 0;
	if (span_blanks(&s))
		e->file = take_word(&s);
	at = s;
	if (span_blanks(&at) && span_take(&at, "(@")) {
		if (!span_hex(&at, &e->offset))
			return false;
		if (span_take(&at, ")"))
			s = at;
		else
			e->offset = 0;
	}
	if (span_blanks(&s)) {
		e->build_id = s;
		while (s.p < s.end && strchr("0123456789abcdefABCDEF", *s.p) &&
		       *s.p)
			s.p++;
		e->build_id.end = s.p;
	}
	return true;
}

static bool
parse_entry(struct span s, struct entry *e)
{
	*e = (struct entry){ .file = { s.end, s.end },
			     .build_id = { s.end, s.end } };
	if (!take_range(&s, e))
		return false;
	take_perm(&s, e);
	return take_proc(s, e) || take_brief(s, e);
}

/* A logger's "I0102 03:04:05 worker.cc:77] " is no part of the line. */
static struct span
without_log_prefix(struct span s)
{
	const char *p = s.p, *digits;

	while (p < s.end && *p != '[' && *p != ']')
		p++;
	if (p == s.end || *p == '[' || s.end - p < 2 || !is_blank(p[1]))
		return s;
	digits = p;
	while (digits > s.p && is_digit(digits[-1]))
		digits--;
	if (digits == p || digits - s.p < 2 || digits[-1] != ':')
		return s;
	s.p = p + 2;
	return s;
}

/* --- variables --- */

/* The variable at s, which begins with '$': the first that fits, as in pprof.
 */
static const struct variable *
find_variable(const struct map *m, struct span s)
{
	s.p++;
	for (size_t i = 0; i < m->n_var; i++) {
		struct span name = m->var[i].name;

		if (span_len(s) >= span_len(name) &&
		    !memcmp(s.p, name.p, span_len(name)))
			return &m->var[i];
	}
	return NULL;
}

/*
 * Replace "$name" in *s, unless the line gets too long. A few bytes could ask
 * for a lot of text, so the sum is limited.
 */
static enum prof_status
expand(struct map *m, const struct text *t, struct span *s)
{
	const struct variable *v;
	size_t n = 0;

	if (!m->n_var || !span_find(*s, "$"))
		return PROF_OK;
	if (!m->expanded && !(m->expanded = malloc(MAX_EXPANDED)))
		return prof_nomem(m->l->err);
	for (const char *p = s->p; p < s->end;) {
		struct span part = { p, p + 1 };

		v = *p == '$' ? find_variable(m, (struct span){ p, s->end })
			      : NULL;
		p += v ? 1 + span_len(v->name) : 1;
		if (v)
			part = (struct span){ v->value, v->value + v->n };
		if (span_len(part) > MAX_EXPANDED - n)
			return PROF_OK;
		memcpy(m->expanded + n, part.p, span_len(part));
		n += span_len(part);
	}
	if (n > m->budget)
		return LINE_FAIL(m->l, t, "variables expand to too much text");
	m->budget -= n;
	*s = (struct span){ m->expanded, m->expanded + n };
	return PROF_OK;
}

static enum prof_status
define(struct map *m, struct span line)
{
	struct variable *v = &m->var[m->n_var];
	struct span key, value;
	char *copy;

	if (m->n_var == MAX_VARIABLE || !span_attribute(line, &key, &value) ||
	    !span_len(key) || span_len(line) >= MAX_EXPANDED)
		return PROF_OK;
	/* The line may be in a buffer that the next one overwrites. */
	copy = malloc(span_len(key) + span_len(value));
	if (!copy)
		return prof_nomem(m->l->err);
	memcpy(copy, key.p, span_len(key));
	memcpy(copy + span_len(key), value.p, span_len(value));
	v->name = (struct span){ copy, copy + span_len(key) };
	v->value = copy + span_len(key);
	v->n = span_len(value);
	m->n_var++;
	return PROF_OK;
}

/* --- the list --- */

static enum prof_status
add_entry(struct map *m, const struct entry *e)
{
	struct strtab *s = &m->l->p->strings;
	struct mapping new = { .start = e->start,
			       .limit = e->limit,
			       .offset = e->offset };

	if (span_len(e->perm) && !memchr(e->perm.p, 'x', span_len(e->perm)))
		return PROF_OK;
	new.file = strtab_add(s, e->file.p, span_len(e->file));
	new.build_id = strtab_add(s, e->build_id.p, span_len(e->build_id));
	if (new.file == STRTAB_NONE || new.build_id == STRTAB_NONE)
		return prof_nomem(m->l->err);
	if (array_reserve(&m->m, &m->cap, m->n + 1, sizeof(*m->m)) < 0)
		return prof_nomem(m->l->err);
	m->m[m->n++] = new;
	return PROF_OK;
}

static enum prof_status
read_lines(struct map *m, struct text *t)
{
	enum prof_status st = PROF_OK;
	struct entry e;

	m->budget = (size_t)(t->end - t->p) * MAX_GROWTH;
	while (st == PROF_OK && text_next(t)) {
		struct span s = without_log_prefix(t->line);

		st = expand(m, t, &s);
		if (st != PROF_OK)
			break;
		if (parse_entry(s, &e)) {
			st = add_entry(m, &e);
			continue;
		}
		st = legacy_check_single(m->l, t);
		if (st == PROF_OK)
			st = define(m, s);
	}
	return st;
}

/* Is b the continuation of a: next in memory, and of the same file? */
static bool
continues(const struct mapping *a, const struct mapping *b)
{
	if (a->limit != b->start ||
	    (a->file && b->file && a->file != b->file) ||
	    (a->build_id && b->build_id && a->build_id != b->build_id))
		return false;
	return !a->offset || !b->offset ||
	       a->offset + (a->limit - a->start) == b->offset;
}

static void
join(struct map *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct mapping *b = &m->m[i], *a = n ? &m->m[n - 1] : NULL;

		if (!a || !continues(a, b)) {
			m->m[n++] = *b;
			continue;
		}
		a->limit = b->limit;
		if (b->file)
			a->file = b->file;
		if (b->build_id)
			a->build_id = b->build_id;
	}
	m->n = n;
}

/* Does s end in ".so", or has it ".so." or ".so_" and a digit? */
static bool
is_library(struct span s)
{
	while ((s.p = span_find(s, ".so"))) {
		s.p += 3;
		if (s.p == s.end ||
		    (s.end - s.p >= 2 && (*s.p == '.' || *s.p == '_') &&
		     is_digit(s.p[1])))
			return true;
	}
	return false;
}

static bool
is_main(const struct map *m, const struct mapping *e)
{
	static const char deleted[] = "(deleted)";
	const struct str *name = &m->l->p->strings.str[e->file];
	struct span s =
		span_trim((struct span){ name->s, name->s + name->len });

	if (bytes_end(s.p, span_len(s), deleted))
		s.end -= strlen(deleted);
	s = span_trim(s);
	return span_len(s) && *s.p != '[' && !is_library(s);
}

/* The program comes first, from the beginning of its file. */
static void
find_main(struct map *m)
{
	struct mapping *first = m->m, tmp;
	size_t i = 0;

	while (i < m->n && !is_main(m, &m->m[i]))
		i++;
	if (i < m->n) {
		tmp = m->m[0];
		m->m[0] = m->m[i];
		m->m[i] = tmp;
	}
	/* A program moved into huge pages is covered by them. */
	if (m->n > 1 &&
	    !strncmp(profile_str(m->l->p, first->file), "/anon_hugepage", 14) &&
	    first[0].limit == first[1].start)
		memmove(first, first + 1, --m->n * sizeof(*first));
	/* Where linkers put programs that cannot be moved. */
	if (m->n && first->start - first->offset == 0x400000) {
		first->start = 0x400000;
		first->offset = 0;
	}
}

/* --- locations --- */

struct place {
	uint64_t address;
	uint32_t location;
	uint32_t mapping;
	size_t next; /* a place from here on that may have no mapping */
};

static int
place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* The first place from i on without a mapping, or n. It shortens the path. */
static size_t
next_free(struct place *at, size_t n, size_t i)
{
	size_t end = i, next;

	while (end < n && at[end].mapping != PROF_NONE)
		end = at[end].next;
	for (; i != end; i = next) {
		next = at[i].next;
		at[i].next = end;
	}
	return end;
}

/* Give the free places from start up to limit to mapping. Returns how many. */
static size_t
claim(struct place *at, size_t n, uint64_t start, uint64_t limit,
      uint32_t mapping)
{
	size_t low = search_from(at, n, sizeof(*at),
				 offsetof(struct place, address), start);
	size_t count = 0;

	while ((low = next_free(at, n, low)) < n && at[low].address < limit) {
		at[low].mapping = mapping;
		at[low].next = low + 1;
		count++;
	}
	return count;
}

/*
 * Each address belongs to the first mapping that has it; else to the first that
 * would have it if it began where its file does, which is then extended; else
 * to a mapping of all addresses without a name, added for this. As the places
 * are sorted, any map takes n log n.
 */
static enum prof_status
assign(struct legacy *l, struct place *at, size_t n)
{
	const struct mapping all = { .limit = UINT64_MAX };
	struct profile *p = l->p;
	uint32_t fake = PROF_NONE;

	qsort(at, n, sizeof(*at), place_cmp);
	for (uint32_t i = 0; i < p->n_mapping; i++)
		claim(at, n, p->mapping[i].start, p->mapping[i].limit, i);
	for (uint32_t i = 0; i < p->n_mapping; i++) {
		struct mapping *m = &p->mapping[i];

		if (m->offset && m->offset <= m->start &&
		    claim(at, n, m->start - m->offset, m->start, i)) {
			m->start -= m->offset;
			m->offset = 0;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (at[i].mapping == PROF_NONE && fake == PROF_NONE) {
			fake = profile_add_mapping(p, &all);
			if (fake == PROF_NONE)
				return prof_nomem(l->err);
		}
		p->location[at[i].location].mapping =
			at[i].mapping == PROF_NONE ? fake : at[i].mapping;
	}
	return PROF_OK;
}

static enum prof_status
assign_all(struct legacy *l)
{
	struct profile *p = l->p;
	struct place *at = calloc(p->n_location + 1, sizeof(*at));
	enum prof_status st;
	size_t n = 0;

	if (!at)
		return prof_nomem(l->err);
	for (uint32_t i = 0; i < p->n_location; i++)
		if (p->location[i].address)
			at[n++] = (struct place){ p->location[i].address, i,
						  PROF_NONE, 0 };
	st = assign(l, at, n);
	free(at);
	return st;
}

enum prof_status
legacy_map(struct legacy *l, struct text *t, bool at_map)
{
	struct map m = { .l = l };
	enum prof_status st = legacy_go_flush(l);

	while (st == PROF_OK && !at_map && text_next(t)) {
		at_map = legacy_is_map(t->line);
		st = legacy_check_single(l, t);
	}
	if (st == PROF_OK)
		st = read_lines(&m, t);
	if (st == PROF_OK) {
		join(&m);
		find_main(&m);
	}
	for (size_t i = 0; st == PROF_OK && i < m.n; i++)
		if (profile_add_mapping(l->p, &m.m[i]) == PROF_NONE)
			st = prof_nomem(l->err);
	if (st == PROF_OK)
		st = assign_all(l);
	while (m.n_var)
		free((void *)(uintptr_t)m.var[--m.n_var].name.p);
	free(m.expanded);
	free(m.m);
	return st;
}
