/* dynload.c - see dynload.h. */
#include "config.h"

#include "dynload.h"

#include <dlfcn.h>
#include <string.h>

enum prof_status
dynload(const char *soname, const char *const names[], size_t n, void *calls,
	struct prof_err *err)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return prof_fail(err, PROF_ENOTSUP, "%s", dlerror());
	for (size_t i = 0; i < n; i++) {
		void *function = dlsym(library, names[i]);

		if (!function)
			return prof_fail(err, PROF_ENOTSUP, "%s", dlerror());
		memcpy((char *)calls + i * sizeof(function), &function,
		       sizeof(function));
	}
	return PROF_OK;
}
