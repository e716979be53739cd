/* firefox-table.c - see firefox-table.h. */
#include "config.h"

#if HAVE_JANSSON
#include "firefox-table.h"
#include "json-text.h"

struct firefox_column
firefox_column(const json_t *table, const char *name)
{
	const json_t *schema = json_object_get(table, "schema");
	const json_t *at = json_object_get(schema, name);
	int64_t i = json_text_int(at);

	if (!schema)
		return (struct firefox_column){ json_object_get(table, name),
						-1 };
	return (struct firefox_column){
		json_is_number(at) && i >= 0 && i < 1000
			? json_object_get(table, "data")
			: NULL,
		(int)i,
	};
}

size_t
firefox_rows(const json_t *table, const char *name)
{
	return json_array_size(firefox_column(table, name).list);
}

const json_t *
firefox_cell(struct firefox_column c, size_t row)
{
	const json_t *v = json_array_get(c.list, row);

	if (c.at >= 0)
		v = json_array_get(v, (size_t)c.at);
	return json_is_null(v) ? NULL : v;
}

int64_t
firefox_int(struct firefox_column c, size_t row, int64_t otherwise)
{
	const json_t *v = firefox_cell(c, row);

	return json_is_number(v) ? json_text_int(v) : otherwise;
}

int64_t
firefox_index(struct firefox_column c, size_t row, size_t n)
{
	int64_t i = firefox_int(c, row, FIREFOX_NONE);

	return i >= 0 && (uint64_t)i < n ? i : FIREFOX_NONE;
}

#endif
