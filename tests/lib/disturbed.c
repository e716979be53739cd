/*
 * disturbed.c - for tests/lib/live.sh: was a try of its row disturbed?
 *
 *	disturbed PROC PID FILE	write to FILE what each process has used so far
 *	disturbed PROC PID FILE since
 *				say what the host and processes that are not
 *ours used since then; 0: that is a fiftieth of the time or more
 *
 * PROC is /proc. Ours are process PID, all below it, and its session.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PROCESSES 100000

/* Times are in jiffies. */
struct process {
	long long pid, parent, session;
	long long own, waited; /* "waited": of children that it waited for */
	bool is_ours, is_gone;
};

struct machine {
	long long all, steal; /* of all processors */
	size_t n;
	struct process process[MAX_PROCESSES]; /* sorted by pid */
};

static struct machine before, now;

/* Read a file to text, which has room for `size` bytes; false: there is none.
 */
static bool
slurp(int folder, const char *path, char *text, size_t size)
{
	int fd = openat(folder, path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

static int
by_pid(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return (p->pid > q->pid) - (p->pid < q->pid);
}

/* The process with this number, or NULL. */
static struct process *
find(struct machine *m, long long pid)
{
	struct process key = { .pid = pid };

	return bsearch(&key, m->process, m->n, sizeof(key), by_pid);
}

/* Take a line of /proc/PID/stat: the name, in brackets, may have any byte. */
static void
take_process(struct machine *m, const char *line)
{
	struct process p = { .pid = atoll(line) };
	const char *rest = strrchr(line, ')');
	long long user, system, user_waited, system_waited;

	if (!rest || m->n == MAX_PROCESSES ||
	    sscanf(rest,
		   ") %*c %lld %*d %lld %*d %*d %*d %*d %*d %*d %*d %lld %lld "
		   "%lld %lld",
		   &p.parent, &p.session, &user, &system, &user_waited,
		   &system_waited) != 6)
		return;
	p.own = user + system;
	p.waited = user_waited + system_waited;
	m->process[m->n++] = p;
}

static bool
is_ours(struct machine *m, const struct process *p, long long root)
{
	for (int depth = 0; p && depth < 100; depth++) {
		if (p->pid == root || p->session == root)
			return true;
		p = find(m, p->parent);
	}
	return false;
}

/* Fill m, whatever of it can be read. */
static void
look(struct machine *m, const char *proc, long long root)
{
	DIR *dir = opendir(proc);
	char path[300], text[4096];
	long long v[8] = { 0 };
	int folder;

	if (!dir)
		return;
	folder = dirfd(dir);
	if (slurp(folder, "stat", text, sizeof(text)))
		sscanf(text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", v,
		       v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7);
	for (int i = 0; i < 8; i++)
		m->all += v[i];
	m->steal = v[7];
	for (struct dirent *e; (e = readdir(dir));) {
		snprintf(path, sizeof(path), "%s/stat", e->d_name);
		if (atoi(e->d_name) > 0 &&
		    slurp(folder, path, text, sizeof(text)))
			take_process(m, text);
	}
	closedir(dir);
	qsort(m->process, m->n, sizeof(*m->process), by_pid);
	for (size_t i = 0; i < m->n; i++)
		m->process[i].is_ours = is_ours(m, &m->process[i], root);
}

/*
 * What a process had used that has ended is in the sum of the one that waited
 * for it, if any did: only what came to that sum meanwhile counts.
 */
static void
take_ended(void)
{
	for (size_t i = 0; i < before.n; i++)
		before.process[i].is_gone = !find(&now, before.process[i].pid);
	for (size_t i = 0; i < before.n; i++) {
		struct process *p = &before.process[i], *heir = p;

		if (!p->is_gone)
			continue;
		for (int depth = 0; heir && heir->is_gone && depth < 100;
		     depth++)
			heir = find(&before, heir->parent);
		if (heir)
			heir->waited += p->own + p->waited;
	}
}

static long long
used_by_others(void)
{
	long long sum = 0;

	for (size_t i = 0; i < now.n; i++) {
		const struct process *p = &now.process[i];
		const struct process *old = find(&before, p->pid);
		long long ended = p->waited - (old ? old->waited : 0);

		if (!p->is_ours)
			sum += p->own - (old ? old->own : 0) +
			       (ended > 0 ? ended : 0);
	}
	return sum;
}

/* Print the figures. Was the machine disturbed? */
static bool
since(const char *proc)
{
	long long all = now.all - before.all, steal = now.steal - before.steal;
	long long others;
	char path[4200], load[64];

	take_ended();
	others = used_by_others();
	snprintf(path, sizeof(path), "%s/loadavg", proc);
	slurp(AT_FDCWD, path, load, sizeof(load));
	load[strcspn(load, " \n")] = '\0';
	if (all < 1)
		all = 1;
	printf("steal %.1f %%, other processes %.1f %%, load %s\n",
	       100 * (double)steal / (double)all,
	       100 * (double)others / (double)all, load);
	return steal + others >= 3 && 50 * (steal + others) >= all;
}

int
main(int argc, char **argv)
{
	bool is_since = argc == 5;
	size_t n;
	FILE *f;

	if (argc != 4 && argc != 5)
		return 99;
	f = fopen(argv[3], is_since ? "r" : "w");
	if (!f)
		return 99;
	look(&now, argv[1], atoll(argv[2]));
	if (is_since)
		n = fread(&before, 1, sizeof(before), f);
	else
		n = fwrite(&now, 1,
			   (size_t)((char *)&now.process[now.n] - (char *)&now),
			   f);
	if (fclose(f) || n < sizeof(before) - sizeof(before.process))
		return 99;
	return is_since ? !since(argv[1]) : 0;
}
