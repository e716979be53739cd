/* group.h - group the mappings of a profile by object. */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* A mapping, and the strings that identify its object. */
struct grouped {
	uint32_t file, build_id;
	uint32_t mapping;
	bool is_last; /* of its object */
};

/*
 * The n_mapping mappings of p, those with the same file and build-id adjacent,
 * groups in the order of p. The caller's, for free(); NULL without memory.
 */
struct grouped *group_mappings(const struct profile *p);

/* The bytes of all files that they name, as far as these are here. */
size_t group_n_bytes(const struct profile *p);

#endif
