/*
 * locate.h - find the local file of the object that a mapping names: the file
 * at its path, or one in a search path under its name or build-id.
 */
#ifndef LOCATE_H
#define LOCATE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

struct binary;
struct unpack_budget;

/* A list of directories. */
struct locate {
	char **dir;
	size_t n_dir;
	struct unpack_budget *budget; /* for all files; may be NULL */
	bool any_build_id; /* take the file at the path with any build-id */

	/* Called with each file that does not match, and why; may be NULL. */
	void (*tried)(void *ctx, const char *path, const char *why);
	void *ctx;
};

/*
 * Split list at its colons; empty parts are left out. NULL means
 * $PPROF_BINARY_PATH or, if that is unset or empty, $HOME/pprof/binaries.
 * -1 without memory.
 */
int locate_init(struct locate *l, const char *list);
void locate_release(struct locate *l);

/*
 * Is `file` the name of something other than a file: [vdso], shared memory of a
 * device, the kernel?
 */
bool locate_is_special(const char *file);

/*
 * Open the object of a mapping with this path and build-id; "" is unknown.
 * A file with that build-id wins, wherever it is; of several, the one with the
 * highest binary_worth(). Next is the file at the path, if it has no build-id
 * to compare, and for a mapping without build-id a file in the search path
 * under the path or its last part. *out and *path, where it was found, are the
 * caller's. PROF_EIO, PROF_EFORMAT: the error of the file at the path;
 * PROF_ENOMEM.
 */
enum prof_status locate_open(const struct locate *l, const char *file,
			     const char *build_id, struct binary **out,
			     char **path, struct prof_err *err) MUST_USE;

/*
 * The same for the kernel, named vmlinux: below the search path, or where
 * distributions put it. There it must have the build-id or, if that is "", the
 * build-id of the running kernel. PROF_EIO, PROF_ENOMEM.
 */
enum prof_status locate_kernel(const struct locate *l, const char *build_id,
			       const char *running, struct binary **out,
			       char **path, struct prof_err *err) MUST_USE;

#endif
