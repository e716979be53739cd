/* verdict.h - from the operands of prof-gate to its report and exit status. */
#ifndef GATE_VERDICT_H
#define GATE_VERDICT_H

struct cli;
struct gate_settings;

/*
 * Read the sides of s, judge them, and print the report to the output of cli.
 * Returns the exit status and frees the contents of s. Dies.
 */
int gate_run(struct gate_settings *s, struct cli *cli);

#endif
