/*
 * jfr-chunk.c - layouts of a chunk; see jfr-impl.h. The metadata event has a
 * tree of elements: classes, their fields, annotations. Checkpoint events have
 * the constants, which other values refer to by a key.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "jfr-impl.h"
#include "jfr.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"

enum {
	HEADER = 68,
	MAX_DEPTH = 16, /* of elements, and of structs in structs */
	EVENT_METADATA = 0,
	EVENT_CHECKPOINT = 1,
	COMPRESSED = 1, /* a feature */
};

/* --- bytes --- */

static uint8_t
byte(struct jfr_cursor *c)
{
	if (c->p < c->end)
		return *c->p++;
	c->is_bad = true;
	return 0;
}

static uint64_t
fixed(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

/* Seven bits a byte, the lowest first; a ninth byte has eight. */
uint64_t
jfr_varint(struct jfr_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 56; shift += 7) {
		uint8_t b = byte(c);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	return v | (uint64_t)byte(c) << 56;
}

static void
skip_bytes(struct jfr_cursor *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p))
		c->is_bad = true;
	else
		c->p += n;
}

/* --- strings --- */

enum { NO_STRING, EMPTY, CONSTANT, UTF8, CHARS, LATIN1 };

static void
skip_string(struct jfr_cursor *c)
{
	uint8_t form = byte(c);
	uint64_t n;

	if (form <= EMPTY)
		return;
	n = jfr_varint(c);
	if (form == CHARS)
		while (n-- && !c->is_bad)
			jfr_varint(c);
	else if (form == UTF8 || form == LATIN1)
		skip_bytes(c, n);
	else if (form != CONSTANT)
		c->is_bad = true;
}

static int
add_utf8(struct buf *b, uint32_t ch)
{
	uint8_t s[4];
	size_t n = 0;

	if (ch < 0x80) {
		s[n++] = (uint8_t)ch;
	} else if (ch < 0x800) {
		s[n++] = (uint8_t)(0xc0 | ch >> 6);
		s[n++] = (uint8_t)(0x80 | (ch & 63));
	} else {
		if (ch >= 0x10000)
			s[n++] = (uint8_t)(0xf0 | ch >> 18);
		s[n++] = (uint8_t)(ch >= 0x10000 ? 0x80 | (ch >> 12 & 63)
						 : 0xe0 | ch >> 12);
		s[n++] = (uint8_t)(0x80 | (ch >> 6 & 63));
		s[n++] = (uint8_t)(0x80 | (ch & 63));
	}
	return buf_add(b, s, n);
}

/* Units of UTF-16, or bytes of Latin-1, as UTF-8. */
static uint32_t
wide_string(struct byname *to, struct jfr_cursor *c, uint64_t n, bool is_chars)
{
	struct buf b = { 0 };
	uint32_t high = 0, s;
	int failed = 0;

	while (n-- && !c->is_bad && !failed) {
		uint32_t ch =
			is_chars ? (uint32_t)jfr_varint(c) & 0xffff : byte(c);

		if (high && ch >> 10 == 0xdc00 >> 10)
			ch = 0x10000 + ((high & 0x3ff) << 10) + (ch & 0x3ff);
		high = ch >> 10 == 0xd800 >> 10 ? ch : 0;
		if (!high)
			failed = add_utf8(&b, ch);
	}
	s = failed ? STRTAB_NONE
		   : byname_string(to, b.n ? (char *)b.data : "", b.n);
	buf_release(&b);
	return s;
}

/* Few bytes can refer to the same ones, or to none, very often. */
static bool
charge(struct jfr_chunk *c, uint64_t n)
{
	bool may = n < *c->work;

	*c->work -= may ? n : *c->work;
	return may;
}

/* A string that is no constant. */
static uint32_t
plain_string(struct jfr_chunk *c, struct jfr_cursor *at)
{
	uint8_t form = byte(at);
	const char *s;
	uint64_t n;

	if (form != UTF8 && form != CHARS && form != LATIN1)
		return 0;
	n = jfr_varint(at);
	if (n > (uint64_t)(at->end - at->p) || !charge(c, n)) {
		at->is_bad = true;
		return 0;
	}
	if (form != UTF8)
		return wide_string(c->b, at, n, form == CHARS);
	s = (const char *)at->p;
	skip_bytes(at, n);
	return byname_string(c->b, s, (size_t)n);
}

/* --- the header --- */

bool
jfr_is(const void *data, size_t n)
{
	return n >= 4 && !memcmp(data, "FLR", 4);
}

enum prof_status
jfr_header(struct jfr_chunk *c, const void *data, size_t n, size_t at)
{
	const uint8_t *p = (const uint8_t *)data + at;
	uint64_t size;

	c->data = p;
	c->n = n - at;
	c->at = at;
	if (c->n < HEADER || !jfr_is(p, c->n))
		return prof_fail(c->err, PROF_EFORMAT,
				 "jfr: no chunk at byte %zu", at);
	if (fixed(p + 4, 2) != 2)
		return prof_fail(c->err, PROF_ENOTSUP,
				 "jfr: version %d of the format; record with "
				 "JDK 9 or later",
				 (int)fixed(p + 4, 2));
	if (!(fixed(p + 64, 4) & COMPRESSED))
		return prof_fail(c->err, PROF_ENOTSUP,
				 "jfr: a recording without compressed "
				 "integers");
	size = fixed(p + 8, 8);
	c->is_whole = size > HEADER && size <= c->n;
	if (c->is_whole)
		c->n = (size_t)size;
	c->metadata = fixed(p + 24, 8);
	c->start_ns = (int64_t)fixed(p + 32, 8);
	c->duration_ns = (int64_t)fixed(p + 40, 8);
	c->ticks_per_second = fixed(p + 56, 8);
	return PROF_OK;
}

bool
jfr_next(struct jfr_chunk *c, size_t *at, struct jfr_event *e)
{
	struct jfr_cursor *b = &e->body;
	size_t from = *at < HEADER ? HEADER : *at;
	uint64_t size;

	*b = (struct jfr_cursor){ c->data + from, c->data + c->n, false };
	if (from >= c->n)
		return false;
	size = jfr_varint(b);
	if (b->is_bad || size > c->n - from || size < 2)
		return false;
	b->end = c->data + from + size;
	e->id = jfr_varint(b);
	e->class = idmap_find(&c->by_id, e->id);
	*at = from + (size_t)size;
	return !b->is_bad;
}

/* --- metadata --- */

static enum prof_status
damaged(struct jfr_chunk *c, const char *what)
{
	return prof_fail(c->err, PROF_EFORMAT,
			 "jfr: damaged %s in the chunk at byte %zu", what,
			 c->at);
}

static bool
is_named(const struct jfr_chunk *c, uint32_t s, const char *name)
{
	return !strcmp(profile_str(c->b->p, s), name);
}

static enum jfr_form
form_of(const char *name)
{
	static const struct {
		const char *name;
		enum jfr_form form;
	} forms[] = {
		{ "boolean", JFR_BYTE },
		{ "byte", JFR_BYTE },
		{ "char", JFR_VARINT },
		{ "short", JFR_VARINT },
		{ "int", JFR_VARINT },
		{ "long", JFR_VARINT },
		{ "float", JFR_FLOAT },
		{ "double", JFR_DOUBLE },
		{ "java.lang.String", JFR_STRING },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(name, forms[i].name))
			return forms[i].form;
	return JFR_STRUCT;
}

/* Attributes of an element that matter; strings of the profile. */
struct element {
	uint32_t name, its_name;
	uint64_t id, class_id;
	bool is_constant, is_array;
};

static uint32_t
metadata_string(struct jfr_chunk *c, struct jfr_cursor *at)
{
	uint64_t i = jfr_varint(at);

	if (i < c->n_string)
		return c->string[i];
	at->is_bad = true;
	return 0;
}

static void
read_attributes(struct jfr_chunk *c, struct jfr_cursor *at, struct element *e)
{
	uint64_t n;

	*e = (struct element){ .name = metadata_string(c, at) };
	for (n = jfr_varint(at); n && !at->is_bad; n--) {
		uint32_t key = metadata_string(c, at);
		uint32_t s = metadata_string(c, at);
		const char *text = profile_str(c->b->p, s);

		if (is_named(c, key, "name"))
			e->its_name = s;
		else if (is_named(c, key, "id"))
			e->id = strtoull(text, NULL, 10);
		else if (is_named(c, key, "class"))
			e->class_id = strtoull(text, NULL, 10);
		else if (is_named(c, key, "constantPool"))
			e->is_constant = !strcmp(text, "true");
		else if (is_named(c, key, "dimension"))
			e->is_array = strcmp(text, "0") != 0;
	}
}

static enum prof_status
add_class(struct jfr_chunk *c, const struct element *e)
{
	struct jfr_class *k;

	if (array_reserve(&c->class, &c->cap_class, c->n_class + 1,
			  sizeof(*c->class)) < 0)
		return prof_nomem(c->err);
	k = &c->class[c->n_class];
	*k = (struct jfr_class){
		.id = e->id,
		.name = e->its_name,
		.form = form_of(profile_str(c->b->p, e->its_name)),
		.first = c->n_field,
	};
	c->n_class++;
	if (idmap_init(&k->constant, 16) < 0 ||
	    idmap_add(&c->by_id, e->id, (uint32_t)c->n_class - 1) < 0)
		return prof_nomem(c->err);
	return PROF_OK;
}

static enum prof_status
add_field(struct jfr_chunk *c, const struct element *e)
{
	if (array_reserve(&c->field, &c->cap_field, c->n_field + 1,
			  sizeof(*c->field)) < 0)
		return prof_nomem(c->err);
	c->field[c->n_field++] = (struct jfr_field){
		.name = e->its_name,
		.class_id = e->class_id,
		.is_constant = e->is_constant,
		.is_array = e->is_array,
	};
	c->class[c->n_class - 1].n_field++;
	return PROF_OK;
}

/* An element and those in it. Fields are right in their class. */
static enum prof_status
read_element(struct jfr_chunk *c, struct jfr_cursor *at, bool in_class,
	     int depth)
{
	enum prof_status st = PROF_OK;
	bool is_class;
	struct element e;
	uint64_t n;

	read_attributes(c, at, &e);
	if (at->is_bad || depth > MAX_DEPTH)
		return damaged(c, "metadata");
	is_class = is_named(c, e.name, "class");
	if (is_class)
		st = add_class(c, &e);
	else if (in_class && is_named(c, e.name, "field"))
		st = add_field(c, &e);
	for (n = jfr_varint(at); st == PROF_OK && n && !at->is_bad; n--)
		st = read_element(c, at, is_class, depth + 1);
	return st;
}

/* Fields know their classes, which may come after them. */
static enum prof_status
link_fields(struct jfr_chunk *c)
{
	for (size_t i = 0; i < c->n_field; i++) {
		c->field[i].class = idmap_find(&c->by_id, c->field[i].class_id);
		if (c->field[i].class == IDMAP_NONE)
			return damaged(c, "metadata");
	}
	return PROF_OK;
}

static enum prof_status
read_metadata(struct jfr_chunk *c)
{
	size_t place = (size_t)c->metadata;
	struct jfr_event e;
	enum prof_status st;
	uint64_t n;

	if (c->metadata < HEADER || c->metadata >= c->n ||
	    !jfr_next(c, &place, &e) || e.id != EVENT_METADATA)
		return damaged(c, "metadata");
	for (int i = 0; i < 3; i++) /* start, duration, its id */
		jfr_varint(&e.body);
	n = jfr_varint(&e.body);
	if (n > (uint64_t)(e.body.end - e.body.p))
		return damaged(c, "metadata");
	c->string = calloc((size_t)n + 1, sizeof(*c->string));
	if (!c->string)
		return prof_nomem(c->err);
	for (; c->n_string < n && !e.body.is_bad; c->n_string++) {
		c->string[c->n_string] = plain_string(c, &e.body);
		if (c->string[c->n_string] == STRTAB_NONE)
			return prof_nomem(c->err);
	}
	st = read_element(c, &e.body, false, 0);
	return st == PROF_OK ? link_fields(c) : st;
}

/* --- values --- */

static bool read_struct(struct jfr_chunk *c, struct jfr_cursor *at,
			const struct jfr_class *k, struct jfr_value *value,
			size_t n, int depth);

static bool
read_one(struct jfr_chunk *c, struct jfr_cursor *at, uint32_t class,
	 uint64_t *number, int depth)
{
	const struct jfr_class *k = &c->class[class];

	*number = 0;
	switch (k->form) {
	case JFR_BYTE:
		*number = byte(at);
		break;
	case JFR_VARINT:
		*number = jfr_varint(at);
		break;
	case JFR_FLOAT:
		skip_bytes(at, 4);
		break;
	case JFR_DOUBLE:
		skip_bytes(at, 8);
		break;
	case JFR_STRING:
		skip_string(at);
		break;
	case JFR_STRUCT:
		return depth < MAX_DEPTH &&
		       read_struct(c, at, k, NULL, 0, depth + 1);
	}
	return !at->is_bad;
}

static bool
read_field(struct jfr_chunk *c, struct jfr_cursor *at,
	   const struct jfr_field *f, struct jfr_value *v, int depth)
{
	uint64_t n = 1, number = 0;

	if (v) {
		v->at = *at;
		v->class = f->class;
		v->is_constant = f->is_constant;
	}
	if (f->is_array)
		n = jfr_varint(at);
	for (; n && !at->is_bad; n--) {
		if (!charge(c, 1))
			return false;
		if (f->is_constant)
			number = jfr_varint(at);
		else if (!read_one(c, at, f->class, &number, depth))
			return false;
	}
	if (v)
		v->number = number;
	return !at->is_bad;
}

static bool
read_struct(struct jfr_chunk *c, struct jfr_cursor *at,
	    const struct jfr_class *k, struct jfr_value *value, size_t n,
	    int depth)
{
	for (size_t i = 0; i < k->n_field; i++) {
		const struct jfr_field *f = &c->field[k->first + i];
		struct jfr_value *v = NULL;

		for (size_t w = 0; w < n && !v; w++)
			if (is_named(c, f->name, value[w].name))
				v = &value[w];
		if (!read_field(c, at, f, v, depth))
			return false;
	}
	return true;
}

bool
jfr_read(struct jfr_chunk *c, struct jfr_cursor *at, uint32_t class,
	 struct jfr_value *value, size_t n)
{
	uint64_t number;

	for (size_t i = 0; i < n; i++)
		value[i] = (struct jfr_value){ .name = value[i].name,
					       .class = PROF_NONE };
	if (c->class[class].form != JFR_STRUCT)
		return read_one(c, at, class, &number, 0);
	return read_struct(c, at, &c->class[class], value, n, 0);
}

bool
jfr_constant(const struct jfr_chunk *c, const struct jfr_value *v,
	     struct jfr_cursor *at)
{
	uint32_t i =
		v->class == PROF_NONE
			? IDMAP_NONE
			: idmap_find(&c->class[v->class].constant, v->number);

	if (i == IDMAP_NONE)
		return false;
	*at = (struct jfr_cursor){ c->data + c->constant[i], c->data + c->n,
				   false };
	return true;
}

uint32_t
jfr_string(struct jfr_chunk *c, const struct jfr_value *v)
{
	struct jfr_value text = { .name = "string" };
	struct jfr_value key = *v;
	struct jfr_cursor at = v->at;

	if (v->class == PROF_NONE ||
	    (v->is_constant && !jfr_constant(c, v, &at)))
		return 0;
	/* jdk.types.Symbol has one field, which is no constant. */
	if (c->class[v->class].form == JFR_STRUCT) {
		if (!jfr_read(c, &at, v->class, &text, 1) ||
		    text.class == PROF_NONE || text.is_constant)
			return 0;
		key = text;
		at = text.at;
	}
	if (c->class[key.class].form != JFR_STRING)
		return 0;
	if (at.p < at.end && *at.p == CONSTANT) {
		byte(&at);
		key.number = jfr_varint(&at);
		if (!jfr_constant(c, &key, &at))
			return 0;
	}
	return plain_string(c, &at);
}

/* --- constants --- */

static enum prof_status
add_constant(struct jfr_chunk *c, struct jfr_cursor *at, uint32_t class)
{
	uint64_t key = jfr_varint(at);
	struct jfr_class *k = &c->class[class];

	if (array_reserve(&c->constant, &c->cap_constant, c->n_constant + 1,
			  sizeof(*c->constant)) < 0)
		return prof_nomem(c->err);
	c->constant[c->n_constant] = (size_t)(at->p - c->data);
	if (!jfr_read(c, at, class, NULL, 0) || at->is_bad)
		return damaged(c, "constants");
	/* A later checkpoint may repeat one. */
	switch (idmap_add(&k->constant, key, (uint32_t)c->n_constant)) {
	case 0:
		c->n_constant++;
		return c->n_constant < PROF_NONE
			       ? PROF_OK
			       : prof_fail(c->err, PROF_ELIMIT,
					   "jfr: too many constants");
	case 1:
		return PROF_OK;
	default:
		return prof_nomem(c->err);
	}
}

static enum prof_status
read_checkpoint(struct jfr_chunk *c, struct jfr_cursor *at)
{
	enum prof_status st = PROF_OK;
	uint64_t n_pool, n;

	for (int i = 0; i < 3; i++) /* start, duration, the one before */
		jfr_varint(at);
	byte(at); /* its kind */
	for (n_pool = jfr_varint(at); n_pool && st == PROF_OK; n_pool--) {
		uint32_t class = idmap_find(&c->by_id, jfr_varint(at));

		if (at->is_bad || class == IDMAP_NONE)
			return damaged(c, "constants");
		for (n = jfr_varint(at); n && st == PROF_OK; n--)
			st = add_constant(c, at, class);
	}
	return st;
}

enum prof_status
jfr_layout(struct jfr_chunk *c)
{
	enum prof_status st = idmap_init(&c->by_id, 256) < 0
				      ? prof_nomem(c->err)
				      : read_metadata(c);
	struct jfr_event e;
	size_t at = 0;

	while (st == PROF_OK && jfr_next(c, &at, &e))
		if (e.id == EVENT_CHECKPOINT)
			st = read_checkpoint(c, &e.body);
	return st;
}

void
jfr_chunk_release(struct jfr_chunk *c)
{
	for (size_t i = 0; i < c->n_class; i++)
		idmap_release(&c->class[i].constant);
	idmap_release(&c->by_id);
	free(c->class);
	free(c->field);
	free(c->constant);
	free(c->string);
}
