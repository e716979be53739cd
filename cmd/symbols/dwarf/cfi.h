/*
 * cfi.h - the functions that .eh_frame knows: their addresses, no names. The
 * format is that of the Linux Standard Base (10.6, exception frames).
 */
#ifndef CFI_H
#define CFI_H

#include <stddef.h>
#include <stdint.h>

struct code_range;
struct object;

/*
 * Call fn for each function, end exclusive, in the order of the section. What
 * is damaged ends the walk.
 */
void cfi_each(const struct object *o,
	      void (*fn)(void *ctx, uint64_t start, uint64_t end), void *ctx);

/* All functions, ascending by start. */
struct cfi_table {
	struct code_range *range;
	size_t n;
};

/*
 * Read them; *t is the caller's, for cfi_release(), in any case. -1 without
 * memory.
 */
int cfi_read(struct cfi_table *t, const struct object *o);
void cfi_release(struct cfi_table *t);

/* The function that has address a, or NULL. */
const struct code_range *cfi_at(const struct cfi_table *t, uint64_t a);

/*
 * How far code that begins at address a reaches at most: to the end of the
 * function that has a, or to where the next one begins.
 */
uint64_t cfi_limit(const struct cfi_table *t, uint64_t a);

#endif
