/*
 * gopcsp.h - the unwind information of Go programs: .gopclntab, which is there
 * when .debug_frame has been stripped off, because Go's own runtime unwinds by
 * it. Its pcsp tables say for each instruction how far the stack pointer is
 * below the return address (Go's runtime/symtab.go, struct _func).
 */
#ifndef GOPCSP_H
#define GOPCSP_H

#include <stdint.h>

struct cfi_rows;
struct elf_source;
struct unwind_pool;

/*
 * Compile the table of s, as Go 1.18 and later write it, into rows that count
 * from lo, for code in [lo, hi). *rows stays empty if s has none, or another,
 * or a damaged one. -1 without memory.
 */
int gopcsp_compile(const struct elf_source *s, uint64_t lo, uint64_t hi,
		   struct unwind_pool *pool, struct cfi_rows *rows);

#endif
