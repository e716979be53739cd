/* plt.c - see plt.h. */
#include "config.h"

#include "plt.h"

#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A word of memory that the loader fills in with the address of a function. */
struct plt_slot {
	uint64_t address;
	const char *name;
};

/* --- reading --- */

static bool
is_slot(unsigned machine, uint64_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT;
	return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT;
}

/* The symbol of a relocation, or NULL. */
static const char *
name_of(Elf *elf, const GElf_Rela *rela, Elf_Data *symbols, size_t strings)
{
	const char *name;
	GElf_Sym sym;

	if (GELF_R_SYM(rela->r_info) == 0 ||
	    GELF_R_SYM(rela->r_info) > INT_MAX ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &sym))
		return NULL;
	name = elf_strptr(elf, strings, sym.st_name);
	return name && *name ? name : NULL;
}

/* Add the slots of the relocations in scn; is_lazy: it is .rela.plt. */
static int
add_slots(struct plt *p, Elf_Scn *scn, const GElf_Shdr *sh, bool is_lazy)
{
	Elf_Scn *table = elf_getscn(p->elf, sh->sh_link);
	Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
	Elf_Data *data = elf_getdata(scn, NULL);
	struct plt_slot *grown;
	GElf_Shdr table_sh;
	GElf_Rela rela;
	size_t n;

	if (!data || !symbols || !gelf_getshdr(table, &table_sh) ||
	    sh->sh_entsize == 0)
		return 0;
	n = data->d_size / sh->sh_entsize;
	if (n > INT_MAX)
		return 0;
	grown = reallocarray(p->slot, p->n_slot + n + 1, sizeof(*grown));
	if (!grown)
		return -1;
	p->slot = grown;
	if (is_lazy && !p->lazy) {
		p->lazy = calloc(n + 1, sizeof(*p->lazy));
		if (!p->lazy)
			return -1;
		p->n_lazy = n;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name;

		if (!gelf_getrela(data, (int)i, &rela) ||
		    !is_slot(p->machine, GELF_R_TYPE(rela.r_info)))
			continue;
		name = name_of(p->elf, &rela, symbols, table_sh.sh_link);
		if (name)
			p->slot[p->n_slot++] =
				(struct plt_slot){ rela.r_offset, name };
		if (is_lazy && i < p->n_lazy)
			p->lazy[i] = name;
	}
	return 0;
}

static int
cmp_slot(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* The bytes of a section of stubs, if the file has them. */
static void
add_section(struct plt *p, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data;

	/* Each is read into memory of its own. */
	if (p->n_section == PLT_MAX_SECTIONS || sh->sh_type != SHT_PROGBITS)
		return;
	data = elf_rawdata(scn, NULL);
	if (data && data->d_buf)
		p->section[p->n_section++] =
			(struct plt_section){ sh->sh_addr, data->d_buf,
					      data->d_size };
}

int
plt_open(struct plt *p, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names, n_table = 0;
	GElf_Ehdr ehdr;
	GElf_Shdr sh;

	*p = (struct plt){ .elf = elf };
	if (!gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names) != 0 ||
	    (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64) ||
	    ehdr.e_type == ET_REL)
		return 0;
	p->machine = ehdr.e_machine;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name)
			continue;
		if (!strncmp(name, ".plt", 4) || !strcmp(name, ".iplt"))
			add_section(p, scn, &sh);
		else if (sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC &&
			 n_table++ < PLT_MAX_SECTIONS &&
			 add_slots(p, scn, &sh, !strcmp(name, ".rela.plt")) < 0)
			return -1;
	}
	if (p->n_slot)
		qsort(p->slot, p->n_slot, sizeof(*p->slot), cmp_slot);
	return 0;
}

void
plt_release(struct plt *p)
{
	free(p->slot);
	free(p->lazy);
	*p = (struct plt){ 0 };
}

/* --- stubs --- */

static const char *
name_in_slot(const struct plt *p, uint64_t address)
{
	struct plt_slot key = { address, NULL }, *found;

	if (!p->n_slot)
		return NULL;
	found = bsearch(&key, p->slot, p->n_slot, sizeof(key), cmp_slot);
	return found ? found->name : NULL;
}

static uint32_t
get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

/*
 * x86-64: stubs are [endbr64] [bnd] jmp *disp32(%rip), with any linker and
 * options. Stubs for lazy binding that only push the number of their relocation
 * begin with [endbr64] push imm32.
 */
static const char *
stub_x86_64(const struct plt *p, const uint8_t *s, size_t n, uint64_t a)
{
	size_t at = 0;

	if (n >= 4 && get32(s) == 0xfa1e0ff3)
		at = 4;
	if (at && n - at >= 5 && s[at] == 0x68) {
		uint32_t i = get32(s + at + 1);

		return i < p->n_lazy ? p->lazy[i] : NULL;
	}
	if (at < n && s[at] == 0xf2)
		at++;
	if (n - at < 6 || s[at] != 0xff || s[at + 1] != 0x25)
		return NULL;
	return name_in_slot(
		p, a + at + 6 + (uint64_t)(int64_t)(int32_t)get32(s + at + 2));
}

/* AArch64: stubs are [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET]. */
static const char *
stub_aarch64(const struct plt *p, const uint8_t *s, size_t n, uint64_t a)
{
	uint32_t adrp, ldr;
	int64_t page;

	if (n >= 4 && get32(s) == 0xd503245f) {
		s += 4;
		n -= 4;
		a += 4;
	}
	if (n < 8)
		return NULL;
	adrp = get32(s);
	ldr = get32(s + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 ||
	    (ldr & 0xffc003ff) != 0xf9400211)
		return NULL;
	page = (int64_t)(adrp >> 29 & 3) | (int64_t)(adrp >> 5 & 0x7ffff) << 2;
	if (page & 0x100000)
		page -= 0x200000;
	return name_in_slot(p, (a & ~(uint64_t)0xfff) + ((uint64_t)page << 12) +
				       (uint64_t)(ldr >> 10 & 0xfff) * 8);
}

/*
 * Stubs have 8 (.plt.got), 16 or 24 bytes, and begin at a multiple of their
 * alignment: the stub begins at the nearest such address at or before a that
 * decodes.
 */
static const char *
name_in(const struct plt *p, const struct plt_section *s, uint64_t a)
{
	unsigned step = p->machine == EM_X86_64 ? 8 : 4;
	unsigned longest = p->machine == EM_X86_64 ? 16 : 24;
	size_t off = (size_t)(a - s->start);
	const char *name = NULL;

	for (size_t at = off - off % step; off - at < longest; at -= step) {
		name = p->machine == EM_X86_64
			       ? stub_x86_64(p, s->data + at, s->n - at,
					     s->start + at)
			       : stub_aarch64(p, s->data + at, s->n - at,
					      s->start + at);
		if (name || at < step)
			break;
	}
	return name;
}

const char *
plt_name(const struct plt *p, uint64_t a)
{
	for (size_t i = 0; i < p->n_section; i++) {
		const struct plt_section *s = &p->section[i];

		if (a >= s->start && a - s->start < s->n)
			return name_in(p, s, a);
	}
	return NULL;
}
