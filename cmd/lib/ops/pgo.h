/* pgo.h - reduce a CPU profile to the data that Go's compiler reads. */
#ifndef PGO_H
#define PGO_H

#include "lib/model/profile.h"

/*
 * Make *out, the caller's, with the data of p that profile-guided optimization
 * needs: the number of samples (samples/count, else cpu/nanoseconds) and, for
 * each frame, the function's name, its start line and the line. Equal stacks
 * are summed. *out has no file, machine or label. Afterwards p may only be
 * passed to profile_free().
 *
 * PROF_EUSAGE: not a CPU profile, or no function has a start line. Older
 * producers omit it; Go's compiler refuses a profile without it.
 */
enum prof_status profile_pgo(struct profile *p, struct profile **out,
			     struct prof_err *err) MUST_USE;

#endif
