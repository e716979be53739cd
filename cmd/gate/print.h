/*
 * print.h - the formats of prof-gate's report. Names come from strangers:
 * each format escapes them in its own way.
 */
#ifndef GATE_PRINT_H
#define GATE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/escape.h"
#include "lib/gate/rule.h"
#include "sides.h"

/* What a report is of. */
struct gate_report {
	const struct gate *g;
	const struct rule_budgets *budgets;
	const bool *fails; /* of gate.order[i]: it fails the gate */
	const char *budget_file;
	enum scale scale;
	size_t max_rows;           /* 0: all */
	bool all;                  /* unchanged functions, too */
	enum gate_verdict verdict; /* of the whole */
};

void gate_print_text(FILE *out, const struct gate_report *r);
void gate_print_json(FILE *out, const struct gate_report *r);
void gate_print_markdown(FILE *out, const struct gate_report *r);
void gate_print_junit(FILE *out, const struct gate_report *r);
void gate_print_github(FILE *out, const struct gate_report *r);

/* --- in print.c, for the formats --- */

#define GATE_TEXT 96 /* room for a number as text */

/* How many rows of gate.order to show. */
size_t gate_shown(const struct gate_report *r);

/* The i-th of them. */
static inline const struct gate_row *
gate_shown_row(const struct gate_report *r, size_t i)
{
	return &r->g->row[r->g->order[i]];
}

/* "caller", "inlined" and so on. */
const char *gate_cause_name(const struct gate_cause *c);

/* A value in the profile's unit: "1.20s"; with sign "+1.20s". */
const char *gate_number(char text[GATE_TEXT], const struct gate_report *r,
			double v, bool sign);

/* v / whole: "+20.0%", "new" or "gone" where whole or all of it is 0. */
const char *gate_percent(char text[GATE_TEXT], double v, double whole);

/* "flat" or "cum". */
const char *gate_kind_name(enum gate_kind k);

/* What the verdict rests on, in one line: sides, scale, method. */
void gate_print_basis(FILE *out, const struct gate_report *r);

/* "regressed: 1 of 24 functions (...)": the answer, in one line. */
void gate_print_answer(FILE *out, const struct gate_report *r);

/* What a row is about, in one line without its name: "cum 6s -> 7.20s ...". */
void gate_print_change(FILE *out, const struct gate_report *r,
		       const struct gate_row *row);

/* A budget, in one line: "parse_json cum <= 5% of total: broken, is 7.1%". */
void gate_print_budget(FILE *out, const struct gate_report *r,
		       const struct rule_budget *b, enum escape to);

const char *gate_answer_name(enum rule_answer a);

#endif
