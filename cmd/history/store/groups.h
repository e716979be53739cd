/*
 * groups.h - how much a cache keeps of each function beside the sums by day and
 * build: its values in each profile, or only the sums of groups of profiles.
 * The entries of profiles (time, totals, build, host, labels) are kept always,
 * so the group of each follows from its entry, and is not stored.
 */
#ifndef HISTORY_GROUPS_H
#define HISTORY_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct block;
struct cells;
struct entry;

enum detail {
	DETAIL_ALL,   /* each profile is a group */
	DETAIL_HOURS, /* the profiles of an hour and build */
	DETAIL_NONE,  /* ... of a day and build */
	N_DETAIL
};

/* What the profiles of a group of one day have in common. */
struct group {
	int64_t hour; /* since the epoch; 0 with DETAIL_NONE */
	uint32_t build;
};

/* The groups of a block. With DETAIL_ALL all but `detail` is empty. */
struct groups {
	enum detail detail;
	uint32_t *of; /* the group of each profile */
	size_t n_of, cap_of;
	struct group *group; /* in the order of their first profiles */
	size_t n, cap;
	int64_t *scale; /* n rows, one number for each column; or NULL */
};

void groups_release(struct groups *g);

/* Add the next profile. PROF_ENOMEM. */
enum prof_status groups_add(struct groups *g, const struct entry *e,
			    struct prof_err *err) MUST_USE;

/* The group of the profile with index i. */
uint32_t groups_of(const struct groups *g, size_t i);

/*
 * Sort the cells of a column by function, then by group. Cells of one function
 * in one group are added up: of several profiles, or of functions with one
 * printed name. PROF_ENOMEM.
 */
enum prof_status groups_sort(const struct groups *g, struct cells *x,
			     struct prof_err *err) MUST_USE;

/*
 * Set the scales of the groups of b: the greatest common divisors of their
 * cells. PROF_ENOMEM.
 */
enum prof_status groups_scale(struct block *b, struct prof_err *err) MUST_USE;

#endif
