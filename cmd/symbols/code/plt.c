/* plt.c - see plt.h. */
#include "config.h"

#include "plt.h"

#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "code.h"
#include "symbols/binary/binary.h"
#include "symbols/elf/object.h"

static bool
is_in_plt(Elf *elf, uint64_t a)
{
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || a < sh.sh_addr ||
		    a - sh.sh_addr >= sh.sh_size)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (name && !strncmp(name, ".plt", 4))
			return true;
	}
	return false;
}

static uint32_t
get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

/*
 * The slot that the stub jumps through: x86-64's are [endbr64] [bnd] jmp
 * *disp32(%rip), whatever the linker and its options.
 */
static bool
slot_x86_64(const uint8_t *p, size_t n, uint64_t a, uint64_t *slot)
{
	size_t at = 0;

	if (n >= 4 && get32(p) == 0xfa1e0ff3)
		at = 4;
	if (at < n && p[at] == 0xf2)
		at++;
	if (n - at < 6 || p[at] != 0xff || p[at + 1] != 0x25)
		return false;
	*slot = a + at + 6 + (uint64_t)(int64_t)(int32_t)get32(p + at + 2);
	return true;
}

/* AArch64's are [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET]. */
static bool
slot_aarch64(const uint8_t *p, size_t n, uint64_t a, uint64_t *slot)
{
	uint32_t adrp, ldr;
	int64_t page;

	if (n >= 4 && get32(p) == 0xd503245f) {
		p += 4;
		n -= 4;
		a += 4;
	}
	if (n < 8)
		return false;
	adrp = get32(p);
	ldr = get32(p + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 ||
	    (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (int64_t)(adrp >> 29 & 3) | (int64_t)(adrp >> 5 & 0x7ffff) << 2;
	if (page & 0x100000)
		page -= 0x200000;
	*slot = (a & ~(uint64_t)0xfff) + ((uint64_t)page << 12) +
		(uint64_t)(ldr >> 10 & 0xfff) * 8;
	return true;
}

/* The symbol that a relocation of section sh puts into slot. */
static const char *
symbol_in_slot(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, uint64_t slot)
{
	Elf_Scn *table = elf_getscn(elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
	GElf_Shdr table_sh;
	GElf_Rela rela;
	GElf_Sym sym;

	if (!data || !symbols || !gelf_getshdr(table, &table_sh) ||
	    sh->sh_entsize == 0)
		return NULL;
	for (size_t i = 0; i < data->d_size / sh->sh_entsize && i < INT_MAX;
	     i++) {
		if (!gelf_getrela(data, (int)i, &rela))
			return NULL;
		if (rela.r_offset != slot ||
		    GELF_R_SYM(rela.r_info) > INT_MAX ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		return elf_strptr(elf, table_sh.sh_link, sym.st_name);
	}
	return NULL;
}

const char *
plt_name(const struct binary *b, uint64_t a)
{
	Elf *elf = binary_object(b)->elf;
	struct disasm_machine m = code_machine(b);
	Elf_Scn *scn = NULL;
	const char *name = NULL;
	const uint8_t *p;
	uint64_t slot;
	GElf_Shdr sh;
	size_t n;

	if (!is_in_plt(elf, a))
		return NULL;
	p = code_bytes(b, a, &n);
	if (!p || !(m.machine == EM_X86_64    ? slot_x86_64(p, n, a, &slot)
		    : m.machine == EM_AARCH64 ? slot_aarch64(p, n, a, &slot)
					      : false))
		return NULL;
	while (!name && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
			name = symbol_in_slot(elf, scn, &sh, slot);
	return name && *name ? name : NULL;
}
