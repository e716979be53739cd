/*
 * buildid.h - the GNU build-id, by which a linker names what it wrote. Format
 * of notes: elf(5).
 */
#ifndef BUILDID_H
#define BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 64 /* bytes: longer ones are cut */
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)

/*
 * Look for a build-id in n bytes of notes, whose parts begin at multiples of
 * align (4 or 8) and whose numbers are big-endian or not: in lower-case hex at
 * id, which has BUILD_ID_TEXT bytes. false, and "": there is none.
 */
bool build_id_in_notes(const uint8_t *data, size_t n, size_t align,
		       bool is_big_endian, char *id);

#endif
