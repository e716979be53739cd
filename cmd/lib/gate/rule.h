/*
 * rule.h - what the user says about functions: the condition of --fail-on
 * and the rules of a budget file.
 *
 *	condition	cum > +5% && (cum > 10ms || flat > +1% of total)
 *	budget		parse_json cum <= 5% of total	# to the end of line
 *			"operator<" flat <= 30ms
 *			main <= +3%
 *			/^json::/ <= 20% of total	# all of them together
 *
 * A number with a sign is the change, without one the value after. With % it is
 * relative: a change to the function's value before, or with "of total" to the
 * total before; a value to the total after. Else it has a unit, which only
 * counts can do without.
 */
#ifndef GATE_RULE_H
#define GATE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "gate.h"
#include "lib/base/status.h"

#define RULE_MAX_DEPTH 32    /* of parentheses */
#define RULE_MAX_LINE 4096   /* bytes of a line of a budget file */
#define RULE_MAX_BUDGET 1000 /* rules in a budget file */

enum rule_relation { RULE_LT, RULE_LE, RULE_GT, RULE_GE };

struct rule_limit {
	enum gate_kind kind;
	enum rule_relation relation;
	bool is_change;
	bool is_percent;
	bool of_total;
	double number; /* percent: as written; else in the unit below */
	char unit[16]; /* "": that of the profile */
};

/*
 * Is the condition in text true of a row? Of its estimates: that the row
 * changed at all is not the question here. Without g (and row) only the words
 * are looked at. PROF_EUSAGE says where the text is wrong, or that a unit does
 * not fit; PROF_ELIMIT.
 */
enum prof_status rule_holds(const char *text, const struct gate *g,
			    const struct gate_row *row, bool *holds,
			    struct prof_err *err) MUST_USE;

enum rule_answer { RULE_KEPT, RULE_UNSURE, RULE_BROKEN, RULE_NO_FUNCTION };

struct rule_budget {
	char *name;    /* as reports show it */
	char *pattern; /* of a group of functions; or NULL */
	struct rule_limit limit;
	unsigned line; /* of the file */
	/* Of rule_check(). */
	enum rule_answer answer;
	double value, low, high; /* of what the limit is about */
	double bound;            /* the limit, in the same unit */
};

struct rule_budgets {
	struct rule_budget *rule;
	size_t n_rule;
};

/*
 * Parse a budget file. PROF_EUSAGE names the line. To end with
 * rule_budgets_release(), whatever it returns.
 */
enum prof_status rule_budgets_parse(const char *text, size_t n,
				    struct rule_budgets *b,
				    struct prof_err *err) MUST_USE;
void rule_budgets_release(struct rule_budgets *b);

/* Is a name in the group of rule i, which has a pattern? *matches says. */
struct rule_matcher {
	enum prof_status (*matches)(void *ctx, size_t i, const struct str *name,
				    bool *matches, struct prof_err *err);
	void *ctx;
};

/*
 * Is each budget kept? Broken is one whose limit lies outside of what the
 * samples allow, at a level shared by all rules; unsure is one whose limit lies
 * inside. A group is what its samples say, each counted once. PROF_EUSAGE: a
 * unit does not fit; PROF_ENOMEM, or what the matcher says.
 */
enum prof_status rule_check(struct rule_budgets *b, const struct gate *g,
			    const struct gate_dist *d,
			    const struct rule_matcher *matcher,
			    struct prof_err *err) MUST_USE;

#endif
