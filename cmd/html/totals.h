/* totals.h - 100 % of each type of a profile, and the sides of a difference. */
#ifndef TOTALS_H
#define TOTALS_H

#include "page.h"

struct profile;

/*
 * For each type of p what report_init() makes of it, the caller's to free.
 * Dies without memory.
 */
struct page_total *totals_of(struct profile *p);

#endif
