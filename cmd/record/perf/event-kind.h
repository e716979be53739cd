/*
 * event-kind.h - what the kernel can count and sample: --event's names.
 */
#ifndef PERF_EVENT_KIND_H
#define PERF_EVENT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_MAX_KIND = 10, PERF_KIND_WORDS = 32 };

struct perf_kind {
	const char *name; /* of the column, too */
	const char *unit;
	uint32_t type; /* of perf_event_open(2) */
	uint64_t config;
	uint64_t period; /* by default; 0: as many samples as of the clock */
	bool in_kernel;  /* happens only there, and is not seen without it */
};

/* Time on a CPU: its columns are those of any profile of CPU time. */
extern const struct perf_kind perf_kind_clock;

/* A thread leaves its CPU: its column has the time until it is back. */
extern const struct perf_kind perf_kind_offcpu;

/* No samples, only records of what is mapped, started and ended. */
extern const struct perf_kind perf_kind_none;

/* The kinds of a family (family.h): records of all processes, the clock of CPUs
 * or one that the processes inherit, and one of a process alone, which ends
 * with its program. */
enum family_kind { FAMILY_RECORDS, FAMILY_CPU, FAMILY_TASK, FAMILY_N_KIND };

/* The kind that the n bytes at name mean, or NULL. */
const struct perf_kind *perf_kind_find(const char *name, size_t n);

/* All names, and NULL. */
void perf_kind_words(const char *words[PERF_KIND_WORDS]);

#endif
