/* symtab.c - see symtab.h. */
#include "config.h"

#include "symtab.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
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

/* Symbols with a size that cover addresses. */
struct covers {
	struct symtab_match *symbol;
	size_t n, cap;
};

/* By start, then length, then place in the table: the last one counts. */
static int
cmp_cover(const void *a, const void *b)
{
	const struct symtab_match *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/*
 * Where the last symbol c[i] before an address ends before it, take the one
 * that encloses it: the last one that covers the address.
 */
static void
enclose(struct symtab_match *c, const struct code_map *code,
	const uint64_t *addr, size_t n, struct covers *v)
{
	struct symtab_match *top = v->symbol;
	size_t next = 0;

	if (v->n)
		qsort(v->symbol, v->n, sizeof(*v->symbol), cmp_cover);
	for (size_t i = 0; i < n; i++) {
		uint64_t end = c[i].end;

		/* A stack, in the places of those that were on it. */
		while (next < v->n && v->symbol[next].start <= addr[i])
			*top++ = v->symbol[next++];
		while (top > v->symbol && top[-1].end <= addr[i])
			top--;
		if (c[i].index && end == c[i].start)
			end = code_end(code, c[i].start);
		if (addr[i] >= end)
			c[i] = top > v->symbol ? top[-1]
					       : (struct symtab_match){ 0 };
	}
}

/*
 * Symbols are not sorted: each is noted at the first address that it may cover,
 * unless a better one is there. One pass over the addresses follows.
 */
int
symtab_match(struct symtab *t, const struct code_map *code,
	     const uint64_t *addr, size_t n)
{
	struct symtab_match *c = calloc(n + 1, sizeof(*c)), new;
	struct covers covers = { 0 };
	uint32_t file = 0;
	GElf_Sym sym;

	t->match = c;
	if (!c)
		return -1;
	for (size_t i = 1; i < t->n && i < INT_MAX; i++) {
		uint64_t end;
		size_t at;

		if (!gelf_getsym(t->data, (int)i, &sym))
			break;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = (uint32_t)i;
		if (!is_code_symbol(code, t, &sym))
			continue;
		at = search_from(addr, n, sizeof(*addr), 0, sym.st_value);
		end = sym.st_size > UINT64_MAX - sym.st_value
			      ? UINT64_MAX
			      : sym.st_value + sym.st_size;
		new = (struct symtab_match){
			sym.st_value, end, (uint32_t)i,
			GELF_ST_BIND(sym.st_info) == STB_LOCAL ? file : 0
		};
		if (!c[at].index || cmp_cover(&c[at], &new) < 0)
			c[at] = new;
		if (at == n || addr[at] >= end)
			continue;
		if (array_reserve(&covers.symbol, &covers.cap, covers.n + 1,
				  sizeof(new)) < 0) {
			free(covers.symbol);
			return -1;
		}
		covers.symbol[covers.n++] = new;
	}
	for (size_t i = 0; i < n; i++)
		if (i && !c[i].index)
			c[i] = c[i - 1];
	enclose(c, code, addr, n, &covers);
	free(covers.symbol);
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
