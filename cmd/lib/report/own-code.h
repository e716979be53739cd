/*
 * own-code.h - which functions are the reader's own code, and which a
 * library's: pictures show the former in stronger colours, the page lists them
 * first.
 */
#ifndef OWN_CODE_H
#define OWN_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct frames;
struct strtab;

enum own {
	OWN_LIBRARY,
	OWN_CODE,
	OWN_ALL, /* own, as nearly no stack has a function that is OWN_CODE */
};

/* What is decided on: functions, each of some keys of frames. */
struct own_source {
	const struct frames *frames;
	const uint32_t *function; /* by key; NULL: each key is a function */
	size_t n_function;
	const uint32_t *package; /* by function: string of names; 0: none */
	const struct strtab *names;
	size_t column; /* of the values that weigh stacks */
};

/*
 * Fill in own, an enum own for each function, by the paths of their sources and
 * objects. PROF_ENOMEM.
 */
enum prof_status own_decide(const struct own_source *s, unsigned char *own,
			    struct prof_err *err) MUST_USE;

#endif
