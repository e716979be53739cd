/*
 * file.h - the DWARF sections of one ELF file, and the list of its units. Here
 * only file.c, split.c and cfi.c use libelf.
 */
#ifndef DWARF_FILE_H
#define DWARF_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "read.h"
#include "symbols/elf/object.h"

/* The sections that are read; in a .dwo or .dwp file those named *.dwo. */
enum dwarf_section {
	DWARF_ABBREV,
	DWARF_ADDR,
	DWARF_CU_INDEX, /* of a .dwp */
	DWARF_INFO,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_N_SECTION,
};

struct dwarf_bytes {
	const uint8_t *data; /* never NULL */
	size_t n;
};

struct dwarf_unit;

struct dwarf_file {
	struct dwarf_bytes section[DWARF_N_SECTION];
	void *owned[DWARF_N_SECTION]; /* to be freed, where they are not the
				       * file's own */
	bool big_endian;
	const struct dwarf_file *sup; /* of dwz, or NULL */
	struct dwarf_unit *unit;      /* ascending offsets */
	size_t n_unit;
	size_t size; /* of all sections */
};

/*
 * How much work may still be done for one object: hostile files refer to one
 * long list again and again. In bytes, or work that takes as long as a byte.
 * Shared by threads.
 */
struct dwarf_budget {
	_Atomic int64_t left;
};

/* Charge n. false: the budget is exhausted. */
static inline bool
budget_spend(struct dwarf_budget *b, uint64_t n)
{
	int64_t some = n < INT64_MAX / 4 ? (int64_t)n : INT64_MAX / 4;
	int64_t left = atomic_load_explicit(&b->left, memory_order_relaxed);

	if (left < 0)
		return false;
	return atomic_fetch_sub_explicit(&b->left, some,
					 memory_order_relaxed) >= some;
}

/*
 * Allow as much work as a file of this size may need: far more than the output
 * of any compiler does.
 */
static inline void
budget_add(struct dwarf_budget *b, uint64_t size)
{
	if (size < INT64_MAX / 64)
		atomic_fetch_add_explicit(&b->left, 8 * (int64_t)size,
					  memory_order_relaxed);
}

/*
 * Find the sections of o, unpacked if needed; with dwo the split ones. o must
 * outlive f. Units are not read yet. false: o is damaged.
 */
bool dwarf_file_init(struct dwarf_file *f, const struct object *o,
		     bool dwo) MUST_USE;
void dwarf_file_release(struct dwarf_file *f);

/* A cursor at an offset in a section; past the end: a bad cursor. */
static inline struct cursor
dwarf_at(const struct dwarf_file *f, enum dwarf_section s, uint64_t offset)
{
	const struct dwarf_bytes *b = &f->section[s];
	struct cursor c = { b->data, b->data + b->n, f->big_endian, false };

	cursor_skip(&c, offset);
	return c;
}

/* A string of a section of strings; NULL past its end. */
static inline const char *
dwarf_string(const struct dwarf_file *f, enum dwarf_section s, uint64_t offset)
{
	const struct dwarf_bytes *b = &f->section[s];

	return offset < b->n ? (const char *)b->data + offset : NULL;
}

#endif
