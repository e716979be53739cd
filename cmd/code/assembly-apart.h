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

/* Append a, which has n_place places, to out; -1 without memory. */
int assembly_pack(const struct assembly *a, size_t n_place, struct buf *out);

/* What was packed; NULL: it is damaged, or there is no memory. It need not be
 * aligned. For assembly_free(). */
struct assembly *assembly_unpack(const void *data, size_t n, size_t n_place);

#endif
