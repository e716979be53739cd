/* kernel.c - see kernel.h. */
#include "config.h"

#include "kernel.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		if (strcmp(name, "_stext") == 0)
			k->start = address;
		else if (strcmp(name, "_etext") == 0)
			k->limit = address;
	}
	free(row);
	if (f)
		fclose(f);
	if (k->limit <= k->start)
		k->start = k->limit = 0;
}

static void
find_build_id(struct perf_kernel *k)
{
	FILE *f = fopen("/sys/kernel/notes", "re");
	Elf64_Nhdr note;
	char name[64];

	while (f && fread(&note, sizeof note, 1, f) == 1) {
		uint32_t n_name = (note.n_namesz + 3) & ~3u;
		uint32_t n = (note.n_descsz + 3) & ~3u;
		bool is_id = note.n_type == NT_GNU_BUILD_ID && n_name == 4 &&
			     n <= sizeof k->build_id;

		if (n_name > sizeof name || fread(name, 1, n_name, f) != n_name)
			break;
		if (is_id && memcmp(name, "GNU", 4) == 0) {
			if (fread(k->build_id, 1, n, f) == n)
				k->n_build_id = note.n_descsz;
			break;
		}
		if (fseek(f, (long)n, SEEK_CUR) != 0)
			break;
	}
	if (f)
		fclose(f);
}

void
perf_kernel_find(struct perf_kernel *k)
{
	*k = (struct perf_kernel){ 0 };
	find_symbols(k);
	if (k->start)
		find_build_id(k);
}
