/* print.c - see print.h. */
#include "config.h"

#include "print.h"

#include <inttypes.h>
#include <string.h>

#include "changes.h"
#include "json.h"
#include "lib/base/escape.h"
#include "lib/model/units.h"
#include "plot.h"

#define BUILD_SHOWN 10 /* characters of a build-id */

/* --- the table --- */

/* Eight blocks, from the smallest share to the largest. */
static void
put_spark(const struct series *x, const struct series_fn *f, bool is_flat,
	  FILE *out)
{
	double low = 0, high = 0;

	for (size_t i = 0; i < x->n_bucket; i++) {
		double v = series_share(x, f, i, is_flat);

		if (!i || v < low)
			low = v;
		if (!i || v > high)
			high = v;
	}
	for (size_t i = 0; i < x->n_bucket; i++) {
		double v = series_share(x, f, i, is_flat);
		int level = high > low ? (int)((v - low) / (high - low) * 7.999)
				       : 0;

		fprintf(out, "\xe2\x96%c", 0x81 + level);
	}
}

/* A text in `width` columns at least. */
static void
put_padded(const char *s, size_t n, size_t width, FILE *out)
{
	escape_put(out, ESCAPE_TEXT, s, n);
	for (size_t w = escape_width(s, n); w < width; w++)
		putc(' ', out);
}

/* How wide the keys are. */
static size_t
key_width(const struct series *x, const struct question *q)
{
	size_t width =
		escape_width(series_by_name(q), strlen(series_by_name(q)));

	for (size_t i = 0; i < x->n_bucket; i++) {
		const struct str *key = names_str(&x->keys, x->bucket[i].key);
		size_t w = escape_width(key->s, key->len);

		if (w > width)
			width = w;
	}
	return width;
}

static void
put_build(const struct series *x, const struct bucket *b, FILE *out)
{
	const struct str *id = names_str(&x->words, b->build);
	size_t n = id->len < BUILD_SHOWN ? id->len : BUILD_SHOWN;
	char more[24] = "";

	if (b->n_build > 1)
		snprintf(more, sizeof(more), "+%" PRIu64, b->n_build - 1);
	put_padded(n ? id->s : "-", n ? n : 1, 0, out);
	put_padded(more, strlen(more),
		   BUILD_SHOWN + 3 - escape_width(n ? id->s : "-", n ? n : 1),
		   out);
}

static void
put_row(const struct series *x, const struct series_fn *f, size_t i,
	const struct history_settings *s, size_t width, FILE *out)
{
	const struct bucket *b = &x->bucket[i];
	const struct str *key = names_str(&x->keys, b->key);
	struct quantity q;
	char text[96];

	put_padded(key->s, key->len, width, out);
	fputs("  ", out);
	if (s->q.by != SERIES_BUILD)
		put_build(x, b, out);
	units_format(&q, s->is_flat ? f->flat[i] : f->cum[i], x->unit, "auto");
	snprintf(text, sizeof(text), "%s%s", q.number, q.unit);
	fprintf(out, " %5" PRIu64 " %9" PRIu64 " %11" PRId64 " %8.3f%% %12s\n",
		b->n_host, b->n, b->samples,
		100 * series_share(x, f, i, s->is_flat), text);
}

static void
put_table(const struct series *x, const struct history_settings *s,
	  const struct shifts *shifts, FILE *out)
{
	size_t width = key_width(x, &s->q);

	for (size_t k = 0; k < x->n_fn; k++) {
		const struct series_fn *f = &x->fn[k];
		const struct str *name = names_str(&x->functions, f->name);

		if (k)
			putc('\n', out);
		escape_put(out, ESCAPE_TEXT, name->s, name->len);
		fprintf(out, ", %s, ", s->is_flat ? "flat" : "cum");
		escape_put(out, ESCAPE_TEXT, x->type, strlen(x->type));
		putc('\n', out);
		put_padded(series_by_name(&s->q), strlen(series_by_name(&s->q)),
			   width, out);
		fputs("  ", out);
		if (s->q.by != SERIES_BUILD)
			put_padded("build", 5, BUILD_SHOWN + 3, out);
		fputs(" hosts  profiles     samples     share        value  ",
		      out);
		put_spark(x, f, s->is_flat, out);
		putc('\n', out);
		for (size_t i = 0; i < x->n_bucket; i++)
			put_row(x, f, i, s, width, out);
		if (shifts)
			changes_text(x, f, &shifts[k], out);
	}
}

/* --- a line for each function --- */

static void
put_lines(const struct series *x, const struct history_settings *s, FILE *out)
{
	const char *by = series_by_name(&s->q);
	size_t title = strlen("by ") + escape_width(by, strlen(by));

	fputs("by ", out);
	put_padded(by, strlen(by), title < x->n_bucket ? x->n_bucket - 3 : 0,
		   out);
	fputs("      first       last  function, ", out);
	fprintf(out, "%s, ", s->is_flat ? "flat" : "cum");
	escape_put(out, ESCAPE_TEXT, x->type, strlen(x->type));
	putc('\n', out);
	for (size_t k = 0; k < x->n_fn; k++) {
		const struct series_fn *f = &x->fn[k];
		const struct str *name = names_str(&x->functions, f->name);

		put_spark(x, f, s->is_flat, out);
		for (size_t w = x->n_bucket; w < title; w++)
			putc(' ', out);
		fprintf(out, "  %8.3f%%  %8.3f%%  ",
			100 * series_share(x, f, 0, s->is_flat),
			100 * series_share(x, f, x->n_bucket - 1, s->is_flat));
		escape_put(out, ESCAPE_TEXT, name->s, name->len);
		putc('\n', out);
	}
}

/* --- TSV --- */

static void
put_tsv(const struct series *x, const struct history_settings *s, FILE *out)
{
	fputs("function\t", out);
	escape_put(out, ESCAPE_TSV, series_by_name(&s->q),
		   strlen(series_by_name(&s->q)));
	fputs("\tfirst\tlast\tbuild\tbuilds\thosts\tprofiles\tsamples\tflat\t"
	      "cum\ttotal\n",
	      out);
	for (size_t k = 0; k < x->n_fn; k++) {
		const struct series_fn *f = &x->fn[k];
		const struct str *name = names_str(&x->functions, f->name);

		for (size_t i = 0; i < x->n_bucket; i++) {
			const struct bucket *b = &x->bucket[i];
			const struct str *key = names_str(&x->keys, b->key);
			const struct str *build =
				names_str(&x->words, b->build);
			char first[SERIES_TIME], last[SERIES_TIME];

			escape_put(out, ESCAPE_TSV, name->s, name->len);
			putc('\t', out);
			escape_put(out, ESCAPE_TSV, key->s, key->len);
			series_time(b->first_ns, false, first);
			series_time(b->last_ns, false, last);
			fprintf(out, "\t%s\t%s\t", first, last);
			escape_put(out, ESCAPE_TSV, build->s, build->len);
			fprintf(out,
				"\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
				"\t%" PRId64 "\t%" PRId64 "\t%" PRId64
				"\t%" PRId64 "\n",
				b->n_build, b->n_host, b->n, b->samples,
				f->flat[i], f->cum[i], b->total);
		}
	}
}

static void
put_tsv_changes(const struct series *x, const struct shifts *shifts, FILE *out)
{
	fputs(changes_tsv_titles, out);
	for (size_t k = 0; k < x->n_fn; k++)
		changes_tsv(x, &x->fn[k], &shifts[k], out);
}

void
print_series(const struct series *x, const struct history_settings *s,
	     const struct shifts *shifts, FILE *out)
{
	if (s->format == HISTORY_JSON)
		json_series(x, s, shifts, out);
	else if (s->format == HISTORY_SVG)
		plot_series(x, s, shifts, out);
	else if (s->format == HISTORY_SPARK)
		put_lines(x, s, out);
	else if (s->format != HISTORY_TSV)
		put_table(x, s, shifts, out);
	else if (shifts)
		put_tsv_changes(x, shifts, out);
	else
		put_tsv(x, s, out);
}
