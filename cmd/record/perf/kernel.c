/* kernel.c - see kernel.h. */
#include "config.h"

#include "kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/slurp.h"

static void
find_symbols(struct perf_kernel *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *row = NULL;
	size_t size = 0;

	while (f && (!k->start || !k->limit) && getline(&row, &size, f) > 0) {
		uint64_t address;
		char type, name[16];

		if (sscanf(row, "%" SCNx64 " %c %15s", &address, &type, name) !=
		    3)
			continue;
		if (!strcmp(name, "_stext"))
			k->start = address;
		else if (!strcmp(name, "_etext"))
			k->limit = address;
	}
	free(row);
	if (f)
		fclose(f);
	if (k->limit <= k->start)
		k->start = k->limit = 0;
}

void
perf_kernel_find(struct perf_kernel *k)
{
	struct buf notes = { 0 };

	*k = (struct perf_kernel){ 0 };
	find_symbols(k);
	if (k->start &&
	    slurp("/sys/kernel/notes", false, &notes, NULL) == PROF_OK)
		build_id_in_notes(notes.data, notes.n, 4, false, k->build_id);
	buf_release(&notes);
}
