/* texts.c - see texts.h. */
#include "config.h"

#include "texts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/sources.h"
#include "code/trust.h"
#include "lib/base/escape.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/listing.h"
#include "lib/report/report.h"

enum {
	LONG = 400, /* lines: of a longer function only those near lines ... */
	NEAR = 40,
	WORTH = 100, /* ... that cost a hundredth of it */
};

struct writer {
	FILE *f;
	const struct listing *l;
	const struct chosen *chosen;
	struct sources *sources;
	struct texts_told *told;
	size_t room;      /* bytes of lines that may follow */
	struct buf lines; /* scratch */
};

static bool
is_chosen(const struct str *name, void *chosen)
{
	return chosen_has(chosen, name->s, name->len);
}

struct ranked {
	const struct listing_block *block;
	uint32_t rank; /* 0: asked for */
};

static int
heavier(const void *p, const void *q)
{
	const struct ranked *x = p, *y = q;
	int64_t a = units_abs(x->block->flat), b = units_abs(y->block->flat);

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	/* The listing is sorted by name, then file. */
	return a != b ? (a < b ? 1 : -1)
		      : (x->block > y->block) - (x->block < y->block);
}

static void
put_string(FILE *f, const char *name, const char *s, size_t n)
{
	fprintf(f, "\"%s\":\"", name);
	escape_put(f, ESCAPE_JSON, s, n);
	fputs("\"", f);
}

/*
 * Is line i worth its bytes? *at is 0 at first, and i ascends: the first line
 * with a value that is not far above i.
 */
static bool
is_worth(const struct listing *l, const struct listing_block *b, int64_t i,
	 size_t *at)
{
	const struct listing_line *line = &l->line[b->line];
	int64_t least = units_abs(b->cum) / WORTH;

	if (b->last - b->first < LONG)
		return true;
	while (*at < b->n_line && line[*at].line < i - NEAR)
		++*at;
	for (size_t k = *at; k < b->n_line && line[k].line <= i + NEAR; k++)
		if (line[k].line == i || units_abs(line[k].cum) >= least)
			return true;
	return false;
}

/* The lines, and numbers of those that are left out between them. */
static void
put_lines(FILE *f, const struct listing *l, const struct source *src,
	  const struct listing_block *b)
{
	const char *line, *comma = "\n";
	long long skipped = 0;
	size_t at = 0, n;

	for (int64_t i = b->first;
	     i <= b->last && (line = source_line(src, i, &n)); i++) {
		if (!is_worth(l, b, i, &at)) {
			skipped++;
			continue;
		}
		if (skipped)
			fprintf(f, "%s%lld", comma, skipped);
		else
			fputs(comma, f);
		fputs(skipped ? ",\n\"" : "\"", f);
		escape_put(f, ESCAPE_JSON, line, n);
		putc('"', f);
		skipped = 0;
		comma = ",\n";
	}
}

/* Fill in w->lines, unless there is no room. Returns why there are none. */
static const char *
find_lines(struct writer *w, const struct source *src,
	   const struct listing_block *b, bool is_asked)
{
	FILE *f;

	w->told->n_asked += is_asked;
	w->lines.n = 0;
	if (!src->path)
		return src->error;
	f = buf_stream(&w->lines);
	if (!f)
		return NULL;
	put_lines(f, w->l, src, b);
	if (buf_stream_close(f) < 0)
		return NULL;
	if (is_asked)
		return "";
	if (w->lines.n > w->room) {
		w->lines.n = 0;
		w->told->n_left++;
		return "no room was left (--source-size)";
	}
	w->room -= w->lines.n;
	return "";
}

/* One function. Returns -1 without memory. */
static int
put_block(struct writer *w, const struct ranked *ranked)
{
	const struct listing_block *b = ranked->block;
	const struct profile *p = w->l->frames->p;
	const struct str *str = w->l->frames->strings.str;
	uint32_t m = p->location[b->location].mapping;
	const char *build_id =
		m == PROF_NONE ? "" : profile_str(p, p->mapping[m].build_id);
	const struct source *src =
		sources_get(w->sources, str[b->file].s, build_id);
	const char *why = src ? find_lines(w, src, b, !ranked->rank) : NULL;

	if (!why)
		return -1;
	putc('{', w->f);
	put_string(w->f, "name", str[b->name].s, str[b->name].len);
	putc(',', w->f);
	put_string(w->f, "file", str[b->file].s, str[b->file].len);
	putc(',', w->f);
	put_string(w->f, "path", src->path ? src->path : "",
		   src->path ? strlen(src->path) : 0);
	fprintf(w->f, ",\"first\":%lld,\"lines\":[", (long long)b->first);
	if (w->lines.n)
		fwrite(w->lines.data, 1, w->lines.n, w->f);
	fputs("],", w->f);
	put_string(w->f, "why", why, strlen(why));
	putc(',', w->f);
	put_string(w->f, "tried", src->path ? "" : src->tried,
		   src->path ? 0 : strlen(src->tried));
	putc('}', w->f);
	return 0;
}

/* The JSON of all blocks, the heaviest first. */
static int
put_blocks(struct writer *w)
{
	const struct str *str = w->l->frames->strings.str;
	size_t n = w->l->n_block;
	struct ranked *order = calloc(n + 1, sizeof(*order));
	int r = order ? 0 : -1;

	for (size_t i = 0; order && i < n; i++) {
		const struct listing_block *b = &w->l->block[i];
		const char *name = str[b->name].s;
		uint32_t len = str[b->name].len;

		order[i].block = b;
		if (!chosen_is_asked(w->chosen, name, len))
			order[i].rank = chosen_rank(w->chosen, name, len);
	}
	if (order)
		qsort(order, n, sizeof(*order), heavier);
	for (size_t i = 0; r == 0 && i < n; i++) {
		fputs(i ? ",\n" : "[", w->f);
		r = put_block(w, &order[i]);
	}
	fputs("]\n", w->f);
	free(order);
	return r;
}

/* Is there a file of a chosen function? 1, 0, or -1 without memory. */
static int
has_source(const struct frames *f, const struct chosen *chosen,
	   struct sources *sources)
{
	for (size_t i = 0; i < f->n_key; i++) {
		const struct str *name = &f->strings.str[f->key[i].name];
		const struct source *src;

		if (!chosen_has(chosen, name->s, name->len))
			continue;
		src = sources_get(sources, f->strings.str[f->key[i].file].s,
				  "");
		if (!src || src->path)
			return src ? 1 : -1;
	}
	return 0;
}

/* The listing goes over all samples: only for text that there is. */
static enum prof_status
list(const struct report *r, const struct frames *f, struct chosen *chosen,
     struct sources *sources, struct buf *out, struct texts_told *told,
     struct prof_err *err)
{
	struct graph_options go = { .column = r->column };
	struct writer w = { .chosen = chosen,
			    .sources = sources,
			    .told = told,
			    .room = chosen->code->max_text };
	struct listing *l = NULL;
	enum prof_status st =
		listing_new(f, &go, false, is_chosen, chosen, &l, err);
	int bad = 0;

	w.l = l;
	if (st == PROF_OK && l->n_block) {
		w.f = buf_stream(out);
		bad = w.f ? put_blocks(&w) : -1;
		if (w.f && buf_stream_close(w.f) < 0)
			bad = -1;
	}
	buf_release(&w.lines);
	listing_free(l);
	return bad ? prof_nomem(err) : st;
}

static enum prof_status
add_from(const struct report *r, const struct pack *k,
	 const struct page_code *code, struct sources *sources, struct buf *out,
	 struct texts_told *told, struct prof_err *err)
{
	struct frames_options fo = r->o->frames;
	struct chosen chosen = { 0 };
	struct frames *f = NULL;
	enum prof_status st;
	int found = 1;

	fo.granularity = BY_LINE;
	fo.no_text = true;
	fo.by_object = true;
	fo.columns = false;
	st = chosen_init(&chosen, r, code, k, true, err);
	if (st == PROF_OK)
		st = frames_new(r->p, &fo, &f, err);
	if (st == PROF_OK && !chosen_asks(code))
		found = has_source(f, &chosen, sources);
	if (found < 0)
		st = prof_nomem(err);
	if (st == PROF_OK && found)
		st = list(r, f, &chosen, sources, out, told, err);
	frames_free(f);
	chosen_release(&chosen);
	return st;
}

enum prof_status
texts_add(const struct report *r, const struct pack *k,
	  const struct page_code *code, struct buf *out,
	  struct texts_told *told, struct prof_err *err)
{
	const char *path = r->o->frames.source_path;
	struct trust trust = { r->p, path };
	struct sources_options so = { .source_path = path,
				      .may_show = trust_source,
				      .may_show_ctx = &trust };
	struct sources *sources;
	enum prof_status st;

	if (code->sources)
		return add_from(r, k, code, code->sources, out, told, err);
	if (!code->n_source && !chosen_asks(code))
		return PROF_OK;
	sources = sources_new(&so);
	if (!sources)
		return prof_nomem(err);
	st = add_from(r, k, code, sources, out, told, err);
	sources_free(sources);
	return st;
}
