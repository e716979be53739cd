/* head.c - the part of the data that is JSON: what the profile says of itself.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/escape.h"
#include "lib/model/labels.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"
#include "lib/report/report.h"
#include "pack.h"
#include "page.h"

/* "name":"text", with a comma before it unless it is the first. */
static void
put_bytes(FILE *f, const char *s, size_t n)
{
	putc('"', f);
	escape_put(f, ESCAPE_JSON, s, n);
	putc('"', f);
}

static void
put_string(FILE *f, const char *name, const char *s)
{
	fprintf(f, "\"%s\":", name);
	put_bytes(f, s, strlen(s));
	fputs(",\n", f);
}

static void
put_index(FILE *f, const struct profile *p, uint32_t s)
{
	put_bytes(f, p->strings.str[s].s, p->strings.str[s].len);
}

/* The page knows columns by name: a later one of a name has its number, too. */
static void
put_type(FILE *f, const struct profile *p, size_t c)
{
	const struct str *name = &p->strings.str[p->type[c].type];
	size_t first = 0;

	while (p->type[first].type != p->type[c].type)
		first++;
	fputs("[\"", f);
	escape_put(f, ESCAPE_JSON, name->s, name->len);
	if (first < c)
		fprintf(f, ".%zu", c);
	fputs("\",", f);
	put_index(f, p, p->type[c].unit);
	putc(']', f);
}

static void
put_types(FILE *f, const struct report *r, const struct page_total *total,
	  const uint64_t *gcd)
{
	const struct profile *p = r->p;

	fputs("\"types\":[", f);
	for (size_t c = 0; c < p->n_type; c++) {
		fputs(c ? "," : "", f);
		put_type(f, p, c);
	}
	fprintf(f, "],\n\"def\":%zu,\n\"gcd\":[", r->column);
	for (size_t c = 0; c < p->n_type; c++)
		fprintf(f, "%s%" PRIu64, c ? "," : "", gcd[c]);
	fputs("],\n\"totals\":[", f);
	for (size_t c = 0; c < p->n_type; c++)
		fprintf(f, "%s[%" PRId64 ",%" PRId64 ",%" PRId64 "]",
			c ? "," : "", total[c].all, total[c].before,
			total[c].after);
	fputs("],\n", f);
}

static void
put_counts(FILE *f, const struct report *r, const struct pack *k)
{
	fprintf(f,
		"\"nodes\":%zu,\n\"frames\":%zu,\n\"functions\":%zu,\n"
		"\"objects\":%zu,\n\"packages\":%zu,\n\"strings\":%zu,\n"
		"\"samples\":%zu,\n\"labelsets\":%zu,\n\"two\":%s,\n",
		k->tree.n_node - 1, k->n_frame, k->n_function, k->n_object,
		k->n_package, k->strings.n_str, k->n_sample, k->n_labelset,
		profile_has_base(r->p) ? "true" : "false");
	fprintf(f, "\"allNodes\":%zu,\n\"cutAt\":%.10g,\n\"cutShare\":%.10g,\n",
		k->n_all_nodes, k->cut_at, k->cut_share);
}

static void
put_profile(FILE *f, const struct profile *p, const double *unnamed)
{
	fprintf(f, "\"time\":\"%" PRId64 "\",\n\"dur\":%" PRId64 ",\n",
		p->time_ns, p->duration_ns);
	fputs("\"period\":[", f);
	put_index(f, p, p->period_type.type);
	putc(',', f);
	put_index(f, p, p->period_type.unit);
	fprintf(f, ",%" PRId64 "],\n\"doc\":", p->period);
	put_index(f, p, p->doc_url);
	fputs(",\n\"comments\":[", f);
	for (size_t i = 0; i < p->n_comment; i++) {
		fputs(i ? "," : "", f);
		put_index(f, p, p->comment[i]);
	}
	fputs("],\n\"mappings\":[", f);
	for (size_t i = 0; i < p->n_mapping; i++) {
		const struct mapping *m = &p->mapping[i];

		fputs(i ? ",\n[" : "[", f);
		put_index(f, p, m->file);
		putc(',', f);
		put_index(f, p, m->build_id);
		fprintf(f, ",\"%" PRIx64 "\",\"%" PRIx64 "\",%.6g]", m->start,
			m->limit, unnamed ? unnamed[i] : 0);
	}
	fputs("],\n", f);
}

static const char *
granularity(const struct frames_options *o)
{
	static const char *const words[] = {
		[BY_FUNCTION] = "functions",
		[BY_FILE_FUNCTION] = "filefunctions",
		[BY_FILE] = "files",
		[BY_LINE] = "lines",
		[BY_ADDRESS] = "addresses",
	};

	return words[o->granularity];
}

static void
put_options(FILE *f, const struct report *r, const struct page_options *o,
	    const struct page_notes *notes)
{
	const struct report_options *ro = r->o;

	put_string(f, "view", o->view ? o->view : "flame");
	put_string(f, "granularity", granularity(&ro->frames));
	put_string(f, "unit", ro->unit ? ro->unit : "auto");
	fprintf(f,
		"\"divide\":%.17g,\n\"noinlines\":%s,\n\"columns\":%s,\n"
		"\"rel\":%s,\n",
		ro->divide_by > 0 ? ro->divide_by : 1,
		ro->frames.no_inlines ? "true" : "false",
		ro->frames.columns ? "true" : "false",
		o->is_relative ? "true" : "false");
	fputs("\"filters\":[", f);
	for (size_t i = 0; i < ro->n_filter; i++) {
		fputs(i ? "," : "", f);
		put_bytes(f, ro->filter[i], strlen(ro->filter[i]));
	}
	fputs("],\n\"notes\":[", f);
	for (size_t i = 0; i < notes->n; i++) {
		fputs(i ? "," : "", f);
		put_bytes(f, notes->note[i], strlen(notes->note[i]));
	}
	fputs("],\n", f);
}

/* One of the warnings, of a few words, with a comma before all but the first.
 */
__attribute__((format(printf, 3, 4))) static void
put_warning(FILE *f, bool *has_some, const char *format, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fputs(*has_some ? "," : "", f);
	put_bytes(f, text, strlen(text));
	*has_some = true;
}

/* With so many samples a share of 50 % is within 5 % of it in 19 of 20 runs. */
enum { FEW = 384 };

/*
 * What makes the numbers uncertain, as every view shows it; the sentences about
 * the same are among the notes.
 */
static void
put_warnings(FILE *f, const struct profile *p, const struct pack *k,
	     const struct page_total *total, const double *unnamed)
{
	double ticks, nameless = 0;
	struct sampling s;
	bool some = false;

	fputs("\"warnings\":[", f);
	if (sampling_sum(p, &s) && s.ticks) {
		ticks = (double)s.ticks;
		if ((double)s.truncated >= 0.01 * ticks)
			put_warning(f, &some,
				    "%.0f\xe2\x80\xaf%% of stacks truncated",
				    100 * (double)s.truncated / ticks);
		if ((double)s.unwind_failed >= 0.01 * ticks)
			put_warning(f, &some,
				    "%.0f\xe2\x80\xaf%% of stacks end early",
				    100 * (double)s.unwind_failed / ticks);
		if (sampling_loss(&s) >= 0.01)
			put_warning(f, &some,
				    "%.0f\xe2\x80\xaf%% of samples lost",
				    100 * sampling_loss(&s));
	}
	for (size_t i = 0; unnamed && i < p->n_mapping; i++)
		nameless += unnamed[i];
	if (nameless >= 0.05)
		put_warning(f, &some, "%.0f\xe2\x80\xaf%% without names",
			    100 * (nameless < 1 ? nameless : 1));
	if (sampling_sum(p, &s) && s.ticks && s.achieved_hz < s.asked_hz / 2)
		put_warning(f, &some, "sampled at %.0f Hz, asked %.0f",
			    s.achieved_hz, s.asked_hz);
	for (size_t c = 0; c < p->n_type && !profile_has_base(p); c++)
		if (!strcmp(profile_str(p, p->type[c].type), "samples") &&
		    !strcmp(profile_str(p, p->type[c].unit), "count") &&
		    total[c].all > 0 && total[c].all <= FEW)
			put_warning(f, &some,
				    "few samples: shares \xc2\xb1%.0f points",
				    98 / sqrt((double)total[c].all));
	if (k->cut_share >= 0.01)
		put_warning(f, &some, "%.0f\xe2\x80\xaf%% in [cut]",
			    100 * k->cut_share);
	fputs("],\n", f);
}

enum prof_status
page_head(const struct report *r, const struct pack *k,
	  const struct page_options *o, const struct page_total *total,
	  const uint64_t *gcd, const double *unnamed,
	  const struct page_notes *notes, struct buf *out, struct prof_err *err)
{
	FILE *f = buf_stream(out);

	if (!f)
		return prof_nomem(err);
	fputs("{\"v\":2,\n", f);
	/* The page shows the type apart. */
	fputs("\"title\":", f);
	put_bytes(f, o->title, o->n_program);
	fputs(",\n", f);
	put_types(f, r, total, gcd);
	put_counts(f, r, k);
	put_profile(f, r->p, unnamed);
	put_options(f, r, o, notes);
	put_warnings(f, r->p, k, total, unnamed);
	put_string(f, "version", PACKAGE_VERSION);
	fputs("\"end\":0}\n", f);
	return buf_stream_close(f) < 0 ? prof_nomem(err) : PROF_OK;
}
