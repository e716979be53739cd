/* json.c - listings for programs, see print.h. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/strtab.h"
#include "lib/report/frames.h"
#include "lib/report/listing.h"
#include "lib/report/report.h"
#include "lib/report/text-data.h"
#include "print.h"
#include "sources.h"

static void
put_line(FILE *out, int64_t line, const struct listing_line *v,
	 const char *text, size_t n)
{
	fprintf(out,
		"{\"line\": %" PRId64 ", \"flat\": %" PRId64
		", \"cum\": %" PRId64,
		line, v ? v->flat : 0, v ? v->cum : 0);
	if (text) {
		fputs(", \"text\": ", out);
		json_put(out, text, n);
	}
	putc('}', out);
}

static void
put_lines(FILE *out, const struct listing *l, const struct listing_block *b,
	  const struct source *f)
{
	const struct listing_line *v = l->line + b->line;
	const struct listing_line *end = v + b->n_line;
	const char *between = "\n    ", *text;
	int64_t line = b->first;
	size_t n;

	while (v < end || (f && line <= b->last && source_line(f, line, &n))) {
		text = f ? source_line(f, line, &n) : NULL;
		if (line > b->last)
			text = NULL;
		fputs(between, out);
		between = ",\n    ";
		if (!text || (v < end && v->line < line)) {
			put_line(out, v->line, v, NULL, 0);
			v++;
			continue;
		}
		if (v < end && v->line == line)
			put_line(out, line, v++, text, n);
		else
			put_line(out, line, NULL, text, n);
		line++;
	}
}

static void
put_source(FILE *out, const struct source *f)
{
	fprintf(out, ", \"%s\": ", f->path ? "path" : "error");
	json_put(out, f->path ? f->path : f->error,
		 strlen(f->path ? f->path : f->error));
}

static enum prof_status
put_block(FILE *out, const struct report *r, const struct listing *l,
	  const struct listing_block *b, struct sources *s,
	  struct prof_err *err)
{
	const struct str *str = l->frames->strings.str;
	const struct source *f = NULL;

	fputs("  {\"function\": ", out);
	json_put_str(out, &str[b->name]);
	if (b->file) {
		fputs(", \"file\": ", out);
		json_put_str(out, &str[b->file]);
		f = sources_get(s, str[b->file].s, listing_build_id(r, b));
		if (!f)
			return prof_nomem(err);
		put_source(out, f);
	}
	fprintf(out,
		", \"flat\": %" PRId64 ", \"cum\": %" PRId64 ",\n"
		"   \"lines\": [",
		b->flat, b->cum);
	put_lines(out, l, b, f);
	fputs("]}", out);
	return PROF_OK;
}

enum prof_status
json_listing(FILE *out, const struct report *r, const struct listing *l,
	     struct sources *s, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	data_json_head(out, r, "profpipe.list/1");
	fprintf(out, "\"total\": %" PRId64 ",\n ", r->total);
	data_json_filters(out, r);
	fputs(",\n \"functions\": [", out);
	for (size_t i = 0; i < l->n_block && st == PROF_OK; i++) {
		fputs(i ? ",\n" : "\n", out);
		st = put_block(out, r, l, &l->block[i], s, err);
	}
	fputs("]}\n", out);
	return st;
}
