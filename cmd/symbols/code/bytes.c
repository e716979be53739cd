/* bytes.c - see bytes.h. */
#include "config.h"

#include "bytes.h"

#include <gelf.h>

#include "lib/model/loadbase.h"
#include "symbols/binary/binary.h"
#include "symbols/elf/object.h"
#include "symbols/elf/section.h"

struct disasm_machine
binary_machine(const struct binary *b)
{
	GElf_Ehdr h;

	if (!gelf_getehdr(binary_object(b)->elf, &h))
		return (struct disasm_machine){ 0 };
	return (struct disasm_machine){
		.machine = h.e_machine,
		.is_64 = h.e_ident[EI_CLASS] == ELFCLASS64,
		.is_big_endian = h.e_ident[EI_DATA] == ELFDATA2MSB,
	};
}

/*
 * The bytes of the file at start + at, up to start + length; NULL: past its
 * end. Not elf_rawfile(): of a file that is read, not mapped, it reads all, and
 * libelf then loses what it had read of sections. The same chunk is read once.
 */
static const uint8_t *
file_bytes(const struct binary *b, uint64_t start, uint64_t length, uint64_t at,
	   size_t *n)
{
	const struct object *o = binary_object(b);
	Elf_Data *data;

	if (start >= o->size)
		return NULL;
	if (length > o->size - start)
		length = o->size - start;
	if (at >= length)
		return NULL;
	data = elf_getdata_rawchunk(o->elf, (int64_t)start, (size_t)length,
				    ELF_T_BYTE);
	if (!data)
		return NULL;
	*n = (size_t)(length - at);
	return (const uint8_t *)data->d_buf + at;
}

/* A relocatable file has no segments: addresses are those of .text. */
static const uint8_t *
section_text(const struct binary *b, uint64_t a, size_t *n)
{
	GElf_Shdr sh;

	if (!section_find(binary_object(b)->elf, ".text", 0, &sh) ||
	    sh.sh_type == SHT_NOBITS || a < sh.sh_addr ||
	    a - sh.sh_addr >= sh.sh_size || sh.sh_offset > UINT64_MAX / 2)
		return NULL;
	return file_bytes(b, sh.sh_offset, sh.sh_size, a - sh.sh_addr, n);
}

const uint8_t *
bytes_at(const struct binary *b, uint64_t a, size_t *n)
{
	const struct load_layout *l = binary_layout(b);

	*n = 0;
	if (binary_worth(b) == WORTH_SPLIT)
		return NULL;
	if (l->type == LOAD_REL)
		return section_text(b, a, n);
	for (size_t i = 0; i < l->n_segment; i++) {
		const struct load_segment *s = &l->segment[i];

		if (s->exec && a >= s->vaddr && a - s->vaddr < s->filesz &&
		    s->offset <= UINT64_MAX / 2)
			return file_bytes(b, s->offset, s->filesz, a - s->vaddr,
					  n);
	}
	return NULL;
}
