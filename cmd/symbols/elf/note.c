/* note.c - see note.h. */
#include "config.h"

#include "note.h"

#include <endian.h>
#include <gelf.h>
#include <string.h>

#include "lib/base/buildid.h"
#include "section.h"

#define MAX_NOTES ((size_t)16 << 20) /* bytes: real files have some hundred */

static bool
is_big_endian(Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);

	return ident && ident[EI_DATA] == ELFDATA2MSB;
}

/* Thousands of headers may show the same bytes, each time read anew. */
static bool
may_read(size_t *room, uint64_t size)
{
	enum { HEADER = 4096 }; /* what one costs beside its bytes */

	if (*room < HEADER || size > *room - HEADER)
		return false;
	*room -= HEADER + size;
	return true;
}

static bool
find_in_segments(Elf *elf, char *id)
{
	size_t n = 0, room = MAX_NOTES;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return *id;
	for (size_t i = 0; i < n; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_NOTE ||
		    !may_read(&room, ph.p_filesz))
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset,
					    ph.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf &&
		    build_id_in_notes(data->d_buf, data->d_size, ph.p_align,
				      is_big_endian(elf), id))
			return true;
	}
	return *id;
}

bool
note_find_build_id(Elf *elf, char *id)
{
	size_t room = MAX_NOTES;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	*id = '\0';
	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE ||
		    !may_read(&room, sh.sh_size))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf &&
		    build_id_in_notes(data->d_buf, data->d_size,
				      sh.sh_addralign, is_big_endian(elf), id))
			return true;
	}
	return find_in_segments(elf, id);
}

bool
note_find_loaded_id(Elf *elf, char *id)
{
	*id = '\0';
	return find_in_segments(elf, id);
}

const char *
note_debuglink(Elf *elf, uint32_t *crc)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(elf, ".gnu_debuglink", 0, &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL;
	size_t n, at;

	if (!name)
		return NULL;
	n = strnlen(name, data->d_size);
	at = (n + 1 + 3) & ~(size_t)3;
	if (n == 0 || at > data->d_size || data->d_size - at < 4)
		return NULL;
	memcpy(crc, name + at, sizeof(*crc));
	*crc = is_big_endian(elf) ? be32toh(*crc) : le32toh(*crc);
	return name;
}

const char *
note_altlink(Elf *elf, char *id)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(elf, ".gnu_debugaltlink", 0, &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL;
	size_t at;

	*id = '\0';
	if (!name)
		return NULL;
	at = strnlen(name, data->d_size) + 1;
	if (at == 1 || at >= data->d_size || data->d_size - at < 2 ||
	    data->d_size - at > BUILD_ID_MAX)
		return NULL;
	build_id_hex((const uint8_t *)name + at, data->d_size - at, id);
	return name;
}
