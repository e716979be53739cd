/*
 * byname.h - a profile built of names, for formats that have no addresses: each
 * function, location and mapping occurs once. Strings are added to the profile
 * itself.
 */
#ifndef BYNAME_H
#define BYNAME_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/hashtab.h"
#include "lib/model/profile.h"

struct byname {
	struct profile *p;
	struct hashtab function, location, mapping;
	/* The location of a frame that is a name and nothing else, by string.
	 */
	uint32_t *by_name;
	size_t cap_by_name;
	/* The stack in work, leaf first when it is added. */
	uint32_t *stack;
	size_t n_stack, cap_stack;
};

/* Begin an empty profile. PROF_ENOMEM; end with byname_release() always. */
enum prof_status byname_init(struct byname *b, struct prof_err *err) MUST_USE;
void byname_release(struct byname *b);

/* The profile, which is then the caller's. */
struct profile *byname_take(struct byname *b);

/* The string of n bytes, or STRTAB_NONE without memory. */
uint32_t byname_string(struct byname *b, const char *s, size_t n);

/* All: an index, or PROF_NONE without memory. */
uint32_t byname_function(struct byname *b, uint32_t name, uint32_t file,
			 int64_t start_line);
/* A mapping without addresses: of a file, "[kernel.kallsyms]", "[jit]". */
uint32_t byname_mapping(struct byname *b, uint32_t file);
/* n_line lines, innermost first, of a mapping or PROF_NONE. */
uint32_t byname_location(struct byname *b, uint32_t mapping, uint64_t address,
			 const struct line *line, size_t n_line);
/* A function of that name, and nothing more. */
uint32_t byname_name(struct byname *b, uint32_t name);

/* Append a location to the stack in work. Returns -1 without memory. */
int byname_push(struct byname *b, uint32_t location);
/* Turn round the stack in work: root first becomes leaf first. */
void byname_reverse(struct byname *b);
/* Add a sample of it; the stack is then empty. Returns -1 without memory. */
int byname_sample(struct byname *b, const int64_t *value,
		  const struct label *label, size_t n_label);

#endif
