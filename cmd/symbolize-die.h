/*
 * symbolize-die.h - stepping over the entries of a DWARF unit, one after the
 * other, for symbolize-dwarf.c.
 */
#ifndef SYMBOLIZE_DIE_H
#define SYMBOLIZE_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "lib/status.h"

/* A way over a part of an entry; symbolize-die.c knows the kinds. */
struct step {
	int kind;
	uint32_t n;
};

/* What the entries of one abbreviation code are. */
struct abbrev {
	uint32_t code;
	uint32_t tag;
	uint32_t step, n_step; /* in abbrevs.step */
	bool has_children;
	bool has_code; /* a function that may have code */
};

/* The abbreviations of one unit; units may share them. All 0 at first. */
struct abbrevs {
	struct abbrev *abbrev; /* ascending codes */
	size_t n, cap;
	struct step *step;
	size_t n_step, cap_step;
	Dwarf *dw; /* whose they are, and where there */
	Dwarf_Off offset;
	bool big_endian;
	uint8_t version, addr_size, offset_size; /* of the unit */
};

/*
 * Read the abbreviations of the unit of cudie, unless they are there already.
 * *work goes down by the number of things looked at. PROF_EFORMAT when they
 * are damaged or too many; PROF_ENOMEM.
 */
enum prof_status abbrevs_read(struct abbrevs *a, Dwarf_Die *cudie,
			      uint64_t *work) MUST_USE;
void abbrevs_release(struct abbrevs *a);

/*
 * Step over the entry at *p, which ends before end. *out is its abbreviation,
 * NULL for the empty entry that ends a list of children. false: damaged.
 */
bool abbrevs_step(const struct abbrevs *a, const uint8_t **p,
		  const uint8_t *end, const struct abbrev **out);

/* Take n from *work. false, and *work is 0, when there is not so much. */
bool work_spend(uint64_t *work, uint64_t n);

/* Room for one more than n in a malloc'd array. -1 without memory. */
int array_grow(void *array, size_t *cap, size_t n, size_t size);

#endif
