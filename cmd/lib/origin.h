/*
 * origin.h - which server a profile came from: a comment of the profile, so
 * that it survives merging, and can be asked later for the names of addresses.
 *
 *	# source: http://web1:80/pprof/heap 400000=build-id:4f2a19
 *7f10a2=file:/lib/x.so
 *
 * After the URL come the mappings that still have addresses without names:
 * where each began in that process, in hexadecimal, and its build-id, or else
 * its file, which may be empty. A merged profile may have a mapping at another
 * place; what is added to get there is to be subtracted from addresses before
 * the server is asked. In a file, blanks, control characters and '%' are
 * written as %XX. Reports do not show comments that begin with '#'.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "status.h"

struct profile;

/* Add the comment that p came from url, which has no blanks. PROF_ENOMEM. */
enum prof_status origin_add(struct profile *p, const char *url,
			    struct prof_err *err) MUST_USE;

#endif
