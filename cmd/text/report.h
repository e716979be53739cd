/*
 * report.h - print the reports of prof-text; lib/report/text.h describes their
 * form.
 */
#ifndef TEXT_REPORT_H
#define TEXT_REPORT_H

struct cli;
struct profile;
struct text_settings;

/*
 * Print the report that s selects to the output of cli. Filters and frees p,
 * and frees the contents of s. Dies.
 */
void text_report(struct text_settings *s, struct profile *p, struct cli *cli);

#endif
