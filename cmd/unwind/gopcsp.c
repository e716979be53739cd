/* gopcsp.c - see gopcsp.h. */
#include "config.h"

#include "gopcsp.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "elf-source.h"
#include "libsample/unwind/read.h"
#include "libsample/unwind/row.h"

enum {
	MAGIC_118 = 0xfffffff0,
	MAGIC_120 = 0xfffffff1,
	HEAD_BYTES = 72,
	FUNC_NAME = 4, /* offsets in a _func */
	FUNC_PCSP = 16,
	FUNC_FLAG_118 = 37,
	FUNC_FLAG_120 = 41,
	FLAG_TOP = 1,   /* a function without caller: the end of a stack */
	FLAG_WRITE = 2, /* writes the stack pointer: to align it, or to switch
			 * to the system's stack, if the byte before, its
			 * number among functions of the runtime, is not 0 */
	MAX_FRAME = 1 << 21,
};

struct pclntab {
	struct in all;
	uint64_t text, n_func, names, pctab, pcln;
	uint8_t quantum;
	unsigned flag_at;
	uint32_t root; /* word of a function without caller */
};

/* The table from offset at on: bad if that is outside. */
static struct in
in_at(const struct pclntab *t, uint64_t at)
{
	struct in in = t->all;

	in_skip(&in, at);
	return in;
}

static bool
read_head(struct pclntab *t, const struct buf *b)
{
	struct in in = { b->data, b->data + b->n, false };
	uint32_t magic;

	t->all = in;
	if (b->n < HEAD_BYTES)
		return false;
	magic = (uint32_t)in_fixed(&in, 4);
	in_skip(&in, 2);
	t->quantum = in_byte(&in);
	if ((magic != MAGIC_118 && magic != MAGIC_120) || in_byte(&in) != 8)
		return false;
	t->flag_at = magic == MAGIC_118 ? FUNC_FLAG_118 : FUNC_FLAG_120;
	t->n_func = in_fixed(&in, 8);
	in_skip(&in, 8);
	t->text = in_fixed(&in, 8);
	t->names = in_fixed(&in, 8);
	in_skip(&in, 16);
	t->pctab = in_fixed(&in, 8);
	t->pcln = in_fixed(&in, 8);
	return t->text != 0 && t->n_func < b->n / 8;
}

/* The word for a stack pointer depth bytes below the return address. */
static uint32_t
word_of(int64_t depth)
{
	if (depth < 0 || depth % 8 || depth > MAX_FRAME)
		return WORD_NONE;
	return arch_go_word((uint32_t)depth);
}

/* Compile the rows of the function at [pc, end), from the table at in; `fixed`
 * is its word everywhere, if not WORD_NONE. */
static void
compile_function(struct pclntab *t, struct row_out *out, struct in in,
		 uint64_t pc, uint64_t end, uint32_t fixed)
{
	int64_t depth = -1;
	bool first = true;

	while (pc < end && row_spend(out, 1)) {
		uint64_t delta = in_uleb(&in), n;

		if (in.bad || (delta == 0 && !first))
			break;
		first = false;
		depth += delta & 1 ? (int64_t) ~(delta >> 1)
				   : (int64_t)(delta >> 1);
		n = in_uleb(&in) * t->quantum;
		if (in.bad || n == 0)
			break;
		unwind_row_emit(out, pc, fixed ? fixed : word_of(depth));
		pc = n > end - pc ? end : pc + n;
	}
	unwind_row_emit(out, pc, WORD_NONE);
}

/*
 * The word of a function that switches stacks. Who calls runtime.mcall gives up
 * its thread, and what runs then is not its: the end of a stack, as in Go's own
 * profiles.
 */
static uint32_t
switch_word(const struct pclntab *t, uint64_t func)
{
	static const char last[] = "runtime.mcall";
	struct in at = in_at(t, func + FUNC_NAME);
	struct in name = in_at(t, t->names + in_fixed(&at, 4));

	return in_left(&name) >= sizeof(last) &&
			       !memcmp(name.p, last, sizeof(last))
		       ? t->root
		       : GOPCSP_SWITCHED;
}

static void
compile_all(struct pclntab *t, struct row_out *out, uint64_t lo, uint64_t hi)
{
	struct in table = in_at(t, t->pcln);
	uint64_t pc, next, last = lo;
	uint8_t bits;
	bool is_runtime;

	pc = t->text + in_fixed(&table, 4);
	for (uint64_t i = 0; i < t->n_func && !table.bad; i++, pc = next) {
		uint64_t func = t->pcln + in_fixed(&table, 4);
		struct in at = in_at(t, func + FUNC_PCSP), flag;

		next = t->text + in_fixed(&table, 4);
		flag = in_at(t, func + t->flag_at - 1);
		is_runtime = in_byte(&flag) != 0;
		bits = in_byte(&flag);
		if (table.bad || pc < last || next <= pc || next > hi)
			return;
		last = pc;
		compile_function(
			t, out, in_at(t, t->pctab + in_fixed(&at, 4)), pc, next,
			bits & FLAG_TOP                   ? t->root
			: is_runtime && bits & FLAG_WRITE ? switch_word(t, func)
							  : WORD_NONE);
		if (out->no_memory || !out->left)
			return;
	}
}

int
gopcsp_compile(const struct elf_source *s, uint64_t lo, uint64_t hi,
	       struct unwind_pool *pool, struct cfi_rows *rows)
{
	struct row_out out = unwind_row_out(pool, rows, lo);
	struct pclntab t = { 0 };
	struct buf b = { 0 };
	Elf64_Shdr sh;

	out.left = 1;
	if (!elf_source_section(s, ".gopclntab", &sh) &&
	    !elf_source_section(s, ".data.rel.ro.gopclntab", &sh))
		return 0;
	if (elf_source_contents(s, &sh, &b) && read_head(&t, &b)) {
		t.root = unwind_row_root(pool);
		/* Functions may share rows, but each has 44 bytes of its own:
		 * real tables have fewer rows than bytes. */
		out.left = b.n;
		compile_all(&t, &out, lo, hi);
	}
	buf_release(&b);
	return out.no_memory ? ENOMEM : out.left ? 0 : EFBIG;
}
