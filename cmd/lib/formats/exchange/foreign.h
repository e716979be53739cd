/*
 * foreign.h - formats of other profilers and viewers: which one a file has, and
 * what to do with it. prof-import reads them; every other reader names them.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

enum foreign_kind {
	FOREIGN_NONE, /* profile.proto, a legacy format, or nothing known */
	FOREIGN_PERF,
	FOREIGN_SPEEDSCOPE,
	FOREIGN_CPUPROFILE,
	FOREIGN_HEAPPROFILE,
	FOREIGN_SCRIPT,
	FOREIGN_FOLDED,
	FOREIGN_OTLP,
	FOREIGN_OTLP_JSON,
	FOREIGN_CHROME_TRACE,
	FOREIGN_CALLGRIND, /* from here on not read: see foreign_hint() */
	FOREIGN_PERF_OLD,
	FOREIGN_SIMPLEPERF,
	FOREIGN_KINDS,
};

/*
 * The format of the n bytes at data, by content. Compressed bytes have none:
 * inflate them first.
 */
enum foreign_kind foreign_sniff(const void *data, size_t n);

/* The name of a format in --from and in messages: "perf.data". */
const char *foreign_name(enum foreign_kind kind);

/* Is it in JSON? */
bool foreign_is_json(enum foreign_kind kind);

/* Why a kind that is known cannot be read, or NULL if prof-import reads it. */
const char *foreign_hint(enum foreign_kind kind);

#endif
