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

enum { WATCH_MAX = 1024 /* processes that are tracked */ };

struct watch;

struct account_share;
struct shm;
struct shm_settings;

/*
 * NULL without memory. To end with watch_free(), which allows NULL. With the
 * clock of real time, processes that use no CPU time count, too; with
 * SHM_CHILDREN_NONE only the first one does. beside: why the kernel does not
 * sample those without libsample, or ""; it lives as long.
 */
struct watch *watch_new(const struct shm_settings *set, const char *beside);

void watch_free(struct watch *w);

/* Check root and its descendants: call it about ten times a second; most calls
 * do nothing. */
void watch_pass(struct watch *w, pid_t root);

/*
 * Before watch_culprit(), of a profile of CPU time: take processes that have
 * the memory shm, but no counts in it, for ones without the sampler. They were
 * made by a system call of the program, not by libc's fork().
 */
void watch_check_ticks(struct watch *w, const struct shm *shm,
		       uint64_t period_ns);

/*
 * Describe the process with the most CPU time that was not sampled: "name[12]
 * ran without the sampler (3.2 s of CPU time or more): its environment was
 * cleared". Returns false if there was none.
 */
bool watch_culprit(const struct watch *w, char *text, size_t size);

/* The CPU time that such processes used, as far as it was seen: the first n of
 * them at share, with names that live as long as w. Returns their number. */
size_t watch_unseen(const struct watch *w, struct account_share *share,
		    size_t n);

/*
 * The sum, in KiB, of the largest memory without files of each process that is
 * sampled; *name, valid as long as w, is the one with the most.
 */
uint64_t watch_memory(const struct watch *w, const char **name);

#endif
