/* json-text.c - see json-text.h. */
#include "config.h"

#if HAVE_JANSSON
#include "json-text.h"

enum prof_status
json_text_parse(const void *data, size_t n, json_t **root, struct prof_err *err)
{
	json_error_t why;

	*root = json_loadb(data, n, JSON_ALLOW_NUL, &why);
	if (!*root)
		return prof_fail(err, PROF_EFORMAT, "JSON: line %d: %s",
				 why.line, why.text);
	return PROF_OK;
}
#endif
