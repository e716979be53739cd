/*
 * symlist.c - any bytes as a perf map, a jitdump or a list of kernel symbols
 * (selected by the first byte), and addresses everywhere.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/lists/symlist.h"

#define N_ADDR 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Names end, and no address is answered twice. */
static void
take(void *ctx, size_t i, const struct symbol_frame *f, size_t n)
{
	unsigned char *seen = ctx;

	if (n != 1 || seen[i]++ || strlen(f->name) > 1 << 20 ||
	    strlen(f->file) > 1 << 20)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	unsigned char seen[N_ADDR] = { 0 };
	uint64_t addr[N_ADDR];
	struct kallsyms k = { 0 };
	enum prof_status st;
	size_t n_addr = 0;
	char *copy;

	if (n < 1)
		return 0;
	copy = malloc(n);
	if (!copy)
		abort();
	memcpy(copy, data + 1, n - 1);
	if (data[0] % 3 == 0)
		st = perfmap_read(&k.list, copy, n - 1, NULL);
	else if (data[0] % 3 == 1)
		st = jitdump_read(&k.list, copy, n - 1, NULL);
	else
		st = kallsyms_read(&k, copy, n - 1, NULL);
	if (st == PROF_ENOMEM)
		abort();
	/* Those of the first entries, and around them. */
	for (size_t i = 0; i < k.list.n && n_addr + 3 < N_ADDR; i++) {
		uint64_t next = n_addr ? addr[n_addr - 1] + 1 : 0;
		const struct symlist_entry *e = &k.list.entry[i];

		if (e->start >= next && e->start < UINT64_MAX - 2) {
			addr[n_addr++] = e->start;
			addr[n_addr++] = e->start + 1;
		}
	}
	if (symlist_run(&k.list, addr, n_addr, take, seen, NULL) != PROF_OK)
		abort();
	symlist_release(&k.list);
	free(copy);
	return 0;
}
