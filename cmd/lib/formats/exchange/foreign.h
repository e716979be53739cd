/*
 * foreign.h - formats of other profilers and viewers that prof-import reads,
 * and how they are recognized. import/formats.c has the reader of each; every
 * other command names them. Formats that nobody reads: lib/formats/guess.h.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which they are tried. */
enum foreign_kind {
	FOREIGN_NONE, /* profile.proto, a legacy format, or nothing known */
	FOREIGN_PERF,
	FOREIGN_JFR,
	FOREIGN_OTLP,
	FOREIGN_SPEEDSCOPE,
	FOREIGN_FIREFOX,
	FOREIGN_CHROME_TRACE,
	FOREIGN_HEAPPROFILE,
	FOREIGN_CPUPROFILE,
	FOREIGN_OTLP_JSON,
	FOREIGN_SCRIPT,
	FOREIGN_FOLDED,
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

#endif
