/*
 * loadbase.h - the load base: an address in a process minus the address in the
 * ELF file, from a mapping and the file's program headers. The rules are
 * pprof's, so both tools find the same symbols.
 */
#ifndef LOADBASE_H
#define LOADBASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* One PT_LOAD program header. */
struct load_segment {
	uint64_t vaddr;
	uint64_t offset; /* in the file */
	uint64_t filesz;
	uint64_t memsz;
	uint64_t align;
	bool exec;
};

enum load_type { LOAD_REL, LOAD_EXEC, LOAD_DYN, LOAD_OTHER };

/* The program headers of an ELF file. */
struct load_layout {
	enum load_type type;
	const struct load_segment *segment;
	size_t n_segment;
	uint64_t text; /* address of section .text, 0 without one */
};

/* Where a part of the file was mapped. */
struct load_mapping {
	uint64_t start, limit, offset;
	bool has_kernel_symbol; /* kernel_symbol is known */
	uint64_t kernel_symbol; /* value of _stext (or _text) in the file */
};

/*
 * Does load_base() need the value of the kernel's relocation symbol for a
 * mapping of this file? Reading the symbol table for it takes time.
 */
bool load_wants_kernel_symbol(const char *file, const struct load_mapping *m);

/*
 * The base of mapping m: file address = address - *base, modulo 2^64. address
 * is inside the mapping and selects one of several segments in a page.
 * PROF_EINVALID if no segment of the file fits the mapping.
 */
enum prof_status load_base(const struct load_layout *f,
			   const struct load_mapping *m, uint64_t address,
			   uint64_t *base, struct prof_err *err) MUST_USE;

#endif
