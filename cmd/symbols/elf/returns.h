/*
 * returns.h - the ends of assembly functions without a size: behind a return
 * that is followed by padding. For x86-64.
 */
#ifndef RETURNS_H
#define RETURNS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a search; all 0 at first. */
struct returns {
	uint64_t start; /* of the function */
	uint64_t at;    /* no end was found before it */
	bool is_over;
	const uint8_t *code; /* of the section: n bytes, at address base */
	uint64_t base;
	size_t n;
	unsigned n_search; /* of sections */
};

/*
 * Does the function of elf that begins at start end before address a? Calls
 * with the same start must be consecutive, with ascending a, so that each byte
 * is examined once. false: no, or the file does not have the bytes.
 */
bool returns_before(struct returns *r, Elf *elf, uint64_t start, uint64_t a);

#endif
