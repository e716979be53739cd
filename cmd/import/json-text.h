/* json-text.h - from text to jansson's values, for the readers of JSON. */
#ifndef IMPORT_JSON_TEXT_H
#define IMPORT_JSON_TEXT_H

#include <jansson.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/formats/exchange/byname.h"

/*
 * Integers past 64 bits are read as reals, and so then is every number of the
 * text: json_text_int() takes both.
 */
int64_t json_text_int(const json_t *number); /* within 2^62; else 0 */

/* A string of b, which may hold NULs; "" if it is none. STRTAB_NONE without
 * memory. */
uint32_t json_text_string(struct byname *b, const json_t *s);
/* A member that is a string, else "". */
const char *json_text_of(const json_t *o, const char *key);

/*
 * Parse n bytes, have read make b's columns and samples of the value, and set
 * *out, which is the caller's, or NULL. b is initialized and released.
 * PROF_EFORMAT, PROF_ENOMEM, and what read returns.
 */
typedef enum prof_status json_read_fn(void *ctx, const json_t *root);
enum prof_status json_text_profile(const void *data, size_t n, struct byname *b,
				   json_read_fn *read, void *ctx,
				   struct profile **out,
				   struct prof_err *err) MUST_USE;

/* Parse the value at data + *at, and move *at to the next one, or to n. */
enum prof_status json_text_next(const void *data, size_t n, size_t *at,
				json_t **root, struct prof_err *err) MUST_USE;

#endif
