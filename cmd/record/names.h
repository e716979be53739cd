/*
 * names.h - names at record time, by the code of prof-symbolize in a process
 * without rights: for what it could not find later, or for all.
 */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include <stdbool.h>

struct profile;
struct recording;

enum names_when {
	NAMES_GONE, /* of files that are gone, replaced or out of reach */
	NAMES_AUTO, /* ... or temporary */
	NAMES_ALL,
	NAMES_NONE,
};

/* Does this build read symbols? */
bool names_work(void);

/* Give p, a profile of r, names as r->names says. What fails is a warning. Any
 * thread. Dies without memory. */
void names_add(struct recording *r, struct profile *p);

#endif
