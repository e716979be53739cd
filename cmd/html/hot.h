/*
 * hot.h - the functions with the largest values of their own: the ones whose
 * source and instructions go into the page.
 */
#ifndef HOT_H
#define HOT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

struct report;

/* Names of functions, by string of the profile. */
struct hot {
	const struct report *r;
	bool *is_hot;
};

/*
 * The n names with the largest sums (without sign, in the report's column) of
 * samples that end in them; equal ones by name. is_physical: an inlined
 * function counts for the one that holds its code. End with hot_release(), also
 * after an error. PROF_ENOMEM.
 */
enum prof_status hot_init(struct hot *h, const struct report *r, size_t n,
			  bool is_physical, struct prof_err *err) MUST_USE;
void hot_release(struct hot *h);

/* Is the name of n bytes one of them? */
bool hot_has(const struct hot *h, const char *name, size_t n);

#endif
