/*
 * binaries.h - where the code of a profile is looked for, as its user wants it:
 * what prof-symbolize does with the same options.
 */
#ifndef BINARIES_H
#define BINARIES_H

#include "symbols/resolve/locate.h"
#include "symbols/resolve/resolve.h"

struct servers;

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
