/* procfs.c - see procfs.h. */
#include "config.h"

#include "procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/budget.h"
#include "lib/base/buf.h"
#include "scout.h"

FILE *
procfs_setting(const char *path)
{
	return fopen(path, "re");
}

DIR *
procfs_list(const char *path)
{
	return opendir(path);
}

/* Files that the kernel writes without a look at the process's memory. */
static bool
is_prompt(const char *name)
{
	static const char *const prompt[] = { "cgroup", "children", "comm",
					      "limits", "stat",     "status" };
	const char *slash = strrchr(name, '/');

	for (size_t i = 0; i < sizeof(prompt) / sizeof(*prompt); i++)
		if (!strcmp(slash ? slash + 1 : name, prompt[i]))
			return true;
	return false;
}

char *
procfs_read(pid_t pid, const char *name, size_t *n)
{
	struct look l = { .what = LOOK_TEXT, .pid = pid };
	struct buf text = { 0 };
	int none;

	*n = 0;
	snprintf(l.path, sizeof(l.path), "/proc/%d/%s", (int)pid, name);
	if (is_prompt(name))
		look_at(&l, &text, &none);
	else
		scout_look(&l, &text, &none);
	if (!text.data || buf_reserve(&text, 1) < 0) {
		buf_release(&text);
		return NULL;
	}
	text.data[text.n] = '\0';
	*n = text.n;
	return (char *)text.data;
}

void
procfs_line(pid_t pid, const char *name, char *out, size_t size)
{
	size_t n;
	char *text = procfs_read(pid, name, &n);

	snprintf(out, size, "%.*s", text ? (int)strcspn(text, "\n") : 0,
		 text ? text : "");
	free(text);
}

bool
procfs_has(pid_t pid, const char *name, const char *text)
{
	size_t n;
	char *all = procfs_read(pid, name, &n);
	bool found = n && memmem(all, n, text, strlen(text));

	free(all);
	return found;
}

static ino_t
namespace_of(const char *process)
{
	char path[64];
	struct stat sb;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/pid", process);
	return stat(path, &sb) == 0 ? sb.st_ino : 0;
}

/* The last number of a process: "NSpid:	4711	1". */
static int32_t
innermost(pid_t process)
{
	size_t n;
	char *text = procfs_read(process, "status", &n), *row, *last = NULL;
	int32_t number = 0;

	row = text ? strstr(text, "\nNSpid:") : NULL;
	if (row) {
		row++;
		row[strcspn(row, "\n")] = '\0';
		last = strrchr(row, '\t');
	}
	if (last)
		number = (int32_t)strtol(last, NULL, 10);
	free(text);
	return number;
}

pid_t
procfs_elsewhere(DIR *dir, int32_t *number)
{
	ino_t ours = namespace_of("self"), theirs;
	const struct dirent *e;

	while ((e = readdir(dir))) {
		pid_t here = (pid_t)strtol(e->d_name, NULL, 10);

		theirs = here > 0 ? namespace_of(e->d_name) : 0;
		if (theirs && theirs != ours &&
		    (*number = innermost(here)) != 0)
			return here;
	}
	return 0;
}

/* The answer with a struct look_file. */
static int
look_for(const struct look *l, struct look_file *out)
{
	struct buf answer = { 0 };
	int parcel;

	scout_look(l, &answer, &parcel);
	if (answer.n == sizeof(*out))
		memcpy(out, answer.data, sizeof(*out));
	else
		*out = (struct look_file){ 0 };
	out->err.msg[sizeof(out->err.msg) - 1] = '\0';
	buf_release(&answer);
	if (parcel >= 0)
		budget_file(&out->sb);
	return parcel;
}

bool
procfs_place(pid_t pid, const char *path, struct stat *sb)
{
	struct look l = { .what = LOOK_PLACE, .pid = pid };
	struct look_file f;

	if (strlen(path) >= sizeof(l.path))
		return false;
	strcpy(l.path, path);
	look_for(&l, &f);
	*sb = f.sb;
	return f.is_found;
}

enum obstacle
procfs_obstacle(pid_t pid)
{
	struct look l = { .what = LOOK_HEAD, .pid = pid };
	struct look_file f;

	snprintf(l.path, sizeof(l.path), "/proc/%d/exe", (int)pid);
	look_for(&l, &f);
	return f.in.obstacle;
}

/* "7f00-7f10 r-xp 00001000 08:01 123   /usr/lib/x.so" */
bool
procfs_map(char *row, struct procfs_map *m)
{
	char prot[5];
	int at = 0;

	row[strcspn(row, "\n")] = '\0';
	if (sscanf(row,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 "%n",
		   &m->start, &m->limit, prot, &m->offset, &m->ino, &at) != 5 ||
	    !at || !strchr(prot, 'x') || m->limit <= m->start)
		return false;
	row += at;
	m->path = row + strspn(row, " ");
	return true;
}

int
procfs_open_mapped(const struct procfs_mapped *m, int turn,
		   struct look_file *out)
{
	struct look l = { .what = turn == 1 ? LOOK_PROGRAM : LOOK_FILE,
			  .pid = m->pid };

	switch (turn) {
	case 0:
		snprintf(l.path, sizeof(l.path),
			 "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)m->pid,
			 m->start, m->limit);
		break;
	case 2:
		snprintf(l.path, sizeof(l.path), "/proc/%d/root%s", (int)m->pid,
			 m->path);
		break;
	default:
		snprintf(l.path, sizeof(l.path), "%s", m->path);
	}
	return look_for(&l, out);
}

/* "12 (name) S 1 ...": a name may have any character, also brackets. */
bool
procfs_stat(const char *text, struct procfs_stat *s)
{
	uint64_t user, system;
	const char *begin = strchr(text, '(');
	const char *end = begin ? strrchr(begin, ')') : NULL;

	if (!end || sscanf(end + 1,
			   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
			   "%" SCNu64 " %" SCNu64
			   " %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %*u %*u "
			   "%" SCNu64,
			   &user, &system, &s->stack) != 3)
		return false;
	snprintf(s->name, sizeof(s->name), "%.*s", (int)(end - begin - 1),
		 begin + 1);
	s->cpu_ms = (user + system) * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	return true;
}

/* At the start of a line: a program may have that name. */
uint64_t
procfs_anon_kb(const char *text)
{
	static const char word[] = "\nRssAnon:";
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* "cpu  user nice system idle iowait irq softirq steal ..." */
uint64_t
procfs_stolen_ns(void)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t ticks = 0;

	if (f) {
		if (fscanf(f,
			   "cpu %*u %*u %*u %*u %*u %*u %*u "
			   "%" SCNu64,
			   &ticks) != 1)
			ticks = 0;
		fclose(f);
	}
	return ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}
