/*
 * space.h - the address spaces of processes that are sampled from outside:
 * which file is mapped where, told to the tally and, for the walk, with the
 * rows of that file. From /proc when recording begins, then from the records of
 * the kernel. What a process says of itself (names, files) is not to be
 * trusted.
 */
#ifndef PERF_SPACE_H
#define PERF_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/walk.h"

struct perf_kernel;
struct spaces;
struct tally;
struct process_space;

/* A mapping with code, as the kernel tells of it. */
struct space_map {
	int32_t pid;
	uint64_t start, limit, offset;
	const char *build_id; /* lower-case hex, or "" */
	const char *path;     /* as the process has it */
};

/* kernel: where it is, or NULL if it is not recorded. The tally is not theirs.
 * NULL without memory. */
struct spaces *spaces_new(struct tally *t, const struct perf_kernel *kernel);
void spaces_free(struct spaces *s);

/* Take in what is mapped in the process now; what is known already changes
 * nothing. */
void spaces_read(struct spaces *s, int32_t pid);

/* What the kernel says happened, in the order in which it did. */
void spaces_map(struct spaces *s, const struct space_map *m);
void spaces_fork(struct spaces *s, int32_t pid, int32_t parent);
void spaces_exec(struct spaces *s, int32_t pid, const char *name);
void spaces_exit(struct spaces *s, int32_t pid);

/* Forget processes that ended before the last call: once a pass. */
void spaces_sweep(struct spaces *s);

/* The process, made empty if nothing is known of it; NULL without memory. */
struct process_space *spaces_find(struct spaces *s, int32_t pid);

/* The number by which the tally knows its addresses. */
uint32_t space_number(struct process_space *p);

/* walk_find_fn, for a struct process_space. */
bool space_code(void *space, uint64_t pc, struct walk_code *out);

#endif
