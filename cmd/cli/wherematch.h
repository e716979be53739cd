/*
 * wherematch.h - the expressions of lib/ops/where.h with the patterns of
 * match.h.
 */
#ifndef WHEREMATCH_H
#define WHEREMATCH_H

#include <stddef.h>

#include "lib/ops/where.h"

struct match;

/* Begin with zeros; end with wherematch_release(). */
struct wherematch {
	struct where *where; /* NULL: none was parsed */
	struct match **pattern;
	size_t n_pattern;
};

/* Parse text, in place of any earlier expression; as where_parse(). */
enum prof_status wherematch_parse(struct wherematch *w, const char *text,
				  struct prof_err *err) MUST_USE;

void wherematch_release(struct wherematch *w);

#endif
