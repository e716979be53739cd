/* json-text.c - see json-text.h. */
#include "config.h"

#if HAVE_JANSSON
#include "json-text.h"

#include <string.h>

#define MAX_INT ((int64_t)1 << 62)

const char *
json_text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

int64_t
json_text_int(const json_t *number)
{
	double d = json_number_value(number);

	if (!(d > -(double)MAX_INT && d < (double)MAX_INT))
		return 0;
	return json_is_integer(number) ? json_integer_value(number)
				       : (int64_t)d;
}

uint32_t
json_text_string(struct byname *b, const json_t *s)
{
	return json_is_string(s) ? byname_string(b, json_string_value(s),
						 json_string_length(s))
				 : 0;
}

static enum prof_status
load_text(const char *s, size_t n, size_t flags, json_t **root, size_t *used,
	  struct prof_err *err)
{
	json_error_t why;

	*root = json_loadb(s, n, JSON_ALLOW_NUL | flags, &why);
	if (!*root && strstr(why.text, "too big") &&
	    strstr(why.text, "integer"))
		*root = json_loadb(
			s, n, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | flags,
			&why);
	if (!*root)
		return prof_fail(err, PROF_EFORMAT, "JSON: line %d: %s",
				 why.line, why.text);
	*used = (size_t)why.position;
	return PROF_OK;
}

enum prof_status
json_text_profile(const void *data, size_t n, struct byname *b,
		  json_read_fn *read, void *ctx, struct profile **out,
		  struct prof_err *err)
{
	json_t *root;
	size_t used;
	enum prof_status st = load_text(data, n, 0, &root, &used, err);

	*out = NULL;
	if (st != PROF_OK)
		return st;
	st = byname_init(b, err);
	if (st == PROF_OK)
		st = read(ctx, root);
	if (st == PROF_OK)
		*out = byname_take(b);
	byname_release(b);
	json_decref(root);
	return st;
}

enum prof_status
json_text_next(const void *data, size_t n, size_t *at, json_t **root,
	       struct prof_err *err)
{
	const char *s = data;
	size_t used;
	enum prof_status st = load_text(
		s + *at, n - *at, JSON_DISABLE_EOF_CHECK, root, &used, err);

	if (st != PROF_OK)
		return st;
	*at += used;
	while (*at < n && strchr(" \t\r\n", s[*at]) && s[*at])
		++*at;
	return PROF_OK;
}
#endif
