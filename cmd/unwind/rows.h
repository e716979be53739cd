/*
 * rows.h - how to unwind the code of one ELF file: its .eh_frame and
 * .debug_frame, and Go's tables, compiled into rows (libsample/unwind/impl.h)
 * that begin at addresses of the file. So all processes that run the file share
 * them. What is in a file is not to be trusted.
 *
 * Nothing changes after rows_read(): any number of threads may look up.
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct elf_source;
struct unwind_pool;
struct rows;

/*
 * Compile what s, open, has: the caller's, for rows_free(). A file without any
 * unwind information has rows, too, that answer nothing. PROF_EFORMAT: it has
 * no code, or 4 GiB; PROF_ENOMEM.
 */
enum prof_status rows_read(const struct elf_source *s, struct rows **out,
			   struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void rows_free(struct rows *r);

/* The file's build-id in lower-case hex, or "". */
const char *rows_build_id(const struct rows *r);

/*
 * What to take off an address in a mapping that begins at start with the file's
 * byte at offset, to get one of the file. false: no code of the file is there.
 */
bool rows_bias(const struct rows *r, uint64_t start, uint64_t offset,
	       uint64_t *bias);

/* The word (libsample/unwind/impl.h) at an address of the file, and the pool
 * that it refers to. */
uint32_t rows_word(const struct rows *r, uint64_t vaddr);
const struct unwind_pool *rows_pool(const struct rows *r);

/* For statistics: rows, functions that were not understood, bytes in use. */
struct rows_stats {
	size_t n_row;
	size_t n_refused;
	size_t n_bytes;
};
void rows_stats(const struct rows *r, struct rows_stats *out);

#endif
