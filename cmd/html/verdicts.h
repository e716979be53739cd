/*
 * verdicts.h - which functions of a difference changed by more than sampling
 * explains, for the page; the statistics are lib/gate/gate.h.
 */
#ifndef VERDICTS_H
#define VERDICTS_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"

struct gate_dist;
struct profile;

/*
 * Append to out, as JSON, the verdicts on the functions of p, a difference with
 * both sides, in column `column`: doc/page.md says how. Each side counts as one
 * run. PROF_EUSAGE, with the reason in err: the sides do not compare, nothing
 * tells how many events there were, or dist is NULL. PROF_ENOMEM, PROF_ELIMIT.
 */
enum prof_status verdicts_add(const struct profile *p, size_t column,
			      const struct gate_dist *dist, struct buf *out,
			      struct prof_err *err) MUST_USE;

#endif
