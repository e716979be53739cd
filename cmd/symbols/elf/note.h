/*
 * note.h - the identity of an ELF file: its build-id, in a note, and the
 * names of its debug files, in .gnu_debuglink and .gnu_debugaltlink. Formats:
 * elf(5), and "Separate Debug Files" in the manual of gdb.
 */
#ifndef NOTE_H
#define NOTE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The build-id in the notes of elf's sections or, if they have none, segments,
 * into id: BUILD_ID_TEXT bytes (buildid.h). false, and "": there is none.
 */
bool note_find_build_id(Elf *elf, char *id);

/*
 * The same of its segments alone, which is what a process has in memory and the
 * recorder reads. Go's linker writes two, from 1.24 on, and GNU's is in a
 * section only.
 */
bool note_find_loaded_id(Elf *elf, char *id);

/*
 * The file name in .gnu_debuglink, valid as long as elf, and that file's
 * checksum. NULL: there is none.
 */
const char *note_debuglink(Elf *elf, uint32_t *crc);

/*
 * The same of .gnu_debugaltlink, for the common file of dwz(1), and that file's
 * build-id into id: BUILD_ID_TEXT bytes.
 */
const char *note_altlink(Elf *elf, char *id);

#endif
