/* otlp-tables.c - the dictionary of OTLP's profiles; see otlp-impl.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/wire/wire.h"
#include "otlp-impl.h"

static const char *const table_name[N_TABLE] = {
	[TABLE_MAPPING] = "mapping_table",
	[TABLE_LOCATION] = "location_table",
	[TABLE_FUNCTION] = "function_table",
	[TABLE_LINK] = "link_table",
	[TABLE_STRING] = "string_table",
	[TABLE_ATTRIBUTE] = "attribute_table",
	[TABLE_STACK] = "stack_table",
};

/* Add a part. Returns -1 without memory. */
static int
parts_add(struct parts *list, const uint8_t *data, size_t n)
{
	if (array_reserve(&list->part, &list->cap, list->n + 1,
			  sizeof(*list->part)) < 0)
		return -1;
	list->part[list->n++] = (struct part){ data, n };
	return 0;
}

static enum prof_status
damaged(struct tables *t, const char *what, size_t at)
{
	return prof_fail(t->err, PROF_EFORMAT, "otlp: %s[%zu]: damaged", what,
			 at);
}

enum prof_status
otlp_damaged(struct tables *t, const char *what)
{
	return prof_fail(t->err, PROF_EFORMAT, "otlp: damaged %s", what);
}

enum prof_status
otlp_collect(struct tables *t, struct part dictionary)
{
	const uint8_t *p = dictionary.data, *end = p + dictionary.n;
	struct wire_field f;

	while (p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(t, "dictionary");
		if (f.number < 1 || f.number >= N_TABLE || f.type != WIRE_BYTES)
			continue;
		if (parts_add(&t->table[f.number], f.data, f.value) < 0)
			return prof_nomem(t->err);
		if (t->table[f.number].n >= PROF_NONE - 1)
			return prof_fail(t->err, PROF_ELIMIT,
					 "otlp: %s: too many entries",
					 table_name[f.number]);
	}
	return PROF_OK;
}

enum prof_status
otlp_index(struct tables *t, enum otlp_table table, uint64_t index,
	   const char *what, size_t at)
{
	if (index < t->table[table].n || (!index && !t->table[table].n))
		return PROF_OK;
	return prof_fail(t->err, PROF_EINVALID,
			 "otlp: %s[%zu]: no entry %lld in %s, which has %zu",
			 what, at, (long long)index, table_name[table],
			 t->table[table].n);
}

static enum prof_status
push_number(struct tables *t, uint64_t v)
{
	if (array_reserve(&t->list, &t->cap_list, t->n_list + 1,
			  sizeof(*t->list)) < 0)
		return prof_nomem(t->err);
	t->list[t->n_list++] = v;
	return PROF_OK;
}

static enum prof_status
push_packed(struct tables *t, const struct wire_field *f, const char *what)
{
	const uint8_t *p = f->data, *end = p + f->value;
	enum prof_status st = PROF_OK;
	uint64_t v;

	while (st == PROF_OK && p < end) {
		p = wire_varint(p, end, &v);
		st = p ? push_number(t, v) : damaged(t, what, 0);
	}
	return st;
}

enum prof_status
otlp_list(struct tables *t, struct part m, unsigned field, const char *what)
{
	const uint8_t *p = m.data, *end = p + m.n;
	enum prof_status st = PROF_OK;
	struct wire_field f;

	t->n_list = 0;
	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return damaged(t, what, 0);
		if (f.number != field)
			continue;
		if (f.type == WIRE_BYTES)
			st = push_packed(t, &f, what);
		else if (f.type == WIRE_VARINT)
			st = push_number(t, f.value);
	}
	return st;
}

bool
otlp_is_key(const struct tables *t, uint32_t key, const char *name)
{
	const struct str *s = &t->p->strings.str[key];

	return s->len == strlen(name) && !memcmp(s->s, name, s->len);
}

/* Memory for n entries of a table, at least one. */
static void *
entries(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

static enum prof_status
read_strings(struct tables *t)
{
	const struct parts *s = &t->table[TABLE_STRING];

	t->string = entries(s->n, sizeof(*t->string));
	if (!t->string)
		return prof_nomem(t->err);
	for (size_t i = 0; i < s->n; i++) {
		t->string[i] =
			strtab_add(&t->p->strings,
				   (const char *)s->part[i].data, s->part[i].n);
		if (t->string[i] == STRTAB_NONE)
			return prof_nomem(t->err);
	}
	return PROF_OK;
}

/* A string of the table for an entry of another. */
static enum prof_status
string(struct tables *t, uint64_t index, const char *what, size_t at,
       uint32_t *out)
{
	enum prof_status st = otlp_index(t, TABLE_STRING, index, what, at);

	*out = st == PROF_OK ? t->string[index] : 0;
	return st;
}

static enum prof_status
read_attribute(struct tables *t, size_t i)
{
	struct part m = t->table[TABLE_ATTRIBUTE].part[i], any = { 0 };
	const uint8_t *p = m.data, *end = p + m.n;
	uint64_t key_at = 0, unit_at = 0;
	uint32_t key, unit;
	enum prof_status st;
	struct wire_field f;

	while (p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return damaged(t, "attribute_table", i);
		if (f.number == ATTRIBUTE_KEY && f.type == WIRE_VARINT)
			key_at = f.value;
		else if (f.number == ATTRIBUTE_UNIT && f.type == WIRE_VARINT)
			unit_at = f.value;
		else if (f.number == ATTRIBUTE_VALUE && f.type == WIRE_BYTES)
			any = (struct part){ f.data, f.value };
	}
	st = string(t, key_at, "attribute_table", i, &key);
	if (st == PROF_OK)
		st = string(t, unit_at, "attribute_table", i, &unit);
	if (st != PROF_OK)
		return st;
	t->attribute[i] = (struct attribute){ key, t->n_label, 0 };
	if (any.n)
		st = otlp_value(t, any, key, unit);
	t->attribute[i].n = t->n_label - t->attribute[i].first;
	return st;
}

/* The text of a string attribute, or 0. */
static uint32_t
text_of(const struct tables *t, const struct attribute *a)
{
	return a->n ? t->label[a->first].str : 0;
}

static void
set_mapping(const struct tables *t, const struct attribute *a,
	    struct mapping *m)
{
	static const struct {
		const char *key;
		unsigned has;
	} has[] = {
		{ OTLP_HAS_FUNCTIONS, MAPPING_FUNCTIONS },
		{ OTLP_HAS_FILENAMES, MAPPING_FILENAMES },
		{ OTLP_HAS_LINES, MAPPING_LINE_NUMBERS },
		{ OTLP_HAS_INLINE, MAPPING_INLINE_FRAMES },
	};
	uint32_t text = text_of(t, a);

	if (otlp_is_key(t, a->key, OTLP_BUILD_ID) ||
	    (otlp_is_key(t, a->key, OTLP_BUILD_ID_GO) && !m->build_id))
		m->build_id = text;
	for (size_t i = 0; i < sizeof(has) / sizeof(*has); i++)
		if (otlp_is_key(t, a->key, has[i].key) &&
		    otlp_is_key(t, text, "true"))
			m->has |= has[i].has;
}

static enum prof_status
read_mapping(struct tables *t, size_t i)
{
	struct part part = t->table[TABLE_MAPPING].part[i];
	uint64_t v[MAPPING_FILE + 1];
	struct mapping m = { 0 };
	enum prof_status st;

	if (!wire_varints(part.data, part.n, v, MAPPING_FILE + 1))
		return damaged(t, "mapping_table", i);
	m.start = v[MAPPING_START];
	m.limit = v[MAPPING_LIMIT];
	m.offset = v[MAPPING_OFFSET];
	st = string(t, v[MAPPING_FILE], "mapping_table", i, &m.file);
	if (st == PROF_OK)
		st = otlp_list(t, part, MAPPING_ATTRIBUTES, "mapping_table");
	for (size_t k = 0; st == PROF_OK && k < t->n_list; k++) {
		st = otlp_index(t, TABLE_ATTRIBUTE, t->list[k], "mapping_table",
				i);
		if (st == PROF_OK)
			set_mapping(t, &t->attribute[t->list[k]], &m);
	}
	if (st != PROF_OK)
		return st;
	/* The zero value means "no mapping". */
	t->mapping[i] = PROF_NONE;
	if (!i && !m.start && !m.limit && !m.file && !m.build_id)
		return PROF_OK;
	t->mapping[i] = profile_add_mapping(t->p, &m);
	return t->mapping[i] == PROF_NONE ? prof_nomem(t->err) : PROF_OK;
}

static enum prof_status
read_function(struct tables *t, size_t i)
{
	struct part part = t->table[TABLE_FUNCTION].part[i];
	uint64_t v[FUNCTION_START_LINE + 1];
	struct function f = { 0 };
	enum prof_status st;

	if (!wire_varints(part.data, part.n, v, FUNCTION_START_LINE + 1))
		return damaged(t, "function_table", i);
	f.start_line = (int64_t)v[FUNCTION_START_LINE];
	st = string(t, v[FUNCTION_NAME], "function_table", i, &f.name);
	if (st == PROF_OK)
		st = string(t, v[FUNCTION_SYSTEM_NAME], "function_table", i,
			    &f.system_name);
	if (st == PROF_OK)
		st = string(t, v[FUNCTION_FILE], "function_table", i, &f.file);
	if (st != PROF_OK)
		return st;
	t->function[i] = profile_add_function(t->p, &f);
	return t->function[i] == PROF_NONE ? prof_nomem(t->err) : PROF_OK;
}

/* A line without a function: an absent table has no entry for it. */
static enum prof_status
function_of(struct tables *t, uint64_t index, size_t at, uint32_t *out)
{
	enum prof_status st =
		otlp_index(t, TABLE_FUNCTION, index, "location_table", at);

	if (st != PROF_OK)
		return st;
	if (t->table[TABLE_FUNCTION].n)
		*out = t->function[index];
	else
		*out = profile_add_function(t->p, &(struct function){ 0 });
	return *out == PROF_NONE ? prof_nomem(t->err) : PROF_OK;
}

struct lines {
	struct line *line;
	size_t n, cap;
};

static enum prof_status
read_line(struct tables *t, const struct wire_field *f, size_t at,
	  struct lines *lines)
{
	uint64_t v[LINE_COLUMN + 1];
	struct line *line;

	if (!wire_varints(f->data, f->value, v, LINE_COLUMN + 1))
		return damaged(t, "location_table", at);
	if (array_reserve(&lines->line, &lines->cap, lines->n + 1,
			  sizeof(*lines->line)) < 0)
		return prof_nomem(t->err);
	line = &lines->line[lines->n++];
	line->line = (int64_t)v[LINE_LINE];
	line->column = (int64_t)v[LINE_COLUMN];
	return function_of(t, v[LINE_FUNCTION], at, &line->function);
}

static enum prof_status
read_location(struct tables *t, size_t i, struct lines *lines)
{
	struct part part = t->table[TABLE_LOCATION].part[i];
	const uint8_t *p = part.data, *end = p + part.n;
	struct location l = { .mapping = PROF_NONE };
	enum prof_status st = PROF_OK;
	uint64_t mapping = 0;
	struct wire_field f;

	lines->n = 0;
	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return damaged(t, "location_table", i);
		if (f.number == LOCATION_MAPPING && f.type == WIRE_VARINT)
			mapping = f.value;
		else if (f.number == LOCATION_ADDRESS && f.type == WIRE_VARINT)
			l.address = f.value;
		else if (f.number == LOCATION_LINES && f.type == WIRE_BYTES)
			st = read_line(t, &f, i, lines);
	}
	if (st == PROF_OK)
		st = otlp_index(t, TABLE_MAPPING, mapping, "location_table", i);
	if (st == PROF_OK && t->table[TABLE_MAPPING].n)
		l.mapping = t->mapping[mapping];
	if (st == PROF_OK)
		st = otlp_list(t, part, LOCATION_ATTRIBUTES, "location_table");
	for (size_t k = 0; st == PROF_OK && k < t->n_list; k++) {
		const struct attribute *a;

		st = otlp_index(t, TABLE_ATTRIBUTE, t->list[k],
				"location_table", i);
		if (st != PROF_OK)
			break;
		a = &t->attribute[t->list[k]];
		l.is_folded |= otlp_is_key(t, a->key, OTLP_IS_FOLDED) &&
			       otlp_is_key(t, text_of(t, a), "true");
	}
	if (st != PROF_OK)
		return st;
	t->location[i] = profile_add_location(t->p, &l, lines->line, lines->n);
	return t->location[i] == PROF_NONE ? prof_nomem(t->err) : PROF_OK;
}

static enum prof_status
read_locations(struct tables *t)
{
	enum prof_status st = PROF_OK;
	struct lines lines = { 0 };

	for (size_t i = 0; st == PROF_OK && i < t->table[TABLE_LOCATION].n; i++)
		st = read_location(t, i, &lines);
	free(lines.line);
	return st;
}

enum prof_status
otlp_tables(struct tables *t)
{
	enum prof_status st = read_strings(t);

	t->attribute =
		entries(t->table[TABLE_ATTRIBUTE].n, sizeof(*t->attribute));
	t->mapping = entries(t->table[TABLE_MAPPING].n, sizeof(*t->mapping));
	t->function = entries(t->table[TABLE_FUNCTION].n, sizeof(*t->function));
	t->location = entries(t->table[TABLE_LOCATION].n, sizeof(*t->location));
	if (!t->attribute || !t->mapping || !t->function || !t->location)
		return prof_nomem(t->err);
	for (size_t i = 0; st == PROF_OK && i < t->table[TABLE_ATTRIBUTE].n;
	     i++)
		st = read_attribute(t, i);
	for (size_t i = 0; st == PROF_OK && i < t->table[TABLE_MAPPING].n; i++)
		st = read_mapping(t, i);
	for (size_t i = 0; st == PROF_OK && i < t->table[TABLE_FUNCTION].n; i++)
		st = read_function(t, i);
	return st == PROF_OK ? read_locations(t) : st;
}

void
otlp_tables_release(struct tables *t)
{
	for (int i = 0; i < N_TABLE; i++)
		free(t->table[i].part);
	free(t->string);
	free(t->mapping);
	free(t->function);
	free(t->location);
	free(t->attribute);
	free(t->label);
	free(t->list);
}
