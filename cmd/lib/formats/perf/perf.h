/*
 * perf.h - a profile from what Linux' perf writes: perf.data as a file, as a
 * pipe ("perf record -o -") and as a folder ("perf record --threads"). Bytes
 * are fed in the order in which they come, so that a recording of any size
 * needs memory for its distinct stacks only. No names are looked up: the
 * profile has addresses, mappings and build-ids.
 *
 * The layout is that of linux/perf_event.h and of perf's own
 * perf.data-file-format.txt; doc/formats.md says what is kept and what is lost.
 */
#ifndef PERF_H
#define PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/status.h"
#include "libsample/unwind/frames.h"

struct perf;
struct perf_unwind;
struct profile;

/*
 * Inflates the pieces of one zstd stream ("perf record -z"); the library that
 * can is none of this module's business.
 */
struct perf_inflate {
	void *(*open)(void); /* NULL without memory */
	/*
	 * Inflate the n bytes at data, and append at most max bytes of the
	 * result to out.
	 */
	enum prof_status (*put)(void *z, const void *data, size_t n, size_t max,
				struct buf *out, struct prof_err *err);
	void (*close)(void *z);
};

/* Labels that samples get when they are asked for, or-ed. */
enum perf_labels {
	PERF_TID = 1,
	PERF_THREAD = 2,
	PERF_CPU = 4,
	PERF_CGROUP = 8,
	PERF_MODE = 16, /* execution_mode */
	PERF_TIME = 32, /* timestamp_ns: no two samples add up then */
	PERF_CODE_PAGE = 64,
	PERF_DATA_PAGE = 128,
	PERF_DATA_SRC = 256,
	PERF_PROCESS = 512, /* even if there is only one */
	PERF_GOOGLE_KEYS = 1024,
};

enum perf_kernel { PERF_KERNEL_KEEP, PERF_KERNEL_DROP, PERF_KERNEL_FOLD };

struct perf_options {
	unsigned labels; /* enum perf_labels */
	enum perf_kernel kernel;
	bool is_google;   /* columns, comments and losses as perf_to_profile has
			   * them; no labels but those asked for */
	bool no_idle;     /* leave out process 0 */
	bool weight;      /* one more column, latency/cycles */
	bool is_strict;   /* damage is an error */
	size_t max_bytes; /* of what compressed records inflate to */
	const struct perf_inflate *inflate; /* NULL: there is none */
	const struct perf_unwind *unwind;   /* NULL: only the innermost frame */
};

/*
 * Counts of what was seen and lost: of samples, unless another thing is named.
 */
struct perf_notes {
	uint64_t samples;       /* in the profile */
	uint64_t lost;          /* by the kernel: its ring was full */
	uint64_t throttled;     /* times that the kernel paused an event */
	uint64_t truncated;     /* stacks whose root was not reached */
	uint64_t unmapped;      /* with a frame that no mapping has */
	uint64_t damaged;       /* records that make no sense */
	uint64_t unknown_event; /* samples of an event the header lacks */
	uint64_t dumps; /* with a copy of the stack that is not unwound */
	uint64_t unwind_failed; /* with a copy whose root was not found */
	uint64_t aux;           /* records of hardware traces, not decoded */
	uint64_t branches;      /* with branches that are no call chain */
	uint64_t groups;        /* with counts of a group's other events */
	uint64_t late;          /* records that came out of order */
	bool has_mapping_loss;  /* lost records may be mappings */
	bool no_build_ids;      /* of any file */
	bool is_open;           /* perf did not finish the file */
	char cut[224];          /* what the end of the file lacks, or "" */
	char damage[160];       /* the first, and where; "" without */
};

/* The mapping of a process at an address. */
struct perf_where {
	uint32_t object; /* the same for the same part of the same file */
	uint64_t start, offset; /* where it begins: in memory, in the file */
	const char *file, *build_id; /* "": not known, or not yet */
};

/* false: nothing. */
typedef bool perf_where_fn(void *ctx, uint64_t pc, struct perf_where *out);

/* A copy of a stack, and registers: words of mask, lowest bit first. */
struct perf_dump {
	const char *machine; /* uname(2)'s name of it */
	uint64_t mask;
	const uint64_t *word;
	size_t n_word;
	const void *bytes; /* n, from the stack pointer up */
	size_t n;
};

/*
 * Unwinds copies of stacks ("--call-graph dwarf"): what does it is, again, none
 * of this module's business.
 */
struct perf_unwind {
	void *ctx;
	/* At most max addresses into pc, leaf first; all but the first are
	 * return addresses, or UNWIND_GAP. 0: it cannot be done. */
	size_t (*walk)(void *ctx, const struct perf_dump *d,
		       perf_where_fn *where, void *where_ctx, uint64_t *pc,
		       size_t max, struct unwind_info *info);
	/* In the end: the build-id that an object really had. */
	void (*tell)(void *ctx, uint32_t object, const char *file,
		     const char *build_id);
};

#define PERF_MAGIC_SIZE 8

/* Do the n bytes at data begin a perf.data? */
bool perf_is(const void *data, size_t n);

/* A reader of one recording, to end with perf_free(); NULL without memory. */
struct perf *perf_new(const struct perf_options *o);
void perf_free(struct perf *r);

/*
 * Announce one more stream of records: a file "data.N" of a folder, whose file
 * "data" is stream 0 and has been fed whole. Its number is *stream.
 * PROF_ENOMEM.
 */
enum prof_status perf_add_part(struct perf *r, size_t *stream,
			       struct prof_err *err) MUST_USE;

/*
 * Feed the next n bytes of a stream; perf_end() after its last. Parts are in
 * order of time each: feeding always the one that perf_wants() names keeps
 * what waits for the others small. PROF_EFORMAT: not a perf.data, or one that
 * cannot be read; PROF_ENOTSUP, PROF_ELIMIT, PROF_ENOMEM.
 */
enum prof_status perf_feed(struct perf *r, size_t stream, const void *data,
			   size_t n, struct prof_err *err) MUST_USE;
enum prof_status perf_end(struct perf *r, size_t stream,
			  struct prof_err *err) MUST_USE;
size_t perf_wants(const struct perf *r);

/*
 * The profile of all that was fed, the caller's; its samples are not added up,
 * see profile_compact(). *notes says what it lacks. PROF_EFORMAT, PROF_ELIMIT
 * or PROF_ENOMEM.
 */
enum prof_status perf_finish(struct perf *r, struct profile **out,
			     struct perf_notes *notes,
			     struct prof_err *err) MUST_USE;

#endif
