/*
 * objects.h - the object files of a profile, opened, with the addresses in them
 * that the profile has: for assembly.c.
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "symbols/resolve/locate.h"
#include "symbols/resolve/resolve.h"

struct binary;
struct profile;
struct servers;

/* A location of the profile, at its address in the file. */
struct object_place {
	uint64_t address;
	uint32_t location;
};

struct list_object {
	uint32_t mapping; /* the first one of it, or PROF_NONE: of no file */
	struct binary *binary; /* NULL: it can't be read */
	char *path;            /* of the file, or its name in the profile */
	char *why;             /* when it can't be read, or NULL */
	uint64_t base;         /* of the first mapping that has addresses */
	struct object_place *place; /* ascending; run-time addresses, if it
				     * can't be read */
	size_t n_place;
};

struct objects {
	struct list_object *object;
	size_t n;
	uint32_t *of;       /* of each mapping: its object */
	uint32_t *location; /* those of object i: [first[i], first[i + 1]) */
	size_t *first;
	uint64_t *base; /* of each mapping: see resolve_base() */
	bool *has_base;
};

/*
 * Group the mappings of p by object: no file is opened yet. The last object is
 * for locations without mapping. PROF_ENOMEM. End with objects_release() in any
 * case.
 */
enum prof_status objects_init(struct objects *o, const struct profile *p,
			      struct prof_err *err) MUST_USE;
void objects_release(struct objects *o);

/* The object that location l of p is in. */
struct list_object *objects_of(const struct objects *o, const struct profile *p,
			       uint32_t l);

/*
 * Open an object of p, and fill in everything else. A file that can't be
 * read is no error; it is reported to r->warn. PROF_ENOMEM.
 */
enum prof_status object_open_for(struct list_object *object,
				 const struct objects *all, struct profile *p,
				 const struct resolve_options *r,
				 struct prof_err *err) MUST_USE;

/* Where the code of a profile is looked for: as prof-symbolize does. */
struct binaries {
	struct locate locate;
	struct resolve_options resolve; /* refers to locate: do not move it */
};

/*
 * search_path: NULL is that of the environment. servers, which must live as
 * long as b, are asked for files that are not here; NULL: none are. -1 without
 * memory.
 */
int binaries_init(struct binaries *b, const char *search_path,
		  struct servers *servers);
void binaries_release(struct binaries *b);

#endif
