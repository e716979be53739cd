/*
 * watch.h - which of the processes that a program starts run without the
 * sampler, and why. They are looked at now and then while they run, by /proc:
 * afterwards, only how much CPU time all of them used is known.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct watch;

/* NULL without memory. To end with watch_free(), which allows NULL. */
struct watch *watch_new(void);
void watch_free(struct watch *w);

/* Look at root and all that descend from it: call it some ten times a second;
 * most calls do nothing. */
void watch_pass(struct watch *w, pid_t root);

/*
 * Say which process used the most CPU time without being sampled: "name[12]
 * ran 3.2 s without the sampler: its environment was cleared". Returns false
 * if none was seen.
 */
bool watch_culprit(const struct watch *w, char *text, size_t size);

#endif
