/*
 * elf-mutate.c - see elf-mutate.h: a fuzzer that changes any byte rarely gets
 * past the headers. One change each: bytes, a number or the length of a LEB128
 * inside a section, a part of a section copied over another, or a field of a
 * section header. Sections of DWARF, symbols and frames are preferred.
 */
#include "config.h"

#include "elf-mutate.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

static uint64_t
next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z >> 16;
}

/* Header i of the file, if it and its section are inside. */
static bool
section(const uint8_t *data, size_t n, const Elf64_Ehdr *h, uint64_t i,
	Elf64_Shdr *out)
{
	uint64_t at = h->e_shoff + i * sizeof(*out);

	if (h->e_shoff > n || at > n || n - at < sizeof(*out))
		return false;
	memcpy(out, data + at, sizeof(*out));
	return out->sh_type != SHT_NOBITS && out->sh_size &&
	       out->sh_offset < n && out->sh_size <= n - out->sh_offset;
}

static bool
is_preferred(const uint8_t *data, size_t n, const Elf64_Ehdr *h,
	     const Elf64_Shdr *s)
{
	static const char *const names[] = { ".debug_", ".eh_frame", ".gnu_",
					     ".symtab", ".note" };
	Elf64_Shdr strings;

	if (!section(data, n, h, h->e_shstrndx, &strings) ||
	    s->sh_name >= strings.sh_size)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t len = strlen(names[i]);

		if (strings.sh_size - s->sh_name > len &&
		    !memcmp(data + strings.sh_offset + s->sh_name, names[i],
			    len))
			return true;
	}
	return false;
}

/* Put a number that is next to a limit over 1, 2, 4 or 8 bytes. */
static void
put_number(uint8_t *at, uint64_t room, uint64_t *state)
{
	const uint64_t near[] = {
		0,         1,          UINT64_MAX, INT64_MAX, UINT32_MAX,
		INT32_MAX, 0xfffffff0, room,       room + 1,  next(state) % 256
	};
	uint64_t v = near[next(state) % (sizeof(near) / sizeof(*near))];
	size_t size = (size_t)1 << next(state) % 4;

	memcpy(at, &v, size < room ? size : room);
}

static void
change_contents(uint8_t *s, uint64_t n, uint64_t *state)
{
	uint64_t at = next(state) % n, from = next(state) % n, len;

	switch (next(state) % 4) {
	case 0:
		len = 1 + next(state) % (n - at < 32 ? n - at : 32);
		LLVMFuzzerMutate(s + at, len, len);
		break;
	case 1:
		put_number(s + at, n - at, state);
		break;
	case 2:
		s[at] ^= 0x80;
		break;
	default:
		len = n - (at > from ? at : from);
		memmove(s + at, s + from, 1 + next(state) % len);
	}
}

static void
change_header(uint8_t *header, const Elf64_Shdr *s, uint64_t *state)
{
	Elf64_Shdr h = *s;

	switch (next(state) % 6) {
	case 0:
		put_number((uint8_t *)&h.sh_size, sizeof(h.sh_size), state);
		break;
	case 1:
		h.sh_size -= 1 + next(state) % h.sh_size;
		break;
	case 2:
		h.sh_offset += next(state) % h.sh_size;
		break;
	case 3:
		h.sh_link = (Elf64_Word)(next(state) % 40);
		break;
	case 4:
		h.sh_flags ^= SHF_COMPRESSED;
		break;
	default:
		h.sh_type = (Elf64_Word)(next(state) % 16);
	}
	memcpy(header, &h, sizeof(h));
}

size_t
elf_mutate(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	uint64_t state = seed, i = 0;
	Elf64_Ehdr h;
	Elf64_Shdr s;
	int tries = 0;

	if (n < sizeof(h) || next(&state) % 16 == 0)
		return LLVMFuzzerMutate(data, n, max);
	memcpy(&h, data, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || !h.e_shnum)
		return LLVMFuzzerMutate(data, n, max);
	do {
		if (++tries > 64)
			return LLVMFuzzerMutate(data, n, max);
		i = next(&state) % h.e_shnum;
	} while (!section(data, n, &h, i, &s) ||
		 (tries < 48 && !is_preferred(data, n, &h, &s)));
	if (next(&state) % 8)
		change_contents(data + s.sh_offset, s.sh_size, &state);
	else
		change_header(data + h.e_shoff + i * sizeof(s), &s, &state);
	return n;
}
