/*
 * labels.h - labels with a meaning: units of numeric labels, and the label of
 * the base samples of a difference.
 */
#ifndef LABELS_H
#define LABELS_H

#include <stdbool.h>
#include <stdint.h>

struct label;
struct profile;
struct sample;

/*
 * Producers often omit the unit of a numeric label; then the unit that other
 * samples have for its key is used.
 */
struct label_units {
	const struct profile *p;
	uint32_t *unit; /* by key (string): the first unit seen, or 0 */
	uint32_t base;  /* the key "pprof::base", or STRTAB_NONE */
};

/* Look through the labels of p. Returns -1 without memory. */
int label_units_init(struct label_units *u, const struct profile *p);
void label_units_release(struct label_units *u);

/*
 * The unit of numeric label l: its own; else that of the first label with its
 * key that has one; else bytes for "alignment" and "request", as in tcmalloc;
 * else the key itself (a label "bytes" is in bytes).
 */
const char *label_unit(const struct label_units *u, const struct label *l);

/*
 * The label of the base: prof-diff --diff-base, like pprof, negates the samples
 * of the base and labels them pprof::base=true, so that both sides can be told
 * apart in one profile.
 */
struct base_mark {
	uint32_t key, value; /* strings; STRTAB_NONE: not in the profile */
};

struct base_mark base_mark_of(const struct profile *p);
bool base_mark_on(const struct base_mark *m, const struct profile *p,
		  const struct sample *s);

/*
 * For graph_options.leave_out: true for the samples of the base or, if base is
 * false, for all others. The caller's, to free(); NULL without memory.
 */
bool *base_mark_samples(const struct profile *p, bool base);

/* Is the profile a difference: does any of its samples have the mark? */
bool profile_has_base(const struct profile *p);

#endif
