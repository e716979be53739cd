/* speedscope-in.c - reading, with jansson; see json-in.h. */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json-text.h"
#include "lib/base/array.h"
#include "lib/formats/exchange/byname.h"

#define MAX_COLUMNS 64
#define MAX_DEPTH 65536

struct column {
	char type[128], unit[32];
};

struct reader {
	struct byname b;
	const struct speedscope_options *o;
	struct prof_err *err;
	uint32_t *location; /* of each frame */
	size_t n_location;
	struct column column[MAX_COLUMNS];
	size_t n_column;
	bool is_ours;   /* names of profiles are columns */
	bool has_label; /* names of profiles are a label */
	uint32_t key;   /* of the label */
	int64_t value[MAX_COLUMNS];
	uint32_t *open; /* frames of an evented profile, root first */
	size_t n_open, cap_open;
};

static enum prof_status
bad(struct reader *r, size_t i, const char *what)
{
	return prof_fail(r->err, PROF_EFORMAT, "speedscope: profile %zu: %s", i,
			 what);
}

static const char *
text_of(const json_t *o, const char *key, const char *otherwise)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : otherwise;
}

static enum prof_status
read_frames(struct reader *r, const json_t *frames)
{
	struct byname *b = &r->b;

	r->n_location = json_array_size(frames);
	r->location = calloc(r->n_location + 1, sizeof(*r->location));
	if (!r->location)
		return prof_nomem(r->err);
	for (size_t i = 0; i < r->n_location; i++) {
		const json_t *f = json_array_get(frames, i);
		const json_t *name = json_object_get(f, "name");
		const json_t *file = json_object_get(f, "file");
		struct line line = {
			.line = json_text_int(json_object_get(f, "line")),
			.column = json_text_int(json_object_get(f, "col")),
		};
		uint32_t n = json_text_string(b, name);
		uint32_t path = json_text_string(b, file);

		if (n == STRTAB_NONE || path == STRTAB_NONE)
			return prof_nomem(r->err);
		line.function = byname_function(b, n, path, line.line);
		if (line.function == PROF_NONE)
			return prof_nomem(r->err);
		r->location[i] = byname_location(b, PROF_NONE, 0, &line, 1);
		if (r->location[i] == PROF_NONE)
			return prof_nomem(r->err);
	}
	return PROF_OK;
}

/* The nanoseconds of a unit, 0 if it is not one of time. */
static double
nanoseconds(const char *unit)
{
	return !strcmp(unit, "nanoseconds")    ? 1
	       : !strcmp(unit, "microseconds") ? 1e3
	       : !strcmp(unit, "milliseconds") ? 1e6
	       : !strcmp(unit, "seconds")      ? 1e9
					       : 0;
}

/* The column of a profile, made if it is new; n_column if there are too many.
 * *label: what its name says beside that. */
static size_t
column_of(struct reader *r, const json_t *p, const char **label, size_t *n)
{
	const char *unit = text_of(p, "unit", "none");
	const char *name = text_of(p, "name", ""), *type = name, *cut = NULL;
	struct column c = { "", "" };
	size_t i;

	*label = name;
	*n = r->has_label ? strlen(name) : 0;
	for (const char *s = name; r->is_ours && (s = strstr(s, " / ")); s += 3)
		cut = s;
	if (cut) {
		type = cut + 3;
		*n = (size_t)(cut - name);
	}
	snprintf(c.unit, sizeof(c.unit), "%s",
		 nanoseconds(unit) != 0      ? "nanoseconds"
		 : strcmp(unit, "none") != 0 ? unit
					     : "count");
	snprintf(c.type, sizeof(c.type), "%s",
		 r->is_ours               ? type
		 : nanoseconds(unit) != 0 ? "time"
		 : !strcmp(unit, "none")  ? "samples"
					  : unit);
	for (i = 0; i < r->n_column; i++)
		if (!strcmp(r->column[i].type, c.type) &&
		    !strcmp(r->column[i].unit, c.unit))
			return i;
	if (r->n_column == MAX_COLUMNS)
		return MAX_COLUMNS;
	r->column[r->n_column] = c;
	return r->n_column++;
}

static enum prof_status
real_of(struct reader *r, size_t i, const json_t *v, double *out)
{
	*out = json_number_value(v);
	return json_is_number(v)
		       ? PROF_OK
		       : bad(r, i, "a weight or a time that is not a number");
}

static enum prof_status
number(struct reader *r, size_t i, const json_t *p, double v, int64_t *out)
{
	double scale = nanoseconds(text_of(p, "unit", "none"));
	bool is_time = scale != 0;

	if (!is_time)
		scale = r->o->scale != 0 ? r->o->scale : 1;
	v *= scale;
	if (!(v >= 0 && v < 9.2e18))
		return bad(r, i, "a weight that is negative or beyond 64 bits");
	*out = (int64_t)llround(v);
	/* Times are rounded to nanoseconds; a count has to be whole. */
	if (!is_time && r->o->scale == 0 && v != (double)*out)
		return bad(r, i,
			   "a weight that is not a whole number; --scale "
			   "multiplies it");
	return PROF_OK;
}

static enum prof_status
value_add(struct reader *r, size_t column, int64_t v, const char *name,
	  size_t n)
{
	struct label l = { .key = r->key };

	if (n) {
		l.str = byname_string(&r->b, name, n);
		if (l.str == STRTAB_NONE)
			return prof_nomem(r->err);
	}
	memset(r->value, 0, sizeof(r->value));
	r->value[column] = v;
	return byname_sample(&r->b, r->value, &l, l.str != 0) < 0
		       ? prof_nomem(r->err)
		       : PROF_OK;
}

/* Set *frame, an index of location. */
static enum prof_status
frame_of(struct reader *r, size_t i, const json_t *v, size_t *frame)
{
	int64_t n = json_text_int(v);

	if (!json_is_number(v))
		return bad(r, i, "a frame that is not a number");
	if (n < 0 || (size_t)n >= r->n_location)
		return bad(r, i, "a frame that does not exist");
	*frame = (size_t)n;
	return PROF_OK;
}

static enum prof_status
sampled(struct reader *r, size_t i, const json_t *p, size_t column,
	const char *label, size_t n)
{
	const json_t *samples = json_object_get(p, "samples");
	const json_t *weights = json_object_get(p, "weights");
	enum prof_status st = PROF_OK;
	size_t frame;
	double weight;
	int64_t v;

	if (json_array_size(samples) != json_array_size(weights))
		return bad(r, i, "not as many weights as samples");
	for (size_t k = 0; st == PROF_OK && k < json_array_size(samples); k++) {
		const json_t *stack = json_array_get(samples, k);

		st = real_of(r, i, json_array_get(weights, k), &weight);
		if (st == PROF_OK)
			st = number(r, i, p, weight, &v);
		r->b.n_stack = 0;
		for (size_t f = json_array_size(stack); st == PROF_OK && f--;) {
			st = frame_of(r, i, json_array_get(stack, f), &frame);
			if (st == PROF_OK &&
			    byname_push(&r->b, r->location[frame]) < 0)
				st = prof_nomem(r->err);
		}
		if (st == PROF_OK)
			st = value_add(r, column, v, label, n);
	}
	return st;
}

/* What went by since the event before, on the frames that are open. */
static enum prof_status
elapse(struct reader *r, size_t i, const json_t *p, double d, size_t column,
       const char *label, size_t n)
{
	enum prof_status st;
	int64_t v;

	if (d == 0 || !r->n_open)
		return PROF_OK;
	st = number(r, i, p, d, &v);
	r->b.n_stack = 0;
	for (size_t f = r->n_open; st == PROF_OK && f--;)
		if (byname_push(&r->b, r->location[r->open[f]]) < 0)
			return prof_nomem(r->err);
	return st == PROF_OK ? value_add(r, column, v, label, n) : st;
}

static enum prof_status
evented(struct reader *r, size_t i, const json_t *p, size_t column,
	const char *label, size_t n)
{
	const json_t *events = json_object_get(p, "events");
	double last = json_number_value(json_object_get(p, "startValue"));
	enum prof_status st = PROF_OK;

	r->n_open = 0;
	for (size_t k = 0; st == PROF_OK && k < json_array_size(events); k++) {
		const json_t *e = json_array_get(events, k);
		size_t frame;
		double at;

		st = real_of(r, i, json_object_get(e, "at"), &at);
		if (st == PROF_OK && at < last)
			st = bad(r, i, "events that go back in time");
		if (st == PROF_OK)
			st = frame_of(r, i, json_object_get(e, "frame"),
				      &frame);
		if (st == PROF_OK)
			st = elapse(r, i, p, at - last, column, label, n);
		if (st != PROF_OK)
			return st;
		last = at;
		if (!strcmp(text_of(e, "type", ""), "O")) {
			if (r->n_open == MAX_DEPTH)
				return bad(r, i, "stacks that are too deep");
			if (array_reserve(&r->open, &r->cap_open, r->n_open + 1,
					  sizeof(*r->open)) < 0)
				return prof_nomem(r->err);
			r->open[r->n_open++] = (uint32_t)frame;
		} else if (!r->n_open ||
			   r->open[--r->n_open] != (uint32_t)frame) {
			return bad(r, i,
				   "a frame is closed that is not the "
				   "innermost");
		}
	}
	if (st == PROF_OK && r->n_open)
		return bad(r, i, "a frame is not closed");
	return st;
}

static enum prof_status
read_profile(struct reader *r, size_t i, const json_t *p)
{
	const char *type = text_of(p, "type", ""), *label;
	size_t n, column = column_of(r, p, &label, &n);

	if (column == MAX_COLUMNS)
		return prof_fail(r->err, PROF_ELIMIT,
				 "speedscope: more than %d columns",
				 MAX_COLUMNS);
	if (!strcmp(type, "sampled"))
		return sampled(r, i, p, column, label, n);
	if (!strcmp(type, "evented"))
		return evented(r, i, p, column, label, n);
	return bad(r, i, "neither sampled nor evented");
}

/* Are names of profiles columns? They are if all units differ. */
static void
look_at_names(struct reader *r, const json_t *root, const json_t *profiles)
{
	const char *exporter =
		json_string_value(json_object_get(root, "exporter"));
	size_t n = json_array_size(profiles);

	r->is_ours = exporter && !strncmp(exporter, "profpipe@", 9);
	for (size_t i = 0; !r->is_ours && i < n && i < MAX_COLUMNS; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(text_of(json_array_get(profiles, i), "unit",
					    ""),
				    text_of(json_array_get(profiles, k), "unit",
					    "")))
				r->has_label = true;
}

static enum prof_status
read_all(void *ctx, const json_t *root)
{
	struct reader *r = ctx;
	const json_t *profiles = json_object_get(root, "profiles");
	enum prof_status st;
	const char *label;
	size_t n;

	if (!json_is_array(profiles))
		return prof_fail(r->err, PROF_EFORMAT,
				 "speedscope: no profiles");
	look_at_names(r, root, profiles);
	r->key = profile_intern(r->b.p, "profile");
	st = read_frames(
		r, json_object_get(json_object_get(root, "shared"), "frames"));
	/* All columns have to be known before the first sample. */
	for (size_t i = 0; i < json_array_size(profiles); i++)
		column_of(r, json_array_get(profiles, i), &label, &n);
	for (size_t i = 0; st == PROF_OK && i < r->n_column; i++)
		if (profile_add_type(r->b.p, r->column[i].type,
				     r->column[i].unit) == PROF_NONE)
			st = prof_nomem(r->err);
	for (size_t i = 0; st == PROF_OK && i < json_array_size(profiles); i++)
		st = read_profile(r, i, json_array_get(profiles, i));
	return st;
}

enum prof_status
speedscope_parse(const void *data, size_t n, const struct speedscope_options *o,
		 struct profile **out, struct prof_err *err)
{
	struct reader r = { .o = o, .err = err };
	enum prof_status st =
		json_text_profile(data, n, &r.b, read_all, &r, out, err);

	free(r.location);
	free(r.open);
	return st;
}
#endif
