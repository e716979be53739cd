/* note.c - see note.h. */
#include "config.h"

#include "note.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "section.h"

static uint32_t
read_u32(const uint8_t *p, bool is_big_endian)
{
	return is_big_endian ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
				       (uint32_t)p[2] << 8 | p[3]
			     : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
				       (uint32_t)p[1] << 8 | p[0];
}

static size_t
align_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

bool
note_build_id(const uint8_t *data, size_t n, size_t align, bool is_big_endian,
	      char *id)
{
	enum { HEAD = 12 }; /* sizes of name and content, type */

	*id = '\0';
	align = align == 8 ? 8 : 4;
	while (n >= HEAD) {
		size_t n_name = read_u32(data, is_big_endian);
		size_t n_content = read_u32(data + 4, is_big_endian);
		uint32_t type = read_u32(data + 8, is_big_endian);
		size_t content, next;

		if (n_name > n - HEAD)
			break;
		content = align_up(HEAD + n_name, align);
		if (content > n || n_content > n - content)
			break;
		if (type == NT_GNU_BUILD_ID && n_name == 4 && n_content &&
		    !memcmp(data + HEAD, "GNU", 4)) {
			if (n_content > NOTE_MAX_BUILD_ID)
				n_content = NOTE_MAX_BUILD_ID;
			for (size_t i = 0; i < n_content; i++)
				snprintf(id + 2 * i, 3, "%02x",
					 data[content + i]);
			return true;
		}
		next = align_up(content + n_content, align);
		if (next >= n)
			break;
		data += next;
		n -= next;
	}
	return false;
}

static bool
is_big_endian(Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);

	return ident && ident[EI_DATA] == ELFDATA2MSB;
}

bool
note_find_build_id(Elf *elf, char *id)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Phdr ph;
	size_t n = 0;

	*id = '\0';
	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf &&
		    note_build_id(data->d_buf, data->d_size, sh.sh_addralign,
				  is_big_endian(elf), id))
			return true;
	}
	if (elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset,
					    ph.p_filesz, ELF_T_BYTE);
		if (data && data->d_buf &&
		    note_build_id(data->d_buf, data->d_size, ph.p_align,
				  is_big_endian(elf), id))
			return true;
	}
	return false;
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
	at = align_up(n + 1, 4);
	if (n == 0 || at > data->d_size || data->d_size - at < 4)
		return NULL;
	*crc = read_u32((const uint8_t *)name + at, is_big_endian(elf));
	return name;
}
