/*
 * otlp-out.c - writing; see otlp.h. Attributes and stacks are interned as the
 * bytes of their messages, so that their number in the table is an index.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/base/escape.h"
#include "lib/model/profile.h"
#include "lib/wire/message.h"
#include "lib/wire/wire.h"
#include "otlp-schema.h"
#include "otlp.h"

struct writer {
	const struct profile *p;
	struct arena *arena;
	struct strtab strings, attributes, stacks;
	struct message mapping, location, function; /* tables, as fields */
	/* Numbers in these tables, of entries of p; 0: not yet there. */
	uint32_t *mapping_at, *location_at, *function_at, *string_at;
	/* Of each sample: its stack, and where its attributes begin. */
	uint32_t *stack;
	size_t *first;
	uint32_t *attribute; /* numbers */
	size_t n_attribute, cap_attribute;
	uint32_t *list; /* numbers in work */
	size_t n_list, cap_list;
	struct message scratch, value, element, line, sample;
	struct buf text;
	bool failed;
};

/* The n bytes at s as UTF-8, which is valid until the next call. */
static const char *
utf8(struct writer *w, const char *s, size_t *n)
{
	size_t k = 0, ok;

	while (k < *n && (ok = escape_utf8(s + k, *n - k)))
		k += ok;
	if (k == *n)
		return s;
	w->text.n = 0;
	for (k = 0; k < *n; k += ok ? ok : 1) {
		ok = escape_utf8(s + k, *n - k);
		if (buf_add(&w->text, ok ? s + k : "\xef\xbf\xbd",
			    ok ? ok : 3) < 0)
			w->failed = true;
	}
	*n = w->text.n;
	return (const char *)w->text.data;
}

static uint32_t
add_string(struct writer *w, const char *s, size_t n)
{
	uint32_t i;

	s = utf8(w, s, &n);
	i = strtab_add(&w->strings, s, n);
	w->failed |= i == STRTAB_NONE;
	return i;
}

/* The number of string s of the profile. */
static uint32_t
string(struct writer *w, uint32_t s)
{
	const struct str *str = &w->p->strings.str[s];

	if (s && !w->string_at[s])
		w->string_at[s] = add_string(w, str->s, str->len);
	return s ? w->string_at[s] : 0;
}

static void
put_text(struct writer *w, struct message *m, uint32_t s)
{
	size_t n = w->p->strings.str[s].len;
	const char *text = utf8(w, w->p->strings.str[s].s, &n);

	message_bytes(m, ANY_STRING, text, n);
}

static void
push_number(struct writer *w, uint32_t number)
{
	if (array_reserve(&w->list, &w->cap_list, w->n_list + 1,
			  sizeof(*w->list)) < 0)
		w->failed = true;
	else
		w->list[w->n_list++] = number;
}

/* The number of the attribute of that key whose value is in w->value. */
static uint32_t
attribute(struct writer *w, uint32_t key, uint32_t unit)
{
	struct message *m = &w->scratch;
	uint32_t i = STRTAB_NONE;

	m->b.n = 0;
	message_varint(m, ATTRIBUTE_KEY, key);
	message_nest(m, ATTRIBUTE_VALUE, &w->value);
	message_varint(m, ATTRIBUTE_UNIT, unit);
	if (!m->failed)
		i = strtab_add(&w->attributes, (const char *)m->b.data, m->b.n);
	w->failed |= i == STRTAB_NONE;
	return i;
}

static void
push_text(struct writer *w, const char *key, uint32_t s)
{
	if (!s)
		return;
	put_text(w, &w->value, s);
	push_number(w, attribute(w, add_string(w, key, strlen(key)), 0));
}

static void
push_true(struct writer *w, const char *key, bool is)
{
	if (!is)
		return;
	message_force_varint(&w->value, ANY_BOOL, 1);
	push_number(w, attribute(w, add_string(w, key, strlen(key)), 0));
}

/* --- the tables --- */

static void
put_mapping(struct writer *w, const struct mapping *m)
{
	struct message *s = &w->sample;

	w->n_list = 0;
	push_text(w,
		  strchr(profile_str(w->p, m->build_id), '/') ? OTLP_BUILD_ID_GO
							      : OTLP_BUILD_ID,
		  m->build_id);
	push_true(w, OTLP_HAS_FUNCTIONS, m->has & MAPPING_FUNCTIONS);
	push_true(w, OTLP_HAS_FILENAMES, m->has & MAPPING_FILENAMES);
	push_true(w, OTLP_HAS_LINES, m->has & MAPPING_LINE_NUMBERS);
	push_true(w, OTLP_HAS_INLINE, m->has & MAPPING_INLINE_FRAMES);
	message_varint(s, MAPPING_START, m->start);
	message_varint(s, MAPPING_LIMIT, m->limit);
	message_varint(s, MAPPING_OFFSET, m->offset);
	message_varint(s, MAPPING_FILE, string(w, m->file));
	message_packed(s, MAPPING_ATTRIBUTES, w->list, w->n_list);
	message_nest(&w->mapping, TABLE_MAPPING, s);
}

static void
put_function(struct writer *w, const struct function *f)
{
	struct message *s = &w->sample;

	message_varint(s, FUNCTION_NAME, string(w, f->name));
	message_varint(s, FUNCTION_SYSTEM_NAME, string(w, f->system_name));
	message_varint(s, FUNCTION_FILE, string(w, f->file));
	message_varint(s, FUNCTION_START_LINE, (uint64_t)f->start_line);
	message_nest(&w->function, TABLE_FUNCTION, s);
}

static void
put_location(struct writer *w, const struct location *l)
{
	const struct line *line = profile_line(w->p, l);
	struct message *s = &w->sample;

	w->n_list = 0;
	push_true(w, OTLP_IS_FOLDED, l->is_folded);
	if (l->mapping != PROF_NONE)
		message_varint(s, LOCATION_MAPPING, w->mapping_at[l->mapping]);
	message_varint(s, LOCATION_ADDRESS, l->address);
	for (uint32_t k = 0; k < l->n_line; k++) {
		message_varint(&w->line, LINE_FUNCTION,
			       w->function_at[line[k].function]);
		message_varint(&w->line, LINE_LINE, (uint64_t)line[k].line);
		message_varint(&w->line, LINE_COLUMN, (uint64_t)line[k].column);
		message_nest(s, LOCATION_LINES, &w->line);
	}
	message_packed(s, LOCATION_ATTRIBUTES, w->list, w->n_list);
	message_nest(&w->location, TABLE_LOCATION, s);
}

/* Mark what samples refer to with 1, and the program's mapping, the first. */
static void
mark_used(struct writer *w)
{
	const struct profile *p = w->p;

	for (size_t i = 0; i < p->n_sample; i++)
		for (uint32_t k = 0; k < p->sample[i].n_stack; k++)
			w->location_at[profile_stack(p, &p->sample[i])[k]] = 1;
	if (p->n_mapping)
		w->mapping_at[0] = 1;
	for (size_t i = 0; i < p->n_location; i++) {
		const struct location *l = &p->location[i];

		if (w->location_at[i] && l->mapping != PROF_NONE)
			w->mapping_at[l->mapping] = 1;
		for (uint32_t k = 0; w->location_at[i] && k < l->n_line; k++)
			w->function_at[profile_line(p, l)[k].function] = 1;
	}
}

/* Entries that are used keep their order; they are numbered from 1. */
static void
put_tables(struct writer *w)
{
	const struct profile *p = w->p;
	uint32_t n = 0;

	mark_used(w);
	message_bytes(&w->mapping, TABLE_MAPPING, "", 0);
	for (size_t i = 0; i < p->n_mapping; i++)
		if (w->mapping_at[i]) {
			w->mapping_at[i] = ++n;
			put_mapping(w, &p->mapping[i]);
		}
	message_bytes(&w->function, TABLE_FUNCTION, "", 0);
	n = 0;
	for (size_t i = 0; i < p->n_function; i++)
		if (w->function_at[i]) {
			w->function_at[i] = ++n;
			put_function(w, &p->function[i]);
		}
	message_bytes(&w->location, TABLE_LOCATION, "", 0);
	n = 0;
	for (size_t i = 0; i < p->n_location; i++)
		if (w->location_at[i]) {
			w->location_at[i] = ++n;
			put_location(w, &p->location[i]);
		}
}

/* --- samples --- */

static uint32_t
stack(struct writer *w, const struct sample *sample)
{
	const uint32_t *l = profile_stack(w->p, sample);
	struct message *s = &w->scratch;
	uint32_t i = STRTAB_NONE;

	if (!sample->n_stack)
		return 0;
	w->n_list = 0;
	for (uint32_t k = 0; k < sample->n_stack; k++)
		push_number(w, w->location_at[l[k]]);
	s->b.n = 0;
	message_packed(s, STACK_LOCATIONS, w->list, w->n_list);
	if (!s->failed)
		i = strtab_add(&w->stacks, (const char *)s->b.data, s->b.n);
	w->failed |= i == STRTAB_NONE;
	return i;
}

static void
put_any(struct writer *w, struct message *m, const struct label *l)
{
	if (l->str)
		put_text(w, m, l->str);
	else
		message_force_varint(m, ANY_INT, (uint64_t)l->num);
}

/*
 * Labels of one key, kind and unit, which follow each other, are one attribute:
 * several are an array. Returns how many of the n were taken.
 */
static uint32_t
push_label(struct writer *w, const struct label *l, uint32_t n)
{
	uint32_t k = 1;

	while (k < n && l[k].key == l[0].key && !l[k].str == !l[0].str &&
	       l[k].unit == l[0].unit)
		k++;
	if (k == 1) {
		put_any(w, &w->value, l);
	} else {
		for (uint32_t i = 0; i < k; i++) {
			put_any(w, &w->element, &l[i]);
			message_nest(&w->line, LIST_VALUES, &w->element);
		}
		message_nest(&w->value, ANY_ARRAY, &w->line);
	}
	push_number(w, attribute(w, string(w, l->key), string(w, l->unit)));
	return k;
}

/* Number what all samples refer to, in their order. */
static void
number_samples(struct writer *w)
{
	const struct profile *p = w->p;

	for (size_t i = 0; !w->failed && i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];

		w->first[i] = w->n_attribute;
		w->stack[i] = stack(w, s);
		w->n_list = 0;
		for (uint32_t k = 0; k < s->n_label && !w->failed;)
			k += push_label(w, profile_label(p, s) + k,
					s->n_label - k);
		if (w->n_list && array_reserve(&w->attribute, &w->cap_attribute,
					       w->n_attribute + w->n_list,
					       sizeof(*w->attribute)) < 0)
			w->failed = true;
		else if (w->n_list)
			memcpy(w->attribute + w->n_attribute, w->list,
			       w->n_list * sizeof(*w->list));
		w->n_attribute += w->n_list;
	}
	w->first[p->n_sample] = w->n_attribute;
}

/* The first profile has all samples, so that their order is kept. */
static void
put_samples(struct writer *w, struct message *out, size_t column, bool all)
{
	struct message *s = &w->sample;
	uint8_t text[10];

	for (size_t i = 0; i < w->p->n_sample && !w->failed; i++) {
		uint64_t value = (uint64_t)profile_value(w->p, i)[column];

		if (!value && !all)
			continue;
		message_varint(s, SAMPLE_STACK, w->stack[i]);
		if (w->first[i + 1] > w->first[i])
			message_packed(s, SAMPLE_ATTRIBUTES,
				       w->attribute + w->first[i],
				       w->first[i + 1] - w->first[i]);
		message_bytes(s, SAMPLE_VALUES, text,
			      (size_t)(wire_put(text, value) - text));
		message_nest(out, PROFILE_SAMPLES, s);
	}
}

static void
put_type(struct writer *w, struct message *out, unsigned field,
	 struct value_type t)
{
	message_varint(&w->line, TYPE_TYPE, string(w, t.type));
	message_varint(&w->line, TYPE_UNIT, string(w, t.unit));
	message_nest(out, field, &w->line);
}

static void
push_comments(struct writer *w)
{
	static const char key[] = OTLP_COMMENT;

	if (!w->p->n_comment)
		return;
	for (size_t i = 0; i < w->p->n_comment; i++) {
		put_text(w, &w->element, w->p->comment[i]);
		message_nest(&w->line, LIST_VALUES, &w->element);
	}
	message_nest(&w->value, ANY_ARRAY, &w->line);
	push_number(w, attribute(w, add_string(w, key, sizeof(key) - 1), 0));
}

static void
put_profile(struct writer *w, struct message *out, size_t column, bool first)
{
	const struct profile *p = w->p;

	put_type(w, out, PROFILE_TYPE, p->type[column]);
	put_samples(w, out, column, first);
	message_fixed64(out, PROFILE_TIME, (uint64_t)p->time_ns);
	message_varint(out, PROFILE_DURATION, (uint64_t)p->duration_ns);
	if (p->period_type.type || p->period_type.unit)
		put_type(w, out, PROFILE_PERIOD_TYPE, p->period_type);
	message_varint(out, PROFILE_PERIOD, (uint64_t)p->period);
	if (!first)
		return;
	w->n_list = 0;
	push_comments(w);
	push_text(w, OTLP_DROP_FRAMES, p->drop_frames);
	push_text(w, OTLP_KEEP_FRAMES, p->keep_frames);
	push_text(w, OTLP_DOC_URL, p->doc_url);
	message_packed(out, PROFILE_ATTRIBUTES, w->list, w->n_list);
}

/* --- around them --- */

/* An attribute of the scope, whose value is in w->value. */
static void
put_key_value(struct writer *w, struct message *scope, const char *key)
{
	message_bytes(&w->line, KEY_VALUE_KEY, key, strlen(key));
	message_nest(&w->line, KEY_VALUE_VALUE, &w->value);
	message_nest(scope, INSTRUMENT_ATTRIBUTES, &w->line);
}

/* Which program wrote it, and the columns as they were. */
static void
put_scope(struct writer *w, struct message *out, size_t column,
	  const char *version)
{
	struct message *scope = &w->scratch;
	const struct profile *p = w->p;

	scope->b.n = 0;
	message_bytes(scope, INSTRUMENT_NAME, "profpipe", 8);
	message_bytes(scope, INSTRUMENT_VERSION, version, strlen(version));
	if (p->n_type > 1) {
		for (size_t i = 0; i < p->n_type; i++) {
			size_t at = !i ? column : i - (i <= column);

			message_force_varint(&w->element, ANY_INT, at);
			message_nest(&w->line, LIST_VALUES, &w->element);
		}
		message_nest(&w->value, ANY_ARRAY, &w->line);
		put_key_value(w, scope, OTLP_TYPE_ORDER);
	}
	if (p->default_type) {
		put_text(w, &w->value, p->default_type);
		put_key_value(w, scope, OTLP_DEFAULT_TYPE);
	}
	message_nest(out, SCOPE_SCOPE, scope);
}

static void
put_table(struct message *out, unsigned field, const struct strtab *t)
{
	for (size_t i = 0; i < t->n_str; i++)
		message_bytes(out, field, t->str[i].s, t->str[i].len);
}

static void
put_fields(struct message *out, struct message *table)
{
	out->failed |= table->failed;
	if (!out->failed && table->b.n &&
	    buf_add(&out->b, table->b.data, table->b.n) < 0)
		out->failed = true;
}

static void
put_dictionary(struct writer *w, struct message *out)
{
	static const char no_trace[16], no_span[8];

	put_fields(out, &w->mapping);
	put_fields(out, &w->location);
	put_fields(out, &w->function);
	message_bytes(&w->line, LINK_TRACE, no_trace, sizeof(no_trace));
	message_bytes(&w->line, LINK_SPAN, no_span, sizeof(no_span));
	message_nest(out, TABLE_LINK, &w->line);
	put_table(out, TABLE_STRING, &w->strings);
	put_table(out, TABLE_ATTRIBUTE, &w->attributes);
	put_table(out, TABLE_STACK, &w->stacks);
}

static void
put_all(struct writer *w, size_t column, const char *version,
	struct message *out)
{
	struct message profile = { 0 }, scope = { 0 };

	put_tables(w);
	number_samples(w);
	put_scope(w, &scope, column, version);
	for (size_t i = 0; i < w->p->n_type && !w->failed; i++) {
		put_profile(w, &profile, !i ? column : i - (i <= column), !i);
		message_nest(&scope, SCOPE_PROFILES, &profile);
	}
	message_nest(&profile, RESOURCE_SCOPES, &scope);
	message_nest(out, DATA_RESOURCES, &profile);
	put_dictionary(w, &scope);
	message_nest(out, DATA_DICTIONARY, &scope);
	w->failed |= out->failed;
	buf_release(&profile.b);
	buf_release(&scope.b);
}

static bool
writer_begin(struct writer *w)
{
	const struct profile *p = w->p;

	w->arena = arena_new();
	w->mapping_at = calloc(p->n_mapping + 1, sizeof(*w->mapping_at));
	w->location_at = calloc(p->n_location + 1, sizeof(*w->location_at));
	w->function_at = calloc(p->n_function + 1, sizeof(*w->function_at));
	w->string_at = calloc(p->strings.n_str, sizeof(*w->string_at));
	w->stack = calloc(p->n_sample + 1, sizeof(*w->stack));
	w->first = calloc(p->n_sample + 1, sizeof(*w->first));
	return w->arena && w->mapping_at && w->location_at && w->function_at &&
	       w->string_at && w->stack && w->first &&
	       strtab_init(&w->strings, w->arena) == 0 &&
	       strtab_init(&w->attributes, w->arena) == 0 &&
	       strtab_init(&w->stacks, w->arena) == 0;
}

static void
writer_end(struct writer *w)
{
	struct message *m[] = { &w->mapping, &w->location, &w->function,
				&w->scratch, &w->value,    &w->element,
				&w->line,    &w->sample };

	for (size_t i = 0; i < sizeof(m) / sizeof(*m); i++)
		buf_release(&m[i]->b);
	buf_release(&w->text);
	arena_free(w->arena);
	free(w->mapping_at);
	free(w->location_at);
	free(w->function_at);
	free(w->string_at);
	free(w->stack);
	free(w->first);
	free(w->attribute);
	free(w->list);
}

enum prof_status
otlp_write(const struct profile *p, size_t column, const char *version,
	   struct buf *out, struct prof_err *err)
{
	struct writer w = { .p = p };
	struct message m = { .b = *out };

	if (!p->n_type)
		return prof_fail(err, PROF_EUSAGE,
				 "OTLP cannot hold a profile without sample "
				 "types");
	if (writer_begin(&w))
		put_all(&w, column, version, &m);
	else
		w.failed = true;
	*out = m.b;
	writer_end(&w);
	return w.failed ? prof_nomem(err) : PROF_OK;
}
