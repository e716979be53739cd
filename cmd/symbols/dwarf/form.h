/*
 * form.h - the forms of attributes (DWARF 5, 7.5.5 and 7.5.6): their lengths
 * and values.
 */
#ifndef DWARF_FORM_H
#define DWARF_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "read.h"

/* The sizes of a unit, on which the length of some forms depends. */
struct dwarf_sizes {
	uint8_t version;
	uint8_t addr;
	uint8_t offset; /* 4, or 8 in 64-bit DWARF */
};

/* How to skip a form. */
enum form_kind {
	FORM_FIXED, /* of fixed size */
	FORM_LEB,
	FORM_STRING,
	FORM_BLOCK1, /* a length of 1 byte, and so many bytes */
	FORM_BLOCK2,
	FORM_BLOCK4,
	FORM_BLOCK_LEB,
	FORM_INDIRECT, /* a form's number, then that form */
};

/* false: an unknown form. *size is that of FORM_FIXED, else 0. */
bool form_shape(const struct dwarf_sizes *s, uint64_t form,
		enum form_kind *kind, uint32_t *size);

/* Skip a form of any kind but FORM_FIXED. */
void form_skip(const struct dwarf_sizes *s, struct cursor *c,
	       enum form_kind kind);

enum value_kind {
	VALUE_NONE, /* not used here */
	VALUE_NUMBER,
	VALUE_ADDR,
	VALUE_ADDR_INDEX, /* in .debug_addr */
	VALUE_STRING,
	VALUE_STR,       /* an offset in .debug_str */
	VALUE_LINE_STR,  /* ... .debug_line_str */
	VALUE_STR_SUP,   /* ... .debug_str of the supplementary file */
	VALUE_STR_INDEX, /* in .debug_str_offsets */
	VALUE_REF_UNIT,  /* an entry, by its distance from the unit */
	VALUE_REF,       /* ... its offset in .debug_info */
	VALUE_REF_SUP,   /* ... that of the supplementary file */
	VALUE_OFFSET,    /* in the section that the attribute implies */
	VALUE_RNGLIST_INDEX,
};

struct dwarf_value {
	enum value_kind kind;
	uint64_t u;
	const char *string; /* of VALUE_STRING */
};

/*
 * Read an attribute's form; constant is that of the abbreviation, for
 * DW_FORM_implicit_const. An unknown form makes the cursor bad.
 */
struct dwarf_value form_read(const struct dwarf_sizes *s, struct cursor *c,
			     uint64_t form, int64_t constant);

#endif
