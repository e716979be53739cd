/*
 * sources.h - the text of source files, wherever they are on this machine: at
 * the path that the profile has, below directories that the user names, in
 * Go's module cache, in /usr/src, on debuginfod servers; packed or not. The
 * places are those of find.h.
 *
 * Names come from profiles, and files from anywhere: only regular files of at
 * most SOURCE_MAX bytes that hold text are sources, and all of them together,
 * with 4 bytes for each line, have at most SOURCES_MAX.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/base/status.h"

#define SOURCE_MAX ((size_t)64 << 20)
#define SOURCES_MAX ((size_t)512 << 20)

struct sources_options {
	const char *source_path; /* directories joined by ':'; NULL or "": the
				  * current one */
	const char *const *map;  /* n_map of "FROM=TO": FROM/x is TO/x */
	size_t n_map;
	size_t max_bytes; /* instead of SOURCES_MAX if it is less; 0: unset */
	/*
	 * Fetch the source `path`, absolute, of the program with this build-id:
	 * the path of a file for free(), or NULL. May itself be NULL.
	 */
	char *(*fetch)(void *ctx, const char *build_id, const char *path);
	void *fetch_ctx;
	/* May the text of this file be shown? NULL: of any. */
	bool (*may_show)(void *ctx, const char *path);
	void *may_show_ctx;
};

struct source {
	char *file;  /* as it was asked for */
	char *path;  /* where it was found; NULL: it was not */
	char *error; /* then: why, in pprof's words */
	char *tried; /* where it was looked for, joined by ", " */
	size_t n_tried;
	time_t mtime; /* of what was found; 0: unknown */
	size_t n_line;
	/* Of sources.c alone. */
	char *data;
	uint32_t *start; /* n_line + 1: where each line begins */
};

struct sources;

/*
 * No files yet; o and what it refers to must outlive the result, which is the
 * caller's, for sources_free(). NULL without memory.
 */
struct sources *sources_new(const struct sources_options *o);
void sources_free(struct sources *s); /* NULL is allowed */

/*
 * The source that a profile calls file, "" is none, of the program with this
 * build-id ("" is unknown). It is looked for once, and lives until
 * sources_free(). NULL without memory.
 */
const struct source *sources_get(struct sources *s, const char *file,
				 const char *build_id);

/*
 * Line `line` of f, from 1 on, without its newline and a carriage return
 * before that; in *n its bytes. NULL: f has no such line.
 */
const char *source_line(const struct source *f, int64_t line, size_t *n);

/*
 * The next source that was asked for, with *at 0 at first; NULL after the last.
 */
const struct source *sources_next(const struct sources *s, size_t *at);

#endif
