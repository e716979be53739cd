/*
 * symlist.h - names from a list of address ranges, for code without an object
 * file: code compiled at run time, and the running kernel. Filled by perfmap.c,
 * jitdump.c and kallsyms.c.
 */
#ifndef SYMLIST_H
#define SYMLIST_H

#include <stdbool.h>
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

/*
 * kallsyms.c - the symbols of a running kernel, as in /proc/kallsyms: address,
 * type, name and, for symbols of a module, its name.
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0a0b010 t nf_hook	[nf_tables]
 */

/* The addresses of the kernel without modules. */
struct kallsyms {
	struct symlist list;
	uint64_t stext, text; /* of _stext and _text, or 0 */
};

/*
 * Append the code symbols in n bytes of text to k, which is all 0 at first. A
 * symbol ends where the next one begins. PROF_EFORMAT if there is none;
 * PROF_EIO if all addresses are 0, because the kernel hides them; PROF_ENOMEM.
 */
enum prof_status kallsyms_read(struct kallsyms *k, const char *text, size_t n,
			       struct prof_err *err) MUST_USE;

/*
 * perfmap.c - where a JIT compiler put functions, a line each: start, size and
 * name.
 *
 *	7f2a40001000 a0 LazyCompile:fib /srv/app.js:1
 */

/*
 * Append the functions in n bytes of text to l. Other lines are skipped, as is
 * an incomplete last one. PROF_ENOMEM.
 */
enum prof_status perfmap_read(struct symlist *l, const char *text, size_t n,
			      struct prof_err *err) MUST_USE;

/*
 * jitdump.c - jit-PID.dump, a JIT compiler's log of the code that it made and
 * moved, with the lines of its source. The format is that of the kernel's
 * tools/perf/Documentation/jitdump-specification.txt, version 1.
 */

/* Do the n bytes begin like a jitdump, of either byte order? */
bool jitdump_is(const void *data, size_t n);

/*
 * Append to l the functions in the log of n bytes at data. A last record that
 * is incomplete, as in the log of a process that runs or was killed, is left
 * out. PROF_EFORMAT for an invalid record; functions before it are appended.
 * PROF_ENOMEM.
 */
enum prof_status jitdump_read(struct symlist *l, const void *data, size_t n,
			      struct prof_err *err) MUST_USE;

#endif
