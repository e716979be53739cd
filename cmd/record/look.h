/*
 * look.h - looks at what other processes have: their memory, mappings and
 * files. A look may never end: a process can hold the lock of its mappings, or
 * have its memory in a file system that does not answer, and then not even
 * SIGKILL ends the one that looks. So only record/scout.h calls this.
 */
#ifndef RECORD_LOOK_H
#define RECORD_LOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "inspect.h"
#include "lib/base/status.h"

struct buf;

enum {
	LOOK_MAX_TEXT = 1 << 24,
	LOOK_MAX_STACKS = 64,
};

enum look_what {
	LOOK_TEXT,    /* the bytes of a file of /proc */
	LOOK_FILE,    /* struct look_file, and a parcel with that file */
	LOOK_HEAD,    /* struct look_file, with what keeps libsample out */
	LOOK_PLACE,   /* struct look_file of a path, which is not opened */
	LOOK_PROGRAM, /* LOOK_FILE, if the process's exe has the name path */
	LOOK_STACKS,  /* struct look_stack, each with its bytes behind */
};

struct look {
	enum look_what what;
	int32_t pid; /* that may be the reason if there is no answer */
	uint32_t n_stack, stack_bytes;
	union { /* last: a message ends with what is used of it */
		char path[PATH_MAX + 64];
		int32_t tid[LOOK_MAX_STACKS];
	};
};

struct look_file {
	bool is_found; /* else err may say why */
	struct stat sb;
	bool is_fuse; /* a program serves it */
	struct inspect in;
	struct prof_err err;
};

enum look_state { LOOK_RUNS, LOOK_WAITS, LOOK_UNKNOWN };

struct look_stack {
	int32_t tid;
	enum look_state state;
	uint64_t time_ns; /* by CLOCK_MONOTONIC, before the look */
	uint64_t sp, pc;  /* if it waits */
	uint32_t n;       /* bytes */
};

/* Append the answer to out; *parcel (lib/base/fdpass.h) is for the caller, or
 * -1. What can't be read, or finds no memory, is missing. */
void look_at(const struct look *l, struct buf *out, int *parcel);

/* The user who started a process; -1: unknown. Not the owner of its folder, who
 * is root as soon as it wishes. Prompt. */
uid_t look_user(int32_t pid);

/* Parse "syscall" of a thread. False: the thread runs, or it is damaged. */
bool look_syscall(const char *text, uint64_t *sp, uint64_t *pc);

#endif
