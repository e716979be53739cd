/* procfs.c - see procfs.h. */
#include "config.h"

#include "procfs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/regular.h"

enum { MAX_TEXT = 1 << 22, PIECE = 4096, STEP = 65536 };

int
procfs_open(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

FILE *
procfs_stream(const char *path)
{
	return fopen(path, "re");
}

DIR *
procfs_list(const char *path)
{
	return opendir(path);
}

char *
procfs_read(pid_t pid, const char *name, size_t *n)
{
	char path[64], *text = NULL;
	size_t room = 0;
	ssize_t got = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = procfs_open(path);
	*n = 0;
	while (fd >= 0 && got > 0 && *n < MAX_TEXT) {
		if (room - *n < PIECE) {
			char *more = realloc(text, room + STEP);

			if (!more)
				break;
			text = more;
			room += STEP;
		}
		got = read(fd, text + *n, room - *n - 1);
		*n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[*n] = '\0';
	return text;
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
		   struct prof_err *err)
{
	static const char *const places[] = { "map_files", "exe", "root" };
	char name[PATH_MAX + 64], link[PATH_MAX];
	struct stat sb;
	int n = snprintf(name, sizeof(name), "/proc/%d/%s", (int)m->pid,
			 turn < PROCFS_OWN ? places[turn] : "");
	char *end = name + n;
	size_t room = sizeof(name) - (size_t)n;
	ssize_t got;

	switch (turn) {
	case 0:
		snprintf(end, room, "/%" PRIx64 "-%" PRIx64, m->start,
			 m->limit);
		break;
	case 1:
		got = readlink(name, link, sizeof(link));
		if (got < 0 || (size_t)got != strlen(m->path) ||
		    memcmp(link, m->path, (size_t)got) != 0)
			return -1;
		break;
	case 2:
		snprintf(end, room, "%s", m->path);
		break;
	default:
		return regular_open(m->path, false, &sb, err);
	}
	return regular_open(name, false, &sb, err);
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

/* "NUMBER ARGUMENT*6 SP PC" in a system call, "-1 SP PC" when blocked
 * otherwise, "running". */
bool
procfs_syscall(const char *text, uint64_t *sp, uint64_t *pc)
{
	if (!strncmp(text, "-1 ", 3))
		return sscanf(text, "-1 %" SCNx64 " %" SCNx64, sp, pc) == 2 &&
		       *pc;
	return sscanf(text, "%*d %*s %*s %*s %*s %*s %*s %" SCNx64 " %" SCNx64,
		      sp, pc) == 2 &&
	       *pc;
}
