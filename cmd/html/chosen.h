/*
 * chosen.h - the functions whose source and instructions go into the page: the
 * heaviest, and those that a caller names.
 */
#ifndef CHOSEN_H
#define CHOSEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct match;
struct pack;
struct report;
struct servers;
struct sources;

/* The choice, and where the code of these functions is looked for. */
struct page_code {
	size_t n_source, n_asm; /* how many, the heaviest */
	size_t max_text;        /* bytes of their lines */
	/* Also all functions with such a name, of any size; may be NULL. */
	struct match *match;
	/* Or, with has_address: the function at it; see code/assembly.h. */
	bool has_address;
	uint64_t address;
	const char *object;
	bool *is_at; /* by string of the profile: its names; of insns_add() */
	const char *pattern;     /* of these two: as the user wrote it */
	struct sources *sources; /* NULL: those that a page may show */
	struct servers *servers; /* of binaries; may be NULL */
	const char *search_path; /* of them; NULL: the environment's */
	bool intel;
};

/* Names of functions. */
struct chosen {
	const struct report *r;
	const struct page_code *code;
	uint32_t *rank; /* by string of the profile: 0 is not one of them */
};

/*
 * For source text, the code->n_source functions of own code with the largest
 * totals, then others with the largest values of their own, at least 0.5 % of
 * the sum. For instructions, the code->n_asm whose code the largest values are
 * in, or are called from as the innermost own code; an inlined function counts
 * for the one that holds its code. Values are the report's column, without
 * sign. Equal ones are by name. End with
 * chosen_release(), also after an error. PROF_ENOMEM.
 */
enum prof_status chosen_init(struct chosen *h, const struct report *r,
			     const struct page_code *code,
			     const struct pack *pack, bool is_source,
			     struct prof_err *err) MUST_USE;
void chosen_release(struct chosen *h);

/* Does the code ask for functions, rather than for the heaviest alone? */
bool chosen_asks(const struct page_code *code);

/* Does it ask for the name of n bytes? Dies when the pattern takes too long. */
bool chosen_is_asked(const struct chosen *h, const char *name, size_t n);

/* 1 is the heaviest; 0: not one of the heaviest. */
uint32_t chosen_rank(const struct chosen *h, const char *name, size_t n);

/* Is it one of either? */
bool chosen_has(const struct chosen *h, const char *name, size_t n);

#endif
