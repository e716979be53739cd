/* event-kind.c - see event-kind.h. */
#include "config.h"

#include "event-kind.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define HARD(name, config)                                                     \
	{                                                                      \
		name, "count", PERF_TYPE_HARDWARE, config, 0, false            \
	}
#define SOFT(name, config)                                                     \
	{                                                                      \
		name, "count", PERF_TYPE_SOFTWARE, config, 1, false            \
	}

const struct perf_kind perf_kind_clock =
	SOFT("cpu-clock", PERF_COUNT_SW_CPU_CLOCK);

const struct perf_kind perf_kind_none = SOFT("none", PERF_COUNT_SW_DUMMY);

const struct perf_kind perf_kind_offcpu = { "offcpu",
					    "nanoseconds",
					    PERF_TYPE_SOFTWARE,
					    PERF_COUNT_SW_CONTEXT_SWITCHES,
					    1,
					    true };

/*
 * Names as perf has them. Software events are all sampled: the period that the
 * kernel chooses for them is no estimate (it was found fifteen times too
 * large).
 */
static const struct perf_kind known[] = {
	HARD("cycles", PERF_COUNT_HW_CPU_CYCLES),
	HARD("instructions", PERF_COUNT_HW_INSTRUCTIONS),
	HARD("cache-references", PERF_COUNT_HW_CACHE_REFERENCES),
	HARD("cache-misses", PERF_COUNT_HW_CACHE_MISSES),
	HARD("branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
	HARD("branch-misses", PERF_COUNT_HW_BRANCH_MISSES),
	HARD("ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES),
	SOFT("page-faults", PERF_COUNT_SW_PAGE_FAULTS),
	SOFT("minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN),
	SOFT("major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ),
	{ "context-switches", "count", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES, 1, true },
	{ "cpu-migrations", "count", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CPU_MIGRATIONS, 1, true },
};

enum { N_KNOWN = sizeof(known) / sizeof(*known) };

static bool
is_called(const struct perf_kind *k, const char *name, size_t n)
{
	return strlen(k->name) == n && !strncmp(k->name, name, n);
}

const struct perf_kind *
perf_kind_find(const char *name, size_t n)
{
	if (is_called(&perf_kind_clock, name, n))
		return &perf_kind_clock;
	for (size_t i = 0; i < N_KNOWN; i++)
		if (is_called(&known[i], name, n))
			return &known[i];
	return NULL;
}

void
perf_kind_words(const char *words[PERF_KIND_WORDS])
{
	_Static_assert(N_KNOWN + 2 <= PERF_KIND_WORDS, "a word for each kind");

	words[0] = perf_kind_clock.name;
	for (size_t i = 0; i < N_KNOWN; i++)
		words[i + 1] = known[i].name;
	words[N_KNOWN + 1] = NULL;
}
