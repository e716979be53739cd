/* group.h - which mappings of a profile are of the same object. */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

/* A mapping, and what names its object: indices of strings. */
struct grouped {
	uint32_t file, build_id;
	uint32_t mapping;
	bool is_last; /* of its object */
};

/*
 * The n_mapping mappings of p: those with the same file and build-id beside
 * each other, in the order of p. The caller's, for free(); NULL without memory.
 */
struct grouped *group_mappings(const struct profile *p);

#endif
