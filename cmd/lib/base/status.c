/* status.c - see status.h. */
#include "config.h"

#include "status.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "budget.h"

enum prof_status
prof_fail(struct prof_err *err, enum prof_status status, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return status;
	err->status = status;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return status;
}

enum prof_status
prof_nomem(struct prof_err *err)
{
	size_t bytes = budget_bytes();

	struct rlimit all;

	/* A limit of the user's own may be the lower one. */
	if (bytes == SIZE_MAX ||
	    (getrlimit(RLIMIT_AS, &all) == 0 && all.rlim_cur <= bytes))
		return prof_fail(err, PROF_ENOMEM, "out of memory");
	return prof_fail(err, PROF_ENOMEM,
			 "larger than --max-size: this needs more than %zu MB "
			 "of memory; give a larger value",
			 bytes >> 20);
}
