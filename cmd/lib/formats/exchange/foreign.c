/* foreign.c - see foreign.h. */
#include "config.h"

#include "foreign.h"

#include <stdbool.h>
#include <string.h>

#include "folded.h"
#include "jfr.h"
#include "lib/formats/guess.h"
#include "lib/formats/perf/perf.h"
#include "otlp.h"
#include "script.h"

/* --- JSON, by keys near the beginning or the end --- */

#define NEAR ((size_t)65536)

static bool
has(const char *s, size_t n, const char *word)
{
	return memmem(s, n < NEAR ? n : NEAR, word, strlen(word));
}

static bool
ends_with(const char *s, size_t n, const char *word)
{
	size_t skip = n > NEAR ? n - NEAR : 0;

	return has(s + skip, n - skip, word);
}

static bool
is_speedscope(const void *data, size_t n)
{
	static const char schema[] = "speedscope.app/file-format-schema";

	return has(data, n, schema) || ends_with(data, n, schema);
}

/* Libraries, which may come first and be many, have Breakpad's ids. What
 * DevTools saved until 2021 holds a profile between lists of its own. */
static bool
is_firefox(const void *data, size_t n)
{
	return has(data, n, "\"preprocessedProfileVersion\"") ||
	       has(data, n, "\"breakpadId\"") ||
	       (has(data, n, "\"frameTable\"") &&
		has(data, n, "\"stackTable\"")) ||
	       ends_with(data, n, "\"preprocessedProfileVersion\"") ||
	       ends_with(data, n, "\"Recorded Performance Data\"");
}

/* An object, or the list of its events. DevTools writes metadata first, which
 * may be long; names in a heap snapshot, which end it, have no colons. */
static bool
is_chrome_trace(const void *data, size_t n)
{
	return has(data, n, "\"traceEvents\"") ||
	       (has(data, n, "\"ph\"") && has(data, n, "\"ts\"") &&
		has(data, n, "\"pid\"")) ||
	       (ends_with(data, n, "\"ph\":") &&
		ends_with(data, n, "\"ts\":") &&
		ends_with(data, n, "\"pid\":"));
}

/* It has call frames, as a .cpuprofile. */
static bool
is_heapprofile(const void *data, size_t n)
{
	return has(data, n, "\"selfSize\"");
}

static bool
is_cpuprofile(const void *data, size_t n)
{
	return has(data, n, "\"callFrame\"") ||
	       has(data, n, "\"timeDeltas\"") ||
	       (has(data, n, "\"head\"") && has(data, n, "\"functionName\""));
}

/* The dictionary may come first, and may be long. */
static bool
is_otlp_json(const void *data, size_t n)
{
	return has(data, n, "\"resourceProfiles\"") ||
	       has(data, n, "\"mappingTable\"") ||
	       has(data, n, "\"resource_profiles\"");
}

/* --- the formats --- */

static const struct {
	const char *name;
	bool (*is)(const void *data, size_t n);
	enum { BYTES, TEXT, JSON } form;
} formats[FOREIGN_KINDS] = {
	[FOREIGN_NONE] = { "profile", NULL, BYTES },
	[FOREIGN_PERF] = { "perf.data", perf_is, BYTES },
	[FOREIGN_JFR] = { "jfr", jfr_is, BYTES },
	[FOREIGN_OTLP] = { "otlp", otlp_is, BYTES },
	[FOREIGN_SPEEDSCOPE] = { "speedscope", is_speedscope, JSON },
	[FOREIGN_FIREFOX] = { "firefox", is_firefox, JSON },
	[FOREIGN_CHROME_TRACE] = { "chrome-trace", is_chrome_trace, JSON },
	[FOREIGN_HEAPPROFILE] = { "heapprofile", is_heapprofile, JSON },
	[FOREIGN_CPUPROFILE] = { "cpuprofile", is_cpuprofile, JSON },
	[FOREIGN_OTLP_JSON] = { "otlp-json", is_otlp_json, JSON },
	[FOREIGN_SCRIPT] = { "perf-script", script_is, TEXT },
	[FOREIGN_FOLDED] = { "folded", folded_is, TEXT },
};

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

enum foreign_kind
foreign_sniff(const void *data, size_t n)
{
	bool json = is_json(data, n);
	/* An archive or a recording of another tool may have lines, too. */
	bool text = !json && !guess_magic(data, n) && !guess_binary(data, n);

	for (int k = FOREIGN_NONE + 1; k < FOREIGN_KINDS; k++) {
		bool fits = formats[k].form == JSON   ? json
			    : formats[k].form == TEXT ? text
						      : true;

		if (fits && formats[k].is(data, n))
			return (enum foreign_kind)k;
	}
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
	return formats[kind].form == JSON;
}
