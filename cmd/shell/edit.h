/*
 * edit.h - read the lines of a session: edited at a terminal, with a persistent
 * history; plain from a pipe or a file. The only module that uses libedit;
 * without it, lines at a terminal are plain, too.
 */
#ifndef SHELL_EDIT_H
#define SHELL_EDIT_H

struct edit;
struct session;

/*
 * Read lines from descriptor fd, with completion for s. If s is at a terminal,
 * prints a prompt (on standard output if that is a terminal, too), and Ctrl-C
 * drops the current line. Dies without memory.
 */
struct edit *edit_new(const struct session *s, int fd);

/* The next line without its newline, for free(); NULL at the end. */
char *edit_line(struct edit *e);

/* Does not save the history: each line was saved at once. */
void edit_free(struct edit *e);

#endif
