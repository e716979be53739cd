/* curl-load.c - see curl-load.h. */
#include "config.h"

#include "curl-load.h"

#include <dlfcn.h>

enum prof_status
curl_load(struct curl_calls *c, struct prof_err *err)
{
	void *library = dlopen(CURL_SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return prof_fail(err, PROF_ENOTSUP, "libcurl: %s", dlerror());
#define LOAD(name)                                                             \
	c->name = (__typeof__(c->name))dlsym(library, "curl_" #name);          \
	if (!c->name)                                                          \
		return prof_fail(err, PROF_ENOTSUP, "libcurl: %s", dlerror());
	CURL_CALLS(LOAD)
#undef LOAD
	return PROF_OK;
}
