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

/*
 * The build-id in the notes of elf, those of its sections, then its segments:
 * in BUILD_ID_TEXT bytes (buildid.h). false, and "": there is none.
 */
bool note_find_build_id(Elf *elf, char *id);

/*
 * The name in .gnu_debuglink, which is good as long as elf, and the checksum of
 * the file that it names. NULL: there is none.
 */
const char *note_debuglink(Elf *elf, uint32_t *crc);

#endif
