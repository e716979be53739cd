/*
 * match.h - regular expressions; the only module that uses pcre2. They match as
 * RE2 does in pprof: anywhere in the text, case-sensitive, '$' is the end of
 * the text, '.' is any character but a newline. Text that is not valid UTF-8 is
 * bytes; but a pattern with characters beyond ASCII, or \p or \x{...}, reads it
 * as UTF-8, too, and never matches across an invalid byte.
 *
 * Patterns are untrusted (a CI job, a profile's drop_frames). pcre2 backtracks
 * where RE2 does not, so the work is limited: a pattern with exponential
 * backtracking fails after a bounded time.
 */
#ifndef MATCH_H
#define MATCH_H

#include <stddef.h>

#include "lib/ops/filter.h"
#include "lib/ops/where.h"

struct match;

enum { MATCH_WHOLE = 1 }; /* flag: the whole text must match, not a part */

/*
 * Compile a pattern. what is the name of the option, for the message "parsing
 * focus regexp: ...". *out is the caller's, to end with match_free().
 * PROF_EUSAGE or PROF_ENOMEM.
 */
enum prof_status match_new(const char *what, const char *pattern, int flags,
			   struct match **out, struct prof_err *err) MUST_USE;

/* What to add to a message that nothing matched: how a name with brackets or
 * stars, as reports print it, is given; "" if the pattern has none. */
const char *match_literal_hint(const char *pattern);

/* NULL is allowed. */
void match_free(struct match *m);

/*
 * Does the pattern match the n bytes at s? PROF_ELIMIT if that takes more work
 * than m allows, for one text or over its lifetime; normal patterns need far
 * less.
 */
enum prof_status match_bytes(struct match *m, const char *s, size_t n,
			     bool *matches, struct prof_err *err) MUST_USE;

/* The same in the forms of questions that others ask, of the struct match at
 * m. The second dies. */
enum prof_status match_str(void *m, const struct str *s, bool *matches,
			   struct prof_err *err) MUST_USE;
bool match_must(const struct str *s, void *m);

/* The same as a test for the library; it refers to m. */
struct filter_test match_test(struct match *m);

/*
 * Apply the drop_frames and keep_frames of p (profile_prune()). As in pprof,
 * nothing is dropped if either is not a valid regular expression. PROF_ELIMIT,
 * PROF_ENOMEM.
 */
enum prof_status match_drop_frames(struct profile *p,
				   struct prof_err *err) MUST_USE;

/* The expressions of lib/ops/where.h, with these patterns: begin with zeros;
 * end with wherematch_release(). */
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
