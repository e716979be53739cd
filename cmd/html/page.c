/*
 * page.c - the HTML around the data; see page.h. The only texts of the profile
 * in the HTML are the title and the table for readers without scripts, both
 * escaped by the one escaping module. All others are in the data block, which
 * is base64 and so cannot contain its end tag.
 */
#include "config.h"

#include "page.h"

#include <string.h>

#include "html/page-data.h"
#include "lib/base/escape.h"
#include "lib/model/units.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "lib/wire/base64.h"

enum { TABLE_ROWS = 100, GZIP_LEVEL = 4 };

struct html {
	struct buf *out;
	bool failed;
};

static void
put_bytes(struct html *h, const void *s, size_t n)
{
	if (buf_add(h->out, s, n) < 0)
		h->failed = true;
}

static void
html_put(struct html *h, const char *s)
{
	put_bytes(h, s, strlen(s));
}

static void
put_escaped(struct html *h, const char *s, size_t n)
{
	if (escape_add(h->out, ESCAPE_XML, s, n) < 0)
		h->failed = true;
}

/* --- without scripts --- */

static void
put_value(struct html *h, const struct report *r, int64_t v)
{
	char percent[UNITS_PERCENT];
	struct quantity q;

	report_format(r, &q, v);
	units_percent(percent, v, r->total);
	html_put(h, "<td>");
	html_put(h, q.number);
	put_escaped(h, q.unit, strlen(q.unit));
	html_put(h, "<td>");
	html_put(h, percent + strspn(percent, " "));
}

static void
put_table(struct html *h, const struct report *r, const struct graph *top)
{
	html_put(h,
		 "<noscript><p>This page needs scripts to show its views. The "
		 "heaviest functions:</p>\n<table><tr><th>flat<th>flat%<th>cum"
		 "<th>cum%<th>function\n");
	for (size_t i = 0; i < top->n_node && i < TABLE_ROWS; i++) {
		const struct str *name = graph_name(top, &top->node[i]);

		html_put(h, "<tr>");
		put_value(h, r, graph_value(top->node[i].flat));
		put_value(h, r, graph_value(top->node[i].cum));
		html_put(h, "<td>");
		put_escaped(h, name->s, name->len);
		html_put(h, "\n");
	}
	html_put(h, "</table></noscript>\n");
}

static void
put_head(struct html *h, const struct page_options *o)
{
	html_put(h, "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"");
	html_put(h, o->theme);
	html_put(h, "\"><head><meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\""
		    "default-src 'none'; script-src 'sha256-");
	html_put(h, page_script_sha256);
	html_put(h, "' 'sha256-");
	html_put(h, page_theme_sha256);
	html_put(h, "'; style-src 'sha256-");
	html_put(h, page_style_sha256);
	html_put(
		h,
		"'; img-src data: blob:; base-uri 'none'; form-action 'none'\">"
		"\n<meta name=\"referrer\" content=\"no-referrer\">"
		"<meta name=\"viewport\" content=\"width=device-width,"
		"initial-scale=1\">\n<meta name=\"generator\" "
		"content=\"prof-html " PACKAGE_VERSION "\"><title>");
	put_escaped(h, o->title, strlen(o->title));
	html_put(h, "</title><link rel=\"icon\" href=\"data:,\">\n<style>");
	html_put(h, page_style);
	html_put(h, "</style><script>");
	html_put(h, page_theme);
	html_put(h, "</script>\n</head><body>\n");
}

enum prof_status
page_write(const struct report *r, const struct graph *top,
	   const struct page_options *o, const struct buf *data,
	   struct buf *out, struct prof_err *err)
{
	struct html h = { .out = out };
	enum prof_status st = PROF_OK;

	put_head(&h, o);
	html_put(&h, page_skeleton);
	put_table(&h, r, top);
	html_put(&h, "<script type=\"application/octet-stream\" id=\"data\" "
		     "data-z=\"");
	html_put(&h, o->is_plain ? "0\">" : "1\">");
	if (!o->is_plain)
		st = base64_add_gzip(out, data, GZIP_LEVEL, o->n_thread, err);
	else if (base64_add(out, data->data, data->n) < 0)
		h.failed = true;
	html_put(&h, "</script>\n<script>");
	html_put(&h, page_script);
	html_put(&h, "</script>\n</body></html>\n");
	if (st == PROF_OK && h.failed)
		return prof_nomem(err);
	return st;
}
