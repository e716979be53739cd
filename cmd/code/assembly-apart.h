/*
 * assembly-apart.h - an assembly that a process without rights makes
 * (symbols/elf/apart.h): it is sent in one answer, of numbers and one text, and
 * checked as if a stranger had made it.
 */
#ifndef ASSEMBLY_APART_H
#define ASSEMBLY_APART_H

#include <stddef.h>

#include "assembly.h"
#include "lib/base/buf.h"

/*
 * make(r, o, &a, err) in such a process: *out is as it made it, but of a new
 * arena. Errors are those of make() and apart_run().
 */
enum prof_status assembly_apart(
	struct report *r, const struct assembly_options *o,
	enum prof_status (*make)(struct report *r,
				 const struct assembly_options *o,
				 struct assembly **out, struct prof_err *err),
	struct assembly **out, struct prof_err *err) MUST_USE;

/* Tell the parts of a, which has n_place places; -1 without memory. */
int assembly_pack(const struct assembly *a, size_t n_place,
		  void (*tell)(void *ctx, const void *part, size_t n),
		  void *ctx);

/* What was taken of such parts. */
struct assembly_parts {
	size_t n_place;     /* the caller's */
	bool is_whole;      /* a has all that was packed */
	struct assembly *a; /* for assembly_free() */
	size_t cap;         /* of a->function */
	const char **text;
	size_t n_text, cap_text;
	size_t n_byte; /* of the parts */
};

/* Take the next part, or the first of another answer. false: it is damaged, or
 * there is no memory. It need not be aligned. */
bool assembly_parts_take(struct assembly_parts *to, const void *part, size_t n);

#endif
