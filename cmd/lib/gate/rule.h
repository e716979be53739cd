/*
 * rule.h - limits that the user sets on functions: the rules of a budget file.
 *
 *	parse_json cum <= 5% of total	# to the end of line
 *	"operator<" flat <= 30ms
 *	main <= +3%
 *	/^json::/ <= 20% of total	# all of them together
 *
 * A number with a sign limits the change, one without the value in new. A
 * percentage of a change is of the function's value in base, or with "of total"
 * of the total in base; a percentage of a value is of the total in new. Other
 * numbers need a unit, unless values are counts.
 */
#ifndef GATE_RULE_H
#define GATE_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "gate.h"
#include "lib/base/status.h"

#define RULE_MAX_LINE 4096   /* bytes of a line of a budget file */
#define RULE_MAX_BUDGET 1000 /* rules in a budget file */

struct rule_limit {
	enum gate_kind kind;
	bool is_strict; /* < instead of <= */
	bool is_change;
	bool is_percent;
	bool of_total;
	double number; /* percent: as written; else in the unit below */
	char unit[16]; /* "": that of the profile */
};

enum rule_answer { RULE_KEPT, RULE_UNSURE, RULE_BROKEN, RULE_NO_FUNCTION };

struct rule_budget {
	char *name;    /* as reports show it */
	char *pattern; /* names a group of functions; NULL: name is one */
	struct rule_limit limit;
	unsigned line; /* of the file */
	/* Set by rule_check(). */
	enum rule_answer answer;
	double value, low, high; /* of the limited quantity */
	double bound;            /* the limit, in the same unit */
	double whole;            /* what 100 % is, of a limit in percent */
};

struct rule_budgets {
	struct rule_budget *rule;
	size_t n_rule;
};

/*
 * Parse a budget file. PROF_EUSAGE names the line. Call rule_budgets_release()
 * even on failure.
 */
enum prof_status rule_budgets_parse(const char *text, size_t n,
				    struct rule_budgets *b,
				    struct prof_err *err) MUST_USE;
void rule_budgets_release(struct rule_budgets *b);

/* Sets *matches if name is in the group of rule i, which has a pattern. */
struct rule_matcher {
	enum prof_status (*matches)(void *ctx, size_t i, const struct str *name,
				    bool *matches, struct prof_err *err);
	void *ctx;
};

/*
 * Check each budget. It is broken if its limit lies outside the confidence
 * interval, at a level shared by all rules, and unsure if the limit lies
 * inside. A sample that several functions of a group share counts once.
 * PROF_EUSAGE: a unit does not fit; PROF_ENOMEM, or the error of the matcher.
 */
enum prof_status rule_check(struct rule_budgets *b, const struct gate *g,
			    const struct rule_matcher *matcher,
			    struct prof_err *err) MUST_USE;

#endif
