/*
 * series.h - functions over the profiles of archives: the question, and the
 * answer, by time or by another group of profiles.
 */
#ifndef HISTORY_SERIES_H
#define HISTORY_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "history/store/names.h"
#include "lib/base/pairs.h"
#include "lib/base/status.h"
#include "span.h"

struct where;

enum series_by {
	SERIES_DAY,
	SERIES_HOUR,
	SERIES_PROFILE,
	SERIES_BUILD,
	SERIES_HOST,
	SERIES_LABEL,
	SERIES_HOUR_BUILD, /* key: hour, NUL, build-id */
	SERIES_HOST_BUILD, /* key: host, NUL, build-id */
};

struct question {
	const char *type; /* a sample type; NULL: the default of all */
	enum series_by by;
	const char *label;         /* of SERIES_LABEL */
	int64_t from, to;          /* times: from <= t < to */
	const struct where *where; /* of profiles; NULL: all; entry-where.h */
	/* Is this function asked for? NULL: all are. */
	enum prof_status (*wants)(void *ctx, const struct str *name,
				  bool *wanted, struct prof_err *err);
	void *wants_ctx;
	bool is_list; /* of functions: nothing is asked about builds */
};

/* The profiles that share a key. */
struct bucket {
	uint32_t key;              /* of series.keys: "2026-11-20", a host... */
	int64_t first_ns, last_ns; /* times of profiles */
	uint64_t n;                /* profiles */
	uint64_t n_host;           /* different ones, if known */
	int64_t samples, total;
	uint32_t build;   /* that began last: of series.words; 0: none */
	uint64_t n_build; /* different ones */
};

/* One function, in each bucket. */
struct series_fn {
	uint32_t name; /* of series.functions */
	int64_t *flat, *cum;
	size_t n, cap[2];
};

/*
 * A build; after series_sort(), of profiles of several programs, only builds of
 * those that have one of the functions that are asked for.
 */
struct series_build {
	uint32_t name;    /* of series.words */
	uint32_t program; /* the same; 0: not known */
	bool is_whole;    /* of a profile of one program */
	int64_t first_ns, last_ns;
	uint64_t n; /* profiles */
};

/* Maps a name to 1 + its index; 0: none. */
struct series_map {
	uint32_t *slot;
	size_t cap;
};

struct series {
	char *type, *unit;
	struct bucket *bucket; /* in order, after series_sort() */
	size_t n_bucket, cap_bucket;
	struct series_fn *fn;
	size_t n_fn, cap_fn;
	struct names keys, functions, words;
	struct series_build *build; /* by first time, after series_sort() */
	size_t n_build, cap_build;
	struct series_map of_key, of_fn, of_build; /* before series_sort() */
	struct series_map of_program;              /* 1: has a function */
	struct pairs hosts, builds;                /* of buckets */
	bool has_programs; /* some profiles are of several */
	size_t n_unknown;  /* profiles whose samples differ in a label that the
			    * question is about */
	bool has_unknown_program; /* ... some in a part of their programs */
};

/*
 * Settle type and unit of *s: the type of q, or the only default there is. To
 * end with series_release(), whatever it returns. PROF_EUSAGE names the types.
 */
enum prof_status series_init(struct series *s, const struct span *x,
			     const struct question *q,
			     struct prof_err *err) MUST_USE;
void series_release(struct series *s);

/* Those of this key, name; new ones are empty. NULL without memory. */
struct bucket *series_bucket(struct series *s, uint32_t key);
struct series_build *series_build(struct series *s, uint32_t word);
struct series_fn *series_function(struct series *s, const struct str *name);

/* The program of this word has a function that is asked for. -1: no memory. */
int series_note_program(struct series *s, uint32_t word);

/* Room for n buckets of f, the new ones 0. Returns -1 without memory. */
int series_widen(struct series_fn *f, size_t n);

/* After the last: put buckets, functions and builds in order. PROF_ENOMEM. */
enum prof_status series_sort(struct series *s, enum series_by by,
			     struct prof_err *err) MUST_USE;

#define SERIES_TIME 32 /* room for a time as text */

/* "2026-11-20T10:15:00Z"; with only_day "2026-11-20". */
void series_time(int64_t t_ns, bool only_day, char text[SERIES_TIME]);

/* The name of what the rows are: "day", a label. */
const char *series_by_name(const struct question *q);

/* The share of a function in a bucket; 0 of nothing is 0. */
double series_share(const struct series *x, const struct series_fn *f, size_t i,
		    bool is_flat);

#endif
