/* folded-in.c - reading folded stacks; see folded.h. Writing: folded-out.c. */
#include "config.h"

#include "folded.h"

#include <math.h>
#include <stdlib.h>

#include "byname.h"
#include "lib/base/array.h"
#include "lib/formats/span.h"

#define MAX_GROUP 64 /* inlined frames in one location */

struct folded {
	struct byname b;
	const struct folded_options *o;
	size_t n_bad;     /* lines passed over */
	size_t first_bad; /* number of the line */
	size_t n_second;  /* lines with two numbers, without is_diff */
	struct prof_err *err;
	size_t number; /* of the line */
	uint32_t key_root, key_base, kernel, jit, value_true;
	bool has_headers;

	/* Inlined frames that wait for their caller's location. */
	struct line line[MAX_GROUP];

	struct label *label; /* of the line, with those of root and base */
	size_t cap_label;

	/* The line before, for what this one has in common with it. */
	struct span last;
	size_t *end;        /* of frame k in last */
	uint32_t *location; /* of frame k */
	size_t n_end, cap_end, cap_location;
	bool is_plain; /* last had no frame that is more than a name */
};

/* --- a line's parts --- */

/* The number at the end of s, cut off with the blanks before it. */
static bool
take_number(struct span *s, double *v, bool *is_whole, int64_t *whole)
{
	const char *p;
	char text[64], *end;
	size_t n;

	while (s->end > s->p && is_blank(s->end[-1]))
		s->end--;
	/* Not further than a number may be long: a stack may be kilobytes. */
	for (p = s->end; p > s->p && !is_blank(p[-1]); p--)
		if (s->end - p == sizeof(text) - 1)
			return false;
	n = (size_t)(s->end - p);
	if (!n || p == s->p || p[0] < '0' || p[0] > '9')
		return false;
	memcpy(text, p, n); /* the line may be the end of what is mapped */
	text[n] = '\0';
	if (strspn(text, "0123456789.eE+-") < n)
		return false;
	*v = strtod(text, &end);
	if (*end || !isfinite(*v))
		return false;
	*is_whole = strspn(text, "0123456789") == n && n <= 19;
	*whole = 0;
	for (size_t i = 0; *is_whole && i < n; i++)
		if (__builtin_mul_overflow(*whole, 10, whole) ||
		    __builtin_add_overflow(*whole, text[i] - '0', whole))
			*is_whole = false;
	s->end = p;
	while (s->end > s->p && is_blank(s->end[-1]))
		s->end--;
	return true;
}

/*
 * A blank line, or '#' and a blank: readers of folded stacks know no comments,
 * and a function may be called #name.
 */
static bool
is_passed(struct span s)
{
	return !span_len(span_trim(s)) ||
	       (*s.p == '#' && (s.p + 1 == s.end || is_blank(s.p[1])));
}

bool
folded_is(const void *data, size_t n)
{
	struct text t = { .p = data, .end = (const char *)data + n };
	bool is_whole;
	int64_t whole;
	double v;

	while (text_next(&t)) {
		struct span s = t.line;

		if (span_begins(s, "# profpipe folded 1"))
			return true;
		if (is_passed(s))
			continue;
		for (const char *p = s.p; p < s.end; p++)
			if ((unsigned char)*p < ' ' && *p != '\t' && *p != '\r')
				return false;
		return take_number(&s, &v, &is_whole, &whole) && s.end > s.p;
	}
	return false;
}

static enum prof_status
bad(struct folded *f, const char *what)
{
	if (f->o->skip_bad) {
		if (!f->n_bad++)
			f->first_bad = f->number;
		return PROF_OK;
	}
	return prof_fail(f->err, PROF_EFORMAT, "line %zu: %s", f->number, what);
}

/* --- frames --- */

/* The letter of a suffix "_[k]", which is cut off; 0 without one. */
static char
take_suffix(struct span *s)
{
	const char *e = s->end;

	if (span_len(*s) < 5 || e[-1] != ']' || e[-3] != '[' || e[-4] != '_' ||
	    !memchr("kjiw01", e[-2], 6))
		return 0;
	s->end -= 4;
	return e[-2];
}

/* "name (file.py:12)" */
static bool
split_place(struct span *name, struct span *file, int64_t *line)
{
	const char *open = memrchr(name->p, '(', span_len(*name)), *colon;
	struct span at;
	uint64_t v;

	if (!open || open == name->p || name->end[-1] != ')')
		return false;
	*file = (struct span){ open + 1, name->end - 1 };
	colon = memrchr(file->p, ':', span_len(*file));
	*line = 0;
	if (colon) {
		at = (struct span){ colon + 1, file->end };
		if (!span_dec(&at, &v) || at.p != at.end)
			return false;
		*line = (int64_t)v;
		file->end = colon;
	}
	name->end = open;
	while (name->end > name->p && is_blank(name->end[-1]))
		name->end--;
	return true;
}

static bool
make_line(struct folded *f, struct span s, struct line *line)
{
	struct span file = { "", "" };
	uint32_t name, path = 0;

	line->line = line->column = 0;
	if (f->o->split_places && split_place(&s, &file, &line->line))
		path = byname_string(&f->b, file.p, span_len(file));
	name = byname_string(&f->b, s.p, span_len(s));
	if (name == STRTAB_NONE || path == STRTAB_NONE)
		return false;
	line->function = byname_function(&f->b, name, path, 0);
	return line->function != PROF_NONE;
}

/*
 * A frame that is more than a name. A run of inlined frames and the caller
 * before them, which is the last on the stack, are one location.
 */
static bool
push_marked(struct folded *f, struct span s, char suffix)
{
	uint32_t mapping = suffix == 'k'   ? f->kernel
			   : suffix == 'j' ? f->jit
					   : PROF_NONE;
	struct byname *b = &f->b;
	size_t n = 1;

	if (mapping != PROF_NONE)
		mapping = byname_mapping(b, mapping);
	if (!make_line(f, s, &f->line[0]))
		return false;
	if (suffix == 'i' && b->n_stack) {
		const struct location *l =
			&b->p->location[b->stack[b->n_stack - 1]];

		if (l->n_line < MAX_GROUP) {
			mapping = l->mapping;
			memcpy(f->line + 1, profile_line(b->p, l),
			       l->n_line * sizeof(*f->line));
			n += l->n_line;
			b->n_stack--;
		}
	}
	return byname_push(b, byname_location(b, mapping, 0, f->line, n)) == 0;
}

static bool
push_frame(struct folded *f, struct span s)
{
	struct span name = s;
	char suffix = take_suffix(&name);
	uint32_t n;

	if (suffix || f->o->split_places) {
		f->is_plain = false;
		return push_marked(f, name, suffix);
	}
	n = byname_string(&f->b, s.p, span_len(s));
	return n != STRTAB_NONE &&
	       byname_push(&f->b, byname_name(&f->b, n)) == 0;
}

/* How many frames of s, whole ones, the line before began with. */
static size_t
common(const struct folded *f, struct span s)
{
	size_t n = span_len(s) < span_len(f->last) ? span_len(s)
						   : span_len(f->last);
	size_t same = 0, k = 0;

	if (!f->is_plain)
		return 0;
	while (same < n && s.p[same] == f->last.p[same])
		same++;
	while (k < f->n_end && f->end[k] < same)
		k++;
	return k;
}

static bool
push_stack(struct folded *f, struct span s)
{
	size_t k = common(f, s), at = k ? f->end[k - 1] + 1 : 0;
	size_t n = span_len(s);

	for (size_t i = 0; i < k; i++)
		if (byname_push(&f->b, f->location[i]) < 0)
			return false;
	f->is_plain = true;
	f->n_end = k;
	while (at <= n) {
		const char *semi = memchr(s.p + at, ';', n - at);
		size_t end = semi ? (size_t)(semi - s.p) : n;

		if (!push_frame(f, (struct span){ s.p + at, s.p + end }) ||
		    array_reserve(&f->end, &f->cap_end, f->n_end + 1,
				  sizeof(*f->end)) < 0 ||
		    array_reserve(&f->location, &f->cap_location, f->n_end + 1,
				  sizeof(*f->location)) < 0)
			return false;
		f->location[f->n_end] = f->b.stack[f->b.n_stack - 1];
		f->end[f->n_end++] = end;
		at = end + 1;
	}
	f->last = s;
	byname_reverse(&f->b);
	return true;
}

/* --- labels --- */

/* Labels of a line with headers: "key=text|" and "key:=12 bytes|" frames. */
static bool
take_label(struct folded *f, struct span *s, struct label *l)
{
	const char *semi = memchr(s->p, ';', span_len(*s));
	struct span w = { s->p, semi ? semi : s->end }, v;
	const char *eq;

	if (!span_len(w) || w.end[-1] != '|' ||
	    !(eq = memchr(w.p, '=', span_len(w))) || eq == w.p)
		return false;
	w.end--;
	v = (struct span){ eq + 1, w.end };
	*l = (struct label){ 0 };
	if (eq[-1] != ':') {
		l->str = byname_string(&f->b, v.p, span_len(v));
	} else {
		eq--;
		if (!span_signed(&v, &l->num))
			return false;
		span_blanks(&v);
		l->unit = byname_string(&f->b, v.p, span_len(v));
	}
	l->key = byname_string(&f->b, w.p, (size_t)(eq - w.p));
	s->p = semi ? semi + 1 : s->end;
	return true;
}

/* The labels of a line, into f->label; SIZE_MAX without memory. */
static size_t
take_labels(struct folded *f, struct span *s)
{
	const char *semi;
	size_t n = 0;

	do {
		if (array_reserve(&f->label, &f->cap_label, n + 3,
				  sizeof(*f->label)) < 0)
			return SIZE_MAX;
	} while (f->has_headers && take_label(f, s, &f->label[n]) && ++n);
	if (f->o->root && span_len(*s)) {
		semi = memchr(s->p, ';', span_len(*s));
		f->label[n] = (struct label){ .key = f->key_root };
		f->label[n++].str = byname_string(
			&f->b, s->p, (size_t)((semi ? semi : s->end) - s->p));
		s->p = semi ? semi + 1 : s->end;
	}
	return n;
}

/* --- lines --- */

static bool
is_nomem(const struct label *label, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (label[i].key == STRTAB_NONE ||
		    label[i].str == STRTAB_NONE || label[i].unit == STRTAB_NONE)
			return true;
	return false;
}

static enum prof_status
whole_number(struct folded *f, double v, bool is_whole, int64_t whole,
	     int64_t *out)
{
	double scaled = v * (f->o->scale != 0 ? f->o->scale : 1);

	*out = whole;
	if (is_whole && f->o->scale == 0)
		return PROF_OK;
	if (f->o->scale == 0)
		return bad(f, "a fraction, or a number beyond 64 bits; --scale "
			      "multiplies it");
	if (!(fabs(scaled) < 9.2e18))
		return bad(f, "a number beyond 64 bits");
	*out = (int64_t)llround(scaled);
	return PROF_OK;
}

static enum prof_status
add_sample(struct folded *f, struct span s, int64_t v, int64_t before)
{
	size_t n = take_labels(f, &s);
	struct label *label = f->label;
	int64_t base = -before;

	if (n == SIZE_MAX || is_nomem(label, n))
		return prof_nomem(f->err);
	if (span_len(s) && !push_stack(f, s))
		return prof_nomem(f->err);
	if (f->o->is_diff) {
		size_t n_stack = f->b.n_stack;

		if (byname_sample(&f->b, &v, label, n) < 0)
			return prof_nomem(f->err);
		f->b.n_stack = n_stack; /* the same once more */
		label[n++] = (struct label){ .key = f->key_base,
					     .str = f->value_true };
		v = base;
	}
	return byname_sample(&f->b, &v, label, n) < 0 ? prof_nomem(f->err)
						      : PROF_OK;
}

static enum prof_status
stack_line(struct folded *f, struct span line)
{
	int64_t whole, other = 0, value, before = 0;
	bool is_whole, other_whole;
	enum prof_status st;
	struct span s = line, t;
	size_t n_bad = f->n_bad;
	double v, w;

	if (!take_number(&s, &v, &is_whole, &whole))
		return bad(f, "no number at its end");
	t = s;
	if (take_number(&t, &w, &other_whole, &other)) {
		if (f->o->is_diff)
			s = t;
		else
			f->n_second++;
	} else if (f->o->is_diff) {
		return bad(f, "one number; --diff needs before and after");
	}
	st = whole_number(f, v, is_whole, whole, &value);
	if (st == PROF_OK && f->o->is_diff && f->n_bad == n_bad)
		st = whole_number(f, w, other_whole, other, &before);
	if (st != PROF_OK || f->n_bad != n_bad)
		return st;
	return add_sample(f, s, value, before);
}

/* "wall clock nanoseconds": the unit is the last word. */
static bool
take_type(struct folded *f, struct span s, struct value_type *t)
{
	const char *blank = memrchr(s.p, ' ', span_len(s));

	if (!blank)
		return false;
	t->type = byname_string(&f->b, s.p, (size_t)(blank - s.p));
	t->unit = byname_string(&f->b, blank + 1, (size_t)(s.end - blank - 1));
	return true;
}

/* "# type cpu nanoseconds", "# period 1000000 cpu nanoseconds" */
static enum prof_status
header(struct folded *f, struct span s)
{
	struct profile *p = f->b.p;
	struct value_type t = { 0 };
	int64_t period;

	if (span_begins(s, "# profpipe folded 1"))
		f->has_headers = true;
	if (!f->has_headers)
		return PROF_OK;
	if (span_take(&s, "# type ") && !p->n_type && take_type(f, s, &t)) {
		if (t.type == STRTAB_NONE || t.unit == STRTAB_NONE ||
		    profile_add_type(p, profile_str(p, t.type),
				     profile_str(p, t.unit)) == PROF_NONE)
			return prof_nomem(f->err);
	} else if (span_take(&s, "# period ") && span_signed(&s, &period) &&
		   span_take(&s, " ") && take_type(f, s, &t)) {
		if (t.type == STRTAB_NONE || t.unit == STRTAB_NONE)
			return prof_nomem(f->err);
		p->period = period;
		p->period_type = t;
	}
	return PROF_OK;
}

static enum prof_status
folded_begin(struct folded *f)
{
	struct profile *p = f->b.p;
	const char *root = f->o->root ? f->o->root : "";

	f->key_root = profile_intern(p, root);
	f->key_base = profile_intern(p, "pprof::base");
	f->value_true = profile_intern(p, "true");
	f->kernel = profile_intern(p, "[kernel.kallsyms]");
	f->jit = profile_intern(p, "[jit]");
	return f->key_root == STRTAB_NONE || f->key_base == STRTAB_NONE ||
			       f->value_true == STRTAB_NONE ||
			       f->kernel == STRTAB_NONE || f->jit == STRTAB_NONE
		       ? prof_nomem(f->err)
		       : PROF_OK;
}

static enum prof_status
lines(struct folded *f, const void *data, size_t n)
{
	struct text t = { .p = data, .end = (const char *)data + n };
	const struct folded_options *o = f->o;
	enum prof_status st = folded_begin(f);

	while (st == PROF_OK && text_next(&t)) {
		struct span s = t.line;

		f->number = t.number;
		if (is_passed(s)) {
			st = header(f, s);
			continue;
		}
		if (!f->b.p->n_type &&
		    profile_add_type(f->b.p, o->type ? o->type : "samples",
				     o->unit ? o->unit : "count") == PROF_NONE)
			return prof_nomem(f->err);
		st = stack_line(f, s);
	}
	if (st == PROF_OK && !f->b.p->n_sample)
		return prof_fail(f->err, PROF_EFORMAT, "no folded stacks");
	return st;
}

static void
tell_doubts(const struct folded *f)
{
	if (f->n_bad)
		profile_doubt(f->b.p,
			      "%zu lines are not folded stacks; the first is "
			      "line %zu",
			      f->n_bad, f->first_bad);
	if (f->n_second)
		profile_doubt(f->b.p,
			      "%zu lines end in two numbers, the first of "
			      "which is taken for part of a name; --diff takes "
			      "both",
			      f->n_second);
}

enum prof_status
folded_parse(const void *data, size_t n, const struct folded_options *o,
	     struct profile **out, struct prof_err *err)
{
	struct folded f = { .o = o, .err = err };
	enum prof_status st;

	*out = NULL;
	st = byname_init(&f.b, err);
	if (st == PROF_OK)
		st = lines(&f, data, n);
	if (st == PROF_OK) {
		tell_doubts(&f);
		*out = byname_take(&f.b);
	}
	byname_release(&f.b);
	free(f.end);
	free(f.location);
	free(f.label);
	return st;
}
