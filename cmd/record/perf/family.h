/*
 * family.h - the processes that descend from a command, by the kernel's records
 * of the whole machine, and which of them libsample samples.
 */
#ifndef PERF_FAMILY_H
#define PERF_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

struct family;

/* is_inherited: what sees a process by chance is a clock that it has inherited.
 * NULL without memory. */
struct family *family_new(bool is_inherited);
void family_free(struct family *f);

/*
 * What happens to processes, in the order of time: the command's is added,
 * which we forked, or one is started by its parent (or, if the two are the
 * same, a thread of it), executes a program, loads libsample, is joined by it,
 * or one of its threads ends; with the last, its number may be given to a
 * stranger. If it maps a file after that, it has not ended: as it executes a
 * program with other rights, the kernel ends its events, and says that it does.
 * Without memory a process is left out. Of strangers all but family_add() and
 * family_fork() is ignored.
 */
void family_add(struct family *f, int32_t pid);
void family_fork(struct family *f, int32_t pid, int32_t parent);
void family_exec(struct family *f, int32_t pid);
void family_load(struct family *f, int32_t pid);
void family_join(struct family *f, int32_t pid);
void family_exit(struct family *f, int32_t pid);
void family_map(struct family *f, int32_t pid);

/* Is it one of them, though it may have ended? */
bool family_has(const struct family *f, int32_t pid);

/* Is it the command's, which has not executed the command yet? */
bool family_is_ours(const struct family *f, int32_t pid);

/* What samples a process: the events of CPUs, or inherited ones, which see it
 * by chance; those of its own; or libsample. */
enum family_sampler { FAMILY_BY_CPU, FAMILY_BY_TASK, FAMILY_JOINED };
enum family_sampler family_sampler(const struct family *f, int32_t pid,
				   uint64_t time_ns);

/*
 * Call `set` for each process that was sampled by chance already at the last
 * call, or by events of CPUs for ten seconds, with is_own: if that returns
 * true, it is FAMILY_BY_TASK from that time on, until libsample joins it or it
 * executes another program; but not for one that has loaded libsample. And call
 * it for each that was, and that libsample has joined since, without is_own.
 * `set` must tell the family of nothing. All records until now should have
 * been: what is not known yet of a process is taken as not having happened.
 */
typedef bool family_tasks(void *ctx, int32_t pid, bool is_own);
void family_look(struct family *f, uint64_t time_ns, family_tasks *set,
		 void *ctx);

/* Is there a process that is sampled by chance, or was there since the last
 * call? Not one that loaded libsample long ago: it waits, and is joined when it
 * runs. Events of CPUs may go on beside those of a process's own; inherited
 * ones would interrupt it twice. */
bool family_is_open(struct family *f);

#endif
