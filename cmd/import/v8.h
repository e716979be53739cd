/*
 * v8.h - a profile of V8 in the making: a tree of calls with memory, or with
 * samples of its nodes in time, as .heapprofile, .cpuprofile and Chrome's
 * traces have them in JSON.
 */
#ifndef IMPORT_V8_H
#define IMPORT_V8_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/idmap.h"
#include "lib/base/status.h"

struct byname;
struct label;

struct v8_node {
	uint32_t parent; /* node, or PROF_NONE: the root */
	uint32_t location;
	bool is_root, is_idle;
	int64_t count, us;
	int64_t hits;  /* "hitCount", of a .cpuprofile */
	int64_t bytes; /* "selfSize", of a heap profile */
};

struct v8_shot {
	int64_t at; /* microseconds */
	uint32_t node;
	uint32_t turn; /* place in the list */
};

struct v8 {
	struct byname *b;
	struct prof_err *err;
	const char *format; /* begins messages: ".cpuprofile" */
	struct v8_node *node;
	size_t n_node, cap_node;
	struct idmap by_id; /* id -> node */
	struct v8_shot *shot;
	size_t n_shot, cap_shot;
	int64_t at; /* microseconds: of the last sample; first, of the start */
};

/*
 * Begin a profile whose names and samples go into b, which has the columns of
 * the samples that are added, as of v8_columns(). End with v8_release(), also
 * after PROF_ENOMEM.
 */
enum prof_status v8_init(struct v8 *v, struct byname *b, const char *format,
			 struct prof_err *err) MUST_USE;
void v8_release(struct v8 *v);

/* Give b the columns samples/count and cpu/nanoseconds. */
enum prof_status v8_columns(struct byname *b, struct prof_err *err) MUST_USE;

/* Add nodes of a list, which name their children or their parents; these may
 * be in lists that were added before. */
enum prof_status v8_add_nodes(struct v8 *v, const json_t *nodes) MUST_USE;

/*
 * Add samples: ids of nodes. times is a list of the same length at least: the
 * microseconds since the one before, or with is_absolute since whenever.
 */
enum prof_status v8_add_samples(struct v8 *v, const json_t *samples,
				const json_t *times, bool is_absolute) MUST_USE;

/*
 * Make b's samples: a sample lasts until the next one, the last one until
 * end_us. Time of "(root)" is left out, and that of "(idle)" is added to
 * *idle_us instead, unless that is NULL. Sorts the samples by time.
 */
enum prof_status v8_finish(struct v8 *v, int64_t end_us, int64_t *idle_us,
			   const struct label *label, size_t n_label) MUST_USE;

/* Warn of idle time that was left out. */
void v8_say_idle(struct byname *b, int64_t idle_us);

/* A member that is a number, else 0: within 2^62. */
int64_t v8_int(const json_t *o, const char *key);

#endif
