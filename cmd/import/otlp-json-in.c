/*
 * otlp-json-in.c - OTLP's profiles in JSON, read with jansson; see json-in.h.
 * Numbers may be strings and strings of digits numbers: writers do both.
 */
#include "config.h"

#include "json-in.h"

#if HAVE_JANSSON
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json-text.h"
#include "lib/base/ascii.h"
#include "lib/formats/exchange/otlp-fields.h"
#include "lib/wire/message.h"
#include "lib/wire/wire.h"

static enum prof_status
bad(struct prof_err *err, const struct otlp_field *f, const char *what)
{
	return prof_fail(err, PROF_EFORMAT, "otlp-json: \"%s\" is not %s",
			 f->name, what);
}

/* Digits in a string. */
static bool
parse_integer(const char *s, bool is_signed, uint64_t *v)
{
	char *end;

	if (*s != '-' && (*s < '0' || *s > '9'))
		return false;
	errno = 0;
	if (*s == '-' || is_signed)
		*v = (uint64_t)strtoll(s, &end, 10);
	else
		*v = strtoull(s, &end, 10);
	return !errno && !*end && (is_signed || *s != '-');
}

static bool
integer(json_t *j, bool is_signed, uint64_t *v)
{
	double x;

	if (json_is_integer(j)) {
		*v = (uint64_t)json_integer_value(j);
		return is_signed || json_integer_value(j) >= 0;
	}
	if (json_is_string(j))
		return parse_integer(json_string_value(j), is_signed, v);
	x = json_is_real(j) ? json_real_value(j) : NAN;
	/* 1e3 and 2.0 are integers; up to 2^53 all of these are exact. */
	if (!(fabs(x) <= 9007199254740992.0) || x != floor(x) ||
	    (!is_signed && x < 0))
		return false;
	*v = (uint64_t)(int64_t)x;
	return true;
}

/* JSON has no numbers for these three. */
static bool
real(json_t *j, double *x)
{
	const char *s = json_string_value(j);
	char *end;

	if (!s) {
		*x = json_number_value(j);
		return json_is_number(j);
	}
	*x = strtod(s, &end);
	return *s && !*end;
}

static bool
put_hex(struct message *m, unsigned number, const char *s, size_t n)
{
	struct buf b = { 0 };
	bool ok = n % 2 == 0;

	m->failed |= buf_reserve(&b, n / 2 + 1) < 0;
	for (size_t i = 0; ok && !m->failed && i < n; i += 2) {
		int high = hex_digit(s[i]), low = hex_digit(s[i + 1]);

		ok = high >= 0 && low >= 0;
		if (ok)
			b.data[b.n++] = (uint8_t)(high << 4 | low);
	}
	if (ok)
		message_bytes(m, number, b.data, b.n);
	buf_release(&b);
	return ok;
}

/* Both alphabets: of + and /, and of - and _. */
static int
base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

static bool
put_base64(struct message *m, unsigned number, const char *s, size_t n)
{
	struct buf b = { 0 };
	uint32_t bits = 0;
	bool ok;

	while (n && s[n - 1] == '=')
		n--;
	ok = n % 4 != 1;
	m->failed |= buf_reserve(&b, n + 1) < 0;
	for (size_t i = 0; ok && !m->failed && i < n; i++) {
		int digit = base64_digit(s[i]);

		ok = digit >= 0;
		bits = bits << 6 | (uint32_t)(digit & 63);
		if (i % 4)
			b.data[b.n++] =
				(uint8_t)(bits >> (6 - 2 * (i % 4)) & 0xff);
	}
	if (ok)
		message_bytes(m, number, b.data, b.n);
	buf_release(&b);
	return ok;
}

static void
put_double(struct message *m, unsigned number, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	message_force_fixed64(m, number, bits);
}

/* One value that is no message. A member of a oneof counts even if it is 0. */
static enum prof_status
put_scalar(struct message *m, const struct otlp_field *f, json_t *j,
	   struct prof_err *err)
{
	const char *s = json_string_value(j);
	size_t n = json_string_length(j);
	uint64_t v;
	double x;

	switch (f->kind) {
	case OTLP_STRING:
		if (!s)
			return bad(err, f, "a string");
		message_bytes(m, f->number, s, n);
		break;
	case OTLP_HEX:
		if (!s || !put_hex(m, f->number, s, n))
			return bad(err, f, "a string of hexadecimal digits");
		break;
	case OTLP_BASE64:
		if (!s || !put_base64(m, f->number, s, n))
			return bad(err, f, "a string in base64");
		break;
	case OTLP_BOOL:
		if (!json_is_boolean(j))
			return bad(err, f, "true or false");
		message_force_varint(m, f->number, json_is_true(j));
		break;
	case OTLP_DOUBLE:
		if (!real(j, &x))
			return bad(err, f, "a number");
		put_double(m, f->number, x);
		break;
	default:
		if (!integer(j, f->kind <= OTLP_INT64, &v))
			return bad(err, f, "an integer of 64 bits");
		if (f->kind == OTLP_FIXED64)
			message_force_fixed64(m, f->number, v);
		else
			message_force_varint(m, f->number, v);
	}
	return PROF_OK;
}

static enum prof_status put_message(struct message *m,
				    const struct otlp_field *of, json_t *j,
				    struct prof_err *err);

static enum prof_status
put_value(struct message *m, const struct otlp_field *f, json_t *j,
	  struct prof_err *err)
{
	struct message in = { 0 };
	enum prof_status st;

	if (f->kind != OTLP_MESSAGE)
		return put_scalar(m, f, j, err);
	if (!json_is_object(j))
		return bad(err, f, "an object");
	st = put_message(&in, f->message, j, err);
	message_nest(m, f->number, &in);
	buf_release(&in.b);
	return st;
}

/* The name of a field is key, also if that has "_x" for "X". */
static bool
is_named(const char *name, const char *key)
{
	for (; *name; name++, key++) {
		if (*name >= 'A' && *name <= 'Z' && *key == '_') {
			key++;
			if (*key != *name - 'A' + 'a')
				return false;
		} else if (*key != *name) {
			return false;
		}
	}
	return !*key;
}

/* null means the same as no key. Lists of numbers may be unpacked. */
static enum prof_status
put_message(struct message *m, const struct otlp_field *of, json_t *j,
	    struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	for (void *at = json_object_iter(j); at && st == PROF_OK;
	     at = json_object_iter_next(j, at)) {
		const struct otlp_field *f = of;
		json_t *v = json_object_iter_value(at);

		while (f->name && !is_named(f->name, json_object_iter_key(at)))
			f++;
		if (!f->name || json_is_null(v))
			continue;
		if (f->is_repeated && !json_is_array(v))
			return bad(err, f, "an array");
		if (!f->is_repeated)
			st = put_value(m, f, v, err);
		for (size_t i = 0;
		     f->is_repeated && st == PROF_OK && i < json_array_size(v);
		     i++)
			st = put_value(m, f, json_array_get(v, i), err);
	}
	return st;
}

enum prof_status
otlp_json_convert(const void *data, size_t n, size_t *at, struct buf *out,
		  struct prof_err *err)
{
	struct message m = { .b = *out };
	enum prof_status st;
	json_t *root;

	st = json_text_next(data, n, at, &root, err);
	if (st != PROF_OK)
		return st;
	if (json_is_object(root))
		st = put_message(&m, otlp_data, root, err);
	else
		st = prof_fail(err, PROF_EFORMAT, "otlp-json: not an object");
	if (st == PROF_OK && m.failed)
		st = prof_nomem(err);
	*out = m.b;
	json_decref(root);
	return st;
}
#endif
