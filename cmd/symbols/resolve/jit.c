/* jit.c - see jit.h. */
#include "config.h"

#include "jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/slurp.h"
#include "lib/model/runtime.h"
#include "symbols/lists/symlist.h"

#define MAX_PROCESSES 4096

/* The owner of a location's code, if it is not one process. */
#define NOBODY 0
#define SEVERAL (-1)

struct jit {
	struct resolve *r;
	int64_t *owner;             /* by location: a pid, NOBODY, or SEVERAL */
	int64_t pid[MAX_PROCESSES]; /* the processes of the profile */
	size_t n_pid;
	bool has_labels; /* samples have labels with the process */
	struct symlist list;
	struct buf text;
};

/* Can location l be in code made at run time? */
static bool
is_made(const struct profile *p, const struct location *l)
{
	const char *file;

	if (l->mapping == PROF_NONE)
		return l->address && l->address < KERNEL_HALF;
	file = profile_str(p, p->mapping[l->mapping].file);
	return runtime_may_own(file);
}

/* --- processes --- */

/* The number in a name that ends with PREFIX, digits and SUFFIX, or 0. */
static int64_t
pid_in(const char *file, const char *prefix, const char *suffix)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t n = strlen(prefix);
	int64_t pid = 0;

	if (strncmp(base, prefix, n))
		return 0;
	for (base += n; *base >= '0' && *base <= '9' && pid < INT32_MAX; base++)
		pid = 10 * pid + (*base - '0');
	return pid <= INT32_MAX && !strncmp(base, suffix, strlen(suffix)) ? pid
									  : 0;
}

static void
add_pid(struct jit *j, int64_t pid)
{
	if (pid <= 0 || pid > INT32_MAX || j->n_pid == MAX_PROCESSES)
		return;
	for (size_t i = 0; i < j->n_pid; i++)
		if (j->pid[i] == pid)
			return;
	j->pid[j->n_pid++] = pid;
}

/* Take the pids from prof-record's comments, and from names of mappings. */
static void
find_pids(struct jit *j)
{
	static const char word[] = "# pid: ";
	const struct profile *p = j->r->p;

	for (size_t i = 0; i < p->n_comment; i++) {
		const char *s = profile_str(p, p->comment[i]);

		if (!strncmp(s, word, sizeof(word) - 1))
			add_pid(j, strtol(s + sizeof(word) - 1, NULL, 10));
	}
	for (size_t i = 0; i < p->n_mapping; i++) {
		const char *file = profile_str(p, p->mapping[i].file);

		add_pid(j, pid_in(file, "perf-", ".map"));
		add_pid(j, pid_in(file, "jit-", ".dump"));
	}
}

static int64_t
label_pid(const struct profile *p, const struct sample *s)
{
	const struct label *l = profile_label(p, s);

	for (uint32_t i = 0; i < s->n_label; i++)
		if (!l[i].str && !strcmp(profile_str(p, l[i].key), "pid"))
			return l[i].num;
	return NOBODY;
}

/*
 * Find the process of each location, by the labels of samples. If several
 * processes share a location, each may have other code there.
 */
static void
find_owners(struct jit *j)
{
	const struct profile *p = j->r->p;

	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		int64_t pid = label_pid(p, s);

		if (pid == NOBODY)
			continue;
		add_pid(j, pid);
		j->has_labels = true;
		for (uint32_t k = 0; k < s->n_stack; k++) {
			int64_t *owner = &j->owner[stack[k]];

			*owner = *owner == NOBODY || *owner == pid ? pid
								   : SEVERAL;
		}
	}
}

/* --- files --- */

static enum prof_status
read_list(struct jit *j, const char *path, bool ours, struct prof_err *err)
{
	enum prof_status st;

	j->text.n = 0;
	st = slurp(path, ours, &j->text, err);
	if (st != PROF_OK)
		return st;
	if (jitdump_is(j->text.data, j->text.n))
		return jitdump_read(&j->list, j->text.data, j->text.n, err);
	return perfmap_read(&j->list, (const char *)j->text.data, j->text.n,
			    err);
}

/*
 * Read a file that the profile, and not the caller, names. Failures are
 * warnings; a missing file is not a failure.
 */
static enum prof_status
read_found(struct jit *j, const char *path, struct prof_err *err)
{
	enum prof_status st;

	if (access(path, F_OK) != 0)
		return PROF_OK;
	st = read_list(j, path, true, err);
	if (st == PROF_OK || st == PROF_ENOMEM)
		return st;
	j->r->o->warn("%s: %s", path, err->msg);
	return PROF_OK;
}

/* Read the lists of one process. A jitdump comes last, as it is more
 * detailed. */
static enum prof_status
read_process(struct jit *j, int64_t pid, struct prof_err *err)
{
	const struct profile *p = j->r->p;
	enum prof_status st;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	st = read_found(j, path, err);
	for (size_t i = 0; i < p->n_mapping && st == PROF_OK; i++) {
		const char *file = profile_str(p, p->mapping[i].file);

		if (pid_in(file, "jit-", ".dump") == pid)
			st = read_found(j, file, err);
	}
	return st;
}

/* --- */

/* Look up the open locations of a process, or of all if pid is NOBODY. */
static enum prof_status
look_up(struct jit *j, int64_t pid, struct prof_err *err)
{
	struct resolve *r = j->r;

	r->wants.n = 0;
	for (size_t i = 0; i < r->p->n_location; i++) {
		const struct location *l = &r->p->location[i];

		if (resolve_is_open(r, l) && is_made(r->p, l) &&
		    (pid == NOBODY || j->owner[i] == pid))
			wants_add(&r->wants, l->address, (uint32_t)i);
	}
	wants_sort(&r->wants);
	return symlist_run(&j->list, r->wants.addr, r->wants.n_addr,
			   wants_answer, &r->wants, err);
}

static enum prof_status
resolve_named(struct jit *j, struct prof_err *err)
{
	const struct resolve_options *o = j->r->o;

	for (size_t i = 0; i < o->n_jit; i++) {
		enum prof_status st = read_list(j, o->jit[i], false, err);

		if (st == PROF_ENOMEM)
			return st;
		if (st != PROF_OK)
			o->warn("%s: %s", o->jit[i], err->msg);
	}
	return look_up(j, NOBODY, err);
}

static enum prof_status
resolve_processes(struct jit *j, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	find_pids(j);
	find_owners(j);
	/* Without labels, locations cannot be assigned to one of several
	 * processes. */
	if (!j->has_labels && j->n_pid != 1)
		return PROF_OK;
	for (size_t i = 0; i < j->n_pid && st == PROF_OK; i++) {
		symlist_release(&j->list);
		st = read_process(j, j->pid[i], err);
		if (st == PROF_OK && j->list.n)
			st = look_up(j, j->has_labels ? j->pid[i] : NOBODY,
				     err);
	}
	return st;
}

enum prof_status
resolve_jit(struct resolve *r, struct prof_err *err)
{
	const struct profile *p = r->p;
	enum prof_status st = PROF_OK;
	struct jit *j = NULL;
	bool any = false;

	for (size_t i = 0; i < p->n_location && !any; i++)
		any = resolve_is_open(r, &p->location[i]) &&
		      is_made(p, &p->location[i]);
	if (!any)
		return PROF_OK;
	j = calloc(1, sizeof(*j));
	if (!j)
		return prof_nomem(err);
	j->r = r;
	j->owner = calloc(p->n_location + 1, sizeof(*j->owner));
	if (!j->owner)
		st = prof_nomem(err);
	else if (r->o->n_jit)
		st = resolve_named(j, err);
	else
		st = resolve_processes(j, err);
	symlist_release(&j->list);
	buf_release(&j->text);
	free(j->owner);
	free(j);
	return st;
}
