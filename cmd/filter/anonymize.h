/*
 * anonymize.h - keyed names for lib/ops/anonymous.h. The only module that uses
 * nettle, a library of cryptographic functions.
 */
#ifndef ANONYMIZE_H
#define ANONYMIZE_H

#include "lib/ops/anonymous.h"

enum { ANONYMIZE_KEY_MIN = 16 };

/*
 * Read the key from a file (all of its bytes, at least 16), and replace the
 * names of p by their HMAC-SHA-256. PROF_EIO, PROF_EUSAGE, PROF_ENOTSUP without
 * nettle, PROF_ENOMEM.
 */
enum prof_status anonymize(struct profile *p, const char *key_file,
			   struct prof_err *err) MUST_USE;

#endif
