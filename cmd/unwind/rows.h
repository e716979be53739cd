/*
 * rows.h - how to unwind the code of one ELF file: its .eh_frame, .debug_frame
 * and Go tables, compiled into rows (libsample/unwind/impl.h) for addresses of
 * the file. So all processes that run the file share them. The file is
 * untrusted.
 *
 * Nothing changes after rows_read(): any number of threads may use the rows.
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct elf_source;
struct machine;
struct confined;
struct unwind_pool;
struct rows;

/*
 * Compile the open file s: *out is the caller's, for rows_free(). A file
 * without unwind information has rows, too, without contents. PROF_EFORMAT: it
 * has no code, or 4 GiB of it; PROF_ELIMIT: a table of a few bytes that stands
 * for many rows; PROF_ENOMEM.
 */
enum prof_status rows_read(const struct elf_source *s, struct rows **out,
			   struct prof_err *err) MUST_USE;

/*
 * The same for the file in fd, which need not be one; build_id is the required
 * one, or "". PROF_EFORMAT; PROF_ENOTSUP: for another machine; PROF_EDIFFER:
 * another build-id.
 */
enum prof_status rows_of_file(int fd, const char *build_id, struct rows **out,
			      struct prof_err *err) MUST_USE;

/*
 * Write r to fd, and read what that process wrote from the other end of a pipe,
 * even if a stranger wrote it: what is not as rows_read() makes it is
 * PROF_EFORMAT. rows_send() returns -1 if fd fails.
 */
int rows_send(const struct rows *r, int fd);
enum prof_status rows_receive(struct confined *from, int fd, struct rows **out,
			      struct prof_err *err) MUST_USE;

/* NULL is allowed. */
void rows_free(struct rows *r);

/* The machine of its code. */
const struct machine *rows_machine(const struct rows *r);

/* The file's build-id in lower-case hex, or "". */
const char *rows_build_id(const struct rows *r);

/*
 * The number to subtract from an address in a mapping, which begins at start
 * with the file's byte at offset, to get an address of the file. false: that is
 * not code of the file.
 */
bool rows_bias(const struct rows *r, uint64_t start, uint64_t offset,
	       uint64_t *bias);

/* The word (libsample/unwind/impl.h) at an address of the file, and its
 * pool. */
uint32_t rows_word(const struct rows *r, uint64_t vaddr);
const struct unwind_pool *rows_pool(const struct rows *r);

/* For statistics: rows, functions not understood, bytes in use. */
struct rows_stats {
	size_t n_row;
	size_t n_refused;
	size_t n_bytes;
};
void rows_stats(const struct rows *r, struct rows_stats *out);

#endif
