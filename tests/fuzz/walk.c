/*
 * walk.c - any bytes as an ELF file, and as the stack of a thread that
 * runs it: the rows are compiled from the file, and the walk follows them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/elf-source.h"
#include "unwind/rows.h"
#include "unwind/walk.h"

enum { MAX_FRAME = 64, N_WORD = 20 /* in WALK_PERF_MASK */ };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool
find(void *ctx, uint64_t pc, struct walk_code *out)
{
	(void)pc;
	*out = (struct walk_code){ ctx, 0 };
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct elf_source s = { .data = data, .n = n };
	struct walk_stack stack = { .bytes = data, .n = n };
	struct walker *w = walker_new();
	struct walk_info info;
	struct rows *rows;
	uint64_t pc[MAX_FRAME], bias, word[N_WORD];

	if (!w)
		abort();
	if (elf_source_open(&s, -1, NULL) == PROF_OK &&
	    rows_read(&s, &rows, NULL) == PROF_OK) {
		rows_bias(rows, 0x10000, s.segment[0].p_offset, &bias);
		/* The last bytes of the input are the registers. */
		memset(word, 0, sizeof word);
		memcpy(word, data + n - (n < sizeof word ? n : sizeof word),
		       n < sizeof word ? n : sizeof word);
		if (!walk_perf_regs(&stack, WALK_PERF_MASK, word, N_WORD))
			abort();
		for (size_t i = 0; i < s.n_segment; i++) {
			stack.reg[WALK_PC] =
				s.segment[i].p_vaddr +
				word[i % N_WORD] % (s.segment[i].p_memsz | 1);
			if (walk(w, &stack, find, rows, pc, MAX_FRAME, &info) <
			    1)
				abort();
		}
		rows_free(rows);
	}
	walker_free(w);
	return 0;
}
