/* print.c - see print.h; the JSON is in json.c. */
#include "config.h"

#include "print.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "code/sources.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/listing.h"
#include "lib/report/report.h"
#include "lib/report/text-print.h"
#include "lib/report/text.h"

#define HOT "\033[1;31m" /* has a value of its own */
#define WARM "\033[33m"  /* only its callees have one */
#define OFF "\033[0m"
#define APART 28 /* columns to the end of the dots between chunks */

struct print {
	FILE *out;
	const struct report *r;
	const struct listing *l;
	struct print_style style;
};

struct print_style
print_style(FILE *out)
{
	return (struct print_style){
		.is_terminal = isatty(fileno(out)),
		.colours = cli_colours(fileno(out)),
	};
}

/* --- parts of lines --- */

void
print_total(FILE *out, const struct report *r)
{
	struct quantity q;

	report_format(r, &q, r->total);
	fprintf(out, "Total: %s%s\n", q.number, q.unit);
}

static void
put_value(FILE *out, const struct report *r, int64_t v, bool dot)
{
	struct quantity q = { .number = ".", .unit = "" };

	if (v || !dot)
		report_format(r, &q, v);
	text_put_quantity(out, 10, &q);
}

void
print_sums(FILE *out, const struct report *r, int64_t flat, int64_t cum)
{
	char percent[UNITS_PERCENT];

	units_percent(percent, cum, r->total);
	put_value(out, r, flat, false);
	putc(' ', out);
	put_value(out, r, cum, false);
	fprintf(out, " (flat, cum) %s of Total\n", percent);
}

void
print_values(FILE *out, const struct report *r, int64_t flat, int64_t cum)
{
	put_value(out, r, flat, true);
	putc(' ', out);
	put_value(out, r, cum, true);
	putc(' ', out);
}

void
print_hot_on(FILE *out, struct print_style style, int64_t flat, int64_t cum)
{
	if (style.colours && (flat || cum))
		fputs(flat ? HOT : WARM, out);
}

void
print_hot_off(FILE *out, struct print_style style, int64_t flat, int64_t cum)
{
	if (style.colours && (flat || cum))
		fputs(OFF, out);
}

/* n bytes of source text. */
static void
print_text(FILE *out, struct print_style style, const char *s, size_t n)
{
	const char *tab;

	if (!style.is_terminal) {
		fwrite(s, 1, n, out);
		return;
	}
	/* Tabs are the terminal's to expand. */
	while ((tab = memchr(s, '\t', n))) {
		text_put(out, s, (size_t)(tab - s));
		putc('\t', out);
		n -= (size_t)(tab - s) + 1;
		s = tab + 1;
	}
	text_put(out, s, n);
}

/* --- blocks --- */

/* The sums of a block on both sides, and how its cum changed. */
static void
put_both_sums(const struct print *p, const struct listing_block *b)
{
	char before[UNITS_PERCENT], after[UNITS_PERCENT];

	units_percent(before, b->cum_before, p->r->before);
	units_percent(after, b->cum, p->r->after);
	put_value(p->out, p->r, b->flat_before, false);
	putc(' ', p->out);
	put_value(p->out, p->r, b->cum_before, false);
	fputs(" |", p->out);
	put_value(p->out, p->r, b->flat, false);
	putc(' ', p->out);
	put_value(p->out, p->r, b->cum, false);
	fprintf(p->out, " (flat, cum before | after) %s | %s of Total, cum ",
		before + strspn(before, " "), after + strspn(after, " "));
	text_put_relative(p->out, 0, (struct change){ b->cum_before, b->cum });
	putc('\n', p->out);
}

/* The values of a line, of both sides if there are two; NULL: none. */
static void
put_values(const struct print *p, const struct listing_line *v)
{
	if (p->l->has_sides) {
		print_values(p->out, p->r, v ? v->flat_before : 0,
			     v ? v->cum_before : 0);
		putc('|', p->out);
	}
	print_values(p->out, p->r, v ? v->flat : 0, v ? v->cum : 0);
}

/* What colours a line: its values, or with two sides what changed. */
static struct listing_line
colour_of(const struct listing_line *v)
{
	struct listing_line c = { 0 };

	if (v) {
		c.flat = units_sub(v->flat, v->flat_before);
		c.cum = units_sub(v->cum, v->cum_before);
	}
	return c;
}

static void
put_line(const struct print *p, int64_t line, const struct listing_line *v,
	 const char *text, size_t n)
{
	const struct listing_line c = colour_of(v);

	print_hot_on(p->out, p->style, c.flat, c.cum);
	put_values(p, v);
	fprintf(p->out, "%6" PRId64 ":", line);
	print_text(p->out, p->style, text, n);
	print_hot_off(p->out, p->style, c.flat, c.cum);
	putc('\n', p->out);
}

/* A line with values that has no text, and why. f: NULL if it has no file. */
static void
put_marked(const struct print *p, const struct listing_line *v,
	   const struct source *f)
{
	const struct listing_line c = colour_of(v);

	print_hot_on(p->out, p->style, c.flat, c.cum);
	put_values(p, v);
	fprintf(p->out, "%6" PRId64 ":<", v->line);
	if (v->line <= 0) {
		fputs("no line number", p->out);
	} else if (!f || !f->path) {
		fputs("no source", p->out);
	} else {
		fputs("beyond the end of ", p->out);
		text_put(p->out, f->file, strlen(f->file));
		fprintf(p->out, " (%zu lines)", f->n_line);
	}
	fputs(">", p->out);
	print_hot_off(p->out, p->style, c.flat, c.cum);
	putc('\n', p->out);
}

struct print_lines
print_lines_of(const struct listing *l, const struct listing_block *b,
	       const struct source *f)
{
	return (struct print_lines){ .source = f,
				     .last = b->last,
				     .next = b->first,
				     .v = l->line + b->line,
				     .end = l->line + b->line + b->n_line };
}

bool
print_next_line(struct print_lines *at)
{
	const struct source *f = at->source;
	const char *listed = NULL;

	if (f && at->next <= at->last)
		listed = source_line(f, at->next, &at->n_text);
	if (at->v < at->end && (!listed || at->v->line < at->next)) {
		at->value = at->v++;
		at->line = at->value->line;
		at->text = f ? source_line(f, at->line, &at->n_text) : NULL;
		return true;
	}
	at->line = at->next++;
	at->text = listed;
	at->value = NULL;
	if (at->v < at->end && at->v->line == at->line)
		at->value = at->v++;
	return listed;
}

static void
put_lines(const struct print *p, const struct listing_block *b,
	  const struct source *f)
{
	struct print_lines at = print_lines_of(p->l, b, f);
	int64_t before = 0;

	while (print_next_line(&at)) {
		if (!at.text) {
			put_marked(p, at.value, f);
			continue;
		}
		if (before && at.line > before + 1)
			fprintf(p->out, "%*s\n", APART, "...");
		put_line(p, at.line, at.value, at.text, at.n_text);
		before = at.line;
	}
}

static void
put_error(const struct print *p, const struct source *f)
{
	fputs(" Error: ", p->out);
	text_put(p->out, f->error, strlen(f->error));
	putc('\n', p->out);
}

const char *
listing_build_id(const struct report *r, const struct listing_block *b)
{
	uint32_t m = r->p->location[b->location].mapping;

	return m == PROF_NONE ? ""
			      : profile_str(r->p, r->p->mapping[m].build_id);
}

static enum prof_status
put_block(const struct print *p, const struct listing_block *b,
	  struct sources *s, struct prof_err *err)
{
	const struct str *str = p->l->frames->strings.str;
	const struct source *f;

	fputs("ROUTINE ======================== ", p->out);
	text_put_str(p->out, &str[b->name]);
	fputs(" in ", p->out);
	text_put_str(p->out, &str[b->file]);
	putc('\n', p->out);
	if (p->l->has_sides)
		put_both_sums(p, b);
	else
		print_sums(p->out, p->r, b->flat, b->cum);
	f = sources_get(s, str[b->file].s, listing_build_id(p->r, b));
	if (!f)
		return prof_nomem(err);
	if (!f->path)
		put_error(p, f);
	put_lines(p, b, f);
	return PROF_OK;
}

enum prof_status
print_listing(FILE *out, const struct report *r, const struct listing *l,
	      struct sources *s, struct print_style style, struct prof_err *err)
{
	const struct print p = { out, r, l, style };
	enum prof_status st = PROF_OK;

	if (l->has_sides)
		text_diff_total(out, r);
	else
		print_total(out, r);
	for (size_t i = 0; i < l->n_block && st == PROF_OK; i++) {
		const struct listing_block *b = &l->block[i];

		if (b->file) {
			st = put_block(&p, b, s, err);
			continue;
		}
		fputs("No source information for ", out);
		text_put_str(out, &l->frames->strings.str[b->name]);
		putc('\n', out);
		put_lines(&p, b, NULL);
	}
	return st;
}
