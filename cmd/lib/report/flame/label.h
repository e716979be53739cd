/* label.h - cut function names to the width of a box. */
#ifndef FLAME_LABEL_H
#define FLAME_LABEL_H

#include <stddef.h>

#include "lib/base/buf.h"

/*
 * Set out to the longest form of a printable UTF-8 name of n bytes that fills
 * at most `columns` (two for a wide character): the name; without parameters
 * and package (shorten.h); without one class after the other, while something
 * is left; both ends of its last part around "…" (of the name, if it is that of
 * a file in brackets), from 5 columns on. May be empty. Returns -1 without
 * memory.
 */
int flame_label(const char *name, size_t n, size_t columns, struct buf *out);

#endif
