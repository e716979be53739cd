/* section.c - see section.h. */
#include "config.h"

#include "section.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/wire/compress.h"

/* A section that exceeds both when unpacked is a bomb. */
#define MAX_UNPACKED ((uint64_t)16 << 20) /* bytes */
#define MAX_RATIO 64

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

int
code_range_compare(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* --- headers --- */

Elf_Scn *
section_find(Elf *elf, const char *name, unsigned type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *its;

		if (!gelf_getshdr(scn, sh))
			continue;
		if (!name && sh->sh_type == type)
			return scn;
		its = name ? elf_strptr(elf, names, sh->sh_name) : NULL;
		if (its && !strcmp(its, name))
			return scn;
	}
	return NULL;
}

uint64_t
code_end(const struct code_map *c, uint64_t a)
{
	size_t lo = search_above(c->range, c->n, sizeof(*c->range),
				 offsetof(struct code_range, end), a);

	return lo < c->n && c->range[lo].start <= a ? c->range[lo].end : 0;
}

/* --- compression --- */

static bool
is_bounded(uint64_t unpacked, size_t packed, struct unpack_budget *budget)
{
	return (unpacked <= MAX_UNPACKED ||
		(unpacked - MAX_UNPACKED) / MAX_RATIO <= packed) &&
	       unpack_spend(budget, packed, unpacked);
}

static bool
unpack_gnu(Elf_Scn *scn, struct unpack_budget *budget)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	uint64_t size = 0;

	if (!data || !data->d_buf || data->d_size < 12 ||
	    memcmp(data->d_buf, "ZLIB", 4))
		return false;
	for (int i = 4; i < 12; i++)
		size = size << 8 | ((const uint8_t *)data->d_buf)[i];
	return is_bounded(size, data->d_size, budget) &&
	       elf_compress_gnu(scn, 0, 0) >= 0;
}

/* Unpack with elfutils, or with our own code what older versions cannot. */
static bool
unpack_elf(Elf *elf, Elf_Scn *scn, struct unpack_budget *budget,
	   struct section_bytes *out)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	size_t head = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	struct buf b = { 0 };
	GElf_Chdr ch;

	if (!data || !data->d_buf || data->d_size < head ||
	    !gelf_getchdr(scn, &ch) ||
	    !is_bounded(ch.ch_size, data->d_size, budget))
		return false;
	if (ch.ch_type != ELFCOMPRESS_ZSTD)
		return elf_compress(scn, 0, 0) >= 0;
	if (zstd_inflate((const uint8_t *)data->d_buf + head,
			 data->d_size - head, ch.ch_size, &b,
			 NULL) != PROF_OK) {
		buf_release(&b);
		return false;
	}
	*out = (struct section_bytes){ b.data, b.n, b.data };
	return b.n > 0;
}

/* --- relocation --- */

/* How a relocation changes the bytes at its place. */
struct change {
	uint16_t machine;
	uint16_t type;
	uint8_t n;   /* bytes, a power of two */
	int8_t sign; /* of the value added to them; 0: it replaces them */
};

/*
 * The relocations in debug information. RISC-V subtracts addresses, as its
 * linker moves code.
 */
static const struct change changes[] = {
	{ EM_386, R_386_32, 4, 0 },
	{ EM_X86_64, R_X86_64_64, 8, 0 },
	{ EM_X86_64, R_X86_64_32, 4, 0 },
	{ EM_X86_64, R_X86_64_32S, 4, 0 },
	{ EM_ARM, R_ARM_ABS32, 4, 0 },
	{ EM_AARCH64, R_AARCH64_ABS64, 8, 0 },
	{ EM_AARCH64, R_AARCH64_ABS32, 4, 0 },
	{ EM_PPC, R_PPC_ADDR32, 4, 0 },
	{ EM_PPC64, R_PPC64_ADDR64, 8, 0 },
	{ EM_PPC64, R_PPC64_ADDR32, 4, 0 },
	{ EM_S390, R_390_64, 8, 0 },
	{ EM_S390, R_390_32, 4, 0 },
	{ EM_RISCV, R_RISCV_64, 8, 0 },
	{ EM_RISCV, R_RISCV_32, 4, 0 },
	{ EM_RISCV, R_RISCV_ADD8, 1, 1 },
	{ EM_RISCV, R_RISCV_ADD16, 2, 1 },
	{ EM_RISCV, R_RISCV_ADD32, 4, 1 },
	{ EM_RISCV, R_RISCV_ADD64, 8, 1 },
	{ EM_RISCV, R_RISCV_SUB8, 1, -1 },
	{ EM_RISCV, R_RISCV_SUB16, 2, -1 },
	{ EM_RISCV, R_RISCV_SUB32, 4, -1 },
	{ EM_RISCV, R_RISCV_SUB64, 8, -1 },
	{ EM_RISCV, R_RISCV_SET8, 1, 0 },
	{ EM_RISCV, R_RISCV_SET16, 2, 0 },
	{ EM_RISCV, R_RISCV_SET32, 4, 0 },
	{ EM_MIPS, R_MIPS_64, 8, 0 },
	{ EM_MIPS, R_MIPS_32, 4, 0 },
	{ EM_LOONGARCH, 2, 8, 0 },
	{ EM_LOONGARCH, 1, 4, 0 },
};

struct relocate {
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t names;
	uint8_t *data; /* of the relocated section */
	size_t n;
	size_t last; /* the last section that was looked up */
	uint64_t last_place;
};

static const struct change *
find_change(unsigned machine, uint64_t type)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].machine == machine && changes[i].type == type)
			return &changes[i];
	return NULL;
}

static uint64_t
get_word(const struct relocate *r, const uint8_t *p, size_t n)
{
	bool big = r->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[big ? i : n - 1 - i];
	return v;
}

static void
relocated_put(const struct relocate *r, uint8_t *p, size_t n, uint64_t v)
{
	bool big = r->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;

	for (size_t i = 0; i < n; i++, v >>= 8)
		p[big ? n - 1 - i : i] = (uint8_t)v;
}

/* The address of a section. */
static uint64_t
place_word(struct relocate *r, size_t index)
{
	Elf_Scn *scn;
	const char *name;
	GElf_Shdr sh;

	if (index == r->last)
		return r->last_place;
	r->last = index;
	r->last_place = 0;
	scn = elf_getscn(r->elf, index);
	if (!scn || !gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
		return 0;
	name = elf_strptr(r->elf, r->names, sh.sh_name);
	if (!name || strcmp(name, ".text") != 0)
		r->last_place = SECTION_ELSEWHERE;
	return r->last_place;
}

/* Apply one relocation. has_addend: false: the addend is in the changed
 * bytes. */
static void
apply_rela(struct relocate *r, Elf_Data *symbols, const GElf_Rela *rela,
	   bool has_addend)
{
	const struct change *c =
		find_change(r->ehdr.e_machine, GELF_R_TYPE(rela->r_info));
	uint64_t index = GELF_R_SYM(rela->r_info), v, old;
	GElf_Sym sym;

	if (!c || rela->r_offset > r->n || r->n - rela->r_offset < c->n ||
	    index > INT_MAX || !gelf_getsym(symbols, (int)index, &sym))
		return;
	old = get_word(r, r->data + rela->r_offset, c->n);
	v = sym.st_value + (has_addend ? (uint64_t)rela->r_addend : old);
	if (sym.st_shndx < SHN_LORESERVE)
		v += place_word(r, sym.st_shndx);
	if (c->sign)
		v = c->sign > 0 ? old + v : old - v;
	relocated_put(r, r->data + rela->r_offset, c->n, v);
}

static void
apply_all(struct relocate *r, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *table = elf_getscn(r->elf, sh->sh_link);
	Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;
	GElf_Rel rel;

	if (!symbols || !data || sh->sh_entsize == 0)
		return;
	for (size_t i = 0; i < data->d_size / sh->sh_entsize && i < INT_MAX;
	     i++) {
		if (sh->sh_type == SHT_RELA) {
			if (!gelf_getrela(data, (int)i, &rela))
				return;
		} else {
			if (!gelf_getrel(data, (int)i, &rel))
				return;
			rela = (GElf_Rela){ rel.r_offset, rel.r_info, 0 };
		}
		apply_rela(r, symbols, &rela, sh->sh_type == SHT_RELA);
	}
}

/* Apply the relocations of section target to a copy of it. */
static bool
relocate(Elf *elf, Elf_Scn *target, struct section_bytes *out)
{
	struct relocate r = { .elf = elf };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (!gelf_getehdr(elf, &r.ehdr) || r.ehdr.e_type != ET_REL ||
	    elf_getshdrstrndx(elf, &r.names) != 0)
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) ||
		    (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL) ||
		    sh.sh_info != elf_ndxscn(target))
			continue;
		if (!out->owned) {
			out->owned = malloc(out->n + 1);
			if (!out->owned)
				return false;
			memcpy(out->owned, out->data, out->n);
			out->data = out->owned;
		}
		r.data = out->owned;
		r.n = out->n;
		apply_all(&r, scn, &sh);
	}
	return true;
}

static bool
read_section(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, bool is_gnu,
	     struct unpack_budget *budget, struct section_bytes *out)
{
	Elf_Data *data;

	*out = (struct section_bytes){ 0 };
	if (sh->sh_type == SHT_NOBITS)
		return false;
	if (is_gnu && !unpack_gnu(scn, budget))
		return false;
	if (sh->sh_flags & SHF_COMPRESSED && !unpack_elf(elf, scn, budget, out))
		return false;
	if (!out->data) {
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf)
			return false;
		out->data = data->d_buf;
		out->n = data->d_size;
	}
	return relocate(elf, scn, out);
}

/* libelf's numbers of errors are its own: errno tells which was malloc()'s. */
bool
section_read(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, bool is_gnu,
	     struct unpack_budget *budget, struct section_bytes *out)
{
	bool ok;

	errno = 0;
	ok = read_section(elf, scn, sh, is_gnu, budget, out);
	if (!ok && (errno == ENOMEM || errno == EIO))
		unpack_unread(budget, "a section", errno);
	return ok;
}
