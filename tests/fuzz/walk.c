/*
 * walk.c - any bytes as an ELF file, and as the stack of a thread that
 * runs it: the rows are compiled from the file, in the time and memory that its
 * size is worth, and the walk follows them. So it does with rows that are sent
 * as a process without rights sends them, with some bits changed on the way.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/confine.h"
#include "tests/fuzz/limit.h"
#include "unwind/elf-source.h"
#include "unwind/rows.h"
#include "unwind/walk.h"

enum { MAX_FRAME = 64, N_WORD = 20 /* in WALK_PERF_MASK */ };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool
find(void *ctx, uint64_t pc, struct walk_code *out)
{
	(void)pc;
	*out = (struct walk_code){ .rows = ctx };
	return true;
}

/* A table holds at most 8 rows for each byte, in a map that doubles. */
static void
check_size(const struct rows *rows, size_t n)
{
	struct rows_stats stats;

	rows_stats(rows, &stats);
	if (stats.n_bytes > (1 << 20) + 256 * n)
		abort();
}

/* Send rows; the words say which bits are changed. *rows is the result. */
static bool
send_changed(struct rows **rows, const uint64_t *word)
{
	int fd = memfd_create("rows", MFD_CLOEXEC);
	struct confined sender = { 0 };
	enum prof_status st;
	uint8_t byte;
	off_t n, at;

	if (fd < 0 || rows_send(*rows, fd) < 0)
		abort();
	rows_free(*rows);
	n = lseek(fd, 0, SEEK_CUR);
	for (int i = 0; i < 4; i++) {
		at = (off_t)(word[i] >> 8) % n;
		if (word[i] >> 63 && pread(fd, &byte, 1, at) == 1) {
			byte ^= (uint8_t)word[i];
			if (pwrite(fd, &byte, 1, at) != 1)
				abort();
		}
	}
	lseek(fd, 0, SEEK_SET);
	st = rows_receive(&sender, fd, rows, NULL);
	close(fd);
	return st == PROF_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct elf_source s = { .data = data, .n = n };
	struct walk_stack stack = { .bytes = data, .n = n };
	struct walker *w = walker_new();
	struct unwind_info info;
	struct rows *rows;
	uint64_t pc[MAX_FRAME], bias, word[N_WORD];

	if (!w)
		abort();
	/* The last bytes of the input are the registers. */
	memset(word, 0, sizeof(word));
	memcpy(word, data + n - (n < sizeof(word) ? n : sizeof(word)),
	       n < sizeof(word) ? n : sizeof(word));
	fuzz_limit(2);
	if (elf_source_open(&s, -1, NULL) == PROF_OK &&
	    rows_read(&s, &rows, NULL) == PROF_OK) {
		check_size(rows, n);
		fuzz_limit(0);
		if (!send_changed(&rows, word))
			goto out;
		rows_bias(rows, 0x10000, s.segment[0].p_offset, &bias);
		if (!walk_perf_regs(&stack, WALK_PERF_MASK, word, N_WORD))
			abort();
		for (size_t i = 0; i < s.n_segment; i++) {
			stack.reg[WALK_PC] =
				s.segment[i].p_vaddr +
				word[i % N_WORD] % (s.segment[i].p_memsz | 1);
			if (walk_frames(w, &stack, find, rows, pc, MAX_FRAME,
					&info) < 1)
				abort();
		}
		rows_free(rows);
	}
out:
	fuzz_limit(0);
	walker_free(w);
	return 0;
}
