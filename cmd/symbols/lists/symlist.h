/*
 * symlist.h - names from a list of address ranges, for code without an object
 * file: code compiled at run time, and the running kernel. Filled by perfmap.h,
 * jitdump.h and kallsyms.h.
 */
#ifndef SYMLIST_H
#define SYMLIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "symbols/elf/frame.h"

#define SYMLIST_NONE UINT32_MAX

/* A range of addresses with a name. */
struct symlist_entry {
	uint64_t start, end; /* end exclusive */
	uint32_t name;       /* in text */
	uint32_t line, n_line;
};

/* A source line: from this address to the next line's. */
struct symlist_line {
	uint64_t offset; /* from the start of the entry */
	uint32_t file;   /* in text, or SYMLIST_NONE */
	int32_t line;
};

/* All 0 at first. */
struct symlist {
	struct symlist_entry *entry;
	size_t n, cap;
	struct symlist_line *line; /* ascending in each entry */
	size_t n_line, cap_line;
	char *text; /* strings */
	size_t n_text, cap_text;
};

void symlist_release(struct symlist *l);

/*
 * Append a string of n bytes, cut at a NUL, to l's text. Returns its offset, or
 * SYMLIST_NONE without memory or beyond 4 GiB of text.
 */
uint32_t symlist_text(struct symlist *l, const char *s, size_t n);

/*
 * Add [start, start + size), cut at 2^64, with a name in the text. -1 without
 * memory.
 */
int symlist_add(struct symlist *l, uint64_t start, uint64_t size,
		uint32_t name);

/* Add a line to the pool, for the n_line of an entry. -1 without memory. */
int symlist_add_line(struct symlist *l, const struct symlist_line *line);

/*
 * Call fn for each of the n addresses, ascending and distinct, that is in an
 * entry. Of several entries the last one counts, as its code replaced the
 * others. PROF_ENOMEM.
 */
enum prof_status symlist_run(const struct symlist *l, const uint64_t *addr,
			     size_t n, symbol_fn *fn, void *ctx,
			     struct prof_err *err) MUST_USE;

#endif
