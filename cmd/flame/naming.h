/*
 * naming.h - how prof-flame names and colours the frames of a profile, and
 * what --by makes of them: a box for each function, package or binary.
 */
#ifndef NAMING_H
#define NAMING_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/report/flame/svg.h"

struct arena;
struct frames;

enum naming_by { BY_FRAME, BY_PACKAGE, BY_BINARY };

struct naming {
	struct arena *arena; /* holds what follows */
	struct flame_frame *frame;
	uint32_t *rename; /* for flame_source; NULL with BY_FRAME */
	uint32_t *order;  /* rank of each frame by its text */
	size_t n;         /* frames: of the source, or packages or binaries */
};

/*
 * Name the frames of f, which must outlive the result; column: whose values
 * say which packages get the first choice of a hue. End with naming_release(),
 * also after an error. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status naming_init(struct naming *n, const struct frames *f,
			     enum naming_by by, size_t column,
			     struct prof_err *err) MUST_USE;
void naming_release(struct naming *n);

#endif
