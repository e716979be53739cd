/*
 * assembly-impl.h - what the files assembly*.c share: assembly.c finds the
 * functions, assembly-missing.c stands in for code that is not there,
 * assembly-sum.c adds up the samples.
 */
#ifndef ASSEMBLY_IMPL_H
#define ASSEMBLY_IMPL_H

#include "assembly.h"
#include "objects.h"

struct frames;
struct profile;

struct assembly_builder {
	struct report *r;
	const struct assembly_options *o;
	struct profile *p;
	struct frames *f; /* by address: the printed names */
	/* Of each location: assembly_wants_location(), if it was asked. */
	enum assembly_answer { UNKNOWN, NO, YES } * wanted;
	struct objects objects;
	struct assembly *a;
	size_t cap; /* of a->function */
	struct prof_err *err;
};

/* A copy of text in the arena, or NULL. */
const char *assembly_keep(struct assembly_builder *b, const char *text);

/* Does a name of location l match, or its printed name? */
bool assembly_wants_location(const struct assembly_builder *b, uint32_t l);

/* Is start to end - 1 of object at the address that is asked for? */
bool assembly_wants_address(const struct assembly_builder *b,
			    const struct list_object *object, uint64_t start,
			    uint64_t end);

/* The places of object in start to end - 1: from the result on, *n of them. */
const struct object_place *assembly_places(const struct list_object *object,
					   uint64_t start, uint64_t end,
					   size_t *n);

/*
 * The name under which the profile has the code of these places, or ""; with
 * must_match, only of one that is asked for.
 */
const char *assembly_profile_name(const struct assembly_builder *b,
				  const struct object_place *place, size_t n,
				  bool must_match);

/* A new function in object, the last of b->a, or NULL without memory. */
struct asm_function *assembly_add(struct assembly_builder *b,
				  const struct list_object *object);

/*
 * List the places of object that are asked for, but are in no function from
 * `first` on: by address, with why.
 */
enum prof_status assembly_list_missing(struct assembly_builder *b,
				       const struct list_object *object,
				       size_t first, const char *why) MUST_USE;

/*
 * Give a function without code an instruction without text for each of the n
 * places, which are ascending.
 */
enum prof_status assembly_fill(struct assembly_builder *b,
			       struct asm_function *f,
			       const struct object_place *place,
			       size_t n) MUST_USE;

/*
 * Sort the functions, find where each location is, add up the samples, and
 * leave out functions whose samples cancel out or were filtered away.
 */
enum prof_status assembly_add_up(struct assembly_builder *b) MUST_USE;

#endif
