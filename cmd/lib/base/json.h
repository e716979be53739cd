/*
 * json.h - write untrusted strings as JSON. printf() is enough for the rest of
 * JSON.
 */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdio.h>

struct str;

/* Write the n bytes at s as a JSON string; invalid UTF-8 becomes U+FFFD. */
void json_put(FILE *out, const char *s, size_t n);
void json_put_str(FILE *out, const struct str *s);

#endif
