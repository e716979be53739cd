/*
 * budget.h - the memory that a run may take. It grows with what the run reads:
 * a small input that unfolds into gigabytes is refused, whichever array, table
 * or library they would be in. The kernel keeps the account (RLIMIT_DATA, the
 * memory that is private and writable): past it an allocation fails, and
 * prof_nomem() says so. Address sanitizers reserve too much for any limit:
 * under them, all this does nothing.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* The least a run may take, and what it may take for each byte that is read. */
#define BUDGET_LEAST ((size_t)256 << 20)
#define BUDGET_PER_BYTE 256

/*
 * Begin with `bytes`, or BUDGET_LEAST if that is more; again to replace it. A
 * limit that the process was started with stays.
 */
void budget_begin(size_t bytes);

/* n bytes were read; nothing without budget_begin(). */
void budget_read(size_t n);

/* What a file takes of the disk: its holes cost nothing to make. */
uint64_t budget_file_bytes(const struct stat *sb);

/* A file was opened, to be read or mapped: the bytes of now grow by those. */
void budget_file(const struct stat *sb);

/* The bytes of now; SIZE_MAX without budget_begin(). */
size_t budget_bytes(void);

/* No limit any more: before another program is executed. */
void budget_end(void);

#endif
