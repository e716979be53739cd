/*
 * gopcsp.h - the unwind information of Go programs: .gopclntab. It remains when
 * .debug_frame is stripped, because Go's runtime unwinds by it. Its pcsp tables
 * give for each instruction the distance of the stack pointer below the return
 * address (Go's runtime/symtab.go, struct _func).
 */
#ifndef GOPCSP_H
#define GOPCSP_H

#include <stdint.h>

#include "libsample/unwind/impl.h"

/* The word of code that goes to another stack, that of the thread: the
 * goroutine's is in no register and not in the copy. A step by it fails, as no
 * frame takes no space. */
#define GOPCSP_SWITCHED WORD_PACKED

struct cfi_rows;
struct elf_source;
struct unwind_pool;

/*
 * Compile the table of s, as Go 1.18 and later write it, into rows relative to
 * lo, for code in [lo, hi). *rows stays empty if the table is missing, older,
 * or damaged. Returns 0, ENOMEM, or EFBIG: it has more rows than bytes.
 */
int gopcsp_compile(const struct elf_source *s, uint64_t lo, uint64_t hi,
		   struct unwind_pool *pool, struct cfi_rows *rows);

#endif
