/* text-stacks.c - reports on whole stacks: traces and folded. See text.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "graph.h"
#include "lib/base/array.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "report.h"
#include "text-print.h"
#include "text.h"

/* --- traces --- */

static const char rule[] = "-----------+---------------------------------------"
			   "----------------\n";

/* The label lines of one sample, to be sorted. */
struct lines {
	struct buf text;
	struct line_span {
		const char *s;
		size_t at, len;
	} * line;
	size_t n, cap;
	bool is_full; /* no memory */
};

static void
line_add(struct lines *l, const char *s, size_t n)
{
	l->is_full |= buf_add(&l->text, s, n) < 0;
}

static void
begin_line(struct lines *l, const struct str *key)
{
	size_t width = escape_width(key->s, key->len);

	if (array_reserve(&l->line, &l->cap, l->n + 1, sizeof(*l->line)) < 0) {
		l->is_full = true;
		return;
	}
	l->line[l->n++].at = l->text.n;
	for (; width < 10; width++)
		line_add(l, " ", 1);
	line_add(l, key->s, key->len);
	line_add(l, ": ", 2);
}

static int
line_cmp(const void *a, const void *b)
{
	const struct line_span *x = a, *y = b;
	int r = memcmp(x->s, y->s, x->len < y->len ? x->len : y->len);

	return r ? r : (x->len > y->len) - (x->len < y->len);
}

/* Print the lines, sorted as text, and empty the list. */
static void
put_lines(FILE *out, struct lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t end = i + 1 < l->n ? l->line[i + 1].at : l->text.n;

		l->line[i].s = (const char *)l->text.data + l->line[i].at;
		l->line[i].len = end - l->line[i].at;
	}
	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), line_cmp);
	for (size_t i = 0; i < l->n; i++) {
		text_put(out, l->line[i].s, l->line[i].len);
		putc('\n', out);
	}
	l->n = l->text.n = 0;
}

static void
put_labels(FILE *out, const struct profile *p, const struct sample *s,
	   const struct label_units *units, struct lines *lines)
{
	const struct label *l = profile_label(p, s);
	const struct str *str = p->strings.str;
	bool was_string = true;
	uint32_t key = PROF_NONE;
	struct quantity q;

	for (uint32_t k = 0; k < s->n_label && !lines->is_full; k++) {
		if (l[k].key == units->base)
			continue;
		if (was_string && !l[k].str) {
			put_lines(out, lines);
			was_string = false;
			key = PROF_NONE;
		}
		if (l[k].key != key)
			begin_line(lines, &str[l[k].key]);
		key = l[k].key;
		line_add(lines, " ", 1);
		if (l[k].str) {
			line_add(lines, str[l[k].str].s, str[l[k].str].len);
			continue;
		}
		units_format(&q, l[k].num, label_unit(units, &l[k]), "auto");
		line_add(lines, q.number, strlen(q.number));
		line_add(lines, q.unit, strlen(q.unit));
	}
	put_lines(out, lines);
}

/*
 * The lines of all frames: most are printed many times, so each is formatted
 * once. That of key k is from at[k] to at[k + 1].
 */
struct frame_lines {
	struct buf text;
	size_t *at;
};

static const char pad[] = "             "; /* of a line but the first */
#define FIRST_PAD 3                        /* after the value */

static int
make_frame_lines(struct frame_lines *l, const struct frames *f)
{
	l->at = malloc((f->n_key + 1) * sizeof(*l->at));
	if (!l->at)
		return -1;
	for (uint32_t k = 0; k < f->n_key; k++) {
		const struct str *s = frames_text(f, k);

		l->at[k] = l->text.n;
		if (buf_add(&l->text, pad, strlen(pad)) < 0 ||
		    escape_add(&l->text, ESCAPE_TEXT, s->s, s->len) < 0 ||
		    buf_add(&l->text, "\n", 1) < 0)
			return -1;
	}
	l->at[f->n_key] = l->text.n;
	return 0;
}

/* A value and its text, as successive samples of time mostly have equal
 * values. */
struct shown {
	int64_t value;
	struct quantity q;
};

static void
set_shown(struct shown *s, const struct report *r, int64_t value)
{
	s->value = value;
	report_format(r, &s->q, value);
}

static void
put_stack(FILE *out, const struct report *r, const struct frames *f,
	  const struct frame_lines *lines, struct shown *shown, size_t i)
{
	const struct sample *s = &r->p->sample[i];
	const uint32_t *stack = profile_stack(r->p, s);
	size_t skip = strlen(pad) - FIRST_PAD;
	int64_t value = graph_value(report_sum(r, i));

	if (value != shown->value)
		set_shown(shown, r, value);
	text_put_quantity(out, 10, &shown->q);
	for (uint32_t k = 0; k < s->n_stack; k++) {
		uint32_t end = f->first[stack[k] + 1];

		for (uint32_t at = f->first[stack[k]]; at < end; at++) {
			const size_t *span = &lines->at[f->node[at]];
			const unsigned char *line = lines->text.data + span[0];
			bool is_inlined = at + 1 < end;

			fwrite_unlocked(line + skip, 1,
					span[1] - span[0] - skip - is_inlined,
					out);
			if (is_inlined)
				fputs_unlocked(" (inline)\n", out);
			skip = 0;
		}
	}
}

enum prof_status
text_traces(FILE *out, const struct report *r, const struct frames *f,
	    struct prof_err *err)
{
	struct label_units units = { 0 };
	struct frame_lines frames = { 0 };
	struct lines lines = { 0 };
	struct buf legend = { 0 };
	struct shown shown;
	enum prof_status st = report_legend(r, NULL, false, &legend, err);

	set_shown(&shown, r, 0);
	if (st == PROF_OK && (label_units_init(&units, r->p) < 0 ||
			      make_frame_lines(&frames, f) < 0))
		st = prof_nomem(err);
	if (st != PROF_OK)
		goto out;
	fwrite(legend.data, 1, legend.n, out);
	for (size_t i = 0; i < r->p->n_sample && !lines.is_full; i++) {
		if (!r->p->sample[i].n_stack)
			continue;
		fputs(rule, out);
		put_labels(out, r->p, &r->p->sample[i], &units, &lines);
		put_stack(out, r, f, &frames, &shown, i);
	}
	fputs(rule, out);
	if (lines.is_full)
		st = prof_nomem(err);
out:
	label_units_release(&units);
	buf_release(&frames.text);
	free(frames.at);
	buf_release(&lines.text);
	free(lines.line);
	buf_release(&legend);
	return st;
}

/* --- folded --- */

/* A set of equal stacks, represented by one of them. */
struct fold {
	uint64_t hash;
	size_t sample; /* the first */
	struct graph_sum sum;
};

struct folds {
	const struct report *r;
	const struct frames *f;
	struct fold *fold;
	uint32_t *slot; /* open addressing: fold + 1, 0 = free */
	size_t n, n_slot;
};

static uint64_t
hash_stack(const struct folds *t, const struct sample *s)
{
	const uint32_t *stack = profile_stack(t->r->p, s);
	uint64_t h = t->f->strings.key[0];

	for (uint32_t k = 0; k < s->n_stack; k++) {
		uint32_t at = t->f->first[stack[k]];

		for (; at < t->f->first[stack[k] + 1]; at++) {
			h = (h ^ t->f->node[at]) * 0x9e3779b97f4a7c15u;
			h ^= h >> 32;
		}
	}
	return h;
}

/* A position in a stack, counting each key of a location. */
struct cursor {
	const struct frames *f;
	const uint32_t *stack;
	uint32_t n, i, at;
};

static struct cursor
cursor_of(const struct folds *t, size_t sample)
{
	const struct sample *s = &t->r->p->sample[sample];

	return (struct cursor){ .f = t->f,
				.stack = profile_stack(t->r->p, s),
				.n = s->n_stack };
}

/* The next key, or PROF_NONE at the end. */
static uint32_t
next_key(struct cursor *c)
{
	uint32_t key;

	if (c->i == c->n)
		return PROF_NONE;
	key = c->f->node[c->f->first[c->stack[c->i]] + c->at++];
	if (c->f->first[c->stack[c->i]] + c->at ==
	    c->f->first[c->stack[c->i] + 1]) {
		c->i++;
		c->at = 0;
	}
	return key;
}

static bool
equal_stacks(const struct folds *t, size_t a, size_t b)
{
	struct cursor x = cursor_of(t, a), y = cursor_of(t, b);
	uint32_t key;

	do {
		key = next_key(&x);
		if (key != next_key(&y))
			return false;
	} while (key != PROF_NONE);
	return true;
}

static void
fold_sample(struct folds *t, size_t i)
{
	const struct profile *p = t->r->p;
	uint64_t hash = hash_stack(t, &p->sample[i]);
	size_t at = hash & (t->n_slot - 1);
	struct fold *f;

	for (; t->slot[at]; at = (at + 1) & (t->n_slot - 1)) {
		f = &t->fold[t->slot[at] - 1];
		if (f->hash == hash && equal_stacks(t, f->sample, i))
			break;
	}
	if (!t->slot[at]) {
		t->fold[t->n] = (struct fold){ .hash = hash, .sample = i };
		t->slot[at] = (uint32_t)++t->n;
	}
	f = &t->fold[t->slot[at] - 1];
	graph_sum_add(&f->sum, report_sum(t->r, i));
}

static void
put_fold(FILE *out, const struct folds *t, const struct fold *fold)
{
	const struct sample *s = &t->r->p->sample[fold->sample];
	const uint32_t *stack = profile_stack(t->r->p, s);
	const struct frames *f = t->f;
	bool is_first = true;

	for (uint32_t k = s->n_stack; k-- > 0;) {
		uint32_t at = f->first[stack[k] + 1];

		while (at-- > f->first[stack[k]]) {
			const struct str *name = frames_text(f, f->node[at]);

			if (!is_first)
				putc(';', out);
			is_first = false;
			escape_put(out, ESCAPE_FOLDED, name->s, name->len);
		}
	}
	fprintf(out, " %" PRId64 "\n", graph_value(fold->sum));
}

enum prof_status
text_folded(FILE *out, const struct report *r, const struct frames *f,
	    struct prof_err *err)
{
	struct folds t = { .r = r, .f = f, .n_slot = 1024 };

	while (t.n_slot < r->p->n_sample * 2)
		t.n_slot *= 2;
	t.slot = calloc(t.n_slot, sizeof(*t.slot));
	t.fold = malloc((r->p->n_sample + 1) * sizeof(*t.fold));
	if (!t.slot || !t.fold) {
		free(t.slot);
		free(t.fold);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < r->p->n_sample; i++)
		if (r->p->sample[i].n_stack)
			fold_sample(&t, i);
	for (size_t i = 0; i < t.n; i++)
		if (graph_value(t.fold[i].sum))
			put_fold(out, &t, &t.fold[i]);
	free(t.slot);
	free(t.fold);
	return PROF_OK;
}
