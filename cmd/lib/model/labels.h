/*
 * labels.h - labels with a meaning: the units of numeric labels, and the mark
 * of the samples that are the base of a difference.
 */
#ifndef LABELS_H
#define LABELS_H

#include <stdbool.h>
#include <stdint.h>

struct label;
struct profile;
struct sample;

/*
 * Producers often leave the unit out; then the unit that other samples have for
 * the same key is used.
 */
struct label_units {
	const struct profile *p;
	uint32_t *unit; /* of each key, by string: the first unit seen, or 0 */
	uint32_t base;  /* the key "pprof::base", or STRTAB_NONE */
};

/* Look through the labels of p. Returns -1 without memory. */
int label_units_init(struct label_units *u, const struct profile *p);
void label_units_release(struct label_units *u);

/*
 * The unit of numeric label l: its own; else that of the first label with its
 * key that has one; else bytes for "alignment" and "request", as tcmalloc
 * means them; else the key itself (a label "bytes" is in bytes).
 */
const char *label_unit(const struct label_units *u, const struct label *l);

/*
 * The mark of a base: prof-diff --diff-base, as pprof, negates the samples of
 * the base and labels them pprof::base=true, so that both sides can be told
 * apart in one profile.
 */
struct base_mark {
	uint32_t key, value; /* strings; STRTAB_NONE: not in the profile */
};

struct base_mark base_mark_of(const struct profile *p);
bool base_mark_on(const struct base_mark *m, const struct profile *p,
		  const struct sample *s);

/*
 * For graph_options.leave_out: true for each sample of the base, or with
 * base false for each other one. The caller's, to free(); NULL without memory.
 */
bool *base_mark_samples(const struct profile *p, bool base);

/* Is the profile a difference: does any of its samples have the mark? */
bool profile_has_base(const struct profile *p);

#endif
