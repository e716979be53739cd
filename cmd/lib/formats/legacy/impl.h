/*
 * impl.h - building a profile of addresses, for the parsers of legacy formats.
 * Only they include it.
 */
#ifndef LEGACY_IMPL_H
#define LEGACY_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "legacy.h"
#include "lib/base/idmap.h"
#include "lib/formats/span.h"
#include "lib/model/profile.h"

/* --- the profile being built --- */

enum adjust {
	ADJUST_NONE,
	ADJUST_CALLERS, /* the leaf is where the program was */
	ADJUST_ALL,     /* even the leaf is a return address */
};

#define LEGACY_GO_LINES 128 /* of one address that are read */

/* Names of one address, from the comments of Go; see go.c. */
struct legacy_go {
	uint64_t pc;
	struct line line[LEGACY_GO_LINES];
	size_t n;
	bool is_used;          /* some address got its name here */
	struct idmap function; /* by strings: name << 32 | file */
	struct label *label;   /* of the next sample */
	size_t n_label, cap_label;
};

struct legacy {
	struct profile *p;
	struct prof_err *err;
	const uint8_t *raw; /* all of the input, for offsets */
	unsigned flags;
	bool symbolized; /* inside of google-pprof's symbolized form */

	struct idmap location; /* by address */
	struct legacy_go go;

	/* The stack that is being read: n addresses, as in the input. */
	uint64_t *addr;
	uint32_t *stack; /* as many; for legacy_sample() */
	size_t n_addr;
	size_t cap;
};

/* prof_fail() at a line. */
#define LINE_FAIL(l, t, fmt, ...)                                              \
	prof_fail((l)->err, PROF_EFORMAT, "line %zu: " fmt, (t)->number,       \
		  ##__VA_ARGS__)

/* Append an address to the stack that is being read. */
enum prof_status legacy_push(struct legacy *l, uint64_t addr) MUST_USE;

/*
 * Read the addresses of a stack, "0x" and lower-case digits with blanks
 * between, from s to its end. Anything else there is an error.
 */
enum prof_status legacy_stack(struct legacy *l, const struct text *t,
			      struct span s) MUST_USE;

/*
 * Add a sample of the stack that was read, and empty the stack. Addresses of
 * callers are moved into the call. unique_leaf: drop a caller that is equal to
 * the leaf, as signal handlers leave it.
 */
enum prof_status legacy_sample(struct legacy *l, enum adjust adjust,
			       bool unique_leaf, const int64_t *value,
			       const struct label *label,
			       size_t n_label) MUST_USE;

/* The location of an address, or IDMAP_NONE. */
uint32_t legacy_find(const struct legacy *l, uint64_t address);

/*
 * The function of that name and file, added if it is new; by_name: the first of
 * that name, whatever its file. map is the caller's, for one kind of look-up.
 */
enum prof_status legacy_function(struct legacy *l, struct idmap *map,
				 bool by_name, struct span name,
				 struct span file, uint32_t *out) MUST_USE;

/*
 * Read a comment after a sample, which may name one of its addresses as Go
 * does. This, and each function here that adds a sample or reads the map, first
 * stores the name that was read before.
 */
enum prof_status legacy_go_name(struct legacy *l,
				const struct text *t) MUST_USE;
enum prof_status legacy_go_flush(struct legacy *l) MUST_USE;

/*
 * Read the labels that Go writes into the line after a sample, in front of
 * which t is, into l->go.label; none if that line is something else.
 */
enum prof_status legacy_go_labels(struct legacy *l, struct text t) MUST_USE;

/* Columns: pairs of type and unit, NULL at the end. */
enum prof_status legacy_types(struct legacy *l,
			      const char *const *types) MUST_USE;
enum prof_status legacy_period(struct legacy *l, const char *type,
			       const char *unit, int64_t period) MUST_USE;

/* Scale up count events of size bytes in all, sampled once in rate bytes. */
void legacy_unsample(int64_t rate, int64_t *count, int64_t *size);

/* --- the parsers; t is before the first line, unless it says otherwise --- */

/* Any kind but LEGACY_NONE and LEGACY_FOREIGN. */
enum prof_status legacy_any(struct legacy *l, enum legacy_kind kind,
			    struct text t) MUST_USE;

enum prof_status legacy_cpu(struct legacy *l, const uint8_t *data,
			    size_t n) MUST_USE;
enum prof_status legacy_heap(struct legacy *l, struct text *t) MUST_USE;
enum prof_status legacy_jemalloc(struct legacy *l, struct text *t) MUST_USE;
enum prof_status legacy_count(struct legacy *l, struct text *t) MUST_USE;
enum prof_status legacy_threads(struct legacy *l, struct text *t) MUST_USE;
enum prof_status legacy_contention(struct legacy *l, struct text *t) MUST_USE;
enum prof_status legacy_java(struct legacy *l, struct text *t,
			     enum legacy_kind kind) MUST_USE;
enum prof_status legacy_symbolized(struct legacy *l, struct text *t) MUST_USE;

/* The Java form of a contention profile: t is at its first line. */
bool legacy_is_java(struct text t);

/* First lines. */
bool legacy_is_heap(struct span line);
bool legacy_is_jemalloc(struct span line);
bool legacy_is_count(struct span line);
bool legacy_is_threads(struct span line);

/* The lines after which a memory map begins. */
bool legacy_is_map(struct span line);

/* Fail if another profile begins at the current line of t. */
enum prof_status legacy_check_single(struct legacy *l, const struct text *t);

/*
 * Read the rest after the samples: skip to the line that begins the memory map
 * (at_map: t is after that line already), read the map, and give each location
 * its mapping. Without a map, all have one mapping without a name.
 */
enum prof_status legacy_map(struct legacy *l, struct text *t,
			    bool at_map) MUST_USE;

/* Names for locations: Java's "0x2a name (file:line)" lines, to the end. */
enum prof_status legacy_java_names(struct legacy *l, struct text *t) MUST_USE;

/*
 * Remove the innermost frames that are in a file whose name begins so; one
 * frame stays. Functions that a library does not export have no names, so
 * drop_frames would not match them. false: no memory.
 */
bool legacy_drop_library(struct profile *p, const char *name);

/*
 * Note a doubt about the input (struct profile) unless there is one already.
 */
void legacy_doubt(struct legacy *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* pprof's drop_frames and keep_frames for this kind of columns. */
enum prof_status legacy_filters(struct legacy *l) MUST_USE;

#endif
