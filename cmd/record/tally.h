/*
 * tally.h - the recorder's counts of the sampler's records: address spaces and
 * their modules, stacks and their ticks; and profiles of them.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch;
struct profile;
struct sampling;
struct shm; /* from libsample/shm.h */
struct account_share;
struct shm_code;
struct shm_gone;
struct shm_label;
struct shm_lines_part;
struct shm_module;
struct shm_space;
struct tally;

/* The kinds of profiles. */
enum tally_kind {
	TALLY_CPU,    /* samples, cpu or wall */
	TALLY_HEAP,   /* alloc_objects, alloc_space, inuse_objects, _space */
	TALLY_GROWTH, /* objects, space */
	TALLY_LOCK,   /* contentions, delay */
};

/* Clocks of the recorder, after libsample's (enum shm_clock): sampling from
 * outside, of some processes or of all. */
enum { TALLY_CLOCK_PID = 3, TALLY_CLOCK_ALL };

/* A column of a profile of TALLY_CPU beside the samples and their time. */
struct tally_column {
	const char *name, *unit;
};

enum { TALLY_MAX_COLUMN = 16 };

/* Other data of the recorder, for the profile's header. */
struct tally_info {
	enum tally_kind kind;
	int64_t time_ns; /* start, since the epoch */
	int64_t duration_ns;
	const struct shm_settings *set;
	const struct shm *shm; /* the counts */
	const char *sampler;   /* for the comment: which, and why; or NULL */
	bool all; /* of no process in particular: each is in labels, even one */
	uint64_t used_ns; /* CPU time that could be sampled; 0: unknown */
	double chance_s;  /* of it, what may be missed by chance */
	/* What was not, by program: a row each, of the whole recording; and of
	 * it, ticks that were lost beside those that `shm` counts. */
	const struct account_share *share;
	size_t n_share;
	uint64_t n_lost;
	/* What a tick is worth, and one of tally_chances(), in periods; 0: one
	 * each. */
	double worth, chance_worth;
	/* A part of the recording, or all. */
	const struct tally_mark *since; /* only later samples; or NULL */
	int32_t pid;                    /* only this process; or 0 */
	/* Count memory that ended processes left in use, too. */
	bool with_ended;
};

/* The counts at one moment. */
struct tally_mark;

/* NULL without memory. To end with tally_free(). */
struct tally *tally_new(void);

/* NULL is allowed. */
void tally_free(struct tally *t);

/* Nothing in the libraries that l preloads is a part of the program; l must
 * live as long as t. */
void tally_preloads(struct tally *t, const struct launch *l);

/*
 * Add a record of the log, or a stack of the table; n is the size of the record
 * in bytes. Invalid records (of dying or hostile writers) are dropped, and
 * signals is limited to 1 to ticks. Without memory, tally_profile() will fail.
 * Returns false if a space lacks what its base had, which is forgotten.
 */
bool tally_space(struct tally *t, const struct shm_space *s, size_t n);
void tally_module(struct tally *t, const struct shm_module *m, size_t n);
void tally_gone(struct tally *t, const struct shm_gone *g, size_t n);
void tally_label(struct tally *t, const struct shm_label *l, size_t n);
void tally_lines_part(struct tally *t, const struct shm_lines_part *p,
		      size_t n);
void tally_code(struct tally *t, const struct shm_code *c, size_t n);
void tally_stack(struct tally *t, uint64_t key, const uint64_t *pc,
		 uint64_t ticks, uint64_t signals);

/*
 * The profile has n more columns; without ticks, it has only these, and the
 * first is its period's type. Before the first stack. False: too many.
 */
bool tally_columns(struct tally *t, const struct tally_column *column, size_t n,
		   bool ticks);

/*
 * A tick of a CPU that found this stack there, by chance: add it, but what it
 * is worth is only known in the end. The number of all such ticks.
 */
void tally_chance(struct tally *t, uint64_t key, const uint64_t *pc);
uint64_t tally_chances(const struct tally *t);

/* Add to a column of the stack that key, of SHM_TICK, and pc mean. */
void tally_value(struct tally *t, uint64_t key, const uint64_t *pc,
		 size_t column, uint64_t value);

/* The number of distinct stacks. */
size_t tally_size(const struct tally *t);

/* Forget the stacks, but keep data that later records refer to. There must be
 * no marks. */
void tally_forget(struct tally *t);

/* Mark this moment, for profiles of that kind: the caller's, for
 * tally_mark_free(). NULL without memory. */
struct tally_mark *tally_mark(const struct tally *t,
			      const struct tally_info *info,
			      enum tally_kind kind);

/* The kind of profile of a mark. */
enum tally_kind tally_mark_kind(const struct tally_mark *m);

/* NULL is allowed. */
void tally_mark_free(struct tally_mark *m);

/*
 * The processes with samples, in order of arrival: n of them at *out, the
 * caller's. Each has the name of the last program that it ran, owned by the
 * tally. false without memory.
 */
struct tally_process {
	int32_t pid;
	const char *name;
};
bool tally_processes(const struct tally *t, struct tally_process **out,
		     size_t *n);

/*
 * The settings and current counts of info->kind, without the achieved rate; of
 * all processes, or of info->pid if it is not 0. Returns false if there were
 * too many processes to count each.
 */
bool tally_sampling(const struct tally_info *info, struct sampling *s);

/*
 * The CPU time that programs used before sampling began in them, at a period of
 * the clock: *n of them at *out, the caller's, with room for one more; their
 * names are the tally's. false without memory.
 */
bool tally_early_shares(const struct tally *t, uint64_t period_ns,
			struct account_share **out, size_t *n);

/* The name of the only program of the processes; NULL: there are several. */
const char *tally_only_name(const struct tally *t);

/* The sum, in KiB, of the largest sizes of the heaps of all processes, by
 * SHM_GROW. */
uint64_t tally_grown(const struct tally *t);

/*
 * Hold open, from now on, the files of new modules that may be gone or out of
 * reach when the recording has ended: all but those in the system's folders.
 */
void tally_hold(struct tally *t);

/*
 * By mapping of p, a profile of t: a descriptor of its file, which stays the
 * tally's, if its path does not lead to that file now, or, with_temporary, if
 * it is in a folder for temporary files; else -1. For free(); NULL without
 * memory.
 */
int *tally_held(struct tally *t, const struct profile *p, bool with_temporary);

/* The number of files that tally_held() lacks, as there were too many, or as a
 * program serves them (FUSE). */
size_t tally_refused(const struct tally *t);

/* A profile of only the mappings of all modules, in the order in which they
 * were first seen: the caller's. NULL without memory. */
struct profile *tally_modules(const struct tally *t);

/*
 * Count the memory in use, by the hashes of SHM_ALLOC stacks that came to
 * tally_stack(); others are not counted. tally_begin_live() resets the counts;
 * tally_live() adds an allocation that was not freed, of a live or an ended
 * process; tally_ended() adds one of an ended process, which is no longer in
 * the shared memory.
 */
void tally_begin_live(struct tally *t);
void tally_live(struct tally *t, uint64_t hash, bool is_alive);
void tally_ended(struct tally *t, uint64_t hash);

/*
 * The profile of all samples so far: the caller's, for profile_free(). NULL
 * without memory. The tally is not changed and may continue.
 */
struct profile *tally_profile(const struct tally *t,
			      const struct tally_info *info);

#endif
