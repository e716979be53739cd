/*
 * find.c - look up one address in the unwind information of an object, without
 * compiling it. Compiling all of an object takes longer than many programs run,
 * and a sampled program needs some hundred of its functions. All functions may
 * run in a signal handler. The information must stay mapped, so this is for
 * objects that are never unloaded.
 */
#include "config.h"

#include "row.h"

/* Functions to skip because they have no code or are not understood. */
#define N_BACK 4

struct find {
	struct row_sink sink; /* first */
	const uint8_t *base;  /* expressions are relative to this */
	uintptr_t pc;
	bool known;
};

static bool
keep_in_place(struct row_sink *to, const uint8_t *e, size_t n, int32_t *off)
{
	const struct find *f = (const struct find *)to;
	intptr_t from = (intptr_t)((uintptr_t)e - (uintptr_t)f->base);

	(void)n;
	*off = (int32_t)from;
	return *off == from;
}

static bool
is_before(struct row_sink *to, uintptr_t pc, uintptr_t end,
	  const struct row_state *s)
{
	struct find *f = (struct find *)to;

	(void)pc;
	f->known = f->pc < end && s;
	return f->pc >= end;
}

static uint32_t
word_of(const struct find *f, const struct row_state *s, bool signal,
	struct unwind_rule *rule)
{
	uint32_t word;

	if (s->reg[TRACK_RA].kind == LOC_UNDEFINED)
		return WORD_ROOT;
	if (unwind_row_pack(s, signal, &word))
		return word;
	unwind_row_rule(s, signal, f->base, rule);
	return WORD_RULE;
}

/* The number of functions that begin at or before pc. */
static size_t
n_begun(const struct cfi_image *image, const struct cfi_search *t, uintptr_t pc)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (unwind_entry_code(image, t, mid) <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t
unwind_find(const struct cfi_image *image, const struct cfi_search *search,
	    uintptr_t pc, struct unwind_rule *rule)
{
	struct find f = { .sink = { keep_in_place, is_before },
			  .base = (const uint8_t *)image->hdr,
			  .pc = pc };
	size_t i = n_begun(image, search, pc), back = 0;
	struct row_cie cie;
	struct row_fde fde;
	struct row_state s;

	for (; i-- > 0 && back < N_BACK; back++) {
		uintptr_t at = unwind_entry_at(image, search, i);
		uintptr_t cie_at = unwind_entry_cie_of(image, at);

		if (!cie_at)
			continue;
		unwind_entry_cie(image, &f.sink, cie_at, &cie);
		if (!cie.good || !unwind_entry_fde(image, at, &cie, &fde))
			continue;
		if (pc < fde.lo || pc >= fde.hi)
			return WORD_NONE;
		s = cie.initial;
		unwind_row_run(&f.sink, &cie, &fde.in, &s, &fde);
		return f.known ? word_of(&f, &s, cie.signal, rule) : WORD_NONE;
	}
	return WORD_NONE;
}
