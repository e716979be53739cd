/*
 * cfi.h - the address ranges of functions in .eh_frame, which has no names. The
 * format is that of the Linux Standard Base (10.6, exception frames).
 */
#ifndef CFI_H
#define CFI_H

#include <stddef.h>
#include <stdint.h>

struct code_range;
struct object;

/*
 * Call fn for each function, end exclusive, in the order of the section. Stops
 * at damaged data.
 */
void cfi_each(const struct object *o,
	      void (*fn)(void *ctx, uint64_t start, uint64_t end), void *ctx);

/* All functions, ascending by start. */
struct cfi_table {
	struct code_range *range;
	size_t n;
};

/*
 * Read all functions. Call cfi_release() even on failure. Returns -1 without
 * memory.
 */
int cfi_read(struct cfi_table *t, const struct object *o);
void cfi_release(struct cfi_table *t);

/* The function that contains address a, or NULL. */
const struct code_range *cfi_at(const struct cfi_table *t, uint64_t a);

/*
 * The latest end of code that begins at address a: the end of the function that
 * contains a, or the start of the next one.
 */
uint64_t cfi_limit(const struct cfi_table *t, uint64_t a);

#endif
