/*
 * otlp-in.c - reading; see otlp.h. The dictionary comes after the samples that
 * refer to it, so the message is walked first for the places of both.
 */
#include "config.h"

#include "otlp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/wire/wire.h"
#include "otlp-impl.h"

/* --- the places of everything --- */

/* Field 1 of profile.proto has numbers only; here it has messages. */
static bool
is_resources(const uint8_t *p, const uint8_t *end)
{
	struct wire_field f;

	while (p < end) {
		p = wire_next(p, end, &f);
		if (!p || f.number > 3 || f.type != WIRE_BYTES)
			return false;
	}
	return true;
}

/* Field 2 of profile.proto is a sample, which has no strings. */
static bool
is_dictionary(const uint8_t *p, const uint8_t *end)
{
	struct wire_field f;
	bool has_strings = false;

	while (p < end) {
		p = wire_next(p, end, &f);
		if (!p || f.number >= N_TABLE || f.type != WIRE_BYTES)
			return false;
		has_strings |= f.number == TABLE_STRING;
	}
	return has_strings;
}

static bool
is_message(const uint8_t *p, size_t n)
{
	struct wire_field f;

	if (!n || !wire_next(p, p + n, &f) || f.type != WIRE_BYTES || !f.value)
		return false;
	return f.number == DATA_RESOURCES
		       ? is_resources(f.data, f.data + f.value)
		       : f.number == DATA_DICTIONARY &&
				 is_dictionary(f.data, f.data + f.value);
}

/* The length before a message, cut to what is there; 0: there is none. */
static size_t
frame_length(const uint8_t *p, size_t n)
{
	size_t length;

	if (n <= 4)
		return 0;
	length = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 |
		 p[3];
	return length < n - 4 ? length : n - 4;
}

bool
otlp_is(const void *data, size_t n)
{
	const uint8_t *p = data;

	return is_message(p, n) ||
	       (n > 4 && is_message(p + 4, frame_length(p, n)));
}

bool
otlp_next(const void *data, size_t n, size_t *at, const void **message,
	  size_t *n_message)
{
	const uint8_t *p = (const uint8_t *)data + *at;
	/* One without a length is all there is. */
	bool is_framed = *at || (n > 4 && !is_message(data, n) &&
				 is_message((const uint8_t *)data + 4,
					    frame_length(data, n)));
	size_t length = is_framed ? frame_length(p, n - *at) : n - *at;

	if (*at >= n)
		return false;
	*message = is_framed ? p + 4 : p;
	*n_message = length;
	*at += is_framed ? 4 + length : length;
	return true;
}

/* The last field of that number in m, or nothing. */
static enum prof_status
find_field(struct reader *r, struct part m, unsigned field, struct part *out)
{
	const uint8_t *p = m.data, *end = p + m.n;
	struct wire_field f;

	*out = (struct part){ m.data, 0 };
	while (p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "message");
		if (f.number == field && f.type == WIRE_BYTES)
			*out = (struct part){ f.data, f.value };
	}
	return PROF_OK;
}

static enum prof_status
find_profiles(struct reader *r, struct part m, struct source from)
{
	const uint8_t *p = m.data, *end = p + m.n;
	enum prof_status st = find_field(r, m, SCOPE_SCOPE, &from.scope);
	struct wire_field f;

	from.n_scope = r->n_scope++;
	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "scope_profiles");
		if (f.number != SCOPE_PROFILES || f.type != WIRE_BYTES)
			continue;
		from.profile = (struct part){ f.data, f.value };
		if (array_reserve(&r->source, &r->cap_source, r->n_source + 1,
				  sizeof(*r->source)) < 0)
			return prof_nomem(r->t.err);
		r->source[r->n_source++] = from;
	}
	return st;
}

static enum prof_status
find_scopes(struct reader *r, struct part m)
{
	const uint8_t *p = m.data, *end = p + m.n;
	struct source from = { 0 };
	enum prof_status st =
		find_field(r, m, RESOURCE_RESOURCE, &from.resource);
	struct wire_field f;

	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "resource_profiles");
		if (f.number == RESOURCE_SCOPES && f.type == WIRE_BYTES)
			st = find_profiles(r, (struct part){ f.data, f.value },
					   from);
	}
	return st;
}

static enum prof_status
find_all(struct reader *r, struct part m)
{
	const uint8_t *p = m.data, *end = p + m.n;
	enum prof_status st = PROF_OK;
	struct wire_field f;

	while (st == PROF_OK && p < end) {
		struct part part;

		p = wire_next(p, end, &f);
		if (!p)
			return prof_fail(r->t.err, PROF_EFORMAT,
					 "otlp: truncated or damaged");
		part = (struct part){ f.data, f.value };
		if (f.type != WIRE_BYTES)
			continue;
		if (f.number == DATA_RESOURCES)
			st = find_scopes(r, part);
		else if (f.number == DATA_DICTIONARY)
			st = otlp_collect(&r->t, part);
	}
	return st;
}

/* --- columns --- */

static enum prof_status
read_type(struct reader *r, struct part m, struct value_type *type)
{
	uint64_t v[TYPE_UNIT + 1];
	enum prof_status st;

	if (!wire_varints(m.data, m.n, v, TYPE_UNIT + 1))
		return otlp_damaged(&r->t, "sample_type");
	st = otlp_index(&r->t, TABLE_STRING, v[TYPE_TYPE], "sample_type", 0);
	if (st == PROF_OK)
		st = otlp_index(&r->t, TABLE_STRING, v[TYPE_UNIT],
				"sample_type", 0);
	if (st == PROF_OK)
		*type = (struct value_type){ r->t.string[v[TYPE_TYPE]],
					     r->t.string[v[TYPE_UNIT]] };
	return st;
}

/*
 * The column of a source. Its scope may have profiles with the same type: in a
 * scope with an order they are columns, else later intervals.
 */
static enum prof_status
find_column(struct reader *r, struct source *s, const struct source *scope,
	    size_t n_scope, bool is_ordered)
{
	struct profile *p = r->t.p;
	struct value_type type = { 0 };
	struct part m;
	enum prof_status st = find_field(r, s->profile, PROFILE_TYPE, &m);
	bool taken;

	if (st == PROF_OK)
		st = read_type(r, m, &type);
	for (size_t c = 0; st == PROF_OK && c < p->n_type; c++) {
		if (p->type[c].type != type.type ||
		    p->type[c].unit != type.unit)
			continue;
		taken = false;
		for (size_t i = 0; is_ordered && i < n_scope; i++)
			taken |= scope[i].column == c;
		if (!taken) {
			s->column = (uint32_t)c;
			return PROF_OK;
		}
	}
	if (st != PROF_OK)
		return st;
	if (p->n_type == OTLP_MAX_TYPES)
		return prof_fail(r->t.err, PROF_ELIMIT,
				 "otlp: more than %d sample types",
				 OTLP_MAX_TYPES);
	s->column = profile_add_type(p, "", "");
	if (s->column == PROF_NONE)
		return prof_nomem(r->t.err);
	p->type[s->column] = type;
	return PROF_OK;
}

/* The columns of a scope in the order that it had as profile.proto: place[i] of
 * profile i. False unless it has a permutation. */
static bool
read_order(const struct tables *t, const struct attribute *a, size_t n,
	   size_t *place)
{
	bool seen[OTLP_MAX_TYPES] = { 0 };

	if (a->n != n || n > OTLP_MAX_TYPES)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct label *l = &t->label[a->first + i];

		if (l->str || l->num < 0 || (uint64_t)l->num >= n ||
		    seen[l->num])
			return false;
		seen[l->num] = true;
		place[l->num] = i;
	}
	return true;
}

/* The columns of the n profiles of a scope. */
static enum prof_status
scope_columns(struct reader *r, struct source *s, size_t n)
{
	const uint8_t *p = s->scope.data, *end = p + s->scope.n;
	size_t place[OTLP_MAX_TYPES];
	struct profile *to = r->t.p;
	enum prof_status st = PROF_OK;
	bool is_ordered = false;
	struct attribute a;
	struct wire_field f;

	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "scope");
		if (f.number != INSTRUMENT_ATTRIBUTES || f.type != WIRE_BYTES)
			continue;
		st = otlp_key_value(&r->t, (struct part){ f.data, f.value },
				    &a);
		if (st != PROF_OK)
			return st;
		if (otlp_is_key(&r->t, a.key, OTLP_TYPE_ORDER))
			is_ordered = read_order(&r->t, &a, n, place);
		if (otlp_is_key(&r->t, a.key, OTLP_DEFAULT_TYPE) && a.n &&
		    !to->default_type)
			to->default_type = r->t.label[a.first].str;
	}
	for (size_t i = 0; i < n; i++)
		s[i].column = PROF_NONE;
	for (size_t i = 0; st == PROF_OK && i < n; i++)
		st = find_column(r, &s[is_ordered ? place[i] : i], s, n,
				 is_ordered);
	/* Viewers show the first profile. */
	if (st == PROF_OK && !is_ordered && n && to->n_type > 1 &&
	    !to->default_type)
		to->default_type = to->type[s[0].column].type;
	return st;
}

static enum prof_status
find_columns(struct reader *r)
{
	enum prof_status st = PROF_OK;
	size_t i = 0, n;

	for (; st == PROF_OK && i < r->n_source; i += n) {
		for (n = 1; i + n < r->n_source &&
			    r->source[i + n].n_scope == r->source[i].n_scope;)
			n++;
		st = scope_columns(r, &r->source[i], n);
	}
	return st;
}

/* --- profiles --- */

/* The attributes of a resource or of a scope are labels of their samples. */
static enum prof_status
add_around(struct reader *r, struct part m, unsigned field)
{
	const uint8_t *p = m.data, *end = p + m.n;
	struct tables *t = &r->t;
	enum prof_status st = otlp_again(t, m.n);
	struct attribute a;
	struct wire_field f;

	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "resource");
		if (f.number != field || f.type != WIRE_BYTES)
			continue;
		st = otlp_key_value(t, (struct part){ f.data, f.value }, &a);
		if (st != PROF_OK || otlp_is_key(t, a.key, OTLP_TYPE_ORDER) ||
		    otlp_is_key(t, a.key, OTLP_DEFAULT_TYPE))
			continue;
		if (array_reserve(&r->around, &r->cap_around,
				  r->n_around + a.n + 1,
				  sizeof(*r->around)) < 0)
			return prof_nomem(t->err);
		for (size_t i = 0; i < a.n; i++)
			r->around[r->n_around++] = t->label[a.first + i];
	}
	return st;
}

/* Each comment of an attribute, unless an earlier profile has it, too. */
static enum prof_status
add_comments(struct reader *r, const struct attribute *a, uint32_t source)
{
	struct profile *p = r->t.p;
	enum prof_status st = otlp_spend(&r->t, a->n * 6);

	for (size_t i = 0; st == PROF_OK && i < a->n; i++) {
		uint32_t s = r->t.label[a->first + i].str, c;

		if (idmap_add(&r->comment, s, source) < 0)
			return prof_nomem(r->t.err);
		if (idmap_find(&r->comment, s) != source)
			continue;
		c = profile_add_comment(p, "");
		if (c == PROF_NONE)
			return prof_nomem(r->t.err);
		p->comment[c] = s;
	}
	return st;
}

static enum prof_status
use_attribute(struct reader *r, const struct attribute *a, uint32_t source)
{
	static const char comment[] = OTLP_COMMENT;
	const size_t n = sizeof(comment) - 1;
	struct tables *t = &r->t;
	const struct str *key = &t->p->strings.str[a->key];
	uint32_t text = a->n ? t->label[a->first].str : 0;

	if (otlp_is_key(t, a->key, OTLP_DROP_FRAMES))
		t->p->drop_frames = text;
	else if (otlp_is_key(t, a->key, OTLP_KEEP_FRAMES))
		t->p->keep_frames = text;
	else if (otlp_is_key(t, a->key, OTLP_DOC_URL))
		t->p->doc_url = text;
	/* A list, or ".0", ".1" and so on, as the collector writes it. */
	else if (key->len >= n && !memcmp(key->s, comment, n) &&
		 (key->len == n || key->s[n] == '.'))
		return add_comments(r, a, source);
	return PROF_OK;
}

static enum prof_status
read_attributes(struct reader *r, struct part m, uint32_t source)
{
	struct tables *t = &r->t;
	enum prof_status st = otlp_list(t, m, PROFILE_ATTRIBUTES, "profiles");

	for (size_t i = 0; st == PROF_OK && i < t->n_list; i++) {
		st = otlp_index(t, TABLE_ATTRIBUTE, t->list[i], "profiles", 0);
		if (st == PROF_OK)
			st = use_attribute(r, &t->attribute[t->list[i]],
					   source);
	}
	return st;
}

/* The profile lasts from the earliest beginning to the last end. */
static void
add_interval(struct reader *r, int64_t begin, int64_t duration)
{
	struct profile *p = r->t.p;
	int64_t end, last;

	if (!r->n_interval++) {
		p->time_ns = begin;
		p->duration_ns = duration;
		return;
	}
	if (begin == p->time_ns && duration == p->duration_ns)
		return;
	if (!begin || !p->time_ns ||
	    __builtin_add_overflow(begin, duration, &end) ||
	    __builtin_add_overflow(p->time_ns, p->duration_ns, &last)) {
		p->time_ns = p->time_ns ? p->time_ns : begin;
		if (duration > p->duration_ns)
			p->duration_ns = duration;
		return;
	}
	if (begin < p->time_ns)
		p->time_ns = begin;
	if (end > last)
		last = end;
	if (__builtin_sub_overflow(last, p->time_ns, &p->duration_ns))
		p->duration_ns = INT64_MAX;
}

static enum prof_status
read_profile(struct reader *r, const struct source *s)
{
	const uint8_t *p = s->profile.data, *end = p + s->profile.n;
	struct profile *to = r->t.p;
	enum prof_status st = PROF_OK;
	struct value_type period = { 0 };
	uint64_t begin = 0, duration = 0;
	struct wire_field f;

	for (size_t at = 0; st == PROF_OK && p < end;) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(&r->t, "profile");
		if (f.number == PROFILE_SAMPLES && f.type == WIRE_BYTES)
			st = otlp_read_sample(r,
					      (struct part){ f.data, f.value },
					      s->column, at++);
		else if (f.number == PROFILE_PERIOD_TYPE &&
			 f.type == WIRE_BYTES)
			st = read_type(r, (struct part){ f.data, f.value },
				       &period);
		else if (f.number == PROFILE_TIME && f.type == WIRE_I64)
			begin = wire_fixed64(p - 8);
		else if (f.number == PROFILE_DURATION && f.type == WIRE_VARINT)
			duration = f.value;
		else if (f.number == PROFILE_PERIOD && f.type == WIRE_VARINT &&
			 !to->period)
			to->period = (int64_t)f.value;
	}
	if (!to->period_type.type && !to->period_type.unit)
		to->period_type = period;
	add_interval(r, (int64_t)begin, (int64_t)duration);
	if (st != PROF_OK)
		return st;
	return read_attributes(r, s->profile, (uint32_t)(s - r->source));
}

static enum prof_status
read_source(struct reader *r, const struct source *s)
{
	enum prof_status st = PROF_OK;

	r->n_around = 0;
	if (r->o->resource_labels) {
		st = add_around(r, s->resource, SET_ATTRIBUTES);
		if (st == PROF_OK)
			st = add_around(r, s->scope, INSTRUMENT_ATTRIBUTES);
	}
	return st == PROF_OK ? read_profile(r, s) : st;
}

static enum prof_status
read_all(struct reader *r, struct part m)
{
	struct profile *p = r->t.p;
	enum prof_status st;

	r->key_time = profile_intern(p, "timestamp_ns");
	r->unit_time = profile_intern(p, "nanoseconds");
	r->key_trace = profile_intern(p, "trace_id");
	r->key_span = profile_intern(p, "span_id");
	if (r->key_time == STRTAB_NONE || r->unit_time == STRTAB_NONE ||
	    r->key_trace == STRTAB_NONE || r->key_span == STRTAB_NONE ||
	    idmap_init(&r->comment, 64) < 0)
		return prof_nomem(r->t.err);
	r->t.room = ((uint64_t)1 << 24) + 64 * (uint64_t)m.n;
	st = find_all(r, m);
	if (st == PROF_OK)
		st = otlp_tables(&r->t);
	if (st == PROF_OK)
		st = find_columns(r);
	for (size_t i = 0; st == PROF_OK && i < r->n_source; i++)
		st = read_source(r, &r->source[i]);
	r->losses->n_profile += r->n_source;
	if (st == PROF_OK && !p->n_type)
		st = prof_fail(r->t.err, PROF_EFORMAT,
			       "otlp: a message without profiles");
	return st;
}

enum prof_status
otlp_tell_losses(const struct otlp_losses *l, struct profile *p,
		 struct prof_err *err)
{
	char text[160];

	if (l->n_saturated)
		profile_doubt(p,
			      "%zu values overflow 64 bits; clamped to the "
			      "limit",
			      l->n_saturated);
	if (!l->n_time && !l->n_void)
		return PROF_OK;
	if (l->n_time)
		profile_doubt(p,
			      "%zu timestamps of samples are left out; "
			      "--label=time keeps them",
			      l->n_time);
	if (l->n_void)
		profile_doubt(p,
			      "%zu attributes of samples are empty or 0 "
			      "without a unit, which labels cannot hold",
			      l->n_void);
	snprintf(text, sizeof(text),
		 "# import: format=otlp profiles=%zu timestamps=%zu void=%zu",
		 l->n_profile, l->n_time, l->n_void);
	return profile_add_comment(p, text) == PROF_NONE ? prof_nomem(err)
							 : PROF_OK;
}

enum prof_status
otlp_parse(const void *data, size_t n, const struct otlp_options *o,
	   struct profile **out, struct otlp_losses *losses,
	   struct prof_err *err)
{
	struct reader r = { .o = o, .losses = losses };
	enum prof_status st;

	*out = NULL;
	r.t.err = err;
	r.t.p = profile_new();
	st = r.t.p ? read_all(&r, (struct part){ data, n }) : prof_nomem(err);
	if (st == PROF_OK)
		*out = r.t.p;
	else
		profile_free(r.t.p);
	otlp_tables_release(&r.t);
	idmap_release(&r.comment);
	free(r.source);
	free(r.around);
	free(r.label);
	free(r.stack);
	free(r.time);
	return st;
}
