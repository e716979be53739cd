/* elf-source.c - see elf-source.h. */
#include "config.h"

#include "elf-source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/wire/compress.h"
#include "machine.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum {
	MAX_NOTE = 65536,       /* bytes of one note segment */
	MAX_NAMES = 1 << 20,    /* ... of the names of sections */
	MAX_BYTES = 1 << 30,    /* ... read or unpacked at once */
	MAX_PACKED_RATIO = 100, /* a section that grows more is a bomb */
};

bool
elf_source_read(const struct elf_source *s, uint64_t at, void *out, size_t n)
{
	uint8_t *to = out;

	if (s->fd < 0) {
		if (at > s->n || n > s->n - at)
			return false;
		memcpy(out, s->data + at, n);
		return true;
	}
	while (n > 0) {
		ssize_t got;

		if (at > INT64_MAX)
			return false;
		got = pread(s->fd, to, n, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

bool
elf_source_slurp(const struct elf_source *s, uint64_t at, uint64_t n,
		 struct buf *out)
{
	/* Allocate only if the last byte exists. */
	uint8_t last;

	if (n == 0 || n > MAX_BYTES || at + n < at ||
	    !elf_source_read(s, at + n - 1, &last, 1) ||
	    buf_reserve(out, n) < 0 ||
	    !elf_source_read(s, at, out->data + out->n, n))
		return false;
	out->n += n;
	return true;
}

static void
read_build_id(struct elf_source *s)
{
	bool done = false;

	for (size_t i = 0; i < s->n_segment && !done; i++) {
		const Elf64_Phdr *ph = &s->segment[i];
		struct buf note = { 0 };

		if (ph->p_type == PT_NOTE && ph->p_filesz <= MAX_NOTE &&
		    elf_source_slurp(s, ph->p_offset, ph->p_filesz, &note))
			done = build_id_in_notes(note.data, note.n, ph->p_align,
						 false, s->build_id);
		buf_release(&note);
	}
}

enum prof_status
elf_source_open(struct elf_source *s, int fd, struct prof_err *err)
{
	const Elf64_Ehdr *h = &s->head;

	s->fd = fd;
	s->n_segment = 0;
	s->build_id[0] = '\0';
	if (!elf_source_read(s, 0, &s->head, sizeof(s->head)) ||
	    memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB)
		return prof_fail(err, PROF_EFORMAT,
				 "not an ELF file of 64 bits");
	if (!machine_of_elf(h->e_machine))
		return prof_fail(err, PROF_ENOTSUP, "for machine %u of ELF",
				 h->e_machine);
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum == 0 ||
	    h->e_phnum > ELF_MAX_SEGMENT ||
	    !elf_source_read(s, h->e_phoff, s->segment,
			     h->e_phnum * sizeof(Elf64_Phdr)))
		return prof_fail(err, PROF_EFORMAT, "no program headers");
	s->n_segment = h->e_phnum;
	read_build_id(s);
	return PROF_OK;
}

static bool
section_at(const struct elf_source *s, size_t i, Elf64_Shdr *out)
{
	return i < s->head.e_shnum &&
	       elf_source_read(s, s->head.e_shoff + i * sizeof(*out), out,
			       sizeof(*out));
}

bool
elf_source_section(const struct elf_source *s, const char *name,
		   Elf64_Shdr *out)
{
	struct buf names = { 0 };
	Elf64_Shdr sh;
	bool found = false;

	if (s->head.e_shentsize != sizeof(sh) ||
	    !section_at(s, s->head.e_shstrndx, &sh) || sh.sh_size > MAX_NAMES ||
	    !elf_source_slurp(s, sh.sh_offset, sh.sh_size, &names)) {
		buf_release(&names);
		return false;
	}
	for (size_t i = 1; !found && section_at(s, i, out); i++)
		found = out->sh_name < names.n &&
			names.n - out->sh_name > strlen(name) &&
			!strcmp((const char *)names.data + out->sh_name,
				name) &&
			out->sh_type != SHT_NOBITS;
	buf_release(&names);
	return found;
}

bool
elf_source_contents(const struct elf_source *s, const Elf64_Shdr *sh,
		    struct buf *out)
{
	struct buf packed = { 0 };
	Elf64_Chdr head;
	bool done = false;

	if (!(sh->sh_flags & SHF_COMPRESSED))
		return elf_source_slurp(s, sh->sh_offset, sh->sh_size, out);
	if (sh->sh_size <= sizeof(head) ||
	    !elf_source_read(s, sh->sh_offset, &head, sizeof(head)) ||
	    head.ch_size > MAX_BYTES ||
	    head.ch_size / MAX_PACKED_RATIO > sh->sh_size ||
	    !elf_source_slurp(s, sh->sh_offset + sizeof(head),
			      sh->sh_size - sizeof(head), &packed))
		goto out;
	if (head.ch_type == ELFCOMPRESS_ZSTD)
		done = zstd_inflate(packed.data, packed.n, head.ch_size, out,
				    NULL) == PROF_OK;
	else if (head.ch_type == ELFCOMPRESS_ZLIB)
		done = zlib_inflate(packed.data, packed.n, head.ch_size, out,
				    NULL) == PROF_OK;
out:
	buf_release(&packed);
	return done;
}
