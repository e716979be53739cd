/*
 * report.h - the report of prof-gate in five forms. One walk over the rows
 * (report.c) calls the hooks of a form; text common to the forms is made there,
 * too. Names are untrusted: each form escapes them in its own way.
 */
#ifndef GATE_REPORT_H
#define GATE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/escape.h"
#include "lib/gate/rule.h"
#include "sides.h"

/* The input of a report. */
struct gate_report {
	const struct gate *g;
	const struct rule_budgets *budgets;
	const bool *fails; /* of gate.order[i]: it fails the gate */
	bool total_fails;
	bool by_budgets; /* nothing but budgets fails */
	const char *budget_file;
	const char *root; /* the project's folder, without a final '/' */
	enum scale scale;
	size_t max_rows; /* 0: all */
	bool all;        /* unchanged and inconclusive functions, too */
	enum gate_verdict verdict; /* of the gate */
};

/* A row to be shown. */
struct gate_item {
	const struct gate_row *row;
	const struct gate_cell *c; /* the deciding one */
	bool fails;
	size_t i; /* 0: `row` is the total */
};

struct gate_form {
	enum escape escape;       /* of names */
	const char *open, *close; /* around them, or NULL */
	void (*begin)(FILE *out, const struct gate_report *r);
	void (*row)(FILE *out, const struct gate_report *r,
		    const struct gate_item *item);
	void (*budget)(FILE *out, const struct gate_report *r,
		       const struct rule_budget *b, size_t i);
	void (*end)(FILE *out, const struct gate_report *r);
	bool is_for_programs; /* show inconclusive rows, too, without limit */
};

extern const struct gate_form gate_text, gate_json, gate_markdown, gate_junit,
	gate_github;

void gate_print(FILE *out, const struct gate_report *r,
		const struct gate_form *f);

/* --- for the forms --- */

#define GATE_TEXT 96 /* room for a number as text */

/* Names in a log of GitHub's runner, which takes "##[" for a command. */
void gate_put_escaped(FILE *out, enum escape escape, const char *s, size_t n);

void gate_put_name(FILE *out, const struct gate_report *r,
		   const struct gate_form *f, uint32_t name);

/* "hash2 (was hash)" */
void gate_put_row_name(FILE *out, const struct gate_report *r,
		       const struct gate_form *f, const struct gate_row *row);

/* The path of a file: below the root of the project, if it is there. */
void gate_put_path(FILE *out, const struct gate_report *r, enum escape escape,
		   uint32_t file);

/* The numbers of a row as text. */
struct gate_columns {
	char before[GATE_TEXT], after[GATE_TEXT]; /* "1.20s" */
	char change[GATE_TEXT];                   /* "+20.0%", "new", "gone" */
	/* "+25.5% .. +31.1%" of before; values if that is 0 or small. */
	char interval[2 * GATE_TEXT + 8];
	char odds[GATE_TEXT]; /* of noise: "1 in 4000"; "-" if unremarkable */
};
void gate_columns(struct gate_columns *x, const struct gate_report *r,
		  const struct gate_cell *c);

const char *gate_kind_name(enum gate_kind k);
const char *gate_cause_name(const struct gate_cause *c);
const char *gate_answer_name(enum rule_answer a);

/* The verdict when nothing fails. */
enum gate_verdict gate_mildest(const struct gate *g,
			       const struct rule_budgets *b);

/* "regressed: f +20% (5s -> 6s), at f.c:10, and its callers main, work": the
 * verdict and what it is about, a line. */
void gate_put_headline(FILE *out, const struct gate_report *r,
		       const struct gate_form *f);

/* The word for a row's verdict: "regressed". */
const char *gate_row_verdict(const struct gate_row *row);

/* The basis of the verdict: sides, noise, family. A line. */
void gate_put_basis(FILE *out, const struct gate_report *r,
		    const struct gate_form *f);

/* Changes that are too small to be detected. A line. */
void gate_put_unseen(FILE *out, const struct gate_report *r,
		     const struct gate_form *f);

/* How many rows of each verdict, and how many are not shown. A line. */
void gate_put_counts(FILE *out, const struct gate_report *r,
		     const struct gate_form *f);

/* "+20.0% (+15.1% .. +24.9%), 6s -> 7.20s, 1 in 4000": a change. */
void gate_put_change(FILE *out, const struct gate_report *r,
		     const struct gate_cell *c, bool with_odds);

/* The explanations of a row, or its causes and the callers that it carries,
 * each between two texts. */
void gate_put_reasons(FILE *out, const struct gate_report *r,
		      const struct gate_form *f, const struct gate_row *row,
		      const char *before, const char *after);

/* A budget: "parse_json cum <= 5% of total: broken, is 7.1%". A line. */
void gate_put_budget(FILE *out, const struct gate_report *r,
		     const struct gate_form *f, const struct rule_budget *b);

#endif
