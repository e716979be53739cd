/*
 * draw.h - the call graph of a profile that was read, as DOT or as a picture.
 * What is drawn, and how, is in lib/report/dot.c; Graphviz is behind render.h.
 */
#ifndef DRAW_H
#define DRAW_H

struct cli;
struct dot_settings;
struct profile;

/*
 * Write the drawing that s asks for to the output of cli. p is filtered, and
 * freed; so is what s holds. Dies, also when the layout takes too long.
 */
void dot_draw(struct dot_settings *s, struct profile *p, struct cli *cli);

#endif
