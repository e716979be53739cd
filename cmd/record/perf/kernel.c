/* kernel.c - see kernel.h. */
#include "config.h"

#include "kernel.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/regular.h"
#include "lib/base/slurp.h"

/*
 * The bytes of the kernel's code, 0 if it does not say: on x86 they are those
 * from _stext to _etext, and this file is short.
 */
static uint64_t
code_size(void)
{
	uint64_t size = 0;
#ifdef __x86_64__
	FILE *f = fopen("/proc/iomem", "re");
	char row[256];

	while (f && !size && fgets(row, sizeof(row), f)) {
		uint64_t first, last;

		if (strstr(row, " : Kernel code") &&
		    sscanf(row, "%" SCNx64 "-%" SCNx64, &first, &last) == 2 &&
		    last > first)
			size = last - first + 1;
	}
	if (f)
		fclose(f);
#endif
	return size;
}

/* Of 100,000 symbols _stext is among the first, and _etext far behind. */
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
		if (!strcmp(name, "_stext")) {
			uint64_t n = code_size();

			if (!address) /* nor are the others for us */
				break;
			k->start = address;
			k->limit = n ? address + n : 0;
		} else if (!strcmp(name, "_etext")) {
			k->limit = address;
		}
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
	enum { MAX_NOTES = 1 << 20 };
	struct buf notes = { 0 };
	struct stat sb;
	int fd = regular_kernels_at(AT_FDCWD, "/sys/kernel/notes", &sb, NULL);

	*k = (struct perf_kernel){ 0 };
	find_symbols(k);
	if (k->start && fd >= 0 &&
	    slurp_rest(fd, MAX_NOTES, &notes, NULL) == PROF_OK)
		build_id_in_notes(notes.data, notes.n, 4, false, k->build_id);
	buf_release(&notes);
	if (fd >= 0)
		close(fd);
}
