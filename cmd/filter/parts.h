/* parts.h - a file for each value of a label: --split-by. */
#ifndef FILTER_PARTS_H
#define FILTER_PARTS_H

#include <stddef.h>

struct cli;
struct profile;

/* Write each part of p by label key to cli's -o with {} replaced by its value.
 * Dies, also of more than max_files of them. */
void parts_write(struct cli *cli, const struct profile *p, const char *key,
		 size_t max_files);

#endif
