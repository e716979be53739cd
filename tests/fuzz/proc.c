/*
 * proc.c - any bytes as a text of /proc or /sys, by the first byte: of a
 * control group, a mapping, CPU time, memory, a thread in a system call, a list
 * of CPUs; or as the beginning of a program. Each parser of texts gets one in
 * memory of its exact size.
 */
#include "config.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/obstacle.h"
#include "record/perf/cgroup.h"
#include "record/perf/cpus.h"
#include "record/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
must(bool is_right)
{
	if (!is_right)
		abort();
}

static void
try_group(const char *text)
{
	char path[CGROUP_PATH], id[CGROUP_ID];

	cgroup_parse(text, path);
	must(*path && strlen(path) < sizeof(path));
	if (cgroup_container(path, id))
		must(*id && strlen(id) < sizeof(id));
	if (cgroup_container(text, id))
		must(*id && strlen(id) < sizeof(id));
}

static void
try_map(char *row, size_t n)
{
	struct procfs_map m;

	if (!procfs_map(row, &m))
		return;
	must(m.start < m.limit);
	must(m.path > row && m.path <= row + n);
	must(!strchr(m.path, '\n'));
}

static void
try_cpus(const char *list)
{
	struct cpus c;
	int last = -1;

	if (!cpus_parse(&c, list))
		return;
	must(c.limit > 0 && c.limit <= CPUS_MAX);
	for (int i = 0; i < CPUS_MAX; i++)
		if (cpus_have(&c, i))
			last = i;
	must(last == c.limit - 1);
}

static void
try_program(const char *data, size_t n)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	char next[PATH_MAX];

	must(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	must(obstacle_inside(fd, next) < OBSTACLE_KINDS);
	must(strlen(next) < sizeof(next));
	close(fd);
}

static void
try_one(unsigned which, char *text, size_t n)
{
	struct procfs_stat stat;
	uint64_t sp, pc;

	switch (which) {
	case 0:
		try_group(text);
		break;
	case 1:
		try_map(text, n);
		break;
	case 2:
		if (procfs_stat(text, &stat))
			must(strlen(stat.name) < sizeof(stat.name));
		break;
	case 3:
		procfs_anon_kb(text);
		break;
	case 4:
		must(!look_syscall(text, &sp, &pc) || pc);
		break;
	case 5:
		try_cpus(text);
		break;
	case 6:
		try_program(text, n);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text;

	if (!n)
		return 0;
	text = malloc(n);
	if (!text)
		abort();
	memcpy(text, data + 1, n - 1);
	text[n - 1] = '\0';
	try_one(data[0] % 7, text, n - 1);
	free(text);
	return 0;
}
