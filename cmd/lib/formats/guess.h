/*
 * guess.h - what a file looks like that is no profile, for messages: a name,
 * and what helps: "a zip archive; unpack it first".
 */
#ifndef GUESS_H
#define GUESS_H

#include <stdbool.h>
#include <stddef.h>

/* By first bytes that no profile has. NULL: none of those known. */
const char *guess_magic(const void *data, size_t n);

/* Do the first bytes have NULs, which no text has? */
bool guess_binary(const void *data, size_t n);

/*
 * By anything, for what could not be read as a profile: a file that begins like
 * text or an archive may be one. NULL: it looks like nothing known.
 */
const char *guess_any(const void *data, size_t n);

/* The length of a text that is one short line with a blank, as a server's error
 * is that was saved as a profile; else 0. */
size_t guess_sentence(const void *data, size_t n);

#endif
