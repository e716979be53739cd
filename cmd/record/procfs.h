/*
 * procfs.h - files of /proc about another process. It may end at any moment, so
 * a file that cannot be read is no error. The process chooses the names and
 * paths in them.
 */
#ifndef RECORD_PROCFS_H
#define RECORD_PROCFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "look.h"

/*
 * The bytes of /proc/PID/name, at most LOOK_MAX_TEXT, and a NUL. The caller
 * frees them; *n is their number. NULL, and *n = 0, if they cannot be read, or
 * if that takes too long: see scout.h.
 */
char *procfs_read(pid_t pid, const char *name, size_t *n);

/* The first line of /proc/PID/name, without its end; "" if it can't be read. */
void procfs_line(pid_t pid, const char *name, char *out, size_t size);

/* fopen() of a file below /proc/sys; opendir() of a path below /proc. */
FILE *procfs_setting(const char *path);
DIR *procfs_list(const char *path);

/* Is the text in that file of the process? */
bool procfs_has(pid_t pid, const char *name, const char *text);

/* The next process in dir, procfs_list("/proc"), that is in another pid
 * namespace, and its number there, the innermost; 0: there are no more. */
pid_t procfs_elsewhere(DIR *dir, int32_t *number);

/* stat() of a path that process pid may have chosen, or that is in its /proc;
 * pid 0: unknown. false also if that takes too long. */
bool procfs_place(pid_t pid, const char *path, struct stat *sb);

/* What keeps libsample out of the program that it runs. */
enum obstacle procfs_obstacle(pid_t pid);

/* A mapping with code. */
struct procfs_map {
	uint64_t start, limit, offset; /* start < limit */
	uint64_t ino;
	const char *path; /* in the row; or "[stack]", or "" for no file */
};

/* Parse a row of "maps", and end its path. False: it has no code, or it is
 * damaged. */
bool procfs_map(char *row, struct procfs_map *m);

/* Where process pid has a file mapped. */
struct procfs_mapped {
	pid_t pid;
	uint64_t start, limit;
	const char *path; /* as in its row of "maps" */
};

enum {
	PROCFS_CERTAIN = 2, /* below: the file itself, whatever its name is */
	PROCFS_OWN = 3,     /* the path here, as the process may have ended */
	PROCFS_TURNS,
};

/*
 * Open it, in a parcel (lib/base/fdpass.h): the mapping itself, which needs
 * privileges; the program that the process runs, if it is that; its path in the
 * process's root; its path here. turn counts these from 0. -1: that one fails,
 * as regular_open() does if out->err is not PROF_OK. What *out has need not be
 * asked of the file, which may not answer.
 */
int procfs_open_mapped(const struct procfs_mapped *m, int turn,
		       struct look_file *out);

struct procfs_stat {
	char name[32];
	uint64_t cpu_ms; /* of all its threads; to the kernel's 10 ms */
	uint64_t stack;  /* where it starts: another one after exec() */
};

/* Parse "stat". False: it is damaged. */
bool procfs_stat(const char *text, struct procfs_stat *s);

/* Memory without a file by the text of "status", in KiB; 0 if unknown. */
uint64_t procfs_anon_kb(const char *text);

/* The time that the host took from all CPUs of this machine since its start, in
 * ns; 0 if unknown. */
uint64_t procfs_stolen_ns(void);

#endif
