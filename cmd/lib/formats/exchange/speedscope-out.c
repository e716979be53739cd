/* speedscope-out.c - writing; see speedscope.h. Reading: speedscope-in.c. */
#include "config.h"

#include "speedscope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/decimal.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "named.h"

/* A comma and the digits of a frame's number. */
struct number {
	char text[11];
	uint8_t n;
};

struct writer {
	FILE *out;
	const struct profile *p;
	const struct speedscope_style *style;
	struct named *names;
	uint32_t *frame;
	size_t cap_frame;
	uint32_t *split; /* of each sample: the label's value as a string of
			  * names, or 0 */
	size_t *order;   /* samples */
	size_t n_profile;
	struct number *number; /* of each frame */
	struct buf line;
};

/* Units that speedscope formats; all others are counts to it. */
static const char *
unit(const char *u)
{
	static const char *const known[] = { "nanoseconds", "microseconds",
					     "milliseconds", "seconds",
					     "bytes" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(u, known[i]))
			return known[i];
	return "none";
}

static void
put_frames(struct writer *w)
{
	const struct named *n = w->names;

	fputs("{\"$schema\":\"https://www.speedscope.app/"
	      "file-format-schema.json\",\n\"shared\":{\"frames\":[",
	      w->out);
	for (size_t i = 0; i < n->n_frame; i++) {
		const struct named_frame *f = &n->frame[i];
		int64_t line = f->line ? f->line : f->start_line;

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", w->out);
		json_put_str(w->out, named_str(n, f->name));
		if (f->file) {
			fputs(",\"file\":", w->out);
			json_put_str(w->out, named_str(n, f->file));
		}
		if (line > 0)
			fprintf(w->out, ",\"line\":%" PRId64, line);
		putc('}', w->out);
	}
	fputs("\n]},\n\"profiles\":[", w->out);
}

static bool
is_in(const struct writer *w, size_t i, size_t column, uint32_t split)
{
	return profile_value(w->p, i)[column] &&
	       (!w->split || w->split[i] == split);
}

static void
put_number(FILE *out, uint64_t v, bool comma)
{
	char text[DECIMAL_MAX], *end = text + sizeof(text);
	char *p = decimal(end, v);

	if (comma)
		putc_unlocked(',', out);
	fwrite_unlocked(p, 1, (size_t)(end - p), out);
}

/* Frames are written many times: their numbers are made once. */
static bool
make_numbers(struct writer *w)
{
	size_t n = w->names->n_frame;

	w->number = malloc((n + 1) * sizeof(*w->number));
	for (size_t i = 0; w->number && i < n; i++) {
		struct number *to = &w->number[i];
		char text[24], *end = text + sizeof(text);
		char *p = decimal(end, i);

		*--p = ',';
		to->n = (uint8_t)(end - p);
		memcpy(to->text, p, to->n);
	}
	return w->number;
}

/* "[1,2,3]" of the n frames in w->frame. */
static bool
put_stack(struct writer *w, size_t n)
{
	char *p;

	w->line.n = 0;
	if (buf_reserve(&w->line, (n + 1) * sizeof(w->number->text) + 4) < 0)
		return false;
	p = (char *)w->line.data;
	for (size_t f = 0; f < n; f++) {
		const struct number *from = &w->number[w->frame[f]];

		/* All of it: a copy of a fixed size is a few instructions. */
		memcpy(p, from->text, sizeof(from->text));
		p += from->n;
	}
	if (!n)
		*p++ = '[';
	w->line.data[0] = '['; /* in place of the first comma */
	*p++ = ']';
	fwrite_unlocked(w->line.data, 1, (size_t)(p - (char *)w->line.data),
			w->out);
	return true;
}

static enum prof_status
put_samples(struct writer *w, size_t column, uint32_t split,
	    struct prof_err *err)
{
	bool comma = false;

	for (size_t k = 0; k < w->p->n_sample; k++) {
		size_t i = w->order[k], n;

		if (!is_in(w, i, column, split))
			continue;
		n = named_stack(w->names, i, &w->frame, &w->cap_frame);
		fputs(comma ? ",\n" : "\n", w->out);
		if (n == SIZE_MAX || !put_stack(w, n))
			return prof_nomem(err);
		comma = true;
	}
	return PROF_OK;
}

static int
by_value(const void *a, const void *b, void *ctx)
{
	const struct writer *w = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int64_t v = profile_value(w->p, x)[w->style->column];
	int64_t u = profile_value(w->p, y)[w->style->column];

	return v != u ? (v < u) - (v > u) : (x > y) - (x < y);
}

static void
put_name(struct writer *w, size_t column, uint32_t split)
{
	const struct str *type = &w->p->strings.str[w->p->type[column].type];
	const struct str *value = named_str(w->names, split);

	putc('"', w->out);
	escape_put(w->out, ESCAPE_JSON, value->s, value->len);
	fputs(value->len ? " / " : "", w->out);
	escape_put(w->out, ESCAPE_JSON, type->s, type->len);
	putc('"', w->out);
}

static enum prof_status
put_profile(struct writer *w, size_t column, uint32_t split,
	    struct prof_err *err)
{
	enum prof_status st;
	int64_t sum = 0;
	bool comma = false;

	fputs(w->n_profile++ ? ",\n{\"type\":\"sampled\",\"name\":"
			     : "\n{\"type\":\"sampled\",\"name\":",
	      w->out);
	put_name(w, column, split);
	fprintf(w->out, ",\"unit\":\"%s\",\"startValue\":0,\n\"samples\":[",
		unit(profile_str(w->p, w->p->type[column].unit)));
	st = put_samples(w, column, split, err);
	if (st != PROF_OK)
		return st;
	fputs("\n],\n\"weights\":[", w->out);
	for (size_t k = 0; k < w->p->n_sample; k++) {
		size_t i = w->order[k];

		if (!is_in(w, i, column, split))
			continue;
		put_number(w->out, (uint64_t)profile_value(w->p, i)[column],
			   comma);
		sum = units_add(sum, profile_value(w->p, i)[column]);
		comma = true;
	}
	fprintf(w->out, "],\n\"endValue\":%" PRId64 "}", sum);
	return PROF_OK;
}

/* The text of a label, among the names of frames; STRTAB_NONE without memory.
 */
static uint32_t
label_text(struct writer *w, const struct label *l)
{
	const struct str *str = &w->p->strings.str[l->str];
	char num[32];

	if (l->str)
		return strtab_add(&w->names->strings, str->s, str->len);
	snprintf(num, sizeof(num), "%" PRId64, l->num);
	return strtab_addz(&w->names->strings, num);
}

/* The value of the label that profiles are split by. */
static bool
split_samples(struct writer *w)
{
	const struct profile *p = w->p;
	const char *by = w->style->split_by;
	uint32_t key;

	if (!by)
		return true;
	key = strtab_find(&p->strings, by, strlen(by));
	w->split = calloc(p->n_sample + 1, sizeof(*w->split));
	for (size_t i = 0; w->split && i < p->n_sample; i++) {
		const struct label *l = profile_label(p, &p->sample[i]);

		for (uint32_t k = 0; k < p->sample[i].n_label; k++)
			if (l[k].key == key &&
			    (w->split[i] = label_text(w, &l[k])) == STRTAB_NONE)
				return false;
	}
	return w->split;
}

static bool
order_samples(struct writer *w)
{
	const struct profile *p = w->p;

	w->order = malloc((p->n_sample + 1) * sizeof(*w->order));
	for (size_t i = 0; w->order && i < p->n_sample; i++)
		w->order[i] = i;
	if (w->order && w->style->by_value && p->n_sample)
		qsort_r(w->order, p->n_sample, sizeof(*w->order), by_value, w);
	return w->order;
}

/* The profiles of a column: one, or one a value, in order of appearance. */
static enum prof_status
put_column(struct writer *w, size_t column, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	bool *done;

	if (!w->split)
		return put_profile(w, column, 0, err);
	done = calloc(w->names->strings.n_str, sizeof(*done));
	if (!done)
		return prof_nomem(err);
	for (size_t i = 0; st == PROF_OK && i < w->p->n_sample; i++)
		if (!done[w->split[i]]) {
			done[w->split[i]] = true;
			st = put_profile(w, column, w->split[i], err);
		}
	free(done);
	return st;
}

static enum prof_status
put_all(struct writer *w, struct prof_err *err)
{
	enum prof_status st = PROF_OK;
	size_t active = 0;

	put_frames(w);
	for (size_t c = 0; st == PROF_OK && c < w->p->n_type; c++) {
		if (c == w->style->column)
			active = w->n_profile;
		st = put_column(w, c, err);
	}
	fprintf(w->out,
		"\n],\n\"activeProfileIndex\":%zu,"
		"\"exporter\":\"profpipe@%s\"}\n",
		active, w->style->version);
	return st;
}

enum prof_status
speedscope_write(FILE *out, const struct profile *p,
		 const struct speedscope_style *style, struct prof_err *err)
{
	struct writer w = { .out = out, .p = p, .style = style };
	enum prof_status st = PROF_OK;

	for (size_t c = 0; st == PROF_OK && c < p->n_type; c++)
		st = named_refuse_negative(p, c, "speedscope", err);
	if (st == PROF_OK)
		st = named_new(p, style->lines ? NAMED_LINES : 0, &w.names,
			       err);
	if (st == PROF_OK)
		st = split_samples(&w) && order_samples(&w) && make_numbers(&w)
			     ? put_all(&w, err)
			     : prof_nomem(err);
	named_free(w.names);
	free(w.frame);
	free(w.split);
	free(w.order);
	free(w.number);
	buf_release(&w.line);
	return st;
}
