/*
 * watch.c - see watch.h. The files of other processes may disappear at any
 * moment: if one cannot be read, its data is unknown.
 */
#include "config.h"

#include "watch.h"

#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/model/account.h"
#include "libsample/shm.h"
#include "procfs.h"

enum {
	MAX_TASK = 64, /* threads of a process whose children are read */
	MAX_DEPTH = 32,
	OFTEN = 10,    /* initial passes, each of which reads /proc */
	SELDOM = 10,   /* then one pass in this many does */
	WORTH_MS = 50, /* least CPU time to find a reason for */
	STAYS = 3,     /* looks at a process that is not just starting */
	FEW = 10,      /* ticks that a process with that may still lack */
};

/* A process, while it runs one program. */
struct seen {
	pid_t pid;
	uint64_t dev, ino; /* of the program */
	uint64_t stack;    /* its address: it may execute its own file again */
	uint64_t cpu_ms;
	uint64_t before_ms; /* of CPU time, by programs that it ran before */
	unsigned n_look;
	uint64_t anon_kb; /* most memory without a file */
	bool is_sampled;  /* it has the shared memory */
	bool is_forked;   /* its parent runs the same program */
	bool is_foreign;  /* its number there is of another namespace */
	char name[32];
	char why[256]; /* empty: unknown */
};

struct watch {
	bool by_time;
	bool alone; /* the first program is sampled, no other */
	struct seen *seen;
	size_t n;
	unsigned n_pass;
	const char *beside; /* why the kernel does not sample, or "" */
};

struct watch *
watch_new(const struct shm_settings *set, const char *beside)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (w) {
		w->by_time = set->clock == SHM_CLOCK_WALL;
		w->alone = set->children == SHM_CHILDREN_NONE;
		w->beside = beside;
		w->seen = calloc(WATCH_MAX, sizeof(*w->seen));
	}
	if (w && w->seen)
		return w;
	free(w);
	return NULL;
}

void
watch_free(struct watch *w)
{
	if (!w)
		return;
	free(w->seen);
	free(w);
}

/* Read name, stack and CPU time. */
static bool
read_stat(pid_t pid, struct seen *s)
{
	struct procfs_stat stat;
	size_t n;
	char *text = procfs_read(pid, "stat", &n);
	bool good = text && procfs_stat(text, &stat);

	if (good) {
		memcpy(s->name, stat.name, sizeof(s->name));
		s->stack = stat.stack;
		s->cpu_ms = stat.cpu_ms;
	}
	free(text);
	return good;
}

static uint64_t
read_anon(pid_t pid)
{
	size_t n;
	char *text = procfs_read(pid, "status", &n);
	uint64_t kb = text ? procfs_anon_kb(text) : 0;

	free(text);
	return kb;
}

/* Is it in another namespace of that kind than this process? */
static bool
is_elsewhere(pid_t pid, const char *kind)
{
	char path[64], ours[64], theirs[64];
	ssize_t n, m;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	n = readlink(path, ours, sizeof(ours));
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kind);
	m = readlink(path, theirs, sizeof(theirs));
	return n > 0 && m > 0 && (n != m || memcmp(ours, theirs, (size_t)n));
}

static void
find_reason(const struct watch *w, struct seen *s)
{
	const char *why = "libsample was not loaded into it";
	enum obstacle o = procfs_obstacle(s->pid);
	uid_t user = look_user(s->pid);

	if (!procfs_has(s->pid, "cmdline", "")) /* it begins, or ends */
		return;
	if (is_elsewhere(s->pid, "user"))
		why = "it runs in another user namespace";
	else if (is_elsewhere(s->pid, "mnt"))
		why = "it runs in a container or another mount namespace";
	else if (o != OBSTACLE_NONE) {
		snprintf(s->why, sizeof(s->why), "it is %s", obstacle_name(o));
		return;
	} else if (w->alone)
		why = "the first program executed it, and --children=none "
		      "samples no other";
	else if (!procfs_has(s->pid, "environ", SHM_ENV "="))
		why = "its environment was cleared, as by env -i or sudo";
	else if (!procfs_has(s->pid, "environ", "libsample"))
		why = "LD_PRELOAD was changed";
	else if (user != (uid_t)-1 && user != geteuid())
		why = "it runs as another user, who may not open the memory "
		      "of prof-record";
	else if (procfs_has(s->pid, "maps", "libsample.so")) {
		why = "libsample got no memory in it: see ulimit -v";
		/* Else it is still loading its libraries. */
		if (procfs_has(s->pid, "limits",
			       "Max address space         unlimited"))
			return;
	}
	snprintf(s->why, sizeof(s->why), "%s", why);
}

/* The CPU time of a process by the programs that it ran before, as far as it
 * was seen; 0 if it is another process of that number. */
static uint64_t
used_before(const struct watch *w, const struct seen *key)
{
	uint64_t ms = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->seen[i].pid == key->pid)
			ms += w->seen[i].cpu_ms;
	return ms <= key->cpu_ms ? ms : 0;
}

static struct seen *
find_seen(struct watch *w, const struct seen *key)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->seen[i].pid == key->pid && w->seen[i].dev == key->dev &&
		    w->seen[i].ino == key->ino &&
		    w->seen[i].stack == key->stack)
			return &w->seen[i];
	if (w->n == WATCH_MAX)
		return NULL;
	w->seen[w->n] = *key;
	w->seen[w->n].before_ms = used_before(w, key);
	return &w->seen[w->n++];
}

static bool
runs_same(const struct watch *w, pid_t pid, const struct seen *s)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->seen[i].pid == pid && w->seen[i].dev == s->dev &&
		    w->seen[i].ino == s->ino)
			return true;
	return false;
}

/* Has it got libsample meanwhile? Ticks do not reach it if its runtime is Go's.
 */
static void
check_sampled(struct seen *s)
{
	s->is_sampled = procfs_has(s->pid, "maps", "/memfd:" SHM_NAME) &&
			procfs_obstacle(s->pid) != OBSTACLE_GO_LIBC;
	s->is_foreign = s->is_sampled && is_elsewhere(s->pid, "pid");
}

static void
look(struct watch *w, pid_t pid, pid_t parent)
{
	struct seen key = { .pid = pid }, *s;
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!procfs_place(pid, path, &st) || !read_stat(pid, &key))
		return;
	key.dev = st.st_dev;
	key.ino = st.st_ino;
	s = find_seen(w, &key);
	if (!s)
		return;
	key.anon_kb = read_anon(pid);
	if (key.anon_kb > s->anon_kb)
		s->anon_kb = key.anon_kb;
	s->cpu_ms = key.cpu_ms > s->before_ms ? key.cpu_ms - s->before_ms : 0;
	if (s->is_sampled)
		return;
	memcpy(s->name, key.name, sizeof(s->name));
	check_sampled(s);
	s->is_forked = runs_same(w, parent, s);
	s->n_look++;
	if (s->is_sampled || *s->why)
		return;
	/* Else it may still be loading its libraries. */
	if (s->cpu_ms >= WORTH_MS || (w->by_time && s->n_look >= STAYS))
		find_reason(w, s);
}

static void look_at_all(struct watch *w, pid_t pid, pid_t parent, int depth);

/* Check the children of one thread: "12 13 ". */
static void
look_at_children(struct watch *w, pid_t pid, const char *task, int depth)
{
	char name[64];
	size_t n;
	char *text, *at, *end;

	snprintf(name, sizeof(name), "task/%.20s/children", task);
	text = procfs_read(pid, name, &n);
	for (at = text; at; at = end) {
		long child = strtol(at, &end, 10);

		if (end == at)
			break;
		look_at_all(w, (pid_t)child, pid, depth + 1);
	}
	free(text);
}

static void
look_at_all(struct watch *w, pid_t pid, pid_t parent, int depth)
{
	struct dirent *e;
	char path[64];
	int n = 0;
	DIR *dir;

	if (depth == MAX_DEPTH)
		return;
	look(w, pid, parent);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = procfs_list(path);
	while (dir && n < MAX_TASK && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0])) {
			look_at_children(w, pid, e->d_name, depth);
			n++;
		}
	if (dir)
		closedir(dir);
}

void
watch_pass(struct watch *w, pid_t root)
{
	if (!w)
		return;
	w->n_pass++;
	if (w->n_pass > OFTEN && w->n_pass % SELDOM)
		return;
	if (w->alone)
		look(w, root, 0);
	else
		look_at_all(w, root, 0, 0);
}

uint64_t
watch_memory(const struct watch *w, const char **name)
{
	uint64_t sum = 0, most = 0;

	*name = "";
	for (size_t i = 0; w && i < w->n; i++) {
		if (!w->seen[i].is_sampled)
			continue;
		sum += w->seen[i].anon_kb;
		if (w->seen[i].anon_kb > most) {
			most = w->seen[i].anon_kb;
			*name = w->seen[i].name;
		}
	}
	return sum;
}

static bool
has_counts(const struct shm *shm, pid_t pid)
{
	uint32_t n = atomic_load(&shm->n_process);

	for (uint32_t i = 1; i <= n && i < SHM_N_PROCESS; i++)
		if (atomic_load(&shm->process[i].pid) == (uint64_t)pid)
			return true;
	/* The table is full: some have none of their own. */
	return n >= SHM_N_PROCESS;
}

void
watch_check_ticks(struct watch *w, const struct shm *shm, uint64_t period_ns)
{
	uint64_t worth = FEW * period_ns / 1000000;

	if (worth < WORTH_MS)
		worth = WORTH_MS;
	for (size_t i = 0; w && i < w->n; i++) {
		struct seen *s = &w->seen[i];

		if (!s->is_sampled || !s->is_forked || s->is_foreign ||
		    s->cpu_ms < worth || has_counts(shm, s->pid))
			continue;
		s->is_sampled = false;
		snprintf(s->why, sizeof(s->why),
			 "it was made by a system call of the program, not by "
			 "libc's fork(), so it has no timer");
	}
}

bool
watch_culprit(const struct watch *w, char *text, size_t size)
{
	const struct seen *worst = NULL;

	for (size_t i = 0; w && i < w->n; i++)
		if (*w->seen[i].why && !w->seen[i].is_sampled &&
		    (!worst || w->seen[i].cpu_ms > worst->cpu_ms))
			worst = &w->seen[i];
	if (worst)
		snprintf(text, size,
			 "%s[%d] ran without the sampler (%.1f s of CPU time "
			 "or more): %s%s%s",
			 worst->name, (int)worst->pid,
			 (double)worst->cpu_ms / 1000, worst->why,
			 *w->beside ? "; from outside it cannot be sampled: "
				    : "",
			 w->beside);
	return worst != NULL;
}

size_t
watch_unseen(const struct watch *w, struct account_share *share, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; w && i < w->n && k < n; i++) {
		const struct seen *s = &w->seen[i];

		if (*s->why && !s->is_sampled)
			share[k++] =
				(struct account_share){ s->name,
							s->cpu_ms * 1000000 };
	}
	return k;
}
