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
 * *code: the *n bytes of the file at start + at, up to start + length; none
 * past its end. Not elf_rawfile(): of a file that is read, not mapped, it reads
 * all, and libelf then loses what it had read of sections. The same chunk is
 * read once.
 */
static enum prof_status
file_bytes(const struct binary *b, uint64_t start, uint64_t length, uint64_t at,
	   const uint8_t **code, size_t *n, struct prof_err *err)
{
	const struct object *o = binary_object(b);
	Elf_Data *data;

	if (start >= o->size)
		return PROF_OK;
	if (length > o->size - start)
		length = o->size - start;
	if (at >= length)
		return PROF_OK;
	data = elf_getdata_rawchunk(o->elf, (int64_t)start, (size_t)length,
				    ELF_T_BYTE);
	if (!data)
		return prof_fail(err, PROF_EIO, "%s: cannot read its code: %s",
				 o->path, elf_errmsg(-1));
	*n = (size_t)(length - at);
	*code = (const uint8_t *)data->d_buf + at;
	return PROF_OK;
}

/* A relocatable file has no segments: addresses are those of .text. */
static enum prof_status
section_text(const struct binary *b, uint64_t a, const uint8_t **code,
	     size_t *n, struct prof_err *err)
{
	GElf_Shdr sh;

	if (!section_find(binary_object(b)->elf, ".text", 0, &sh) ||
	    sh.sh_type == SHT_NOBITS || a < sh.sh_addr ||
	    a - sh.sh_addr >= sh.sh_size || sh.sh_offset > UINT64_MAX / 2)
		return PROF_OK;
	return file_bytes(b, sh.sh_offset, sh.sh_size, a - sh.sh_addr, code, n,
			  err);
}

enum prof_status
bytes_at(const struct binary *b, uint64_t a, const uint8_t **code, size_t *n,
	 struct prof_err *err)
{
	const struct load_layout *l = binary_layout(b);

	*code = NULL;
	*n = 0;
	if (binary_worth(b) == WORTH_SPLIT)
		return PROF_OK;
	if (l->type == LOAD_REL)
		return section_text(b, a, code, n, err);
	for (size_t i = 0; i < l->n_segment; i++) {
		const struct load_segment *s = &l->segment[i];

		if (s->exec && a >= s->vaddr && a - s->vaddr < s->filesz &&
		    s->offset <= UINT64_MAX / 2)
			return file_bytes(b, s->offset, s->filesz, a - s->vaddr,
					  code, n, err);
	}
	return PROF_OK;
}
