/* label.h - function names cut to the room that a box has. */
#ifndef FLAME_LABEL_H
#define FLAME_LABEL_H

#include <stddef.h>

#include "lib/base/buf.h"

/*
 * Put in out, which is emptied first, the longest form of a printable UTF-8
 * name of n bytes that fills at most `columns` (two for a wide character): the
 * name; without parameters and package (shorten.h); without class after class,
 * as long as something is left; the beginning with "…". Nothing below 3
 * columns. Returns -1 without memory.
 */
int flame_label(const char *name, size_t n, size_t columns, struct buf *out);

#endif
