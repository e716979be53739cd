/*
 * chosen.h - the functions whose source and instructions go into the page:
 * those with the largest values of their own, or those that a caller names.
 */
#ifndef CHOSEN_H
#define CHOSEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct report;
struct servers;
struct sources;

/* The choice, and where the code of these functions is looked for. */
struct page_code {
	size_t n_source, n_asm; /* how many, the hottest */
	/* If not NULL: instead, all functions whose name it accepts. */
	bool (*wants)(const char *name, size_t n, void *ctx);
	void *ctx;
	/* Then, with has_address: the function at it; see code/assembly.h. */
	bool has_address;
	uint64_t address;
	const char *object;
	bool *is_at; /* by string of the profile: its names; of insns_add() */
	const char *pattern;     /* then: what the user asked for */
	struct sources *sources; /* NULL: those that a page may show */
	struct servers *servers; /* of binaries; may be NULL */
	const char *search_path; /* of them; NULL: the environment's */
	bool intel;
};

/* Names of functions. */
struct chosen {
	const struct report *r;
	const struct page_code *code;
	bool *is_hot; /* by string of the profile; NULL: code->wants */
};

/*
 * What code->wants accepts; or the n names with the largest sums (without sign,
 * in the report's column) of samples that end in them; equal ones by name.
 * is_physical: an inlined function counts for the one that holds its code. End
 * with chosen_release(), also after an error. PROF_ENOMEM.
 */
enum prof_status chosen_init(struct chosen *h, const struct report *r,
			     const struct page_code *code, size_t n,
			     bool is_physical, struct prof_err *err) MUST_USE;
void chosen_release(struct chosen *h);

/* Is the name of n bytes one of them? */
bool chosen_has(const struct chosen *h, const char *name, size_t n);

#endif
