/*
 * fuzz-main.c - runs a fuzz target once on each file (or each file of each
 * folder) that it is given, where no libFuzzer drives it. With --cut it runs
 * on every beginning of them, with --flip on every file that differs from them
 * in one byte, which is 0, 255, or has its lowest or highest bit changed.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum mode { WHOLE, CUT, FLIP };

static void
run_bytes(uint8_t *data, size_t n, enum mode mode)
{
	switch (mode) {
	case WHOLE:
		LLVMFuzzerTestOneInput(data, n);
		break;
	case CUT:
		for (size_t i = 0; i < n; i++)
			LLVMFuzzerTestOneInput(data, i);
		break;
	case FLIP:
		for (size_t i = 0; i < n; i++) {
			const uint8_t was = data[i];
			const uint8_t to[] = { 0, 255, was ^ 1, was ^ 128 };

			for (size_t k = 0; k < sizeof(to); k++) {
				data[i] = to[k];
				LLVMFuzzerTestOneInput(data, n);
			}
			data[i] = was;
		}
		break;
	}
}

static void
run_file(const char *path, enum mode mode)
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
	run_bytes(data, n, mode);
	free(data);
}

int
main(int argc, char **argv)
{
	enum mode mode = WHOLE;

	for (int i = 1; i < argc; i++) {
		struct dirent *e;
		char path[4096];
		DIR *d;

		if (!strcmp(argv[i], "--cut") || !strcmp(argv[i], "--flip")) {
			mode = argv[i][2] == 'c' ? CUT : FLIP;
			continue;
		}
		d = opendir(argv[i]);
		if (!d) {
			run_file(argv[i], mode);
			continue;
		}
		while ((e = readdir(d))) {
			snprintf(path, sizeof(path), "%s/%s", argv[i],
				 e->d_name);
			if (e->d_name[0] != '.')
				run_file(path, mode);
		}
		closedir(d);
	}
	return 0;
}
