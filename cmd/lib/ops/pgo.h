/* pgo.h - what Go's compiler reads of a CPU profile, and nothing else. */
#ifndef PGO_H
#define PGO_H

#include "lib/model/profile.h"

/*
 * Make *out, the caller's, of what profile-guided optimization needs of p: the
 * number of samples (samples/count, else cpu/nanoseconds), and of each frame
 * the function's name, where it starts, and the line. Equal stacks are added
 * up. Nothing that is left names a file, a machine or a label. p is used up:
 * it is only good for profile_free().
 *
 * PROF_EUSAGE: no CPU profile, or no function has a start line, which older
 * producers leave out and without which Go's compiler refuses a profile.
 */
enum prof_status profile_pgo(struct profile *p, struct profile **out,
			     struct prof_err *err) MUST_USE;

#endif
