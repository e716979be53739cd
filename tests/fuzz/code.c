/*
 * code.c - any bytes as an object file whose functions are disassembled:
 * their extents, by symbols and .eh_frame, their bytes, their instructions, and
 * the stubs that they call. The same bytes are also read as a zip archive, and
 * as plain code of the machine that the first byte chooses.
 */
#include "config.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "code/zip.h"
#include "lib/base/buf.h"
#include "symbols/binary/binary.h"
#include "symbols/code/bytes.h"
#include "symbols/code/disasm.h"
#include "symbols/code/extent.h"
#include "symbols/elf/object.h"
#include "symbols/elf/plt.h"

#define N_RANGE 64
#define MAX_CODE 4096 /* bytes of a function that are decoded */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Instructions follow each other without gaps. */
struct next {
	uint64_t address;
	const struct plt *stubs; /* or NULL */
};

static bool
take(void *ctx, const struct disasm_insn *insn)
{
	struct next *next = ctx;

	if (insn->address != next->address || insn->size == 0 ||
	    strlen(insn->mnemonic) > 64 || strlen(insn->operands) > 256)
		abort();
	next->address += insn->size;
	if (next->stubs && insn->has_target)
		(void)plt_name(next->stubs, insn->target);
	if (next->stubs)
		(void)plt_name(next->stubs, insn->address);
	return true;
}

static void
decode(struct disasm *d, const uint8_t *code, size_t n, uint64_t address,
       const struct plt *stubs)
{
	struct next next = { address, stubs };

	disasm_run(d, code, n, address, take, &next);
	if (next.address != address + n)
		abort();
}

static void
check_extents(const struct binary *b, const struct extents *e)
{
	struct disasm_machine m = binary_machine(b);
	struct disasm *d = NULL;
	struct plt stubs;

	if (disasm_new(&m, false, &d, NULL) == PROF_ENOMEM ||
	    plt_open(&stubs, binary_object(b)->elf) < 0)
		abort();
	for (size_t i = 0; i < e->n; i++) {
		const struct extent *x = &e->extent[i];
		const uint8_t *code;
		size_t n;

		if (x->end <= x->start || (i && x[-1].end > x->start) ||
		    extents_at(e, x->start) != x)
			abort();
		if (bytes_at(b, x->start, &code, &n, NULL) != PROF_OK ||
		    !code || !d)
			continue;
		if (n > x->end - x->start)
			n = x->end - x->start;
		decode(d, code, n < MAX_CODE ? n : MAX_CODE, x->start, &stubs);
	}
	plt_release(&stubs);
	disasm_free(d);
}

/* A callback of binary_ranges(). */
static void
take_start(void *ctx, size_t i, uint64_t start)
{
	const uint64_t *addr = ctx;

	if (start > addr[i])
		abort();
}

/* Ranges that are spread over the code. */
static size_t
choose(const struct load_layout *l, struct code_range *range)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_segment; i++) {
		const struct load_segment *s = &l->segment[i];
		uint64_t step = s->memsz / 16 + 1, last;

		for (uint64_t at = 0; at < s->memsz && n < N_RANGE;
		     at += step) {
			last = n ? range[n - 1].end : 0;
			if (s->vaddr > UINT64_MAX - at - 4 ||
			    s->vaddr + at < last)
				break;
			range[n++] = (struct code_range){ s->vaddr + at,
							  s->vaddr + at + 3 };
			if (step < 3)
				break;
		}
	}
	if (n == 0)
		range[n++] = (struct code_range){ l->text, l->text + 16 };
	return n;
}

static void
as_object(const uint8_t *data, size_t n)
{
	struct code_range range[N_RANGE];
	uint64_t addr[N_RANGE];
	struct extents e;
	struct binary *b;
	void *copy = malloc(n + 1);

	if (!copy)
		abort();
	memcpy(copy, data, n);
	if (binary_open_image("fuzz", copy, n, &b, NULL) != PROF_OK)
		return;
	n = choose(binary_layout(b), range);
	if (extents_find(b, range, n, &e, NULL) != PROF_OK)
		abort();
	check_extents(b, &e);
	for (size_t i = 0; i < n; i++)
		addr[i] = range[i].start;
	if (binary_ranges(b, addr, n, take_start, addr, NULL) != PROF_OK)
		abort();
	extents_release(&e);
	binary_close(b);
}

static void
as_code(const uint8_t *data, size_t n)
{
	static const unsigned machines[] = { EM_X86_64, EM_386,   EM_AARCH64,
					     EM_ARM,    EM_PPC64, EM_S390,
					     EM_MIPS };
	struct disasm_machine m = {
		.machine = machines[data[0] % 7],
		.is_64 = data[0] & 8,
		.is_big_endian = data[0] & 16,
	};
	struct disasm *d;

	if (disasm_new(&m, data[0] & 32, &d, NULL) != PROF_OK)
		return;
	decode(d, data + 1, n - 1 < MAX_CODE ? n - 1 : MAX_CODE,
	       (uint64_t)data[0] << 56, NULL);
	disasm_free(d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf out = { 0 };

	if (n == 0)
		return 0;
	if (zip_read(data, n, "a", 1 << 16, &out, NULL) == PROF_OK &&
	    out.n > 1 << 16)
		abort();
	buf_release(&out);
	as_code(data, n);
	as_object(data, n);
	return 0;
}
