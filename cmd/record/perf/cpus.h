/* cpus.h - which CPUs are online: they may come and go. */
#ifndef PERF_CPUS_H
#define PERF_CPUS_H

#include <stdbool.h>

enum { CPUS_MAX = 4096 };

/* A list such as "0-3,8", as a set. Zero: none. */
struct cpus {
	unsigned char online[CPUS_MAX / 8];
	int limit; /* all are below */
};

/* Parse a list. False: it is none, and *c is undefined. */
bool cpus_parse(struct cpus *c, const char *list);

/* The CPUs that are online now; those that the C library counts if the kernel
 * does not say. */
void cpus_read(struct cpus *c);

bool cpus_have(const struct cpus *c, int cpu);
bool cpus_equal(const struct cpus *a, const struct cpus *b);

#endif
