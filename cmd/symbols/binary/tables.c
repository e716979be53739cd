/* tables.c - see tables.h. */
#include "config.h"

#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/cfi.h"
#include "symbols/elf/returns.h"

/* --- symbols without a size --- */

/*
 * End the symbols of t without a size where .eh_frame says so. In a stripped
 * table the next symbol may be missing, too: there, without .eh_frame, the code
 * is searched for a return.
 */
static void
bound_symbols(struct symtab *t, const struct object *o, bool is_stripped,
	      const struct cfi_table *cfi, const uint64_t *addr, size_t n)
{
	struct returns returns = { 0 };
	uint64_t start;

	for (size_t i = 0; t->match && i < n; i++) {
		if (!symtab_is_open(t, i, &start))
			continue;
		if (addr[i] >= cfi_limit(cfi, start) ||
		    (is_stripped && !cfi_at(cfi, start) &&
		     returns_before(&returns, o->elf, start, addr[i])))
			symtab_drop(t, i);
	}
}

static bool
has_open_symbol(const struct symtab *t, size_t n)
{
	uint64_t start;

	for (size_t i = 0; t->match && i < n; i++)
		if (symtab_is_open(t, i, &start))
			return true;
	return false;
}

static int
bound(struct tables *t, const struct object *o, const uint64_t *addr, size_t n)
{
	struct symtab *const table[] = { &t->own, &t->split, &t->mini };
	struct cfi_table cfi;
	bool any = false;

	for (size_t i = 0; i < 3; i++)
		any |= has_open_symbol(table[i], n);
	if (!any)
		return 0;
	if (cfi_read(&cfi, o) < 0)
		return -1;
	for (size_t i = 0; i < 3; i++)
		bound_symbols(table[i], o, table[i] == &t->own && t->has_few,
			      &cfi, addr, n);
	cfi_release(&cfi);
	return 0;
}

/* --- tables --- */

static int
read_symbols(struct tables *t, const struct object *main,
	     const struct object *debug, const struct code_map *code,
	     const uint64_t *addr, size_t n)
{
	bool all = symtab_open(main->elf, SHT_SYMTAB, &t->own);

	if ((all || symtab_open(main->elf, SHT_DYNSYM, &t->own)) &&
	    symtab_match(&t->own, code, addr, n) < 0)
		return -1;
	t->has_few = !all;
	if (all)
		return 0;
	if (debug->elf && symtab_open(debug->elf, SHT_SYMTAB, &t->split))
		return symtab_match(&t->split, code, addr, n);
	switch (object_open_mini(&t->mini_object, main)) {
	case PROF_OK:
		break;
	case PROF_ENOMEM:
		return -1;
	default:
		return 0;
	}
	if (!t->mini_object.elf ||
	    !symtab_open(t->mini_object.elf, SHT_SYMTAB, &t->mini))
		return 0;
	return symtab_match(&t->mini, code, addr, n);
}

int
tables_open(struct tables *t, const struct object *main,
	    const struct object *debug, const struct code_map *code,
	    const uint64_t *addr, size_t n)
{
	*t = (struct tables){ .mini_object = { .fd = -1 } };
	if (read_symbols(t, main, debug, code, addr, n) < 0 ||
	    bound(t, main, addr, n) < 0)
		return -1;
	return plt_open(&t->plt, main->elf);
}

void
tables_release(struct tables *t)
{
	symtab_release(&t->own);
	symtab_release(&t->split);
	symtab_release(&t->mini);
	object_close(&t->mini_object);
	plt_release(&t->plt);
	free(t->stub);
}

/* --- answers --- */

static bool
stub_frame(struct tables *t, uint64_t addr, struct symbol_frame *f)
{
	const char *name = plt_name(&t->plt, addr);

	free(t->stub);
	t->stub = NULL;
	if (!name || asprintf(&t->stub, "%s" PLT_SUFFIX, name) < 0) {
		t->stub = NULL;
		return false;
	}
	*f = (struct symbol_frame){ .name = t->stub, .file = "" };
	return true;
}

bool
tables_frame(struct tables *t, size_t i, uint64_t addr, struct symbol_frame *f)
{
	return symtab_frame(&t->own, i, f) || symtab_frame(&t->mini, i, f) ||
	       symtab_frame(&t->split, i, f) || stub_frame(t, addr, f);
}

/*
 * Is a symbol of the debug file a better name than DWARF's? It has mangled
 * names of static C++ functions, and marks code of "f.cold". But where several
 * symbols have one address, it may be an unused alias.
 */
static bool
is_better(const char *symbol, const char *dwarf)
{
	size_t n = strlen(dwarf);

	if (!n || (!strncmp(symbol, dwarf, n) && symbol[n] == '.'))
		return true;
	return (!strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2)) &&
	       strncmp(symbol, dwarf, 2) != 0;
}

bool
tables_outermost(const struct tables *t, size_t i, const char *name,
		 struct symbol_frame *f)
{
	if ((symtab_frame(&t->own, i, f) || symtab_frame(&t->mini, i, f)) &&
	    (!*name || !strchr(f->name, '@')))
		return true;
	return symtab_frame(&t->split, i, f) && is_better(f->name, name);
}
