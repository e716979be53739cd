/*
 * fuzz-main.c - runs a fuzz target once on each file (or each file of each
 * folder) that it is given, where no libFuzzer drives it.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, cap = 0, got;

	if (!f)
		return;
	do {
		if (n == cap) {
			cap = cap ? cap * 2 : 65536;
			data = realloc(data, cap);
			if (!data)
				exit(2);
		}
		got = fread(data + n, 1, cap - n, f);
		n += got;
	} while (got);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		DIR *d = opendir(argv[i]);
		struct dirent *e;
		char path[4096];

		if (!d) {
			run_file(argv[i]);
			continue;
		}
		while ((e = readdir(d))) {
			snprintf(path, sizeof(path), "%s/%s", argv[i],
				 e->d_name);
			if (e->d_name[0] != '.')
				run_file(path);
		}
		closedir(d);
	}
	return 0;
}
