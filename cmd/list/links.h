/*
 * links.h - which section of a source page shows the function that a call or
 * jump leads to.
 */
#ifndef LINKS_H
#define LINKS_H

#include <stddef.h>

#include "lib/base/status.h"

struct links;
struct section_step;
struct sections;

#define LINKS_NONE ((size_t)-1)

/* s must live as long as the result, which is for links_free(). PROF_ENOMEM. */
enum prof_status links_new(const struct sections *s, struct links **out,
			   struct prof_err *err) MUST_USE;
void links_free(struct links *l); /* NULL is allowed */

/*
 * The index of the section that has the instruction that step leads to, of the
 * function itself rather than of a caller that it is inlined in; LINKS_NONE: it
 * leads nowhere, or not to a part of the page.
 */
size_t links_target(const struct links *l, const struct section_step *step);

#endif
