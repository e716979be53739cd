/* foreign.c - see foreign.h. */
#include "config.h"

#include "foreign.h"

#include <stdbool.h>
#include <string.h>

#include "perf.h"

static const struct {
	const char *name;
	const char *hint;
} formats[FOREIGN_KINDS] = {
	[FOREIGN_NONE] = { "profile", NULL },
	[FOREIGN_PERF] = { "perf.data", NULL },
	[FOREIGN_PERF_OLD] = { "perf.data of version 1",
			       "record it again with a perf from after 2010" },
	[FOREIGN_SIMPLEPERF] = { "simpleperf's trace",
				 "give its perf.data instead" },
};

static bool
begins(const void *data, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(data, with, strlen(with));
}

enum foreign_kind
foreign_sniff(const void *data, size_t n)
{
	if (perf_is(data, n))
		return FOREIGN_PERF;
	if (begins(data, n, "PERFFILE"))
		return FOREIGN_PERF_OLD;
	if (begins(data, n, "SIMPLEPERF"))
		return FOREIGN_SIMPLEPERF;
	return FOREIGN_NONE;
}

const char *
foreign_name(enum foreign_kind kind)
{
	return formats[kind].name;
}

const char *
foreign_hint(enum foreign_kind kind)
{
	return formats[kind].hint;
}
