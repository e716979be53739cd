/*
 * make.h - a profile that was read as one page: pack.h makes its data, page.h
 * the file; what it does in a browser is in js/.
 */
#ifndef HTML_MAKE_H
#define HTML_MAKE_H

struct cli;
struct html_settings;
struct profile;

/*
 * Write the page that s asks for to the output of cli. p is filtered and
 * freed; so are the members of s, except s->opened. Dies.
 */
void html_make(struct html_settings *s, struct profile *p, struct cli *cli);

#endif
