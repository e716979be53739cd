/*
 * text-diff.c - the table of changes, for people and for programs; changes.c
 * selects the rows. See text.h.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "changes.h"
#include "frames.h"
#include "lib/base/escape.h"
#include "lib/model/units.h"
#include "report.h"
#include "text-data.h"
#include "text-print.h"
#include "text.h"

static bool
has_row(const struct report *r, const struct change_row *row)
{
	return report_has_row(r, change_size(row->flat), change_size(row->cum));
}

/* --- for people --- */

/* Print a change in its own column, or where the text continues. */
static void
put_change(FILE *out, const struct report *r, size_t width, struct change c)
{
	int64_t size = change_size(c);
	struct quantity q;

	report_format(r, &q, size);
	if (size > 0 && strcmp(q.number, "0")) {
		memmove(q.number + 1, q.number, sizeof(q.number) - 1);
		q.number[0] = '+';
		q.number[sizeof(q.number) - 1] = '\0';
	}
	text_put_quantity(out, width, &q);
}

void
text_put_relative(FILE *out, int width, struct change c)
{
	char text[UNITS_PERCENT + 1], *percent;
	int64_t size = change_size(c);

	if (c.before == 0 && c.after != 0) {
		fprintf(out, "%*s", width, "new");
	} else if (c.before != 0 && c.after == 0) {
		fprintf(out, "%*s", width, "gone");
	} else {
		units_percent(text + 1, size, c.before);
		percent = text + 1 + strspn(text + 1, " ");
		if (size)
			*--percent = size > 0 ? '+' : '-';
		fprintf(out, "%*s", width, percent);
	}
}

static void
put_value(FILE *out, const struct report *r, size_t width, int64_t v)
{
	struct quantity q;

	report_format(r, &q, v);
	text_put_quantity(out, width, &q);
}

void
text_diff_total(FILE *out, const struct report *r)
{
	struct change total = { r->before, r->after };

	fputs("Total ", out);
	put_value(out, r, 0, total.before);
	fputs(" before, ", out);
	put_value(out, r, 0, total.after);
	fputs(" after: ", out);
	put_change(out, r, 0, total);
	fputs(" (", out);
	text_put_relative(out, 0, total);
	fputs(")\n", out);
}

static void
put_row(FILE *out, const struct report *r, const struct changes *c,
	const struct change_row *row)
{
	struct change v = changes_main(c, row);
	char before[UNITS_PERCENT], after[UNITS_PERCENT];

	units_percent(before, v.before, r->before);
	units_percent(after, v.after, r->after);
	put_value(out, r, 11, v.before);
	putc(' ', out);
	put_value(out, r, 11, v.after);
	putc(' ', out);
	put_change(out, r, 11, v);
	putc(' ', out);
	text_put_relative(out, 8, v);
	fprintf(out, " %8s %7s  ", before, after);
	text_put_str(out, frames_text(c->frames, row->key));
	putc('\n', out);
}

static const char *
plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Print what the table omits, and why. */
static void
put_hidden(FILE *out, const struct report *r, const struct changes *c)
{
	size_t n = 0;

	if (c->n_same)
		fprintf(out, "Left out %zu node%s without change of %s\n",
			c->n_same, plural(c->n_same),
			c->by_cum ? "cum" : "flat");
	if (c->n_dropped) {
		fprintf(out, "Dropped %zu node%s (change of cum < ",
			c->n_dropped, plural(c->n_dropped));
		put_value(out, r, 0, c->cut);
		fputs(")\n", out);
	}
	if (c->n_row < c->n_before)
		fprintf(out, "Showing top %zu nodes out of %zu\n", c->n_row,
			c->n_before);
	for (size_t i = 0; i < c->n_row; i++)
		n += !has_row(r, &c->row[i]);
	if (n == 0)
		return;
	fprintf(out, "Left out %zu node%s (change of ", n, plural(n));
	if (r->min_flat) {
		fputs("flat < ", out);
		put_value(out, r, 0, r->min_flat);
	}
	if (r->min_cum) {
		fputs(r->min_flat ? " or of cum < " : "cum < ", out);
		put_value(out, r, 0, r->min_cum);
	}
	fputs(")\n", out);
}

enum prof_status
text_diff(FILE *out, const struct report *r, const struct changes *c,
	  struct prof_err *err)
{
	struct buf head = { 0 };
	enum prof_status st = report_head(r, &head, err);

	if (st == PROF_OK)
		fwrite(head.data, 1, head.n, out);
	buf_release(&head);
	if (st != PROF_OK)
		return st;
	text_diff_total(out, r);
	put_hidden(out, r, c);
	fprintf(out, "%11s %11s      change  change%%  before%%  after%%\n",
		c->by_cum ? "cum before" : "flat before",
		c->by_cum ? "cum after" : "flat after");
	for (size_t i = 0; i < c->n_row; i++)
		if (has_row(r, &c->row[i]))
			put_row(out, r, c, &c->row[i]);
	return PROF_OK;
}

/* --- for programs --- */

static void
put_json_change(FILE *out, const char *name, struct change c)
{
	fprintf(out,
		"\"%s\": {\"before\": %" PRId64 ", \"after\": %" PRId64
		", \"change\": %" PRId64 "}",
		name, c.before, c.after, change_size(c));
}

void
text_diff_json(FILE *out, const struct report *r, const struct changes *c)
{
	struct change total = { r->before, r->after };
	const char *comma = "\n";

	data_json_head(out, r, "profpipe.diff/1");
	put_json_change(out, "total", total);
	fputs(",\n ", out);
	data_json_filters(out, r);
	fprintf(out,
		",\n \"unchanged_nodes\": %zu, \"dropped_nodes\": %zu, "
		"\"nodes_before_nodecount\": %zu,\n \"nodes\": [",
		c->n_same, c->n_dropped, c->n_before);
	for (size_t i = 0; i < c->n_row; i++) {
		if (!has_row(r, &c->row[i]))
			continue;
		fprintf(out, "%s  {", comma);
		comma = ",\n";
		data_json_key(out, c->frames, c->row[i].key);
		put_json_change(out, "flat", c->row[i].flat);
		fputs(", ", out);
		put_json_change(out, "cum", c->row[i].cum);
		putc('}', out);
	}
	fputs("]}\n", out);
}

static void
put_tsv_change(FILE *out, struct change c)
{
	fprintf(out, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t", c.before,
		c.after, change_size(c));
}

void
text_diff_tsv(FILE *out, const struct report *r, const struct changes *c)
{
	fprintf(out,
		"flat_before\tflat_after\tflat_change\t"
		"cum_before\tcum_after\tcum_change\t"
		"total_before\ttotal_after\tunit\t%s",
		data_tsv_key_titles);
	for (size_t i = 0; i < c->n_row; i++) {
		if (!has_row(r, &c->row[i]))
			continue;
		put_tsv_change(out, c->row[i].flat);
		put_tsv_change(out, c->row[i].cum);
		fprintf(out, "%" PRId64 "\t%" PRId64 "\t", r->before, r->after);
		escape_put(out, ESCAPE_TSV, r->sample_unit,
			   strlen(r->sample_unit));
		putc('\t', out);
		data_tsv_key(out, c->frames, c->row[i].key);
	}
}
