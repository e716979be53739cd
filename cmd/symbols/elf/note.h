/*
 * note.h - what an ELF file says about its identity: the GNU build-id, in a
 * note, and the name of the file that its debug information was split off
 * into, in .gnu_debuglink. Formats: elf(5), and "Separate Debug Files" of gdb.
 */
#ifndef NOTE_H
#define NOTE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOTE_MAX_BUILD_ID 64 /* bytes: longer ones are cut */
#define NOTE_BUILD_ID_TEXT (2 * NOTE_MAX_BUILD_ID + 1)

/*
 * Look for a build-id in n bytes of notes, whose parts begin at multiples of
 * align (4 or 8) and whose numbers are big-endian or not: in lower-case hex at
 * id, which has NOTE_BUILD_ID_TEXT bytes. false, and "": there is none.
 */
bool note_build_id(const uint8_t *data, size_t n, size_t align,
		   bool is_big_endian, char *id);

/* The same for all notes of elf: those of its sections, then its segments. */
bool note_find_build_id(Elf *elf, char *id);

/*
 * The name in .gnu_debuglink, which is good as long as elf, and the checksum of
 * the file that it names. NULL: there is none.
 */
const char *note_debuglink(Elf *elf, uint32_t *crc);

#endif
