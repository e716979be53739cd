/*
 * names.h - normalize function names: remove the parts that compilers number
 * anew in each build, so that a function has the same name in two builds.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>

struct profile;

/* One rule: its subject, an example, and how many names it changed. */
struct names_rule {
	const char *what;
	const char *from, *to; /* an example */
	size_t n_name;
};

enum { NAMES_N_RULE = 6 };

/*
 * Normalize the names and system names of all functions of p. The NAMES_N_RULE
 * entries of rule are filled; counts are added to their old values, so begin
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

/*
 * The same for the name of a Rust function, whose two manglings differ:
 * a::S<T>::f::{{closure}} and <a::S<>>::f::<>::{closure#} become
 * a::S::f::{closure}. SIZE_MAX without memory.
 */
size_t names_cut_generics(char *name, size_t len);

#endif
