/*
 * text-data.h - shared by the reports for programs (text-data.c, text-diff.c):
 * the description of the profile and of a node.
 */
#ifndef TEXT_DATA_H
#define TEXT_DATA_H

#include <stdint.h>
#include <stdio.h>

struct frames;
struct report;

/*
 * The first members of a document: schema, profile, type, unit and mean, each
 * with a comma after it.
 */
void data_json_head(FILE *out, const struct report *r, const char *schema);

/* "filters": the list of them. */
void data_json_filters(FILE *out, const struct report *r);

/* The parts and the name of key k, as members with commas after them. */
void data_json_key(FILE *out, const struct frames *f, uint32_t k);

/* The same as cells: name, function, file, line, column, address, object. */
extern const char data_tsv_key_titles[];
void data_tsv_key(FILE *out, const struct frames *f, uint32_t k);

#endif
