/*
 * draw.h - a profile that was read as a flame graph. The tree of stacks, the
 * layout and the drawing are in lib/report/flame/; what a box is called and
 * coloured, in naming.h.
 */
#ifndef FLAME_DRAW_H
#define FLAME_DRAW_H

struct cli;
struct flame_settings;
struct profile;

/*
 * Write the picture that s asks for to the output of cli. p is filtered and
 * freed; so are the members of s. Dies.
 */
void flame_draw(struct flame_settings *s, struct profile *p, struct cli *cli);

#endif
