/*
 * dynload.h - load a shared library when it is first needed. To start with it
 * takes longer than most runs of a command, which do not need it.
 */
#ifndef DYNLOAD_H
#define DYNLOAD_H

#include <stddef.h>

#include "status.h"

/*
 * Load the library of this file name and fill in the struct at calls: n
 * pointers to functions, in the order of their names. The library stays loaded
 * until the process ends. PROF_ENOTSUP: it is not installed, or has no such
 * function.
 */
enum prof_status dynload(const char *soname, const char *const names[],
			 size_t n, void *calls, struct prof_err *err) MUST_USE;

/*
 * Define struct NAME_calls with a pointer to each function of CALLS, a macro
 * that has F(p, function) for each, without its prefix p; and NAME_load(),
 * which fills one in. Errors as dynload(). Where commands are one static file
 * (PROF_STATIC), the functions are linked.
 */
#ifdef PROF_STATIC
#define DYNLOAD_FILL(c, p, soname, CALLS, err)                                 \
	*c = (__typeof__(*c)){ CALLS(DYNLOAD_LINKED, p) };                     \
	(void)err;                                                             \
	return PROF_OK
#else
#define DYNLOAD_FILL(c, p, soname, CALLS, err)                                 \
	static const char *const names[] = { CALLS(DYNLOAD_NAME, p) };         \
                                                                               \
	return dynload(soname, names, sizeof(names) / sizeof(*names), c, err)
#endif
#define DYNLOAD_LINKED(p, f) p##f,
#define DYNLOAD_MEMBER(p, f) __typeof__(p##f) *f;
#define DYNLOAD_NAME(p, f) #p #f,
#define DYNLOAD(name, p, soname, CALLS)                                        \
	struct name##_calls {                                                  \
		CALLS(DYNLOAD_MEMBER, p)                                       \
	};                                                                     \
	static inline MUST_USE enum prof_status name##_load(                   \
		struct name##_calls *c, struct prof_err *err)                  \
	{                                                                      \
		DYNLOAD_FILL(c, p, soname, CALLS, err);                        \
	}

#endif
