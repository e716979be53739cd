/*
 * wants.c - put answers into the profile: frames at an address become functions
 * and lines of the locations that want them; see impl.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "lib/base/array.h"

/* --- functions --- */

static bool
is_same(const struct function *f, const struct function *g)
{
	return f->system_name == g->system_name && f->file == g->file &&
	       f->start_line == g->start_line;
}

/*
 * Many names of a hostile file may be parts of one long string. Real ones have
 * some thousand bytes at most.
 */
#define MAX_NAME 32768

/* The function of a frame: PROF_NONE without memory. */
static uint32_t
intern_function(struct resolve *r, const struct symbol_frame *frame)
{
	struct hashtab *t = &r->functions;
	struct function f = { .start_line = frame->start_line };
	uint32_t hash, i;
	size_t at;

	f.name = 0;
	if (strnlen(frame->name, MAX_NAME) < MAX_NAME)
		f.name = profile_intern(r->p, frame->name);
	f.system_name = f.name;
	f.file = profile_intern(r->p, frame->file);
	if (f.name == STRTAB_NONE || f.file == STRTAB_NONE)
		return PROF_NONE;
	hash = (uint32_t)hashtab_mix(
		t, hashtab_mix(t, 0, (uint64_t)f.name << 32 | f.file),
		(uint64_t)f.start_line);
	at = hashtab_start(t, hash);
	while ((i = hashtab_next(t, hash, &at)) != HASHTAB_NONE)
		if (is_same(&r->p->function[i], &f))
			return i;
	i = profile_add_function(r->p, &f);
	if (i != PROF_NONE && hashtab_add(t, hash, i) < 0)
		return PROF_NONE;
	return i;
}

/* --- wants --- */

int
wants_init(struct wants *w, size_t n)
{
	w->want = calloc(n + 1, sizeof(*w->want));
	w->addr = calloc(n + 1, sizeof(*w->addr));
	w->first = calloc(n + 1, sizeof(*w->first));
	return w->want && w->addr && w->first ? 0 : -1;
}

void
wants_release(struct wants *w)
{
	free(w->want);
	free(w->addr);
	free(w->first);
	free(w->line);
	free(w->frame);
}

int
wants_copy(struct wants *to, const struct wants *from)
{
	*to = (struct wants){ .r = from->r };
	if (wants_init(to, from->n) < 0)
		return -1;
	to->n = from->n;
	to->n_addr = from->n_addr;
	memcpy(to->want, from->want, from->n * sizeof(*to->want));
	memcpy(to->addr, from->addr, from->n_addr * sizeof(*to->addr));
	memcpy(to->first, from->first, (from->n_addr + 1) * sizeof(*to->first));
	return 0;
}

void
wants_add(struct wants *w, uint64_t addr, uint32_t location)
{
	w->want[w->n++] = (struct want){ addr, location };
}

static int
cmp_want(const void *a, const void *b)
{
	const struct want *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

void
wants_sort(struct wants *w)
{
	qsort(w->want, w->n, sizeof(*w->want), cmp_want);
	w->n_addr = 0;
	for (size_t k = 0; k < w->n; k++) {
		if (k && w->want[k].addr == w->want[k - 1].addr)
			continue;
		w->first[w->n_addr] = k;
		w->addr[w->n_addr++] = w->want[k].addr;
	}
	w->first[w->n_addr] = w->n;
}

/* --- answers --- */

static int
make_lines(struct wants *w, const struct symbol_frame *frame, size_t n)
{
	if (array_reserve(&w->line, &w->cap_line, n, sizeof(*w->line)) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint32_t f = intern_function(w->r, &frame[i]);

		if (f == PROF_NONE)
			return -1;
		w->line[i] = (struct line){ frame[i].line, frame[i].column, f };
	}
	return 0;
}

void
wants_answer(void *ctx, size_t i, const struct symbol_frame *frame, size_t n)
{
	struct wants *w = ctx;
	struct profile *p = w->r->p;
	unsigned has = MAPPING_INLINE_FRAMES;

	if (w->r->apart) {
		answers_lines(w->r->apart, w, i, frame, n);
		return;
	}
	if (w->nomem)
		return;
	if (make_lines(w, frame, n) < 0) {
		w->nomem = true;
		return;
	}
	for (size_t k = 0; k < n; k++)
		has |= (*frame[k].name ? MAPPING_FUNCTIONS : 0) |
		       (*frame[k].file ? MAPPING_FILENAMES : 0) |
		       (frame[k].line ? MAPPING_LINE_NUMBERS : 0);
	for (size_t k = w->first[i]; k < w->first[i + 1]; k++) {
		struct location *l = &p->location[w->want[k].location];

		if (profile_set_lines(p, w->want[k].location, w->line, n) < 0) {
			w->nomem = true;
			return;
		}
		l->is_folded = false;
		if (l->mapping != PROF_NONE)
			p->mapping[l->mapping].has |= has;
	}
}
