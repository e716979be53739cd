/*
 * otlp-value.c - the values of OTLP's attributes as labels; see otlp-impl.h.
 * Labels are strings and integers: other values become text.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "lib/wire/wire.h"
#include "otlp-impl.h"

#define MAX_DEPTH 32 /* of values in values */

/* The member of an AnyValue that is set: the last one counts. */
struct any {
	struct wire_field f; /* number 0: none */
	double real;
};

static enum prof_status
read_any(struct tables *t, struct part m, struct any *any)
{
	const uint8_t *p = m.data, *end = p + m.n;
	static const enum wire_type type[] = {
		[ANY_STRING] = WIRE_BYTES, [ANY_BOOL] = WIRE_VARINT,
		[ANY_INT] = WIRE_VARINT,   [ANY_DOUBLE] = WIRE_I64,
		[ANY_ARRAY] = WIRE_BYTES,  [ANY_LIST] = WIRE_BYTES,
		[ANY_BYTES] = WIRE_BYTES,  [ANY_STRINDEX] = WIRE_VARINT,
	};
	struct wire_field f;

	memset(any, 0, sizeof(*any));
	while (p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(t, "value of an attribute");
		if (f.number < ANY_STRING || f.number > ANY_STRINDEX ||
		    f.type != type[f.number])
			continue;
		any->f = f;
		if (f.type == WIRE_I64) {
			uint64_t bits = wire_fixed64(p - 8);

			memcpy(&any->real, &bits, sizeof(bits));
		}
	}
	return PROF_OK;
}

static enum prof_status
push_label(struct tables *t, uint32_t key, uint32_t unit, uint32_t str,
	   int64_t num)
{
	if (str == STRTAB_NONE ||
	    array_reserve(&t->label, &t->cap_label, t->n_label + 1,
			  sizeof(*t->label)) < 0)
		return prof_nomem(t->err);
	t->label[t->n_label++] = (struct label){
		.key = key, .str = str, .unit = str ? 0 : unit, .num = num
	};
	return PROF_OK;
}

/* --- text, for values in values --- */

static int print_format(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int
print_format(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = buf_vprintf(b, fmt, ap);
	va_end(ap);
	return n;
}

/* The shortest form that reads back as the same number. */
static int
print_real(struct buf *b, double x)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	return buf_add(b, text, strlen(text));
}

static int
print_hex(struct buf *b, const uint8_t *data, size_t n)
{
	int st = 0;

	for (size_t i = 0; i < n && st == 0; i++)
		st = print_format(b, "%02x", data[i]) < 0 ? -1 : 0;
	return st;
}

/* A KeyValue. */
struct pair {
	struct part key, value;
};

static enum prof_status
read_pair(struct tables *t, struct part m, struct pair *pair)
{
	const uint8_t *p = m.data, *end = p + m.n;
	enum prof_status st = PROF_OK;
	struct wire_field f;
	const struct part *s;

	memset(pair, 0, sizeof(*pair));
	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(t, "value of an attribute");
		if (f.number == KEY_VALUE_KEY && f.type == WIRE_BYTES)
			pair->key = (struct part){ f.data, f.value };
		else if (f.number == KEY_VALUE_VALUE && f.type == WIRE_BYTES)
			pair->value = (struct part){ f.data, f.value };
		else if (f.number == KEY_VALUE_STRINDEX &&
			 f.type == WIRE_VARINT) {
			st = otlp_index(t, TABLE_STRING, f.value, "attributes",
					0);
			s = t->table[TABLE_STRING].part;
			if (st == PROF_OK && s) {
				pair->key = s[f.value];
				st = otlp_again(t, pair->key.n);
			}
		}
	}
	return st;
}

static int
print_text(struct buf *b, const uint8_t *data, size_t n)
{
	return n ? buf_add(b, data, n) : 0;
}

static enum prof_status print_any(struct tables *t, struct part m,
				  struct buf *b, int depth);

/* "[1, 2]", or "{a: 1, b: 2}": the entries of an array or of a list. */
static enum prof_status
print_values(struct tables *t, const struct wire_field *list, struct buf *b,
	     int depth)
{
	const uint8_t *p = list->data, *end = p + list->value;
	bool is_array = list->number == ANY_ARRAY, comma = false;
	enum prof_status st = PROF_OK;
	struct wire_field f;
	struct pair pair;
	int ok = print_format(b, is_array ? "[" : "{");

	while (st == PROF_OK && ok >= 0 && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(t, "value of an attribute");
		if (f.number != LIST_VALUES || f.type != WIRE_BYTES)
			continue;
		pair.value = (struct part){ f.data, f.value };
		ok = comma ? print_format(b, ", ") : 0;
		comma = true;
		if (!is_array) {
			st = read_pair(t, pair.value, &pair);
			if (st != PROF_OK)
				break;
			ok = print_text(b, pair.key.data, pair.key.n);
			ok = ok < 0 ? ok : print_format(b, ": ");
		}
		st = print_any(t, pair.value, b, depth + 1);
	}
	if (st == PROF_OK &&
	    (ok < 0 || print_format(b, is_array ? "]" : "}") < 0))
		st = prof_nomem(t->err);
	return st;
}

static enum prof_status
print_any(struct tables *t, struct part m, struct buf *b, int depth)
{
	const struct part *string = t->table[TABLE_STRING].part;
	enum prof_status st;
	struct any any;
	int ok = 0;

	if (depth > MAX_DEPTH)
		return prof_fail(t->err, PROF_ELIMIT,
				 "otlp: attributes nested deeper than %d",
				 MAX_DEPTH);
	st = read_any(t, m, &any);
	if (st != PROF_OK)
		return st;
	switch (any.f.number) {
	case ANY_STRING:
		ok = print_text(b, any.f.data, any.f.value);
		break;
	case ANY_BOOL:
		ok = print_format(b, any.f.value ? "true" : "false");
		break;
	case ANY_INT:
		ok = print_format(b, "%" PRId64, (int64_t)any.f.value);
		break;
	case ANY_DOUBLE:
		ok = print_real(b, any.real);
		break;
	case ANY_ARRAY:
	case ANY_LIST:
		return print_values(t, &any.f, b, depth);
	case ANY_BYTES:
		ok = print_hex(b, any.f.data, any.f.value);
		break;
	case ANY_STRINDEX:
		st = otlp_index(t, TABLE_STRING, any.f.value, "attributes", 0);
		if (st == PROF_OK && string)
			st = otlp_again(t, string[any.f.value].n);
		if (st == PROF_OK && string)
			ok = print_text(b, string[any.f.value].data,
					string[any.f.value].n);
		break;
	}
	return ok < 0 ? prof_nomem(t->err) : st;
}

/* --- labels --- */

static enum prof_status
push_text(struct tables *t, struct part m, uint32_t key)
{
	struct buf b = { 0 };
	enum prof_status st = print_any(t, m, &b, 0);

	if (st == PROF_OK)
		st = push_label(t, key, 0,
				strtab_add(&t->p->strings,
					   b.n ? (const char *)b.data : "",
					   b.n),
				0);
	buf_release(&b);
	return st;
}

/* Arrays in arrays are text. */
static enum prof_status
push_array(struct tables *t, const struct wire_field *list, uint32_t key,
	   uint32_t unit)
{
	const uint8_t *p = list->data, *end = p + list->value;
	enum prof_status st = PROF_OK;
	struct wire_field f;
	struct part part;
	struct any any;

	while (st == PROF_OK && p < end) {
		p = wire_next(p, end, &f);
		if (!p)
			return otlp_damaged(t, "value of an attribute");
		if (f.number != LIST_VALUES || f.type != WIRE_BYTES)
			continue;
		part = (struct part){ f.data, f.value };
		st = read_any(t, part, &any);
		if (st == PROF_OK)
			st = any.f.number == ANY_INT
				     ? push_label(t, key, unit, 0,
						  (int64_t)any.f.value)
				     : push_text(t, part, key);
	}
	return st;
}

enum prof_status
otlp_value(struct tables *t, struct part m, uint32_t key, uint32_t unit)
{
	struct any any;
	enum prof_status st = read_any(t, m, &any);

	if (st != PROF_OK || !any.f.number)
		return st;
	if (any.f.number == ANY_INT)
		return push_label(t, key, unit, 0, (int64_t)any.f.value);
	if (any.f.number == ANY_ARRAY)
		return push_array(t, &any.f, key, unit);
	return push_text(t, m, key);
}

enum prof_status
otlp_key_value(struct tables *t, struct part m, struct attribute *a)
{
	struct pair pair;
	enum prof_status st = read_pair(t, m, &pair);

	*a = (struct attribute){ .first = t->n_label };
	if (st != PROF_OK)
		return st;
	a->key = strtab_add(&t->p->strings,
			    pair.key.n ? (const char *)pair.key.data : "",
			    pair.key.n);
	if (a->key == STRTAB_NONE)
		return prof_nomem(t->err);
	if (pair.value.n)
		st = otlp_value(t, pair.value, a->key, 0);
	a->n = t->n_label - a->first;
	return st;
}
