/*
 * interpreter.h - the part of a profile that is inside interpreters, in stacks
 * without functions that they run.
 */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include <stdbool.h>

#include "lib/base/status.h"

struct profile;

struct interpreter {
	const char *name; /* NULL: there is none */
	double share;     /* 0 to 1, of the values of the default type */
	bool is_readable; /* libsample reads its functions, if it is there */
};

/* Find the one with the most samples. PROF_ENOMEM. */
enum prof_status interpreter_find(const struct profile *p,
				  struct interpreter *most,
				  struct prof_err *err) MUST_USE;

/* Has p functions of an interpreter, which libsample has read? */
bool interpreter_is_read(const struct profile *p);

#endif
