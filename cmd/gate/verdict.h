/* verdict.h - from the operands of prof-gate to its report and exit status. */
#ifndef GATE_VERDICT_H
#define GATE_VERDICT_H

struct cli;
struct gate_settings;

/*
 * Read the sides that s has chosen, judge them, and print the report to the
 * output of cli. Returns the exit status. What s holds is freed. Dies.
 */
int gate_run(struct gate_settings *s, struct cli *cli);

#endif
