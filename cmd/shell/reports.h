/*
 * reports.h - reports of the other commands, for the table in commands.c; see
 * struct command.
 */
#ifndef SHELL_REPORTS_H
#define SHELL_REPORTS_H

struct cli;
struct profile;
struct session;

int reports_text(struct cli *cli, struct profile *p);
int reports_dot(struct cli *cli, struct profile *p);
int reports_list(struct cli *cli, struct profile *p);
int reports_flame(struct cli *cli, struct profile *p);
int reports_html(struct cli *cli, struct profile *p);
int reports_callgrind(struct cli *cli, struct profile *p);
int reports_proto(struct cli *cli, struct profile *p);

/* The rows of the table as samples of one frame; the types are cum and flat. */
int reports_topproto(struct cli *cli, struct profile *p);

/* The operands are the base, read and filtered as the session's profile was. */
int reports_diff(struct cli *cli, const struct session *session);
int reports_gate(struct cli *cli, const struct session *session);

#endif
