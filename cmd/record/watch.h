/*
 * watch.h - find the processes that a program starts and that run without the
 * sampler, and the reason. /proc is read while they run: afterwards, only the
 * CPU time of all of them together is known.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct watch;

/* NULL without memory. To end with watch_free(), which allows NULL. */
struct watch *watch_new(void);
void watch_free(struct watch *w);

/* Check root and its descendants: call it some ten times a second; most calls
 * do nothing. */
void watch_pass(struct watch *w, pid_t root);

/*
 * Say which process used the most CPU time without being sampled: "name[12]
 * ran 3.2 s without the sampler: its environment was cleared". Returns false
 * if none was seen.
 */
bool watch_culprit(const struct watch *w, char *text, size_t size);

/*
 * The sum, in KiB, of the most memory that each process was seen with, without
 * that of files; *name, valid as long as w, is the one that had most.
 */
uint64_t watch_memory(const struct watch *w, const char **name);

#endif
