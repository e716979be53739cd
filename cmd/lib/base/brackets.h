/* brackets.h - the brackets of templates and generics in names. */
#ifndef BRACKETS_H
#define BRACKETS_H

#include <stddef.h>
#include <stdint.h>

/*
 * For each '<' of the n bytes at s, by its offset: the offset past the '>' that
 * closes it, or 0. Other entries are 0. In parentheses they are comparisons, or
 * pairs, and the arrow of "fn() -> T" is none. For free(). NULL without memory.
 */
uint32_t *brackets_match(const char *s, size_t n);

#endif
