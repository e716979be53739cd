/*
 * draw.h - the call graph of a profile as DOT or as a picture. lib/report/dot.c
 * makes the drawing; render.h calls Graphviz.
 */
#ifndef DRAW_H
#define DRAW_H

struct cli;
struct dot_settings;
struct profile;

/*
 * Write the drawing that s selects to the output of cli. Filters and frees p,
 * and frees the contents of s. Dies, also if the layout takes too long.
 */
void dot_draw(struct dot_settings *s, struct profile *p, struct cli *cli);

#endif
