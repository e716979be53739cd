/* totals.c - see totals.h. */
#include "config.h"

#include "totals.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "lib/model/profile.h"
#include "lib/report/report.h"

struct page_total *
totals_of(struct profile *p)
{
	struct page_total *total = calloc(p->n_type + 1, sizeof(*total));

	if (!total)
		die_nomem();
	for (size_t c = 0; c < p->n_type; c++) {
		struct report_options o = { 0 };
		struct report r;

		report_total(&r, p, c, &o);
		total[c] = (struct page_total){ r.total, r.before, r.after };
	}
	return total;
}
