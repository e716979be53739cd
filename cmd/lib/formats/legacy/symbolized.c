/*
 * symbolized.c - the format of `google-pprof --raw`, and of tools that have
 * names but no addresses: names for addresses, then the original profile.
 *
 *	--- symbol
 *	binary=/bin/app
 *	0x00000000000011ff main--inlined_into_main
 *	---
 *	--- profile
 *	heap profile: ...
 *
 * A CPU profile in this form has been through google-pprof: its callers are
 * inside the call already, and its period is gone.
 */
#include "config.h"

#include <stdlib.h>

#include "impl.h"
#include "lib/base/array.h"
#include "lib/base/bytes.h"

struct symbols {
	struct idmap by_address; /* address: index into name */
	struct span *name;
	size_t n;
	size_t cap;
	struct span binary;
	struct idmap function; /* by string of the name */
	struct line *line;     /* of the location being built */
	size_t n_line;
	size_t line_cap;
};

static enum prof_status
read_symbol(struct legacy *l, const struct text *t, struct symbols *y)
{
	struct span s = span_trim(t->line);
	uint64_t addr;

	if (span_take(&s, "binary=")) {
		y->binary = s;
		return PROF_OK;
	}
	if (span_is_comment(s))
		return PROF_OK;
	if (!span_take(&s, "0x") || !span_hex(&s, &addr) ||
	    (s.p < s.end && !span_blanks(&s)))
		return LINE_FAIL(l, t, "want '0xADDRESS name'");
	/* An address is no name. */
	if (s.p == s.end || span_begins(s, "0x"))
		return PROF_OK;
	if (array_reserve(&y->name, &y->cap, y->n + 1, sizeof(*y->name)) < 0)
		return prof_nomem(l->err);
	y->name[y->n] = s;
	switch (idmap_add(&y->by_address, addr, (uint32_t)y->n)) {
	case -1:
		return prof_nomem(l->err);
	case 0:
		y->n++;
	}
	return PROF_OK;
}

/* Skip to the line "--- profile", or of another word; t is then after it. */
static enum prof_status
read_symbols(struct legacy *l, struct text *t, struct symbols *y)
{
	enum prof_status st = PROF_OK;

	text_next(t);
	while (st == PROF_OK && text_next(t)) {
		if (span_is(span_trim(t->line), "---"))
			break;
		st = read_symbol(l, t, y);
	}
	while (st == PROF_OK && text_next(t)) {
		if (span_begins(t->line, "--- "))
			return PROF_OK;
		if (!span_is_comment(t->line))
			return LINE_FAIL(l, t, "want '--- profile'");
	}
	return st == PROF_OK
		       ? LINE_FAIL(l, t,
				   "symbols without a profile: truncated?")
		       : st;
}

/* Without the "<0000000000001130>", which is where the symbol begins. */
static struct span
without_start(struct span s)
{
	struct span tag = { s.end - 18, s.end };
	uint64_t v;

	if (span_len(s) < 18)
		return s;
	if (span_take(&tag, "<") && span_hex(&tag, &v) && span_is(tag, ">") &&
	    tag.end - tag.p == 1)
		s.end -= 18;
	return s;
}

/*
 * Cut the first function off a chain "outer--inner"; the "--" of operator-- is
 * not a joint.
 */
static struct span
cut_function(struct span *chain)
{
	struct span s = *chain, look = *chain;

	while ((look.p = span_find(look, "--"))) {
		s.end = look.p;
		if (!bytes_end(s.p, span_len(s), "operator")) {
			chain->p = look.p + 2;
			return s;
		}
		look.p += 2;
	}
	s.end = chain->end;
	chain->p = chain->end;
	return s;
}

static enum prof_status
name_location(struct legacy *l, struct symbols *y, uint32_t loc)
{
	uint64_t addr = l->p->location[loc].address;
	uint32_t at = idmap_find(&y->by_address, addr);
	enum prof_status st = PROF_OK;
	struct span chain;

	/* google-pprof does not move the leaf of a heap profile. */
	if (at == IDMAP_NONE && addr < UINT64_MAX)
		at = idmap_find(&y->by_address, addr + 1);
	if (at == IDMAP_NONE)
		return PROF_OK;
	chain = y->name[at];
	for (y->n_line = 0; st == PROF_OK && chain.p < chain.end; y->n_line++) {
		struct span name = without_start(cut_function(&chain));

		if (array_reserve(&y->line, &y->line_cap, y->n_line + 1,
				  sizeof(*y->line)) < 0)
			return prof_nomem(l->err);
		y->line[y->n_line] = (struct line){ 0 };
		st = legacy_function(l, &y->function, true, name,
				     (struct span){ name.end, name.end },
				     &y->line[y->n_line].function);
	}
	for (size_t i = 0; i < y->n_line / 2; i++) {
		struct line tmp = y->line[i];

		y->line[i] = y->line[y->n_line - 1 - i];
		y->line[y->n_line - 1 - i] = tmp;
	}
	if (st == PROF_OK &&
	    profile_set_lines(l->p, loc, y->line, y->n_line) < 0)
		st = prof_nomem(l->err);
	return st;
}

/* Mark the mappings that need no more symbols, and name the program. */
static enum prof_status
mark_mappings(struct legacy *l, const struct symbols *y)
{
	struct profile *p = l->p;

	for (size_t i = 0; i < p->n_mapping; i++)
		p->mapping[i].has = MAPPING_FUNCTIONS | MAPPING_INLINE_FRAMES;
	for (size_t i = 0; i < p->n_location; i++)
		if (!p->location[i].n_line &&
		    p->location[i].mapping != PROF_NONE)
			p->mapping[p->location[i].mapping].has = 0;
	if (p->n_mapping == 1 && !p->mapping[0].file) {
		p->mapping[0].file = strtab_add(&p->strings, y->binary.p,
						span_len(y->binary));
		if (p->mapping[0].file == STRTAB_NONE)
			return prof_nomem(l->err);
	}
	return PROF_OK;
}

enum prof_status
legacy_symbolized(struct legacy *l, struct text *t)
{
	struct symbols y = { .binary = { t->p, t->p } };
	enum prof_status st = PROF_OK;
	enum legacy_kind kind;

	if (idmap_init(&y.by_address, 0) < 0 || idmap_init(&y.function, 0) < 0)
		st = prof_nomem(l->err);
	if (st == PROF_OK)
		st = read_symbols(l, t, &y);
	if (st == PROF_OK) {
		l->symbolized = true;
		kind = legacy_sniff(t->p, (size_t)(t->end - t->p));
		if (kind == LEGACY_NONE || kind == LEGACY_FOREIGN ||
		    kind == LEGACY_SYMBOLIZED)
			st = LINE_FAIL(l, t,
				       "no profile of a known kind follows");
		else
			st = legacy_any(l, kind, *t);
	}
	for (uint32_t i = 0; st == PROF_OK && i < l->p->n_location; i++)
		if (!l->p->location[i].n_line)
			st = name_location(l, &y, i);
	if (st == PROF_OK)
		st = mark_mappings(l, &y);
	idmap_release(&y.by_address);
	idmap_release(&y.function);
	free(y.name);
	free(y.line);
	return st;
}
