/*
 * match.h - regular expressions; the only module that knows pcre2. They mean
 * what RE2's mean to pprof: found anywhere in the text, upper and lower case
 * differ, '$' is the end of the text, '.' is anything but a newline. Text is
 * bytes, valid UTF-8 or not; a pattern that holds characters beyond ASCII, or
 * \p or \x{...}, takes it as UTF-8 and never finds a match across a byte that
 * isn't.
 *
 * Patterns come from strangers (a CI job, a profile's drop_frames). pcre2 goes
 * back and tries again where RE2 does not, so the work is limited: a pattern
 * that explodes ends in an error, after a bounded time.
 */
#ifndef MATCH_H
#define MATCH_H

#include "lib/ops/filter.h"

struct match;

enum { MATCH_WHOLE = 1 }; /* flag: the whole text must match, not a part */

/*
 * Compile a pattern. what is the name of the option, for the message: "parsing
 * focus regexp: ...". *out is the caller's, to end with match_free().
 * PROF_EUSAGE or PROF_ENOMEM.
 */
enum prof_status match_new(const char *what, const char *pattern, int flags,
			   struct match **out, struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void match_free(struct match *m);

/*
 * Does the pattern match the n bytes at s? PROF_ELIMIT when it can't be told
 * with the work that m allows, for one text and over its lifetime; patterns
 * that people write need far less.
 */
enum prof_status match_bytes(struct match *m, const char *s, size_t n,
			     bool *matches, struct prof_err *err) MUST_USE;

/* The same as a test for the library; it refers to m. */
struct filter_test match_test(struct match *m);

/*
 * Apply the drop_frames and keep_frames of p (profile_prune()). As in pprof,
 * where either is no regular expression nothing is dropped. PROF_ELIMIT,
 * PROF_ENOMEM.
 */
enum prof_status match_drop_frames(struct profile *p,
				   struct prof_err *err) MUST_USE;

#endif
