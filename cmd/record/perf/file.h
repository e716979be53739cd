/*
 * file.h - the files that sampled processes map, by the process's path and
 * build-id; each gets its rows when a sample needs them, from threads of their
 * own. Files are opened as the process sees them, through /proc, so that
 * containers, deleted programs and memfds work.
 */
#ifndef PERF_FILE_H
#define PERF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/rows.h"

struct files;
struct mapped_file;

/* What tells files without a build-id apart: Go's programs have none. */
struct file_inode {
	uint64_t number, generation; /* 0: unknown */
	int64_t mapped_ns;           /* by CLOCK_MONOTONIC */
};

/* The process and address of a mapping. */
struct file_from {
	int32_t pid;
	bool is_live; /* the process exists: read the build-id from the file if
			 it is unknown */
	uint64_t start, limit;
	struct file_inode inode; /* for files_get() */
};

/* NULL without memory. All files must be returned before files_free(). */
struct files *files_new(void);
void files_free(struct files *f);

/*
 * The file with that path and build-id ("": unknown), for files_put(); NULL for
 * mappings without a file, such as code made at run time, and without memory.
 */
struct mapped_file *files_get(struct files *f, const char *path,
			      const char *build_id,
			      const struct file_from *from);
void files_hold(struct mapped_file *m);
void files_put(struct files *f, struct mapped_file *m);

const char *file_path(const struct mapped_file *m);
/* Was it first mapped by that path and inode? */
bool file_is(const struct mapped_file *m, const char *path,
	     const struct file_inode *inode);
/* Read from the file, once, if the kernel did not say it. */
const char *file_build_id(struct mapped_file *m, const struct file_from *from);

/* Its rows; or NULL, and *is_final tells if there will be none. The first time
 * they are asked for by the mapping. */
const struct rows *file_rows(struct files *f, struct mapped_file *m,
			     const struct file_from *from, bool *is_final);

/*
 * After a walk: did it have all the rows that it needed? false: it is to be
 * repeated, as some are being read. If that takes too long, or there is no
 * patience, *is_late is set: the walk lacks them.
 */
bool files_ready(struct files *f, bool *is_late);
void files_patience(struct files *f, bool has_patience);

/* No more are read, and no thread is left that would. */
void files_stop(struct files *f);

/* Wait at most so long until more rows are there. */
void files_wait(struct files *f, int ms);

#endif
