/*
 * watch.h - find processes started by a program that run without the sampler,
 * and the reason. /proc is read while they run: afterwards, only their total
 * CPU time is known.
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

/* Check root and its descendants: call it about ten times a second; most calls
 * do nothing. */
void watch_pass(struct watch *w, pid_t root);

/*
 * Describe the process with the most CPU time that was not sampled: "name[12]
 * ran 3.2 s without the sampler: its environment was cleared". Returns false if
 * there was none.
 */
bool watch_culprit(const struct watch *w, char *text, size_t size);

/*
 * The sum, in KiB, of the largest memory without files of each process; *name,
 * valid as long as w, is the one with the most.
 */
uint64_t watch_memory(const struct watch *w, const char **name);

#endif
