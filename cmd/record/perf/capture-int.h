/*
 * capture-int.h - a capture, for the files that implement it: capture.c reads,
 * capture-open.c opens events.
 */
#ifndef PERF_CAPTURE_INT_H
#define PERF_CAPTURE_INT_H

#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backlog.h"
#include "capture.h"
#include "cpus.h"
#include "libsample/shm.h"

struct prof_err;

/* An event without a ring of its own. */
struct event {
	int fd;
	size_t kind;
	pid_t pid; /* that it was opened for, or -1 */
};

/* A thread that has events. */
struct known {
	pid_t pid, tid;
};

struct capture {
	struct perf_config config;
	bool wanted_kernel;
	struct shm *shm; /* only for its counts: those since the last turn */
	struct shm_process count;             /* what was read, in all */
	struct shm_process published, before; /* the sum of both, when it was
						 last made, and at the turn */
	struct {
		uint64_t lost;          /* by the kernel's counts */
		uint64_t used_ns, came; /* of the clock */
	} seen[PERF_MAX_KIND];          /* when counts were last published */
	/* Of these, at most what can be samples. */
	uint64_t lost[PERF_MAX_KIND];
	struct shm_settings set;
	struct perf_sampler *sampler;
	struct perf_ring *ring;
	size_t n_ring, room_ring;
	struct backlog backlog; /* of records that wait for rows */
	bool is_stuck;          /* the first waits for a slow file */
	size_t share;           /* the largest ring */
	struct event *event;    /* that write into the rings of others */
	size_t n_event, room_event;
	struct known *known;
	size_t n_known, room_known;
	pid_t opening;       /* the process that gets events now, or -1 */
	struct pollfd *poll; /* rings, then processes */
	size_t n_process;
	pid_t task;        /* of the events on each CPU: -1, or group */
	int group;         /* the control group's directory, or -1 */
	struct cpus cpus;  /* that have events of task; none: task is not set */
	size_t n_unknown;  /* threads that waited on unknown stacks */
	pid_t unknown_pid; /* the first one's process */
	int64_t cpus_ns;   /* when they are looked at again */
	int64_t open_ns;   /* when the family had a process without libsample */
	int64_t old_ns;    /* when those of them that are old get events */
	bool is_off;       /* no samples are taken meanwhile */
	bool is_begun;
	struct perf_event_counts closed[PERF_MAX_KIND]; /* of closed events */
};

/* The time until which all records are written, of CLOCK_MONOTONIC. */
uint64_t capture_settled(void);

/* Read the records until that time. Those that have to wait are kept. */
void capture_read(struct capture *c, uint64_t limit);

/* Keep all records, for a later capture_read(). */
void capture_keep(struct capture *c);

/* Set up the descriptors for capture_wait(): rings, and these processes. */
enum prof_status capture_poll(struct capture *c, const pid_t *pid, size_t n,
			      struct prof_err *err) MUST_USE;

/* The next number in a folder of /proc; 0: the end. */
pid_t capture_next_number(DIR *dir);

/* Open events for the whole machine, a control group of version 2 or 1, our
 * first thread, or the threads of a process. Errors of capture_begin(). */
enum prof_status capture_open_all(struct capture *c,
				  struct prof_err *err) MUST_USE;
enum prof_status capture_open_group(struct capture *c, const char *name,
				    struct prof_err *err) MUST_USE;
enum prof_status capture_open_inherited(struct capture *c,
					struct prof_err *err) MUST_USE;
enum prof_status capture_open_process(struct capture *c, pid_t pid,
				      struct prof_err *err) MUST_USE;

/* Open events for CPUs of the machine or control group that came online, and
 * close those of others; looks once a second. */
void capture_check_cpus(struct capture *c);

/* Sample a process no more that capture_open_process() got. */
void capture_drop(struct capture *c, pid_t pid);

/* Add the counts of an event. */
void capture_add_counts(struct perf_event_counts *sum, int fd);

#endif
