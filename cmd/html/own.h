/*
 * own.h - which functions are the reader's own code, and which a library's:
 * the page shows the former in stronger colours and lists them first.
 */
#ifndef OWN_H
#define OWN_H

#include "lib/base/status.h"
#include "pack.h"

enum own {
	OWN_LIBRARY,
	OWN_CODE,
	OWN_ALL, /* own, as nearly no stack has a function that is OWN_CODE */
};

/*
 * Fill in `own` of the functions of k, by the paths of their sources and
 * objects; k has stacks and packages. column: of the values that weigh stacks.
 * PROF_ENOMEM.
 */
enum prof_status own_decide(struct pack *k, size_t column,
			    struct prof_err *err) MUST_USE;

#endif
