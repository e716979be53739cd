/* returns.c - see returns.h. */
#include "config.h"

#include "returns.h"

#include <gelf.h>
#include <stddef.h>
#include <string.h>

#define ALIGN 16
#define RET 0xc3

/* Sections to search; hostile files may have thousands. */
#define MAX_SEARCH 100

/* Find the bytes around address a, unless the last ones have it. */
static bool
find_code(struct returns *r, Elf *elf, uint64_t a)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	if (r->code && a >= r->base && a - r->base < r->n)
		return true;
	r->code = NULL;
	if (r->n_search++ >= MAX_SEARCH)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_EXECINSTR) || a < sh.sh_addr ||
		    a - sh.sh_addr >= sh.sh_size)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf || a - sh.sh_addr >= data->d_size)
			return false;
		r->base = sh.sh_addr;
		r->n = data->d_size;
		r->code = data->d_buf;
		return true;
	}
	return false;
}

/* Is byte part of instructions without effect? */
static bool
is_padding(uint8_t byte)
{
	static const uint8_t set[] = { 0x90, 0xcc, 0x66, 0x2e, 0x0f, 0x1f,
				       0x00, 0x40, 0x44, 0x80, 0x84 };

	return memchr(set, byte, sizeof(set)) != NULL;
}

/*
 * Is there a return at offset i, followed by padding up to the next multiple of
 * 16? A return that ends at a multiple does not count: most are parts of other
 * instructions.
 */
static bool
is_end(const uint8_t *code, size_t n, uint64_t base, size_t i)
{
	if (code[i] != RET || (base + i + 1) % ALIGN == 0)
		return false;
	for (i++; i < n && (base + i) % ALIGN; i++)
		if (!is_padding(code[i]))
			return false;
	return true;
}

bool
returns_before(struct returns *r, Elf *elf, uint64_t start, uint64_t a)
{
	GElf_Ehdr h;

	if (r->start != start || r->at < start) {
		r->start = r->at = start;
		r->is_over = false;
	}
	if (r->is_over || !gelf_getehdr(elf, &h) || h.e_machine != EM_X86_64 ||
	    !find_code(r, elf, start))
		return r->is_over;
	for (; r->at < a && r->at - r->base < r->n && !r->is_over; r->at++)
		r->is_over = is_end(r->code, r->n, r->base,
				    (size_t)(r->at - r->base));
	return r->is_over;
}
