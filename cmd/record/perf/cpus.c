/* cpus.c - see cpus.h. */
#include "config.h"

#include "cpus.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
cpus_add(struct cpus *c, long first, long last)
{
	for (long i = first; i <= last; i++)
		c->online[i / 8] |= (unsigned char)(1u << i % 8);
	if (c->limit <= last)
		c->limit = (int)last + 1;
}

bool
cpus_parse(struct cpus *c, const char *list)
{
	const char *at = list;

	*c = (struct cpus){ .limit = 0 };
	for (;;) {
		char *end;
		long first = strtol(at, &end, 10), last = first;

		if (end == at || first < 0)
			return false;
		if (*end == '-') {
			at = end + 1;
			last = strtol(at, &end, 10);
			if (end == at)
				return false;
		}
		if (last < first || last >= CPUS_MAX)
			return false;
		cpus_add(c, first, last);
		if (*end == '\n' || !*end)
			return true;
		if (*end != ',')
			return false;
		at = end + 1;
	}
}

void
cpus_read(struct cpus *c)
{
	int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	char list[8192];
	ssize_t n = fd < 0 ? -1 : read(fd, list, sizeof(list) - 1);
	long all = sysconf(_SC_NPROCESSORS_CONF);

	if (fd >= 0)
		close(fd);
	list[n > 0 ? n : 0] = '\0';
	if (cpus_parse(c, list))
		return;
	*c = (struct cpus){ .limit = 0 };
	cpus_add(c, 0, (all > CPUS_MAX ? CPUS_MAX : all) - 1);
}

bool
cpus_have(const struct cpus *c, int cpu)
{
	return cpu < c->limit && c->online[cpu / 8] >> cpu % 8 & 1;
}

bool
cpus_equal(const struct cpus *a, const struct cpus *b)
{
	return a->limit == b->limit &&
	       !memcmp(a->online, b->online, sizeof(a->online));
}
