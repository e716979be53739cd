/*
 * firefox-table.h - the two forms of a table in the Firefox Profiler's JSON.
 * Processed: {"frame": [0, 1], "prefix": [null, 0]}. As Firefox writes it:
 * {"schema": {"frame": 0, "prefix": 1}, "data": [[0, null], [1, 0]]}, where a
 * row ends at its last value.
 */
#ifndef FIREFOX_TABLE_H
#define FIREFOX_TABLE_H

#include <jansson.h>
#include <stdint.h>

#define FIREFOX_NONE ((int64_t)-1)

struct firefox_column {
	const json_t *list; /* NULL: the table lacks it */
	int at;             /* in a row; negative: list is the column */
};

struct firefox_column firefox_column(const json_t *table, const char *name);

/* The number of rows. */
size_t firefox_rows(const json_t *table, const char *name);

/* The value in a row; NULL: it has none. */
const json_t *firefox_cell(struct firefox_column c, size_t row);

/* The same as an index below n, or FIREFOX_NONE. */
int64_t firefox_index(struct firefox_column c, size_t row, size_t n);

/* The same as a number, or else otherwise. */
int64_t firefox_int(struct firefox_column c, size_t row, int64_t otherwise);

#endif
