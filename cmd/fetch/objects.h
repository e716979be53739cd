/*
 * objects.h - the operands of prof-fetch, in which an s3:// prefix (net/s3.h)
 * stands for all objects that begin with it.
 */
#ifndef FETCH_OBJECTS_H
#define FETCH_OBJECTS_H

#include <stddef.h>

#include "net/fetch.h"

#define OBJECTS_MAX 1000000 /* of a prefix; a server may list for ever */

struct fetch_objects {
	const char **name; /* n */
	size_t n, cap;
	char **own; /* n_own of the names */
	size_t n_own, cap_own;
};

/*
 * Set o to the n operands, each prefix replaced by its objects in the order of
 * the server's list, which is that of their keys. The operands stay the
 * caller's and must outlive o; how: the options of requests. Fails, and *err
 * names the operand, if a list cannot be had or is empty. Always end with
 * fetch_objects_release().
 */
enum prof_status fetch_objects_expand(struct fetch_objects *o,
				      const char *const *operand, size_t n,
				      const struct fetch_options *how,
				      struct prof_err *err) MUST_USE;
void fetch_objects_release(struct fetch_objects *o);

#endif
