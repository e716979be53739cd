/* capstone-load.c - see capstone-load.h. */
#include "config.h"

#if HAVE_CAPSTONE
#include "capstone-load.h"

#include <dlfcn.h>

enum prof_status
capstone_load(struct capstone_calls *c, struct prof_err *err)
{
	void *library = dlopen(CAPSTONE_SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return prof_fail(err, PROF_ENOTSUP, "capstone: %s", dlerror());
#define LOAD(name)                                                             \
	c->name = (__typeof__(c->name))dlsym(library, "cs_" #name);            \
	if (!c->name)                                                          \
		return prof_fail(err, PROF_ENOTSUP, "capstone: %s", dlerror());
	CAPSTONE_CALLS(LOAD)
#undef LOAD
	return PROF_OK;
}
#endif
