/*
 * report.h - the reports of prof-text on a profile that was read: from its
 * options to the text; lib/report/text.h says how they look.
 */
#ifndef TEXT_REPORT_H
#define TEXT_REPORT_H

struct cli;
struct profile;
struct text_settings;

/*
 * Print the report that s asks for to the output of cli. p is filtered, and
 * freed; so is what s holds. Dies.
 */
void text_report(struct text_settings *s, struct profile *p, struct cli *cli);

#endif
