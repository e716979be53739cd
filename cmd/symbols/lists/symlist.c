/* symlist.c - see symlist.h. */
#include "config.h"

#include "symlist.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/search.h"

void
symlist_release(struct symlist *l)
{
	free(l->entry);
	free(l->line);
	free(l->text);
	*l = (struct symlist){ 0 };
}

uint32_t
symlist_text(struct symlist *l, const char *s, size_t n)
{
	uint32_t at = (uint32_t)l->n_text;

	n = strnlen(s, n);
	if (n >= SYMLIST_NONE - l->n_text ||
	    array_reserve(&l->text, &l->cap_text, l->n_text + n + 1, 1) < 0)
		return SYMLIST_NONE;
	memcpy(l->text + at, s, n);
	l->text[at + n] = '\0';
	l->n_text += n + 1;
	return at;
}

int
symlist_add(struct symlist *l, uint64_t start, uint64_t size, uint32_t name)
{
	uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;

	if (l->n == SYMLIST_NONE ||
	    array_reserve(&l->entry, &l->cap, l->n + 1, sizeof(*l->entry)) < 0)
		return -1;
	l->entry[l->n++] =
		(struct symlist_entry){ .start = start, .end = end, name };
	return 0;
}

int
symlist_add_line(struct symlist *l, const struct symlist_line *line)
{
	if (l->n_line == SYMLIST_NONE ||
	    array_reserve(&l->line, &l->cap_line, l->n_line + 1,
			  sizeof(*l->line)) < 0)
		return -1;
	l->line[l->n_line++] = *line;
	return 0;
}

static void
emit_frames(const struct symlist *l, const struct symlist_entry *e, uint64_t a,
	    size_t i, symbol_fn *fn, void *ctx)
{
	struct symbol_frame f = { .name = l->text + e->name, .file = "" };
	const struct symlist_line *line = e->n_line ? l->line + e->line : NULL;
	size_t lo = search_above(line, e->n_line, sizeof(*line),
				 offsetof(struct symlist_line, offset),
				 a - e->start);

	if (lo && line[lo - 1].file != SYMLIST_NONE) {
		f.file = l->text + line[lo - 1].file;
		f.line = line[lo - 1].line;
	}
	fn(ctx, i, &f, 1);
}

/*
 * Visit entries from last to first; each takes the addresses that no later one
 * has. next[] skips addresses that are taken, so overlaps do not add steps.
 */
enum prof_status
symlist_run(const struct symlist *l, const uint64_t *addr, size_t n,
	    symbol_fn *fn, void *ctx, struct prof_err *err)
{
	size_t *next = reallocarray(NULL, n + 1, sizeof(*next));

	if (!next)
		return prof_nomem(err);
	for (size_t i = 0; i <= n; i++)
		next[i] = i;
	for (size_t k = l->n; k-- > 0;) {
		const struct symlist_entry *e = &l->entry[k];
		size_t i = search_from(addr, n, sizeof(*addr), 0, e->start);

		while (i < n && addr[i] < e->end) {
			if (next[i] == i) {
				emit_frames(l, e, addr[i], i, fn, ctx);
				next[i] = i + 1;
			}
			/* Compress the path. */
			next[i] = next[next[i]];
			i = next[i];
		}
	}
	free(next);
	return PROF_OK;
}
