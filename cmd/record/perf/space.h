/*
 * space.h - the address spaces of processes sampled from outside: the file at
 * each address, for the tally and, with the rows of that file, for the walk.
 * Read from /proc when recording begins, then from the kernel's records. Names
 * and files of processes are untrusted.
 */
#ifndef PERF_SPACE_H
#define PERF_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "file.h"
#include "unwind/walk.h"

struct files;
struct perf_kernel;
struct spaces;
struct tally;
struct process_space;

/* A mapping with code, as the kernel reports it. */
struct space_map {
	int32_t pid;
	uint64_t start, limit, offset;
	const char *build_id; /* lower-case hex, or "" */
	const char *path;     /* the process's path */
	struct file_inode inode;
};

/* kernel: its address range, or NULL if it is not recorded. The caller owns the
 * tally. NULL without memory. */
struct spaces *spaces_new(struct tally *t, const struct perf_kernel *kernel);
void spaces_free(struct spaces *s);

/* Read the current mappings of the process; known ones are kept. */
void spaces_read(struct spaces *s, int32_t pid);

/* Continue with another tally, which is empty; and forget processes that have
 * ended, though the kernel's record of that was lost. */
void spaces_turn(struct spaces *s, struct tally *t);

/* Events reported by the kernel, in their order. */
void spaces_map(struct spaces *s, const struct space_map *m);
void spaces_fork(struct spaces *s, int32_t pid, int32_t parent);
void spaces_exec(struct spaces *s, int32_t pid, const char *name);
void spaces_exit(struct spaces *s, int32_t pid);

/* Forget processes that ended before the last call: call it once a pass. */
void spaces_sweep(struct spaces *s);

/* The process, empty if unknown; NULL without memory. */
struct process_space *spaces_find(struct spaces *s, int32_t pid);

/* The tally's number of this address space. */
uint32_t space_number(struct process_space *p);

/* Whose rows walks may have to wait for: see files_ready(). */
struct files *spaces_files(struct spaces *s);

/* walk_find_fn, for a struct process_space. */
bool space_code(void *space, uint64_t pc, struct walk_code *out);

#endif
