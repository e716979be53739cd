/*
 * otlp-fields.h - the messages of OTLP's profiles by field: names and types,
 * for the form in JSON. That form is proto3's, with two rules of OTLP's own:
 * trace and span ids are hexadecimal, not base64, and readers pass over keys
 * that they do not know.
 *
 * Fields that otlp_write() does not write and otlp_parse() does not read are
 * missing here: schema URLs, dropped counts, profile ids, original payloads.
 * otlp_write() writes no OTLP_DOUBLE and no OTLP_BASE64.
 */
#ifndef OTLP_FIELDS_H
#define OTLP_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum otlp_kind {
	OTLP_INT32,
	OTLP_INT64, /* in JSON a string, like the next two */
	OTLP_UINT64,
	OTLP_FIXED64, /* the one of these that is no varint */
	OTLP_BOOL,
	OTLP_DOUBLE,
	OTLP_STRING,
	OTLP_HEX,    /* bytes */
	OTLP_BASE64, /* bytes */
	OTLP_MESSAGE,
};

struct otlp_field {
	const char *name;                 /* in JSON; NULL ends a message */
	uint8_t number;                   /* fields are in this order */
	uint8_t kind;                     /* enum otlp_kind */
	bool is_repeated;                 /* numbers are packed */
	const struct otlp_field *message; /* of OTLP_MESSAGE */
};

/* The fields of ProfilesData, the whole. */
extern const struct otlp_field otlp_data[];

#endif
