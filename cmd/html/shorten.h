/* shorten.h - a script without what only its readers need; used by the build.
 */
#ifndef HTML_SHORTEN_H
#define HTML_SHORTEN_H

#include <stddef.h>

/*
 * Give the script s, n bytes and a NUL, as one function, without comments and
 * blanks, and with short names for its variables; properties keep theirs, as
 * browsers, the data and tests know them. The result is allocated and ends in a
 * NUL. Every statement of s ends in ';' or '}' and none is empty. Exits with a
 * message if s has a template, whose blanks may count, or a string without an
 * end.
 */
char *script_shorten(const char *s, size_t n);

#endif
