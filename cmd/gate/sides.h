/*
 * sides.h - the operands of prof-gate: BASE... -- NEW..., read, filtered and
 * made comparable.
 */
#ifndef GATE_SIDES_H
#define GATE_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"
#include "cli/refine.h"
#include "lib/gate/gate.h"

enum scale {
	SCALE_NONE,
	SCALE_TOTAL,
	SCALE_DURATION,
	SCALE_OPS,
	SCALE_MACHINE
};

struct scale_option {
	enum scale kind;
	double ops; /* operations of a new run per operation of base */
};

struct side_input {
	const char *name;
	enum gate_side side;
	struct profile *p; /* NULL: it is read by its name */
};

struct sides {
	struct side_input *input;
	size_t n_input;
	const char **baseline; /* of --baseline: files */
	size_t n_baseline;
	const char *archive;      /* of --baseline: a folder, or NULL */
	size_t n_session;         /* of it to take, at most ... */
	size_t n_archived;        /* and runs of each */
	char **archived;          /* files of it; own their names in input */
	bool may_repeat;          /* a run may be given twice, for budgets */
	bool allow_rates;         /* sampling rates may differ by any factor */
	const char *sample_index; /* NULL: the default */
	struct scale_option scale;
	struct refine refine;
};

/* Take the argument of --scale. Dies. */
void scale_parse(struct scale_option *s, struct cli *cli);
const char *scale_name(enum scale s);

/* One more --baseline. Dies of a second folder. */
void sides_baseline(struct sides *s, const char *name);

/*
 * Split the operands into base and new, at the first "--" of argv, the
 * arguments of main(), or by --baseline. Call it after the last option. Dies.
 */
void sides_choose(struct sides *s, struct cli *cli, int argc, char **argv);

/*
 * Print an order of n runs of each side, a line for each run: "old" or "new",
 * its number, and the words after the first or the second "--" of argv. Which
 * side goes first changes from pair to pair, so that a machine that grows warm
 * or busy does so to both. Dies.
 */
void sides_plan(size_t n, struct cli *cli, int argc, char **argv);

/*
 * Read the profiles one by one, sum and filter them, and add them to g. Reports
 * how the sides differ. Dies.
 */
void sides_read(const struct sides *s, struct cli *cli, struct gate *g);

void sides_release(struct sides *s);

#endif
