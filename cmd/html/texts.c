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

enum { MAX_LINES = 2000 /* of one function */ };

static bool
is_chosen(const struct str *name, void *chosen)
{
	return chosen_has(chosen, name->s, name->len);
}

static int
heavier(const void *p, const void *q)
{
	const struct listing_block *x = *(struct listing_block *const *)p;
	const struct listing_block *y = *(struct listing_block *const *)q;
	int64_t a = units_abs(x->flat), b = units_abs(y->flat);

	/* The listing is sorted by name, then file. */
	return a != b ? (a < b ? 1 : -1) : (x > y) - (x < y);
}

static void
put_string(FILE *f, const char *name, const char *s, size_t n)
{
	fprintf(f, "\"%s\":\"", name);
	escape_put(f, ESCAPE_JSON, s, n);
	fputs("\"", f);
}

static void
put_lines(FILE *f, const struct source *src, const struct listing_block *b)
{
	int64_t last =
		b->last - b->first < MAX_LINES ? b->last : b->first + MAX_LINES;
	size_t n;

	fprintf(f, ",\"first\":%lld,\"lines\":[", (long long)b->first);
	for (int64_t i = b->first; src->path && i <= last; i++) {
		const char *line = source_line(src, i, &n);

		if (!line)
			break;
		fputs(i > b->first ? ",\n\"" : "\n\"", f);
		escape_put(f, ESCAPE_JSON, line, n);
		putc('"', f);
	}
	fputs("]", f);
}

/* One function. Returns -1 without memory. */
static int
put_block(FILE *f, const struct listing *l, const struct listing_block *b,
	  struct sources *sources, bool is_first)
{
	const struct profile *p = l->frames->p;
	const struct str *str = l->frames->strings.str;
	uint32_t m = p->location[b->location].mapping;
	const char *build_id =
		m == PROF_NONE ? "" : profile_str(p, p->mapping[m].build_id);
	const struct source *src =
		sources_get(sources, str[b->file].s, build_id);

	if (!src)
		return -1;
	fputs(is_first ? "{" : ",\n{", f);
	put_string(f, "name", str[b->name].s, str[b->name].len);
	putc(',', f);
	put_string(f, "file", str[b->file].s, str[b->file].len);
	putc(',', f);
	put_string(f, "path", src->path ? src->path : "",
		   src->path ? strlen(src->path) : 0);
	put_lines(f, src, b);
	putc(',', f);
	if (src->path)
		put_string(f, "why", "", 0);
	else
		put_string(f, "why", src->error, strlen(src->error));
	putc('}', f);
	return 0;
}

static int
put_blocks(FILE *f, const struct listing *l, struct listing_block **order,
	   size_t n, struct sources *sources)
{
	putc('[', f);
	for (size_t i = 0; i < n; i++)
		if (put_block(f, l, order[i], sources, i == 0) < 0)
			return -1;
	fputs("]\n", f);
	return 0;
}

/* The JSON of the n heaviest blocks. */
static enum prof_status
write_json(const struct listing *l, size_t n, struct sources *sources,
	   struct buf *out, struct prof_err *err)
{
	struct listing_block **order =
		calloc(l->n_block + 1, sizeof(struct listing_block *));
	FILE *f = buf_stream(out);
	int bad = -1;

	if (order && f) {
		for (size_t i = 0; i < l->n_block; i++)
			order[i] = &l->block[i];
		qsort(order, l->n_block, sizeof(struct listing_block *),
		      heavier);
		bad = put_blocks(f, l, order, n < l->n_block ? n : l->n_block,
				 sources);
	}
	if (f && buf_stream_close(f) < 0)
		bad = -1;
	free(order);
	return bad ? prof_nomem(err) : PROF_OK;
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
     size_t n, struct sources *sources, struct buf *out, size_t *n_block,
     struct prof_err *err)
{
	struct graph_options go = { .column = r->column };
	struct listing *l = NULL;
	enum prof_status st =
		listing_new(f, &go, false, is_chosen, chosen, &l, err);

	*n_block = l ? l->n_block : 0;
	if (st == PROF_OK && l->n_block)
		st = write_json(l, n, sources, out, err);
	listing_free(l);
	return st;
}

static enum prof_status
add_from(const struct report *r, const struct page_code *code,
	 struct sources *sources, struct buf *out, size_t *n_block,
	 struct prof_err *err)
{
	size_t n = code->wants ? SIZE_MAX : code->n_source;
	struct frames_options fo = r->o->frames;
	struct chosen chosen = { 0 };
	struct frames *f = NULL;
	enum prof_status st;
	int found = 1;

	fo.granularity = BY_LINE;
	fo.no_text = true;
	fo.by_object = true;
	fo.columns = false;
	st = chosen_init(&chosen, r, code, n, false, err);
	if (st == PROF_OK)
		st = frames_new(r->p, &fo, &f, err);
	if (st == PROF_OK && !code->wants)
		found = has_source(f, &chosen, sources);
	if (found < 0)
		st = prof_nomem(err);
	if (st == PROF_OK && found)
		st = list(r, f, &chosen, n, sources, out, n_block, err);
	frames_free(f);
	chosen_release(&chosen);
	return st;
}

enum prof_status
texts_add(const struct report *r, const struct page_code *code, struct buf *out,
	  size_t *n_block, struct prof_err *err)
{
	const char *path = r->o->frames.source_path;
	struct trust trust = { r->p, path };
	struct sources_options so = { .source_path = path,
				      .may_show = trust_source,
				      .may_show_ctx = &trust };
	struct sources *sources;
	enum prof_status st;

	*n_block = 0;
	if (code->sources)
		return add_from(r, code, code->sources, out, n_block, err);
	if (!code->n_source)
		return PROF_OK;
	sources = sources_new(&so);
	if (!sources)
		return prof_nomem(err);
	st = add_from(r, code, sources, out, n_block, err);
	sources_free(sources);
	return st;
}
