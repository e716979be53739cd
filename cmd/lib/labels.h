/*
 * labels.h - what the numbers of numeric labels are in. Producers often leave
 * the unit out, so what other samples say about the same key is used.
 */
#ifndef LABELS_H
#define LABELS_H

#include <stdint.h>

struct label;
struct profile;

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

#endif
