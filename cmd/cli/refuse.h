/*
 * refuse.h - words that are no option of a command, and what the user may have
 * meant: another spelling, an option of another command, or one of pprof, which
 * is one program where there are many here.
 */
#ifndef REFUSE_H
#define REFUSE_H

#include <stdbool.h>

#include "cli.h"

/* Die of word, an option that getopt_long() did not accept. */
_Noreturn void refuse_option(const struct cli *cli, const char *word);

/*
 * Die of pprof's -http=:8080, which would be -h, and the like: as a word with
 * one dash only the name of a long option is meant, not letters.
 */
void refuse_one_dash(const struct cli *cli, const char *word);

/* The command, with its option, that does what the n bytes of name say; NULL:
 * none is known. */
const char *refuse_elsewhere(const char *name, size_t n);

/* Has another command the option that getopt_long() took here for an
 * abbreviation? --list is --list-options, --tags is --tagshow. */
bool refuse_is_elsewhere(const struct cli *cli, const char *word);

#endif
