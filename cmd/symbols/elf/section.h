/*
 * object-section.h - the bytes of a section as they are meant: unpacked, and
 * in a relocatable file with its relocations applied.
 */
#ifndef OBJECT_SECTION_H
#define OBJECT_SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct section_bytes {
	const uint8_t *data;
	size_t n;
	void *owned; /* to be freed, or NULL: it is the file's */
};

/*
 * Read a section whose header is sh. is_gnu: it is called .zdebug_*, and
 * compressed as was done before ELF said how. What it claims to unpack to is
 * bounded by the bytes that it has. false: it is damaged or of a kind that
 * this build can't read, or there is no memory.
 */
bool section_read(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, bool is_gnu,
		  struct section_bytes *out);

/*
 * In a relocatable file every section is at address 0. Those of code are at
 * their own place in what section_read() says: .text at 0, and others where
 * no address of a profile is.
 */
#define SECTION_ELSEWHERE (UINT64_C(1) << 56)

#endif
