/*
 * names.h - names of functions without what compilers number anew in each
 * build, so that two builds have the same function.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>

struct profile;

/* One rule: what it is about, how a name changes, and how often it did. */
struct names_rule {
	const char *what;
	const char *from, *to; /* an example */
	size_t n_name;
};

enum { NAMES_N_RULE = 6 };

/*
 * Normalize the names and system names of all functions of p. rule, of
 * NAMES_N_RULE, is filled; counts are added to those that it has, so begin
 * with zeros. Functions that have become equal stay apart until a merge.
 * Returns -1 without memory.
 */
int names_normalize(struct profile *p, struct names_rule *rule);

/*
 * Normalize the len bytes at name in place, and return the new length.
 * used[i] is set for each rule i that applied. Exposed for tests.
 */
size_t names_normalize_text(char *name, size_t len,
			    unsigned char used[NAMES_N_RULE]);

#endif
