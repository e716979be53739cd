/*
 * json.h - strings of profiles as JSON. Everything else of JSON is a matter of
 * printf(); what strangers wrote is not.
 */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdio.h>

struct str;

/* The n bytes at s as a JSON string; those that are no UTF-8 become U+FFFD. */
void json_put(FILE *out, const char *s, size_t n);
void json_put_str(FILE *out, const struct str *s);

#endif
