/* foreign.c - see foreign.h. */
#include "config.h"

#include "foreign.h"

#include <stdbool.h>
#include <string.h>

#include "folded.h"
#include "lib/formats/perf/perf.h"
#include "otlp.h"
#include "script.h"

static const struct {
	const char *name;
	const char *hint;
} formats[FOREIGN_KINDS] = {
	[FOREIGN_NONE] = { "profile", NULL },
	[FOREIGN_PERF] = { "perf.data", NULL },
	[FOREIGN_SPEEDSCOPE] = { "speedscope", NULL },
	[FOREIGN_CPUPROFILE] = { "cpuprofile", NULL },
	[FOREIGN_HEAPPROFILE] = { "heapprofile", NULL },
	[FOREIGN_SCRIPT] = { "perf-script", NULL },
	[FOREIGN_FOLDED] = { "folded", NULL },
	[FOREIGN_OTLP] = { "otlp", NULL },
	[FOREIGN_OTLP_JSON] = { "otlp-json", NULL },
	[FOREIGN_CHROME_TRACE] = { "chrome-trace", NULL },
	[FOREIGN_CALLGRIND] = { "callgrind",
				"it has no stacks; use callgrind_annotate or "
				"KCachegrind" },
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

static void
skip_blanks(const char **s, size_t *n)
{
	while (*n && memchr(" \n\t\r", **s, 4))
		++*s, --*n;
}

/* An object, or a list of them: folded stacks of threads may begin with the
 * frame "[main tid=7]". */
static bool
is_json(const char *s, size_t n)
{
	skip_blanks(&s, &n);
	if (n && *s == '[') {
		s++, n--;
		skip_blanks(&s, &n);
	}
	return n && *s == '{';
}

static bool
has(const char *s, size_t n, const char *word)
{
	return memmem(s, n, word, strlen(word));
}

/* By keys near the beginning or the end: a guess, which parsing may refuse. */
static enum foreign_kind
json_kind(const char *s, size_t n)
{
	const size_t near = 65536;
	const char *end = n > near ? s + n - near : s;
	size_t head = n < near ? n : near;

	if (has(s, head, "speedscope.app/file-format-schema") ||
	    has(end, (size_t)(s + n - end),
		"speedscope.app/file-format-schema"))
		return FOREIGN_SPEEDSCOPE;
	/* As an object, or as the list of its events. */
	if (has(s, head, "\"traceEvents\"") ||
	    (has(s, head, "\"ph\"") && has(s, head, "\"ts\"") &&
	     has(s, head, "\"pid\"")))
		return FOREIGN_CHROME_TRACE;
	if (has(s, head, "\"selfSize\""))
		return FOREIGN_HEAPPROFILE; /* it has call frames, too */
	if (has(s, head, "\"callFrame\"") || has(s, head, "\"timeDeltas\"") ||
	    (has(s, head, "\"head\"") && has(s, head, "\"functionName\"")))
		return FOREIGN_CPUPROFILE;
	/* Either may come first, and the dictionary may be long. */
	if (has(s, head, "\"resourceProfiles\"") ||
	    has(s, head, "\"mappingTable\"") ||
	    has(s, head, "\"resource_profiles\""))
		return FOREIGN_OTLP_JSON;
	return FOREIGN_NONE;
}

/* valgrind's, of its tools callgrind and cachegrind, and Xdebug's. */
static bool
is_callgrind(const char *s, size_t n)
{
	size_t head = n < 65536 ? n : 65536;

	return begins(s, n, "# callgrind format") ||
	       ((begins(s, n, "events: ") || has(s, head, "\nevents: ")) &&
		(has(s, head, "\nfn=") || has(s, head, "\nfl=")));
}

enum foreign_kind
foreign_sniff(const void *data, size_t n)
{
	if (perf_is(data, n))
		return FOREIGN_PERF;
	if (otlp_is(data, n))
		return FOREIGN_OTLP;
	if (begins(data, n, "PERFFILE"))
		return FOREIGN_PERF_OLD;
	if (begins(data, n, "SIMPLEPERF"))
		return FOREIGN_SIMPLEPERF;
	if (is_json(data, n))
		return json_kind(data, n);
	if (is_callgrind(data, n))
		return FOREIGN_CALLGRIND;
	if (script_is(data, n))
		return FOREIGN_SCRIPT;
	if (folded_is(data, n))
		return FOREIGN_FOLDED;
	return FOREIGN_NONE;
}

const char *
foreign_name(enum foreign_kind kind)
{
	return formats[kind].name;
}

bool
foreign_is_json(enum foreign_kind kind)
{
	return kind == FOREIGN_SPEEDSCOPE || kind == FOREIGN_CPUPROFILE ||
	       kind == FOREIGN_HEAPPROFILE || kind == FOREIGN_OTLP_JSON ||
	       kind == FOREIGN_CHROME_TRACE;
}

const char *
foreign_hint(enum foreign_kind kind)
{
	return formats[kind].hint;
}
