/*
 * main.c - runs a fuzz target once on each file (or each file of each
 * folder) that it is given, where no libFuzzer drives it. With --cut it runs
 * on every beginning of them, with --flip on every file that differs from them
 * in one byte, which is 0, 255, or has its lowest or highest bit changed, with
 * --pairs on some thousand that differ in two such bytes: an offset and a size,
 * say. Which ones is the same every time. With --mutate it runs on what the
 * mutator of the target makes of each file. --before=HEX: bytes that stand
 * before each of the files that follow.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A target may have one, as for libFuzzer. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max,
			       unsigned seed) __attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);

enum mode { WHOLE, CUT, FLIP, PAIRS, MUTATE };

#define N_MUTANTS 1000 /* of a file */

#define N_PAIRS 4000 /* of a file */
#define N_WRONG 4

/* The wrong bytes for one. */
static void
spoil(uint8_t was, uint8_t to[N_WRONG])
{
	to[0] = 0;
	to[1] = 255;
	to[2] = was ^ 1;
	to[3] = was ^ 128;
}

static void
run_flips(uint8_t *data, size_t n)
{
	uint8_t to[N_WRONG];

	for (size_t i = 0; i < n; i++) {
		const uint8_t was = data[i];

		spoil(was, to);
		for (size_t k = 0; k < N_WRONG; k++) {
			data[i] = to[k];
			LLVMFuzzerTestOneInput(data, n);
		}
		data[i] = was;
	}
}

/* Two bytes, half of the time close to each other: in one header, say. */
static void
run_pairs(uint8_t *data, size_t n)
{
	uint64_t x = 0x9e3779b97f4a7c15u;

	for (int k = 0; n > 1 && k < N_PAIRS; k++) {
		uint8_t was[2], to[N_WRONG];
		size_t at[2];

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		at[0] = (size_t)(x >> 8) % n;
		at[1] = x & 1 ? (size_t)(x >> 32) % n
			      : (at[0] + 1 + (x >> 40) % 32) % n;
		for (int i = 0; i < 2; i++) {
			was[i] = data[at[i]];
			spoil(was[i], to);
			data[at[i]] = to[x >> (2 + 2 * i) & 3];
		}
		LLVMFuzzerTestOneInput(data, n);
		data[at[1]] = was[1];
		data[at[0]] = was[0];
	}
}

/* What libFuzzer does in more ways: change one byte. */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max)
{
	static uint64_t x = 0x9e3779b97f4a7c15u;

	(void)max;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	if (n)
		data[(x >> 8) % n] = (uint8_t)x;
	return n;
}

static void
run_mutants(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n + 1);

	if (!copy)
		exit(2);
	for (unsigned k = 0; k < N_MUTANTS && LLVMFuzzerCustomMutator; k++) {
		size_t m = n;

		memcpy(copy, data, n);
		for (unsigned i = 0; i <= k % 4; i++)
			m = LLVMFuzzerCustomMutator(copy, m, n, 8 * k + i);
		LLVMFuzzerTestOneInput(copy, m);
	}
	free(copy);
}

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
		run_flips(data, n);
		break;
	case PAIRS:
		run_pairs(data, n);
		break;
	case MUTATE:
		run_mutants(data, n);
		break;
	}
}

static struct {
	uint8_t data[8];
	size_t n;
} before;

static void
set_before(const char *hex)
{
	before.n = 0;
	for (unsigned byte;
	     before.n < sizeof(before.data) && sscanf(hex, "%2x", &byte) == 1;
	     hex += 2)
		before.data[before.n++] = (uint8_t)byte;
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
			if (!n) {
				memcpy(data, before.data, before.n);
				n = before.n;
			}
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

		if (!strncmp(argv[i], "--before=", 9)) {
			set_before(argv[i] + 9);
			continue;
		}
		if (!strncmp(argv[i], "--", 2)) {
			mode = !strcmp(argv[i], "--cut")      ? CUT
			       : !strcmp(argv[i], "--flip")   ? FLIP
			       : !strcmp(argv[i], "--mutate") ? MUTATE
							      : PAIRS;
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
