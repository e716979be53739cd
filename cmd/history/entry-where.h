/*
 * entry-where.h - the profiles for which the expression of --where is true
 * (lib/ops/where.h). Its keys are "build", "host" (the label, or else what the
 * path says) and string labels that all samples of a profile share.
 */
#ifndef HISTORY_ENTRY_WHERE_H
#define HISTORY_ENTRY_WHERE_H

#include "catalog.h"
#include "lib/ops/where.h"

enum choice {
	CHOICE_NO,
	CHOICE_YES,
	CHOICE_UNKNOWN, /* samples differ in a label that w asks for */
};

/*
 * Set choice[i], an enum choice, for each entry of b, a block of a.
 * PROF_ENOMEM, and errors of tests.
 */
enum prof_status entries_where(const struct where *w, const struct catalog *a,
			       const struct block *b, unsigned char *choice,
			       struct prof_err *err) MUST_USE;

#endif
