/*
 * real.h - the functions that our libraries interpose: the next of the same
 * name in the loader's order.
 *
 * They are looked up when the library is loaded, or at the first call of any of
 * them if a constructor of the program's libraries makes one before. At that
 * time there is only one thread, as starting others would have called us. A
 * later dlsym() could deadlock on the loader's lock: the thread that holds it
 * may run a constructor that waits for another thread, or be interrupted by a
 * signal handler.
 */
#ifndef REAL_H
#define REAL_H

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/*
 * Only glibc has it. Weak, so that the library can be loaded into programs
 * of another libc (musl) at all: the loader would end them.
 */
extern __typeof(dladdr1) dladdr1 __attribute__((weak));

/* Set the function pointer out; unchanged if there is no such function. An
 * old libc lacks some, which are then never called. Call real_found() after the
 * last. */
static inline void
real_find(void *out, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found)
		memcpy(out, &found, sizeof(found));
}

/*
 * Hide failed look-ups from the program. Where the first malloc() is one of
 * libc's own, as in bindtextdomain(), its locks are held: glibc's dlerror()
 * translates the message, and so would open the lock for good. But a look-up
 * that succeeds forgets a failure there. musl's does not, and does not
 * translate.
 */
static inline void
real_found(void)
{
	/* Kept, as dlsym() looks at who calls it: no jump from whoever
	 * calls us, which may be the loader. */
	void *volatile any = dladdr1 ? dlsym(RTLD_NEXT, "dlsym") : dlerror();

	(void)any;
}

/* For a list of F(type, name, (arguments)): the members of struct real, and the
 * statements that fill it. */
#define REAL_MEMBER(type, name, params, ...) type(*name) params;
#define REAL_FIND(type, name, ...) real_find(&real.name, #name);

#endif
