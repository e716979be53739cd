/*
 * frames.h - frames as reports name them: locations mapped to keys, once per
 * profile. With the granularity "functions" all addresses of a function share a
 * key, with "addresses" each has its own. A location with inlined functions has
 * several keys.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/base/strtab.h"

struct arena;
struct profile;

enum granularity {
	BY_FUNCTION,
	BY_FILE_FUNCTION,
	BY_FILE,
	BY_LINE,
	BY_ADDRESS,
};

struct frames_options {
	enum granularity granularity;
	bool no_inlines; /* only the physical function of a location */
	bool columns;    /* BY_LINE tells columns apart */
	bool by_object;  /* functions of different object files or start lines
			    are distinct: for source listings */
	bool no_text;    /* leave out the printed names: text is 0 */
	const char *trim_path;   /* NULL or prefixes, joined by ':' */
	const char *source_path; /* NULL or directories, joined by ':' */
};

/* The identity of a frame; fields that the granularity drops are 0. */
struct frame_key {
	uint64_t address;
	int64_t start_line;
	int64_t line;
	int64_t column;
	uint32_t name;   /* string of frames.strings: the function */
	uint32_t file;   /* string of frames.strings: cleaned and trimmed */
	uint32_t object; /* string of frames.strings: path of the mapping */
	uint32_t text;   /* string of frames.strings: printed name */
};

/*
 * Everything is in arena, but the bytes of the profile's strings. These have
 * the same indices in frames.strings.
 */
struct frames {
	const struct profile *p;
	struct arena *arena;
	struct strtab strings;
	struct frame_key *key;
	size_t n_key;
	/*
	 * Location l has the keys node[first[l]] to node[first[l + 1] - 1],
	 * innermost inlined function first; at least one.
	 */
	uint32_t *first;
	uint32_t *node;
	bool *is_inlined;  /* by key: it was inlined somewhere */
	uint32_t max_keys; /* of a location; at least 1 */
};

/* Map p, which must outlive the result. PROF_ENOMEM, PROF_ELIMIT. */
enum prof_status frames_new(const struct profile *p,
			    const struct frames_options *o, struct frames **out,
			    struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void frames_free(struct frames *f);

/* The printed name of key k. */
static inline const struct str *
frames_text(const struct frames *f, uint32_t k)
{
	return &f->strings.str[f->key[k].text];
}

/*
 * Compare two keys by printed name (by address, if both have one), then by the
 * other fields; 0 only for a == b.
 */
int frames_cmp(const struct frames *f, uint32_t a, uint32_t b);

/*
 * A path of len bytes as frames show it: trimmed by the options, and cleaned.
 * out has room for len + 1 bytes; returns the number used, 0 if nothing is
 * left.
 */
size_t frames_path(const struct frames_options *o, const char *path, size_t len,
		   char *out);

/*
 * The part of path after its last '/', as basename(1); of
 * "[kernel.kallsyms]_stext" and the like what is in brackets. In *len its
 * length.
 */
const char *frames_base(const char *path, size_t *len);

#endif
