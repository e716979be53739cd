/*
 * buildid.h - the build-id, a linker's identifier for its output: GNU's or, in
 * programs without it, the last part of Go's, which is that of the contents.
 * Format of notes: elf(5).
 */
#ifndef BUILDID_H
#define BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64 /* bytes: longer ones are cut */
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)

/*
 * Find a build-id in n bytes of notes, which are aligned to align (4 or 8)
 * bytes and of the given byte order. Writes lower-case hex into id, of
 * BUILD_ID_TEXT bytes, which is "" at first. true: it is GNU's; other notes
 * need not be read.
 */
bool build_id_in_notes(const uint8_t *data, size_t n, size_t align,
		       bool is_big_endian, char *id);

/* Write n bytes as lower-case hex into id, of 2 * n + 1 bytes; at most
 * BUILD_ID_MAX of them. */
void build_id_hex(const uint8_t *data, size_t n, char *id);

#endif
