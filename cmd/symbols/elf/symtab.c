/* symtab.c - see symtab.h. */
#include "config.h"

#include "symtab.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"

bool
symtab_open(Elf *elf, unsigned type, struct symtab *t)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(elf, NULL, type, &sh);

	*t = (struct symtab){ .elf = elf };
	if (!scn || sh.sh_entsize == 0)
		return false;
	t->data = elf_getdata(scn, NULL);
	t->n = sh.sh_size / sh.sh_entsize;
	t->strings = sh.sh_link;
	return t->data && t->n > 1;
}

void
symtab_release(struct symtab *t)
{
	free(t->match);
	*t = (struct symtab){ 0 };
}

/* The name of symbol i, or "". */
static const char *
name_of(const struct symtab *t, size_t i)
{
	const char *name;
	GElf_Sym sym;

	if (!i || !gelf_getsym(t->data, (int)i, &sym))
		return "";
	name = elf_strptr(t->elf, t->strings, sym.st_name);
	return name ? name : "";
}

bool
symtab_value(const struct symtab *t, const char *name, uint64_t *value)
{
	GElf_Sym sym;

	for (size_t i = 1; i < t->n && i < INT_MAX; i++)
		if (!strcmp(name_of(t, i), name) &&
		    gelf_getsym(t->data, (int)i, &sym)) {
			*value = sym.st_value;
			return true;
		}
	return false;
}

/* A candidate for the symbol at an address. */
struct symtab_match {
	uint64_t start, end;
	uint32_t index; /* in the table; 0: none */
	uint32_t file;  /* of a local one: the symbol that names its file */
};

static bool
is_code_symbol(const struct code_map *code, const struct symtab *t,
	       const GElf_Sym *sym)
{
	const char *name;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	/* Addresses mean the only section of code that has symbols. */
	if (code->section && sym->st_shndx != code->section)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_OBJECT:
	case STT_NOTYPE:
		/* Functions in assembly, and tables between them; not $x, which
		 * marks code on ARM, nor .L0, a label of the assembler, which
		 * binutils 2.42 and later keep on RISC-V. */
		name = elf_strptr(t->elf, t->strings, sym->st_name);
		return name && *name && *name != '$' &&
		       strncmp(name, ".L", 2) != 0 &&
		       code_end(code, sym->st_value);
	default:
		return false;
	}
}

void
symtab_each(const struct symtab *t, const struct code_map *code,
	    void (*fn)(void *ctx, uint64_t value, uint64_t size,
		       const char *name),
	    void *ctx)
{
	GElf_Sym sym;

	for (size_t i = 1; i < t->n && i < INT_MAX; i++)
		if (gelf_getsym(t->data, (int)i, &sym) &&
		    is_code_symbol(code, t, &sym) && *name_of(t, i))
			fn(ctx, sym.st_value, sym.st_size, name_of(t, i));
}

void
symtab_each_object(const struct symtab *t,
		   void (*fn)(void *ctx, uint64_t value, uint64_t size,
			      const char *name),
		   void *ctx)
{
	GElf_Sym sym;

	for (size_t i = 1; i < t->n && i < INT_MAX; i++)
		if (gelf_getsym(t->data, (int)i, &sym) &&
		    GELF_ST_TYPE(sym.st_info) == STT_OBJECT &&
		    sym.st_shndx != SHN_UNDEF && sym.st_shndx != SHN_ABS &&
		    *name_of(t, i))
			fn(ctx, sym.st_value, sym.st_size, name_of(t, i));
}

/*
 * Symbols are not sorted: each is noted at the first address that it may cover,
 * unless a better one is there. One pass over the addresses follows.
 */
int
symtab_match(struct symtab *t, const struct code_map *code,
	     const uint64_t *addr, size_t n)
{
	struct symtab_match *c = calloc(n + 1, sizeof(*c));
	uint32_t file = 0;
	GElf_Sym sym;

	t->match = c;
	if (!c)
		return -1;
	for (size_t i = 1; i < t->n && i < INT_MAX; i++) {
		struct symtab_match *at;
		uint64_t end;

		if (!gelf_getsym(t->data, (int)i, &sym))
			break;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = (uint32_t)i;
		if (!is_code_symbol(code, t, &sym))
			continue;
		at = &c[search_from(addr, n, sizeof(*addr), 0, sym.st_value)];
		end = sym.st_size > UINT64_MAX - sym.st_value
			      ? UINT64_MAX
			      : sym.st_value + sym.st_size;
		if (at->index && (at->start > sym.st_value ||
				  (at->start == sym.st_value && at->end > end)))
			continue;
		*at = (struct symtab_match){ sym.st_value, end, (uint32_t)i,
					     0 };
		if (GELF_ST_BIND(sym.st_info) == STB_LOCAL)
			at->file = file;
	}
	for (size_t i = 0; i < n; i++)
		if (i && !c[i].index)
			c[i] = c[i - 1];
	for (size_t i = 0; i < n; i++) {
		uint64_t end = c[i].end;

		if (c[i].index && end == c[i].start)
			end = code_end(code, c[i].start);
		if (addr[i] >= end)
			c[i].index = 0;
	}
	return 0;
}

bool
symtab_is_open(const struct symtab *t, size_t i, uint64_t *start)
{
	const struct symtab_match *m = &t->match[i];

	*start = m->start;
	return m->index && m->end == m->start;
}

void
symtab_drop(struct symtab *t, size_t i)
{
	t->match[i].index = 0;
}

bool
symtab_frame(const struct symtab *t, size_t i, struct symbol_frame *f)
{
	*f = (struct symbol_frame){ .name = "", .file = "" };
	if (!t->match || !t->match[i].index)
		return false;
	f->name = name_of(t, t->match[i].index);
	f->file = name_of(t, t->match[i].file);
	return *f->name != '\0';
}
