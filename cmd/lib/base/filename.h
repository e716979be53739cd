/* filename.h - names from strangers as names of files. */
#ifndef FILENAME_H
#define FILENAME_H

#include <stddef.h>

#define FILENAME_SAFE_MAX 128

/*
 * A file name, or a part of one, for the n bytes at s, n > 0, different for
 * each: letters, digits and _ - . stay, every other byte becomes %XX; a long
 * one ends in '~' and a hash. It is never empty and never begins with a dot or
 * a dash: no folder, no hidden file, no option.
 */
void filename_safe(const char *s, size_t n, char name[FILENAME_SAFE_MAX]);

#endif
