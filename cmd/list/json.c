/* json.c - listings for programs, see print.h. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "code/sources.h"
#include "lib/base/escape.h"
#include "lib/base/strtab.h"
#include "lib/report/frames.h"
#include "lib/report/listing.h"
#include "lib/report/report.h"
#include "lib/report/text-data.h"
#include "print.h"

/* Values; of two sides each, and flat and cum are the changes. */
static void
put_values(FILE *out, bool has_sides, const struct listing_line *v)
{
	fprintf(out, "\"flat\": %" PRId64 ", \"cum\": %" PRId64,
		units_sub(v->flat, v->flat_before),
		units_sub(v->cum, v->cum_before));
	if (has_sides)
		fprintf(out,
			", \"flat_before\": %" PRId64
			", \"cum_before\": %" PRId64
			", \"flat_after\": %" PRId64
			", \"cum_after\": %" PRId64,
			v->flat_before, v->cum_before, v->flat, v->cum);
}

static void
put_line(FILE *out, bool has_sides, int64_t line, const struct listing_line *v,
	 const char *text, size_t n)
{
	static const struct listing_line none;

	fprintf(out, "{\"line\": %" PRId64 ", ", line);
	put_values(out, has_sides, v ? v : &none);
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
	struct print_lines at = print_lines_of(l, b, f);
	const char *between = "\n    ";

	while (print_next_line(&at)) {
		fputs(between, out);
		between = ",\n    ";
		put_line(out, l->has_sides, at.line, at.value, at.text,
			 at.n_text);
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
	const struct listing_line sums = { 0, b->flat, b->cum, b->flat_before,
					   b->cum_before };
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
	fputs(", ", out);
	put_values(out, l->has_sides, &sums);
	fputs(",\n   \"lines\": [", out);
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
	fprintf(out, "\"total\": %" PRId64, r->total);
	if (l->has_sides)
		fprintf(out,
			", \"total_before\": %" PRId64
			", \"total_after\": %" PRId64,
			r->before, r->after);
	fputs(",\n ", out);
	data_json_filters(out, r);
	fputs(",\n \"functions\": [", out);
	for (size_t i = 0; i < l->n_block && st == PROF_OK; i++) {
		fputs(i ? ",\n" : "\n", out);
		st = put_block(out, r, l, &l->block[i], s, err);
	}
	fputs("]}\n", out);
	return st;
}
