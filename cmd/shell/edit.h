/*
 * edit.h - the lines of a session: edited at a terminal, with a history that
 * outlives the session; plain from a pipe or a file. The only module that knows
 * libedit, without which a terminal has plain lines, too.
 */
#ifndef SHELL_EDIT_H
#define SHELL_EDIT_H

struct edit;
struct session;

/*
 * Lines of descriptor fd, completed as s allows. At a terminal (s says so) the
 * prompt is printed (on standard output if that is one, too), and Ctrl-C drops
 * the line that is being typed. Dies without memory.
 */
struct edit *edit_new(const struct session *s, int fd);

/* The next line without its newline, for free(); NULL at the end. */
char *edit_line(struct edit *e);

/* The history is on disk already. */
void edit_free(struct edit *e);

#endif
