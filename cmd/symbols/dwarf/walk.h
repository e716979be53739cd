/*
 * walk.h - one walk over the entries of a unit, for its functions.
 */
#ifndef DWARF_WALK_H
#define DWARF_WALK_H

#include "scan.h"

/*
 * Find the functions of s->tree, by s->abbrevs, that have code at s->addr.
 * Damage ends the walk and sets s->damaged; what was found before it stays.
 */
void walk_functions(struct scan *s);

#endif
