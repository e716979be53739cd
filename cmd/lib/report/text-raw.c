/* text-raw.c - the profile itself: raw, comments, list of types. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/decimal.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "report.h"
#include "text-print.h"
#include "text.h"

static void
string_put(FILE *out, const struct profile *p, uint32_t s)
{
	text_put_str(out, &p->strings.str[s]);
}

/* --- header --- */

/* "2023-11-14 22:13:20.5 +0000 UTC" */
static void
put_time(FILE *out, int64_t time_ns)
{
	int64_t ns = time_ns % 1000000000;
	time_t t = (time_t)(time_ns / 1000000000) - (ns < 0);
	char date[40], zone[40], part[16] = "";
	struct tm tm;
	size_t len;

	ns += ns < 0 ? 1000000000 : 0;
	if (!localtime_r(&t, &tm))
		return;
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z %Z", &tm);
	if (ns) {
		snprintf(part, sizeof(part), ".%09" PRId64, ns);
		for (len = strlen(part); part[len - 1] == '0';)
			part[--len] = '\0';
	}
	fprintf(out, "Time: %s%s %s\n", date, part, zone);
}

/* v / unit with up to `digits` decimals, without zeros at the end. */
static void
format_part(char *text, size_t size, uint64_t v, uint64_t unit, int digits)
{
	int n = snprintf(text, size, "%" PRIu64 ".%0*" PRIu64, v / unit, digits,
			 v % unit);

	while (text[n - 1] == '0')
		text[--n] = '\0';
	if (text[n - 1] == '.')
		text[--n] = '\0';
}

/* A duration as Go writes it, "1m30.5s", of which pprof shows 4 characters. */
static void
put_duration(FILE *out, int64_t duration)
{
	const uint64_t second = 1000000000;
	uint64_t ns = duration < 0 ? -(uint64_t)duration : (uint64_t)duration;
	char text[80], part[48];
	size_t len = 0;
	int n = 0;

	if (duration < 0)
		text[n++] = '-';
	if (ns < 1000) {
		snprintf(text + n, sizeof(text) - (size_t)n, "%" PRIu64 "ns",
			 ns);
	} else if (ns < second) {
		bool is_us = ns < 1000000;

		format_part(part, sizeof(part), ns, is_us ? 1000 : 1000000,
			    is_us ? 3 : 6);
		snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", part,
			 is_us ? "µs" : "ms");
	} else {
		uint64_t minutes = ns / second / 60;

		format_part(part, sizeof(part), ns % (60 * second), second, 9);
		if (minutes >= 60)
			n += snprintf(text + n, sizeof(text) - (size_t)n,
				      "%" PRIu64 "h", minutes / 60);
		if (minutes)
			n += snprintf(text + n, sizeof(text) - (size_t)n,
				      "%" PRIu64 "m", minutes % 60);
		snprintf(text + n, sizeof(text) - (size_t)n, "%ss", part);
	}
	for (n = 0; n < 4 && text[len]; n++)
		do
			len++;
		while ((text[len] & 0xc0) == 0x80);
	fprintf(out, "Duration: %.*s\n", (int)len, text);
}

static void
put_types(FILE *out, const struct profile *p)
{
	for (size_t i = 0; i < p->n_type; i++) {
		if (i)
			putc(' ', out);
		string_put(out, p, p->type[i].type);
		putc('/', out);
		string_put(out, p, p->type[i].unit);
		if (p->default_type && p->type[i].type == p->default_type)
			fputs("[dflt]", out);
	}
	putc('\n', out);
}

static void
put_header(FILE *out, const struct profile *p)
{
	for (size_t i = 0; i < p->n_comment; i++) {
		fputs("Comment: ", out);
		string_put(out, p, p->comment[i]);
		putc('\n', out);
	}
	if (p->doc_url) {
		fputs("Doc: ", out);
		string_put(out, p, p->doc_url);
		putc('\n', out);
	}
	fputs("PeriodType: ", out);
	string_put(out, p, p->period_type.type);
	putc(' ', out);
	string_put(out, p, p->period_type.unit);
	putc('\n', out);
	fprintf(out, "Period: %" PRId64 "\n", p->period);
	if (p->time_ns)
		put_time(out, p->time_ns);
	if (p->duration_ns)
		put_duration(out, p->duration_ns);
	fputs("Samples:\n", out);
	put_types(out, p);
}

/* --- samples --- */

/* Print the values of one key, from label k on: "key:[a b]". Returns the next
 * k. */
static uint32_t
put_label(FILE *out, const struct profile *p, const struct label *l, uint32_t k,
	  uint32_t n)
{
	bool is_string = l[k].str != 0, has_unit = false;
	uint32_t end = k;

	while (end < n && l[end].key == l[k].key &&
	       (l[end].str != 0) == is_string)
		has_unit |= l[end++].unit != 0;
	string_put(out, p, l[k].key);
	putc(':', out);
	for (uint32_t i = k; i < end; i++) {
		putc(i == k ? '[' : ' ', out);
		if (is_string)
			string_put(out, p, l[i].str);
		else
			fprintf(out, "%" PRId64, l[i].num);
		if (has_unit) {
			putc(' ', out);
			string_put(out, p, l[i].unit);
		}
	}
	putc(']', out);
	return end;
}

static void
put_labels(FILE *out, const struct profile *p, const struct sample *s)
{
	const struct label *l = profile_label(p, s);
	uint32_t k = 0;

	while (k < s->n_label) {
		bool is_string = l[k].str != 0, is_first = true;

		fprintf(out, "%16s", "");
		while (k < s->n_label && (l[k].str != 0) == is_string) {
			if (!is_first)
				putc(' ', out);
			is_first = false;
			k = put_label(out, p, l, k, s->n_label);
		}
		putc('\n', out);
	}
}

/* A buffer of numbers for stdio, where a call costs more than a number. */
struct numbers {
	FILE *out;
	size_t n;
	char text[1024];
};

static void
put_numbers(struct numbers *to)
{
	fwrite_unlocked(to->text, 1, to->n, to->out);
	to->n = 0;
}

static void
add_number(struct numbers *to, const char *text, size_t n)
{
	if (n > sizeof(to->text) - to->n)
		put_numbers(to);
	memcpy(to->text + to->n, text, n);
	to->n += n;
}

/* " %10d" */
static void
add_value(struct numbers *to, int64_t v)
{
	char text[24], *end = text + sizeof(text);
	char *at = decimal(end, v < 0 ? -(uint64_t)v : (uint64_t)v);

	if (v < 0)
		*--at = '-';
	while (end - at < 10)
		*--at = ' ';
	*--at = ' ';
	add_number(to, at, (size_t)(end - at));
}

static void
add_id(struct numbers *to, uint64_t id)
{
	char text[24], *end = text + sizeof(text), *at;

	*--end = ' ';
	at = decimal(end, id);
	add_number(to, at, (size_t)(end + 1 - at));
}

static void
put_sample(FILE *out, const struct profile *p, size_t i)
{
	const struct sample *s = &p->sample[i];
	const uint32_t *stack = profile_stack(p, s);
	struct numbers to;

	to.out = out;
	to.n = 0;
	for (size_t k = 0; k < p->n_type; k++)
		add_value(&to, profile_value(p, i)[k]);
	add_number(&to, ": ", 2);
	for (uint32_t k = 0; k < s->n_stack; k++)
		add_id(&to, p->location[stack[k]].id);
	add_number(&to, "\n", 1);
	put_numbers(&to);
	put_labels(out, p, s);
}

/* --- locations and mappings --- */

static void
put_location(FILE *out, const struct profile *p, const struct location *l)
{
	const struct line *line = profile_line(p, l);

	fprintf(out, "%6" PRIu64 ": 0x%" PRIx64 " ", l->id, l->address);
	if (l->mapping != PROF_NONE)
		fprintf(out, "M=%" PRIu64 " ", p->mapping[l->mapping].id);
	else if (!p->n_mapping)
		fputs("M=1 ", out); /* see put_mappings() */
	if (l->is_folded)
		fputs("[F] ", out);
	for (uint32_t i = 0; i < l->n_line; i++) {
		const struct function *f = &p->function[line[i].function];

		if (i)
			fprintf(out, "\n%13s", "");
		string_put(out, p, f->name);
		putc(' ', out);
		string_put(out, p, f->file);
		fprintf(out, ":%" PRId64 ":%" PRId64 " s=%" PRId64,
			line[i].line, line[i].column, f->start_line);
		if (f->name != f->system_name) {
			putc('(', out);
			string_put(out, p, f->system_name);
			putc(')', out);
		}
	}
	putc('\n', out);
}

static void
put_mappings(FILE *out, const struct profile *p)
{
	static const char *const bit[] = { "[FN]", "[FL]", "[LN]", "[IN]" };

	/* pprof adds a mapping of zeros to a profile without mappings. */
	if (!p->n_mapping)
		fputs("1: 0x0/0x0/0x0   \n", out);
	for (size_t i = 0; i < p->n_mapping; i++) {
		const struct mapping *m = &p->mapping[i];

		fprintf(out,
			"%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64
			" ",
			m->id, m->start, m->limit, m->offset);
		string_put(out, p, m->file);
		putc(' ', out);
		string_put(out, p, m->build_id);
		putc(' ', out);
		for (int k = 0; k < 4; k++)
			if (m->has >> k & 1)
				fputs(bit[k], out);
		putc('\n', out);
	}
}

void
text_raw(FILE *out, const struct profile *p)
{
	put_header(out, p);
	for (size_t i = 0; i < p->n_sample; i++)
		put_sample(out, p, i);
	fputs("Locations\n", out);
	for (size_t i = 0; i < p->n_location; i++)
		put_location(out, p, &p->location[i]);
	fputs("Mappings\n", out);
	put_mappings(out, p);
}

/* --- small ones --- */

void
text_comments(FILE *out, const struct profile *p)
{
	for (size_t i = 0; i < p->n_comment; i++) {
		const struct str *s = &p->strings.str[p->comment[i]];

		text_put_str(out, s);
		putc('\n', out);
	}
}

enum prof_status
text_types(FILE *out, struct profile *p, const struct report_options *o,
	   struct prof_err *err)
{
	struct report_options one = *o;
	enum prof_status st = PROF_OK;
	struct quantity q;
	struct report r;
	size_t dflt = 0;
	char index[24];

	if (p->n_type) {
		st = profile_sample_index(p, o->sample_index, &dflt, err);
		if (st != PROF_OK)
			return st;
	}
	for (size_t i = 0; i < p->n_type; i++) {
		snprintf(index, sizeof(index), "%zu", i);
		one.sample_index = index;
		st = report_init(&r, p, &one, err);
		if (st != PROF_OK)
			return st;
		report_format(&r, &q, r.total);
		fprintf(out, "%c %2zu  ", i == dflt ? '*' : ' ', i);
		text_put_quantity(out, 10, &q);
		fputs("  ", out);
		string_put(out, p, p->type[i].type);
		putc('/', out);
		string_put(out, p, p->type[i].unit);
		putc('\n', out);
	}
	return PROF_OK;
}
