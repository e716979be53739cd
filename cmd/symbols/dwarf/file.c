/* file.c - see file.h. */
#include "config.h"

#include "file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/section.h"

static const char *const names[DWARF_N_SECTION] = {
	[DWARF_ABBREV] = "abbrev",     [DWARF_ADDR] = "addr",
	[DWARF_CU_INDEX] = "cu_index", [DWARF_INFO] = "info",
	[DWARF_LINE] = "line",         [DWARF_LINE_STR] = "line_str",
	[DWARF_RANGES] = "ranges",     [DWARF_RNGLISTS] = "rnglists",
	[DWARF_STR] = "str",           [DWARF_STR_OFFSETS] = "str_offsets",
};

/* The section of this name; -1: one that is not read. */
static int
section_of(const char *name, bool dwo, bool *gnu_compressed)
{
	size_t n;

	*gnu_compressed = !strncmp(name, ".zdebug_", 8);
	if (*gnu_compressed)
		name += 8;
	else if (!strncmp(name, ".debug_", 7))
		name += 7;
	else
		return -1;
	for (int i = 0; i < DWARF_N_SECTION; i++) {
		n = strlen(names[i]);
		if (strncmp(name, names[i], n) != 0)
			continue;
		/* The index of a .dwp has no such suffix. */
		if (!strcmp(name + n, dwo && i != DWARF_CU_INDEX ? ".dwo" : ""))
			return i;
	}
	return -1;
}

bool
dwarf_file_init(struct dwarf_file *f, const struct object *o, bool dwo)
{
	Elf *elf = o->elf;
	static const uint8_t nothing[1] = { 0 };
	size_t index;
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;

	*f = (struct dwarf_file){ 0 };
	for (int i = 0; i < DWARF_N_SECTION; i++)
		f->section[i].data = nothing;
	if (!gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &index) != 0)
		return false;
	f->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	while ((scn = elf_nextscn(elf, scn))) {
		struct section_bytes bytes;
		const char *name;
		bool gnu;
		GElf_Shdr sh;
		int i;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, index, sh.sh_name);
		i = name ? section_of(name, dwo, &gnu) : -1;
		/* Damage: there is no such section. */
		if (i < 0 || f->section[i].n ||
		    !section_read(elf, scn, &sh, gnu, o->budget, &bytes))
			continue;
		f->section[i] = (struct dwarf_bytes){ bytes.data, bytes.n };
		f->owned[i] = bytes.owned;
	}
	for (int i = 0; i < DWARF_N_SECTION; i++) {
		struct dwarf_bytes *b = &f->section[i];

		/* Cut an unterminated end, so that every string has its NUL. */
		if (i == DWARF_STR || i == DWARF_LINE_STR)
			while (b->n && b->data[b->n - 1])
				b->n--;
		f->size += b->n;
	}
	return true;
}

void
dwarf_file_release(struct dwarf_file *f)
{
	for (int i = 0; i < DWARF_N_SECTION; i++)
		free(f->owned[i]);
	free(f->unit);
	*f = (struct dwarf_file){ 0 };
}
