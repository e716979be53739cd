/*
 * unwind-find - does unwind_find() say of every address what the compiled rows
 * say? It loads the objects that it is given, and compares at the beginning,
 * in the middle and at the end of every row of all that is loaded. Only where a
 * rule has expressions, whose places differ, their bytes are compared.
 *
 *	usage: unwind-find [OBJECT...]
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libsample/unwind/impl.h"
#include "libsample/unwind/row.h"

#if ARCH_HAS_ROWS

static struct unwind_pool pool;
static size_t n_object, n_row, n_compared, n_rule, n_differ, n_refused;

/* An answer: a word, or a rule with its expressions. */
struct answer {
	uint32_t word;
	struct unwind_rule rule;
	const uint8_t *expr;
};

static bool
same_loc(const struct answer *a, const struct unwind_loc *x,
	 const struct answer *b, const struct unwind_loc *y)
{
	bool is_expr = x->kind == LOC_EXPR_MEM || x->kind == LOC_EXPR_VAL;

	if (!is_expr)
		return !memcmp(x, y, sizeof(*x));
	return x->kind == y->kind && x->n_expr == y->n_expr &&
	       !memcmp(a->expr + x->off, b->expr + y->off, x->n_expr);
}

static bool
same(const struct answer *a, const struct answer *b)
{
	bool ok;

	if (a->word == WORD_NONE || a->word & WORD_PACKED ||
	    b->word == WORD_NONE || b->word & WORD_PACKED)
		return a->word == b->word;
	n_rule++;
	if (a->rule.reg[TRACK_RA].kind == LOC_UNDEFINED)
		return b->rule.reg[TRACK_RA].kind == LOC_UNDEFINED;
	ok = same_loc(a, &a->rule.cfa, b, &b->rule.cfa) &&
	     a->rule.signal == b->rule.signal && a->rule.keeps == b->rule.keeps;
	for (int i = 0; i < N_TRACK; i++)
		ok = ok && same_loc(a, &a->rule.reg[i], b, &b->rule.reg[i]);
	return ok;
}

static void
compare(const char *name, const struct cfi_image *image,
	const struct cfi_search *t, uintptr_t pc, uint32_t word)
{
	struct answer a = { .word = word, .expr = pool.expr };
	struct answer b = { .expr = (const uint8_t *)image->hdr };

	if (!(word & WORD_PACKED))
		a.rule = pool.rule[word >> 1];
	b.word = unwind_find(image, t, pc, &b.rule);
	if (b.word == WORD_ROOT)
		b.rule = pool.rule[WORD_ROOT >> 1];
	n_compared++;
	if (same(&a, &b))
		return;
	if (n_differ++ < 10)
		printf("%s: at 0x%zx: %x, not %x\n", name,
		       (size_t)(pc - image->text_lo), (unsigned)b.word,
		       (unsigned)a.word);
}

static int
each(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct cfi_image image;
	struct cfi_search t;
	struct cfi_rows rows;

	(void)size;
	(void)arg;
	if (!unwind_image_init(&image, info) || !image.hdr)
		return 0;
	unwind_entry_hdr(&image, &t);
	if (!t.n || unwind_cfi_compile(&image, &pool, &rows) != 0)
		return 0;
	n_object++;
	n_row += rows.n_row;
	n_refused += rows.n_refused;
	for (size_t i = 0; i + 1 < rows.n_row; i++) {
		uintptr_t lo = image.text_lo + rows.row[i].off;
		uintptr_t hi = image.text_lo + rows.row[i + 1].off;

		compare(info->dlpi_name, &image, &t, lo, rows.row[i].word);
		compare(info->dlpi_name, &image, &t, lo + (hi - lo) / 2,
			rows.row[i].word);
		compare(info->dlpi_name, &image, &t, hi - 1, rows.row[i].word);
	}
	if (rows.row)
		munmap(rows.row, rows.n_bytes);
	return 0;
}

int
main(int argc, char **argv)
{
	unwind_row_root(&pool);
	for (int i = 1; i < argc; i++)
		dlopen(argv[i], RTLD_LAZY);
	dl_iterate_phdr(each, NULL);
	printf("%zu objects, %zu rows, %zu not understood; "
	       "%zu addresses, %zu of them by a rule: %zu differ\n",
	       n_object, n_row, n_refused, n_compared, n_rule, n_differ);
	return n_differ || !n_compared;
}

#else

int
main(void)
{
	printf("no tables on this machine\n");
	return 77;
}

#endif
