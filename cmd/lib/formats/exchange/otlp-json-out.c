/*
 * otlp-json-out.c - OTLP's profiles in JSON: the message of otlp_write(), field
 * by field. Going by its bytes keeps the two forms the same; a message costs a
 * look at a short table.
 */
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/base/escape.h"
#include "lib/wire/wire.h"
#include "otlp-fields.h"
#include "otlp.h"

static void
put_number(FILE *out, enum otlp_kind kind, uint64_t v)
{
	switch (kind) {
	case OTLP_INT32:
		fprintf(out, "%" PRId64, (int64_t)v);
		break;
	case OTLP_INT64:
		fprintf(out, "\"%" PRId64 "\"", (int64_t)v);
		break;
	case OTLP_BOOL:
		fputs(v ? "true" : "false", out);
		break;
	default:
		fprintf(out, "\"%" PRIu64 "\"", v);
	}
}

static void
put_hex(FILE *out, const uint8_t *data, size_t n)
{
	putc('"', out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", data[i]);
	putc('"', out);
}

/* The varints of a packed field. */
static void
put_packed(FILE *out, enum otlp_kind kind, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	const char *comma = "";
	uint64_t v;

	while (p < end && (p = wire_varint(p, end, &v))) {
		fputs(comma, out);
		put_number(out, kind, v);
		comma = ",";
	}
}

static void put_message(FILE *out, const struct otlp_field *of,
			const uint8_t *p, size_t n);

/* The value of a field, which ends at end; of a list, its part. */
static void
put_value(FILE *out, const struct otlp_field *is, const struct wire_field *f,
	  const uint8_t *end)
{
	if (is->kind == OTLP_MESSAGE)
		put_message(out, is->message, f->data, f->value);
	else if (is->kind == OTLP_STRING)
		json_put(out, (const char *)f->data, f->value);
	else if (is->kind == OTLP_HEX)
		put_hex(out, f->data, f->value);
	else if (f->type == WIRE_BYTES)
		put_packed(out, is->kind, f->data, f->value);
	else
		put_number(out, is->kind,
			   f->type == WIRE_I64 ? wire_fixed64(end - 8)
					       : f->value);
}

/* Fields are in order, and the parts of a list follow each other. */
static void
put_message(FILE *out, const struct otlp_field *of, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	const struct otlp_field *open = NULL; /* a list */
	const char *comma = "";
	struct wire_field f;

	putc('{', out);
	while (p < end && (p = wire_next(p, end, &f))) {
		while (of->name && of->number < f.number)
			of++;
		assert(of->number == f.number); /* of otlp_write() */
		if (open != of) {
			fprintf(out, "%s%s\"%s\":%s", open ? "]" : "", comma,
				of->name, of->is_repeated ? "[" : "");
			open = of->is_repeated ? of : NULL;
		} else {
			putc(',', out);
		}
		if (of->is_repeated &&
		    (of->kind == OTLP_MESSAGE || of->kind == OTLP_STRING))
			putc('\n', out);
		put_value(out, of, &f, p);
		comma = ",";
	}
	fputs(open ? "]}" : "}", out);
}

enum prof_status
otlp_json_write(FILE *out, const struct profile *p, size_t column,
		const char *version, struct prof_err *err)
{
	struct buf b = { 0 };
	enum prof_status st = otlp_write(p, column, version, &b, err);

	if (st == PROF_OK) {
		put_message(out, otlp_data, b.data, b.n);
		putc('\n', out);
	}
	buf_release(&b);
	return st;
}
