/*
 * open.h - open the object of a mapping, with the search, the checks and the
 * base of prof-symbolize.
 */
#ifndef OPEN_H
#define OPEN_H

#include <stdint.h>

#include "lib/base/status.h"

struct binary;
struct mapping;
struct profile;
struct resolve_options;

/*
 * Open the object of mapping m of p, and its debug file. Uses o->locate,
 * o->find and o->no_lines. *out (binary_close()) and *path, its name (free()),
 * are the caller's. PROF_EIO and PROF_EFORMAT say why it failed; PROF_ENOMEM.
 */
enum prof_status resolve_open(struct profile *p, uint32_t m,
			      const struct resolve_options *o,
			      struct binary **out, char **path,
			      struct prof_err *err) MUST_USE;

/*
 * The base of mapping m: address in s = address - *base (loadbase.h). file is
 * its name in the profile, path that of s, inside an address in it.
 * PROF_EINVALID if m cannot be a mapping of s.
 */
enum prof_status resolve_base(const struct mapping *m, const char *file,
			      const char *path, struct binary *s,
			      uint64_t inside, uint64_t *base,
			      struct prof_err *err) MUST_USE;

#endif
