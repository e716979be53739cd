/* json-text.h - from text to jansson's values, for the readers of JSON. */
#ifndef IMPORT_JSON_TEXT_H
#define IMPORT_JSON_TEXT_H

#include <jansson.h>
#include <stdint.h>

#include "lib/base/status.h"

/*
 * Integers past 64 bits are read as reals, and so then is every number of the
 * text: json_text_int() takes both.
 */
int64_t json_text_int(const json_t *number); /* within 2^62; else 0 */

/* Parse n bytes; *root is the caller's, for json_decref(). PROF_EFORMAT. */
enum prof_status json_text_parse(const void *data, size_t n, json_t **root,
				 struct prof_err *err) MUST_USE;

/* Parse the value at data + *at, and move *at to the next one, or to n. */
enum prof_status json_text_next(const void *data, size_t n, size_t *at,
				json_t **root, struct prof_err *err) MUST_USE;

#endif
