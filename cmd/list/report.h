/*
 * report.h - the views of prof-list on a profile that was read. Numbers:
 * lib/report/listing.h; files: sources.h; what is printed: print.h.
 */
#ifndef LIST_REPORT_H
#define LIST_REPORT_H

struct cli;
struct list_settings;
struct profile;

/*
 * Print the view that s asks for to the output of cli. p is filtered, and
 * freed; so is what s holds. Dies.
 */
void list_report(struct list_settings *s, struct profile *p, struct cli *cli);

#endif
