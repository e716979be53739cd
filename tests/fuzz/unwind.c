/*
 * unwind.c - any bytes as .eh_frame_hdr followed by .eh_frame, in the middle of
 * two megabytes of code. The compiled rows must be valid: the walk trusts them
 * inside a signal handler.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libsample/unwind/impl.h"
#include "libsample/unwind/row.h"

#define TEXT_BYTES (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
check_loc(const struct unwind_pool *pool, const struct unwind_loc *l)
{
	const struct unwind_bounds none = { .hi = 0 };
	const struct unwind_frame f = { .pc = 1, .sp = 64, .fp = 128 };
	uintptr_t v, cfa = 96;

	if (l->kind != LOC_EXPR_MEM && l->kind != LOC_EXPR_VAL)
		return;
	if (l->off < 0 || (uint32_t)l->off > pool->n_expr ||
	    l->n_expr > pool->n_expr - (uint32_t)l->off)
		abort();
	unwind_expr_eval(pool->expr + l->off, l->n_expr, &f, &none, &cfa, &v);
}

static void
check_rows(const struct cfi_rows *rows, const struct unwind_pool *pool)
{
	for (size_t i = 0; i < rows->n_row; i++) {
		const struct unwind_row *r = &rows->row[i];

		if (i > 0 && r->off <= r[-1].off)
			abort();
		if (r->off > 2 * TEXT_BYTES)
			abort();
		if (!(r->word & WORD_PACKED) && r->word >> 1 >= pool->n_rule &&
		    r->word != WORD_NONE)
			abort();
	}
	if (rows->n_row && rows->row[rows->n_row - 1].word != WORD_NONE)
		abort();
	for (uint32_t i = 1; i < pool->n_rule; i++) {
		check_loc(pool, &pool->rule[i].cfa);
		for (unsigned k = 0; k < N_TRACK; k++)
			check_loc(pool, &pool->rule[i].reg[k]);
	}
}

/* Single addresses: where functions may begin, and between. */
static void
check_find(const struct cfi_image *image)
{
	struct cfi_search t;

	unwind_entry_hdr(image, &t);
	for (size_t i = 0; i < t.n && i < 64; i++) {
		uintptr_t pc = unwind_entry_code(image, &t, i);

		for (int k = 0; k < 6; k++) {
			struct unwind_rule rule = { .signal = 0 };
			uint32_t word =
				unwind_find(image, &t, pc - 1 + 8 * k, &rule);

			if (!(word & WORD_PACKED) && word > WORD_ROOT &&
			    word != WORD_RULE)
				abort();
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct unwind_pool *pool = calloc(1, sizeof(*pool));
	uint8_t *copy = malloc(n ? n : 1);
	uintptr_t at = (uintptr_t)copy;
	struct cfi_image image = { .segment = { { .lo = at, .hi = at + n } },
				   .n_segment = 1,
				   .hdr = at,
				   .hdr_bytes = n,
				   .text_lo = at - TEXT_BYTES,
				   .text_hi = at + TEXT_BYTES };
	struct cfi_rows rows;

	if (!pool || !copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	check_find(&image);
	if (unwind_cfi_compile(&image, pool, &rows) == 0) {
		check_rows(&rows, pool);
		if (rows.row)
			munmap(rows.row, rows.n_bytes);
	}
	free(copy);
	free(pool);
	return 0;
}
