/*
 * identity.h - check that a decoded profile obeys the rules of the model, and
 * that writing it is then the identity. For the fuzz targets.
 */
#ifndef FUZZ_IDENTITY_H
#define FUZZ_IDENTITY_H

#include <stdlib.h>
#include <string.h>

#include "lib/model/profile.h"
#include "lib/wire/codec.h"

/* Aborts unless it is so; frees p. */
static inline void
fuzz_identity(struct profile *p)
{
	struct buf once = { 0 }, twice = { 0 };
	struct profile *q;
	struct prof_err err;

	if (profile_check(p, &err) != PROF_OK ||
	    profile_encode(p, &once, &err) != PROF_OK ||
	    profile_decode(once.data, once.n, &q, &err) != PROF_OK ||
	    profile_encode(q, &twice, &err) != PROF_OK || once.n != twice.n ||
	    memcmp(once.data, twice.data, once.n))
		abort();
	buf_release(&once);
	buf_release(&twice);
	profile_free(p);
	profile_free(q);
}

#endif
