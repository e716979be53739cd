/*
 * object.c - any bytes as an object file, packed or not, and addresses in
 * all that it says it has mapped: symbol tables, DWARF, relocations.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/binary/binary.h"
#include "tests/fuzz/elf-mutate.h"

#define N_ADDR 512
#define MAX_FRAMES 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Each address is answered once at most, by strings that end. */
static void
take(void *ctx, size_t i, const struct symbol_frame *f, size_t n)
{
	unsigned char *seen = ctx;

	if (i >= N_ADDR || seen[i]++ || n == 0 || n > MAX_FRAMES)
		abort();
	for (size_t k = 0; k < n; k++)
		if (strlen(f[k].name) > 1 << 24 || strlen(f[k].file) > 1 << 24)
			abort();
}

static int
cmp_addr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Addresses that are spread over the segments, or the first ones. */
static size_t
choose(const struct load_layout *l, uint64_t *addr)
{
	size_t n = 0, distinct = 0;

	for (size_t i = 0; i < l->n_segment && n < N_ADDR / 2; i++) {
		const struct load_segment *s = &l->segment[i];
		uint64_t step = s->memsz / 64 + 1;

		for (uint64_t at = 0; at < s->memsz && n < N_ADDR / 2;
		     at += step)
			addr[n++] = s->vaddr + at;
	}
	for (uint64_t at = 0; n < N_ADDR; at++)
		addr[n++] = l->text + at;
	qsort(addr, n, sizeof(*addr), cmp_addr);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || addr[i] != addr[i - 1])
			addr[distinct++] = addr[i];
	return distinct;
}

static void
run(struct binary *s)
{
	unsigned char seen[N_ADDR] = { 0 };
	uint64_t addr[N_ADDR], value;
	size_t n = choose(binary_layout(s), addr);

	(void)binary_worth(s);
	(void)binary_symbol(s, "_stext", &value);
	for (int dwarf = 0; dwarf < 2; dwarf++) {
		memset(seen, 0, sizeof(seen));
		if (binary_run(s, addr, n, dwarf, take, seen, NULL) ==
		    PROF_ENOMEM)
			abort();
	}
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	return elf_mutate(data, n, max, seed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct binary *s;
	void *copy = malloc(n + 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	if (binary_open_image("fuzz", copy, n, &s, NULL) == PROF_OK) {
		run(s);
		binary_close(s);
	}
	return 0;
}
