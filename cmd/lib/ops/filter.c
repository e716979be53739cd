/*
 * filter.c - see filter.h. Each filter first decides for each location, from
 * decisions for each string, as there are few of these. Then one walk over the
 * stacks reads a byte for each frame.
 */
#include "config.h"

#include "filter.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"

/* --- verdicts on names --- */

enum { UNKNOWN, NO, YES };

/* A test with its answers so far. */
struct verdicts {
	const struct profile *p;
	const struct filter_test *t; /* NULL: passes nothing */
	bool is_short;               /* short names of functions, no files */
	struct prof_err *err;
	unsigned char *string;   /* by string: UNKNOWN, NO, YES */
	unsigned char *function; /* by function */
	enum prof_status status; /* of the first test that failed */
};

static enum prof_status
verdicts_init(struct verdicts *v, const struct profile *p,
	      const struct filter_test *t, bool is_short, struct prof_err *err)
{
	*v = (struct verdicts){ p, t, is_short, err, NULL, NULL, PROF_OK };
	if (!t)
		return PROF_OK;
	v->string = calloc(p->strings.n_str, 1);
	v->function = calloc(p->n_function + 1, 1);
	return v->string && v->function ? PROF_OK : prof_nomem(err);
}

static void
verdicts_release(struct verdicts *v)
{
	free(v->string);
	free(v->function);
}

/*
 * The short name of a function: without a leading dot (of PowerPC) and without
 * parameters, but with "(anonymous namespace)" and "operator()". Returns its
 * start; *n is its length.
 */
static const char *
short_name(const char *name, size_t *n)
{
	static const char *const spared[] = { "(anonymous namespace)",
					      "operator()" };
	size_t i = 0;

	if (*n && *name == '.') {
		name++;
		--*n;
	}
	while (i < *n) {
		size_t skip = 0;

		for (int k = 0; k < 2 && !skip; k++)
			if (bytes_begin(name + i, *n - i, spared[k]))
				skip = strlen(spared[k]);
		if (!skip && name[i] == '(')
			*n = i;
		i += skip ? skip : 1;
	}
	return name;
}

/* Does string s pass? Runs the test once for each string. */
static bool
string_passes(struct verdicts *v, uint32_t s)
{
	const struct str *str = &v->p->strings.str[s];
	const char *text = str->s;
	size_t n = str->len;
	bool yes = false;

	if (v->string[s] != UNKNOWN || v->status != PROF_OK)
		return v->string[s] == YES;
	if (v->is_short)
		text = short_name(text, &n);
	v->status = v->t->match(v->t->ctx, text, n, &yes, v->err);
	v->string[s] = yes ? YES : NO;
	return yes;
}

static bool
line_passes(struct verdicts *v, const struct line *line)
{
	const struct function *f = &v->p->function[line->function];
	unsigned char *known = &v->function[line->function];

	if (*known == UNKNOWN) {
		bool yes;

		/* Short names are tested only for functions with a name. */
		if (v->is_short)
			yes = f->name && string_passes(v, f->name);
		else
			yes = string_passes(v, f->name) ||
			      string_passes(v, f->file);
		*known = yes ? YES : NO;
	}
	return *known == YES;
}

static bool
mapping_passes(struct verdicts *v, const struct location *l)
{
	return l->mapping != PROF_NONE &&
	       string_passes(v, v->p->mapping[l->mapping].file);
}

static bool
location_passes(struct verdicts *v, const struct location *l)
{
	const struct line *line = profile_line(v->p, l);

	if (!v->t)
		return false;
	for (uint32_t i = 0; i < l->n_line; i++)
		if (line_passes(v, &line[i]))
			return true;
	return mapping_passes(v, l);
}

/* --- samples --- */

/* Move sample i and its values to place n, which is not behind it. */
static void
move_sample(struct profile *p, size_t n, size_t i)
{
	if (n == i)
		return;
	p->sample[n] = p->sample[i];
	if (p->n_type)
		memcpy(profile_value(p, n), profile_value(p, i),
		       p->n_type * sizeof(*p->value));
}

void
filter_keep(struct profile *p, const unsigned char *keep)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_sample; i++)
		if (keep[i])
			move_sample(p, n++, i);
	p->n_sample = n;
}

/* --- focus, ignore, hide, show --- */

enum { FOCUSED = 1, IGNORED = 2, GONE = 4 };

/*
 * Keep the lines of l that pass, or with `want` false those that don't; if the
 * mapping passes, all lines do. Removed lines may stay in the pool.
 */
static void
squeeze_lines(struct verdicts *v, struct profile *p, struct location *l,
	      bool want)
{
	struct line *line = p->line + l->line;
	uint32_t n = 0;

	if (mapping_passes(v, l)) {
		l->n_line = want ? l->n_line : 0;
		return;
	}
	for (uint32_t i = 0; i < l->n_line; i++)
		if (line_passes(v, &line[i]) == want)
			line[n++] = line[i];
	l->n_line = n;
}

/* Apply the tests to location l, and remove lines from it. */
static unsigned char
judge(struct verdicts v[4], struct profile *p, struct location *l,
      struct filter_found *found)
{
	struct verdicts *focus = &v[0], *ignore = &v[1], *hide = &v[2],
			*show = &v[3];
	unsigned char flags = 0;

	if (location_passes(ignore, l)) {
		found->ignore = true;
		flags = IGNORED;
	} else if (!focus->t || location_passes(focus, l)) {
		found->focus = true;
		flags = FOCUSED;
	}
	if (location_passes(hide, l)) {
		found->hide = true;
		squeeze_lines(hide, p, l, false);
		if (!l->n_line)
			flags |= GONE;
	}
	if (show->t) {
		squeeze_lines(show, p, l, true);
		if (l->n_line)
			found->show = true;
		else
			flags |= GONE;
	}
	return flags;
}

/* Remove locations without lines left from the stack of s. */
static void
squeeze_stack(struct profile *p, struct sample *s, const unsigned char *flags)
{
	uint32_t *stack = p->stack + s->stack, n = 0;

	for (uint32_t i = 0; i < s->n_stack; i++)
		if (!(flags[stack[i]] & GONE))
			stack[n++] = stack[i];
	s->n_stack = n;
}

/* The walk over the samples, with the verdict on each location. */
static void
keep_focused(struct profile *p, const unsigned char *flags)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_sample; i++) {
		struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		unsigned char all = 0;

		for (uint32_t k = 0; k < s->n_stack; k++)
			all |= flags[stack[k]];
		if ((all & (FOCUSED | IGNORED)) != FOCUSED)
			continue;
		if (all & GONE) {
			squeeze_stack(p, s, flags);
			if (!s->n_stack)
				continue;
		}
		move_sample(p, n++, i);
	}
	p->n_sample = n;
}

enum prof_status
filter_by_name(struct profile *p, const struct filter_names *f,
	       struct filter_found *found, struct prof_err *err)
{
	const struct filter_test *t[4] = { f->focus, f->ignore, f->hide,
					   f->show };
	unsigned char *flags = calloc(p->n_location + 1, 1);
	enum prof_status st = flags ? PROF_OK : prof_nomem(err);
	struct verdicts v[4] = { 0 };

	*found = (struct filter_found){ 0 };
	if (!t[0] && !t[1] && !t[2] && !t[3])
		goto out;
	for (int i = 0; i < 4 && st == PROF_OK; i++)
		st = verdicts_init(&v[i], p, t[i], false, err);
	if (st != PROF_OK)
		goto out;
	for (size_t i = 0; i < p->n_location && st == PROF_OK; i++) {
		flags[i] = judge(v, p, &p->location[i], found);
		for (int k = 0; k < 4 && st == PROF_OK; k++)
			st = v[k].status;
	}
	if (st == PROF_OK)
		keep_focused(p, flags);
out:
	for (int i = 0; i < 4; i++)
		verdicts_release(&v[i]);
	free(flags);
	return st;
}

/* --- show_from, prune_from, drop_frames --- */

enum { CUT_HERE = 1, CUT_BELOW = 2 };

/* The first line that passes, from the root side; -1: none. */
static int64_t
outermost(struct verdicts *v, const struct location *l)
{
	const struct line *line = profile_line(v->p, l);

	for (int64_t i = (int64_t)l->n_line - 1; i >= 0; i--)
		if (line_passes(v, &line[i]))
			return i;
	return -1;
}

static unsigned char
judge_show_from(struct verdicts *v, struct location *l)
{
	int64_t i;

	if (mapping_passes(v, l))
		return CUT_HERE;
	i = outermost(v, l);
	if (i < 0)
		return 0;
	l->n_line = (uint32_t)i + 1;
	return CUT_HERE;
}

enum prof_status
filter_show_from(struct profile *p, const struct filter_test *t, bool *found,
		 struct prof_err *err)
{
	unsigned char *flags = calloc(p->n_location + 1, 1);
	struct verdicts v = { 0 };
	enum prof_status st = verdicts_init(&v, p, t, false, err);
	size_t n = 0;

	*found = false;
	if (!flags)
		st = prof_nomem(err);
	for (size_t i = 0; i < p->n_location && st == PROF_OK; i++) {
		flags[i] = judge_show_from(&v, &p->location[i]);
		*found = *found || flags[i];
		st = v.status;
	}
	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);

		while (s->n_stack && !flags[stack[s->n_stack - 1]])
			s->n_stack--;
		if (s->n_stack)
			move_sample(p, n++, i);
	}
	if (st == PROF_OK)
		p->n_sample = n;
	verdicts_release(&v);
	free(flags);
	return st;
}

static unsigned char
judge_prune_from(struct verdicts *v, struct location *l)
{
	const struct line *line = profile_line(v->p, l);

	for (uint32_t i = 0; i < l->n_line; i++)
		if (line_passes(v, &line[i])) {
			l->line += i;
			l->n_line -= i;
			return CUT_HERE;
		}
	return 0;
}

/* Cut n frames off the leaf end of s. */
static void
cut_leaf(struct sample *s, uint32_t n)
{
	s->stack += n;
	s->n_stack -= n;
}

enum prof_status
filter_prune_from(struct profile *p, const struct filter_test *t,
		  struct prof_err *err)
{
	unsigned char *flags = calloc(p->n_location + 1, 1);
	struct verdicts v = { 0 };
	enum prof_status st = verdicts_init(&v, p, t, true, err);

	if (!flags)
		st = prof_nomem(err);
	for (size_t i = 0; i < p->n_location && st == PROF_OK; i++) {
		flags[i] = judge_prune_from(&v, &p->location[i]);
		st = v.status;
	}
	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		uint32_t k = 0;

		while (k < s->n_stack && !flags[stack[k]])
			k++;
		if (k < s->n_stack)
			cut_leaf(s, k);
	}
	verdicts_release(&v);
	free(flags);
	return st;
}

static unsigned char
judge_prune(struct verdicts *drop, struct verdicts *keep, struct location *l)
{
	const struct line *line = profile_line(drop->p, l);
	uint32_t i = l->n_line;

	while (i-- > 0) {
		if (!line_passes(drop, &line[i]) ||
		    (keep->t && line_passes(keep, &line[i])))
			continue;
		if (i + 1 == l->n_line)
			return CUT_HERE;
		l->line += i + 1;
		l->n_line -= i + 1;
		return CUT_BELOW;
	}
	return 0;
}

enum prof_status
profile_prune(struct profile *p, const struct filter_test *drop,
	      const struct filter_test *keep, struct prof_err *err)
{
	unsigned char *flags = calloc(p->n_location + 1, 1);
	struct verdicts d = { 0 }, k = { 0 };
	enum prof_status st = verdicts_init(&d, p, drop, true, err);

	if (st == PROF_OK)
		st = verdicts_init(&k, p, keep, true, err);
	if (!flags)
		st = prof_nomem(err);
	for (size_t i = 0; i < p->n_location && st == PROF_OK; i++) {
		flags[i] = judge_prune(&d, &k, &p->location[i]);
		st = d.status != PROF_OK ? d.status : k.status;
	}
	for (size_t i = 0; i < p->n_sample && st == PROF_OK; i++) {
		struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		uint32_t n = s->n_stack;

		/*
		 * The entry of the program is no allocator. Go's text profiles
		 * have no name for it, which pprof takes for a frame of the
		 * user; it then cuts all frames but the root.
		 */
		if (n && !p->location[stack[n - 1]].n_line)
			n--;
		while (n && flags[stack[n - 1]])
			n--;
		while (n && !flags[stack[n - 1]])
			n--;
		if (n)
			cut_leaf(s,
				 flags[stack[n - 1]] == CUT_HERE ? n : n - 1);
	}
	verdicts_release(&d);
	verdicts_release(&k);
	free(flags);
	return st;
}
