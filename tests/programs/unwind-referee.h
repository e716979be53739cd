/*
 * unwind-referee.h - hold unwind_walk() against other unwinders at one
 * interrupted place: libgcc's _Unwind_Backtrace, and libunwind where it is.
 */
#ifndef UNWIND_REFEREE_H
#define UNWIND_REFEREE_H

#include <stdbool.h>
#include <stddef.h>

struct unwind_stack;

/* Counts of contexts. */
struct referee {
	unsigned long n;     /* compared */
	unsigned long equal; /* with libgcc, or else with libunwind */
	unsigned long more;  /* each found less, and nothing we did not find */
	unsigned long lost;  /* nobody got to the root; all say the same */
	unsigned long
		alone; /* the referees disagree, neither got to the root */
	unsigned long differ; /* all others */
	unsigned long n_shown, max_shown;
};

/* "N contexts, N equal, ..., N differ", for people and awk. Returns snprintf's
 * result. */
int referee_print(const struct referee *r, char *line, size_t size);

/*
 * Called in a signal handler with its ucontext_t: walk, compare, count.
 * Differences go to stderr as "# " lines with the stacks side by side.
 */
void referee_compare(struct referee *r, void *uc,
		     const struct unwind_stack *stack, size_t n_stack);

/* Find the unwinders; returns their names, for people. */
const char *referee_init(void);

#endif
