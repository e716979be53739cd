/*
 * budget.c - any text as a budget file of prof-gate. Accepted rules are
 * consistent: a name, a pattern that is inside the name, a finite limit. The
 * file twice has all rules twice.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gate/rule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
check_rules(const struct rule_budgets *b)
{
	for (size_t i = 0; i < b->n_rule; i++) {
		const struct rule_budget *r = &b->rule[i];

		if (!r->name[0] || !isfinite(r->limit.number) || !r->line ||
		    (i && r->line <= r[-1].line) ||
		    (r->pattern && !strstr(r->name, r->pattern)))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(2 * n + 2);
	struct rule_budgets once, twice;
	struct prof_err err;

	if (!text || n > 65536)
		goto out;
	memcpy(text, data, n);
	text[n] = '\n';
	memcpy(text + n + 1, data, n);
	text[2 * n + 1] = '\0';
	if (rule_budgets_parse(text, n, &once, &err) == PROF_OK) {
		check_rules(&once);
		if (rule_budgets_parse(text, 2 * n + 1, &twice, &err) ==
		    PROF_OK) {
			check_rules(&twice);
			if (twice.n_rule != 2 * once.n_rule)
				abort();
		} else if (2 * once.n_rule <= RULE_MAX_BUDGET) {
			abort();
		}
		rule_budgets_release(&twice);
	}
	rule_budgets_release(&once);
out:
	free(text);
	return 0;
}
