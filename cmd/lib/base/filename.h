/* filename.h - file names from untrusted strings. */
#ifndef FILENAME_H
#define FILENAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FILENAME_SAFE_MAX 128

/*
 * Make a file name, or a part of one, from the n bytes at s, n > 0. Different
 * bytes give different names. Letters, digits and _ - . stay, every other byte
 * becomes %XX; a long name ends in '~' and a hash. It is never empty and never
 * begins with a dot or a dash, so it is no folder, hidden file or option.
 */
void filename_safe(const char *s, size_t n, char name[FILENAME_SAFE_MAX]);

/* 64-bit FNV-1a of n bytes: the same everywhere and for ever, as names of files
 * must be, so strangers can make two that are equal. */
uint64_t filename_fnv(const char *s, size_t n);

/* Does name end in `end`, after something else? */
static inline bool
filename_ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/*
 * The ending in name that makes it the name of a profile in an archive: .pb,
 * .pb.gz, .pb.zst, .prof or .prof.gz after something else. NULL: it has none.
 */
const char *filename_ending(const char *name);

#endif
