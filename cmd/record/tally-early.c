/* tally-early.c - what programs used before sampling began in them. */
#include "config.h"

#include <stdlib.h>

#include "lib/model/account.h"
#include "tally-int.h"

void
tally_early(struct tally *t, uint32_t process, uint64_t ns)
{
	if (ns && tally_reserve(t, &t->early, &t->room_early, t->n_early, 1,
				sizeof(*t->early)))
		t->early[t->n_early++] = (struct early){ process, ns };
}

/* An early time with what orders those of a process. */
struct step {
	int32_t pid;
	size_t i; /* of its arrival */
};

static int
compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* The sampled time of each process, by index; NULL without memory. */
static uint64_t *
sampled_times(const struct tally *t, uint64_t period_ns)
{
	uint64_t *ns = calloc(t->n_process + 1, sizeof(*ns));

	for (size_t i = 0; ns && i < t->n_stack; i++)
		if (t->stack[i].process != PROF_NONE)
			ns[t->stack[i].process] += (uint64_t)tally_times(
				t->stack[i].ticks, period_ns);
	return ns;
}

/*
 * A process may execute several programs, one after another: the time of each
 * early record includes that of the ones before, sampled or not.
 */
static void
fill_shares(const struct tally *t, const struct step *step,
	    const uint64_t *sampled, struct account_share *share)
{
	uint64_t known = 0;

	for (size_t i = 0; i < t->n_early; i++) {
		const struct early *e = &t->early[step[i].i];
		const struct process *p = &t->process[e->process];

		if (i == 0 || step[i].pid != step[i - 1].pid)
			known = 0;
		share[i].name = t->strings.str[p->name].s;
		share[i].ns = e->ns > known ? e->ns - known : 0;
		known += share[i].ns + sampled[e->process];
	}
}

bool
tally_early_shares(const struct tally *t, uint64_t period_ns,
		   struct account_share **out, size_t *n)
{
	struct step *step = calloc(t->n_early + 1, sizeof(*step));
	uint64_t *sampled = sampled_times(t, period_ns);

	*n = t->n_early;
	*out = calloc(t->n_early + 1, sizeof(**out));
	for (size_t i = 0; step && i < t->n_early; i++)
		step[i] =
			(struct step){ t->process[t->early[i].process].pid, i };
	if (step && sampled && *out) {
		qsort(step, t->n_early, sizeof(*step), compare_steps);
		fill_shares(t, step, sampled, *out);
	} else {
		free(*out);
		*out = NULL;
	}
	free(step);
	free(sampled);
	return *out != NULL;
}

const char *
tally_only_name(const struct tally *t)
{
	for (size_t i = 1; i < t->n_process; i++)
		if (t->process[i].name != t->process[0].name)
			return NULL;
	return t->n_process ? t->strings.str[t->process[0].name].s : NULL;
}
