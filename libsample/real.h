/*
 * real.h - the functions that a library of ours stands in front of: the next
 * of the same name in the loader's order.
 *
 * They are looked for when the library is loaded, or at the first call of any
 * of them if that comes earlier, from a constructor of the program's libraries.
 * Then there is one thread, as others would have been started through us. A
 * later dlsym() would wait for the loader's lock: a thread may hold that which
 * runs a constructor and waits for another, and a signal handler may have
 * interrupted who holds it.
 */
#ifndef REAL_H
#define REAL_H

#include <dlfcn.h>
#include <string.h>

/* *out is a pointer to a function; it stays what it was if there is none. An
 * old libc lacks some, which nobody calls then. Leaves a dlerror() behind. */
static inline void
real_find(void *out, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found)
		memcpy(out, &found, sizeof found);
}

/* For a list of F(type, name, (arguments)): members of a struct real, and the
 * statements that fill it. */
#define REAL_MEMBER(type, name, args) type(*name) args;
#define REAL_FIND(type, name, args) real_find(&real.name, #name);

#endif
