/*
 * binary.c - see binary.h. ELF files are opened by object.c, the files
 * that debug information was split off into are found by debug.c;
 * DWARF is in functions.c, symbol tables in symbols/elf/symtab.c.
 */
#include "config.h"

#include "binary.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug.h"
#include "functions.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "symbols/dwarf/split.h"
#include "symbols/elf/object.h"
#include "symbols/elf/symtab.h"

struct binary {
	struct object main;
	struct object debug; /* split off from main, or closed */
	struct load_layout layout;
	struct load_segment *segment;
	struct code_map code;
	unsigned n_thread; /* 0: one */
};

/* --- opening --- */

static enum load_type
load_type(unsigned type)
{
	switch (type) {
	case ET_REL:
		return LOAD_REL;
	case ET_EXEC:
		return LOAD_EXEC;
	case ET_DYN:
		return LOAD_DYN;
	default:
		return LOAD_OTHER;
	}
}

static int
cmp_range(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Where instructions are: sections, or segments where those are stripped. */
static int
read_code(struct binary *s)
{
	Elf_Scn *scn = NULL;
	size_t n = 0, names = 0;
	GElf_Shdr sh;

	if (elf_getshdrnum(s->main.elf, &n) != 0)
		n = 0;
	s->code.range =
		calloc(n + s->layout.n_segment + 1, sizeof(*s->code.range));
	if (!s->code.range)
		return -1;
	n = n + s->layout.n_segment;
	elf_getshdrstrndx(s->main.elf, &names);
	while ((scn = elf_nextscn(s->main.elf, scn)) && s->code.n < n) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(s->main.elf, names, sh.sh_name);
		if (name && !strcmp(name, ".text")) {
			s->layout.text = sh.sh_addr;
			if (s->layout.type == LOAD_REL)
				s->code.section = elf_ndxscn(scn);
			/* Split off: its offsets are not those of the file
			 * that was mapped. */
			if (sh.sh_type == SHT_NOBITS)
				s->layout.n_segment = 0;
		} else if (s->layout.type == LOAD_REL) {
			continue; /* where it was put is not known */
		}
		s->code.range[s->code.n++] =
			(struct code_range){ sh.sh_addr,
					     sh.sh_addr + sh.sh_size };
	}
	for (size_t i = 0; s->code.n == 0 && i < s->layout.n_segment; i++)
		if (s->segment[i].exec)
			s->code.range[s->code.n++] = (struct code_range){
				s->segment[i].vaddr,
				s->segment[i].vaddr + s->segment[i].memsz
			};
	qsort(s->code.range, s->code.n, sizeof(*s->code.range), cmp_range);
	return 0;
}

static enum prof_status
read_layout(struct binary *s, struct prof_err *err)
{
	struct load_layout *l = &s->layout;
	GElf_Ehdr ehdr;
	GElf_Phdr ph;
	size_t n = 0;

	if (!gelf_getehdr(s->main.elf, &ehdr))
		return prof_fail(err, PROF_EFORMAT, "damaged ELF header");
	if (elf_getphdrnum(s->main.elf, &n) != 0)
		n = 0;
	l->type = load_type(ehdr.e_type);
	s->segment = calloc(n + 1, sizeof(*s->segment));
	if (!s->segment)
		return prof_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(s->main.elf, (int)i, &ph) ||
		    ph.p_type != PT_LOAD)
			continue;
		s->segment[l->n_segment++] = (struct load_segment){
			.vaddr = ph.p_vaddr,
			.offset = ph.p_offset,
			.filesz = ph.p_filesz,
			.memsz = ph.p_memsz,
			.align = ph.p_align,
			.exec = ph.p_flags & PF_X,
		};
	}
	l->segment = s->segment;
	return read_code(s) < 0 ? prof_nomem(err) : PROF_OK;
}

/* Make *out of the file or, if there is one, the image. */
static enum prof_status
open_object(const char *name, void *image, size_t n,
	    struct unpack_budget *budget, struct binary **out,
	    struct prof_err *err)
{
	struct binary *s = calloc(1, sizeof(*s));
	enum prof_status st;

	*out = NULL;
	if (!s) {
		free(image);
		return prof_nomem(err);
	}
	st = image ? object_open_image(&s->main, name, image, n, err)
		   : object_open(&s->main, name, budget, err);
	if (st == PROF_OK)
		st = read_layout(s, err);
	if (st != PROF_OK) {
		binary_close(s);
		return st;
	}
	*out = s;
	return PROF_OK;
}

enum prof_status
binary_open(const char *path, struct unpack_budget *budget, struct binary **out,
	    struct prof_err *err)
{
	return open_object(path, NULL, 0, budget, out, err);
}

enum prof_status
binary_open_image(const char *name, void *image, size_t n, struct binary **out,
		  struct prof_err *err)
{
	return open_object(name, image, n, NULL, out, err);
}

void
binary_close(struct binary *s)
{
	if (!s)
		return;
	object_close(&s->main);
	object_close(&s->debug);
	free(s->segment);
	free(s->code.range);
	free(s);
}

void
binary_set_threads(struct binary *s, unsigned n)
{
	s->n_thread = n;
}

const char *
binary_build_id(const struct binary *s)
{
	return s->main.build_id;
}

const struct load_layout *
binary_layout(const struct binary *s)
{
	return &s->layout;
}

const struct object *
binary_object(const struct binary *s)
{
	return &s->main;
}

const struct object *
binary_debug(const struct binary *s)
{
	return &s->debug;
}

const struct code_map *
binary_code(const struct binary *s)
{
	return &s->code;
}

/* --- debug files --- */

enum binary_worth
binary_worth(const struct binary *s)
{
	GElf_Shdr sh;

	/* Of its code, only the header is left. */
	if (section_find(s->main.elf, ".text", 0, &sh) &&
	    sh.sh_type == SHT_NOBITS)
		return WORTH_SPLIT;
	if (object_has_dwarf(&s->main))
		return WORTH_DWARF;
	return section_find(s->main.elf, NULL, SHT_SYMTAB, &sh)
		       ? WORTH_SYMBOLS
		       : WORTH_STRIPPED;
}

bool
binary_has_dwarf(const struct binary *s)
{
	return s->debug.elf || object_has_dwarf(&s->main);
}

void
binary_use_debug(struct binary *s, struct binary *debug)
{
	if (!binary_has_dwarf(s) && object_has_dwarf(&debug->main)) {
		s->debug = debug->main;
		debug->main = (struct object){ .fd = -1 };
	}
	binary_close(debug);
}

enum prof_status
binary_find_debug(struct binary *s, const char *const *dir, size_t n,
		  struct prof_err *err)
{
	if (binary_has_dwarf(s))
		return PROF_OK;
	return debug_find(&s->main, dir, n, &s->debug, err);
}

/* --- symbols --- */

bool
binary_symbol(struct binary *s, const char *name, uint64_t *value)
{
	struct symtab t;

	return symtab_open(s->main.elf, SHT_SYMTAB, &t) &&
	       symtab_value(&t, name, value);
}

struct run {
	struct symtab own;   /* of the file itself */
	struct symtab split; /* of its debug file, if the own lacks most */
	struct object mini_object;
	struct symtab mini; /* of a stripped file, packed into it */
	struct symbol_frame *frame;
	size_t cap;
	bool *done; /* of each address */
	bool nomem;
	symbol_fn *fn;
	void *ctx;
};

/*
 * Is a symbol of the debug file a better name than DWARF's? It knows the
 * mangled names of static functions in C++, and that code is that of "f.cold".
 * But among symbols of one address it has aliases that nobody calls.
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

/*
 * The symbol of address i, for the outermost function, which DWARF calls name.
 * One of the file itself wins, as with llvm-symbolizer, if it has no version.
 */
static bool
choose_symbol(const struct run *r, size_t i, const char *name,
	      struct symbol_frame *f)
{
	if ((symtab_frame(&r->own, i, f) || symtab_frame(&r->mini, i, f)) &&
	    (!*name || !strchr(f->name, '@')))
		return true;
	return symtab_frame(&r->split, i, f) && is_better(f->name, name);
}

/* A symbol_fn: what DWARF knows, and the symbol. */
static void
take_dwarf(void *ctx, size_t i, const struct symbol_frame *frame, size_t n)
{
	struct run *r = ctx;
	struct symbol_frame symbol, *outer;

	r->done[i] = true;
	if (!choose_symbol(r, i, frame[n - 1].name, &symbol)) {
		r->fn(r->ctx, i, frame, n);
		return;
	}
	if (array_reserve(&r->frame, &r->cap, n, sizeof(*frame)) < 0) {
		r->nomem = true;
		return;
	}
	memcpy(r->frame, frame, n * sizeof(*frame));
	outer = &r->frame[n - 1];
	outer->name = symbol.name;
	if (!*outer->file)
		outer->file = symbol.file;
	r->fn(r->ctx, i, r->frame, n);
}

static enum prof_status
run_dwarf(struct binary *s, const uint64_t *addr, size_t n, struct run *r,
	  struct prof_err *err)
{
	const struct object *o = s->debug.elf ? &s->debug : &s->main;

	if (!object_has_dwarf(o))
		return PROF_OK;
	return functions_run(o, &s->code, addr, n, s->n_thread, take_dwarf, r,
			     err);
}

static int
read_symbols(struct binary *s, const uint64_t *addr, size_t n, struct run *r)
{
	bool all = symtab_open(s->main.elf, SHT_SYMTAB, &r->own);

	if ((all || symtab_open(s->main.elf, SHT_DYNSYM, &r->own)) &&
	    symtab_match(&r->own, &s->code, addr, n) < 0)
		return -1;
	if (all)
		return 0;
	if (s->debug.elf && symtab_open(s->debug.elf, SHT_SYMTAB, &r->split))
		return symtab_match(&r->split, &s->code, addr, n);
	switch (object_open_mini(&r->mini_object, &s->main, NULL)) {
	case PROF_OK:
		break;
	case PROF_ENOMEM:
		return -1;
	default:
		return 0;
	}
	if (!r->mini_object.elf ||
	    !symtab_open(r->mini_object.elf, SHT_SYMTAB, &r->mini))
		return 0;
	return symtab_match(&r->mini, &s->code, addr, n);
}

enum prof_status
binary_run(struct binary *s, const uint64_t *addr, size_t n, bool dwarf,
	   symbol_fn *fn, void *ctx, struct prof_err *err)
{
	struct run r = { .fn = fn, .ctx = ctx };
	enum prof_status st = PROF_OK;

	r.done = calloc(n + 1, sizeof(*r.done));
	if (!r.done || read_symbols(s, addr, n, &r) < 0) {
		st = prof_nomem(err);
		goto out;
	}
	if (dwarf)
		st = run_dwarf(s, addr, n, &r, err);
	for (size_t i = 0; i < n; i++) {
		struct symbol_frame f;

		if (!r.done[i] && (symtab_frame(&r.own, i, &f) ||
				   symtab_frame(&r.mini, i, &f) ||
				   symtab_frame(&r.split, i, &f)))
			fn(ctx, i, &f, 1);
	}
	if (r.nomem)
		st = prof_nomem(err);
out:
	symtab_release(&r.own);
	symtab_release(&r.split);
	symtab_release(&r.mini);
	object_close(&r.mini_object);
	free(r.frame);
	free(r.done);
	return st;
}

/* --- which answers these are --- */

/* Append what tells an object from others, and that of dwz's common file. */
static bool
add_identity(const struct object *o, struct buf *b)
{
	struct object sup;
	bool ok = object_add_identity(o, b) == 0;

	if (ok && split_find_sup(&sup, o)) {
		ok = object_add_identity(&sup, b) == 0;
		object_close(&sup);
	}
	return ok;
}

char *
binary_key(const struct binary *s, bool dwarf)
{
	static const char all[] = PACKAGE_VERSION " dwarf",
			  names[] = PACKAGE_VERSION " names";
	struct buf b = { 0 };

	if (buf_add(&b, dwarf ? all : names, strlen(all)) == 0 &&
	    add_identity(&s->main, &b) &&
	    (!s->debug.elf || add_identity(&s->debug, &b)) &&
	    buf_add(&b, "", 1) == 0)
		return (char *)b.data;
	buf_release(&b);
	return NULL;
}

bool
binary_is_whole(const struct binary *s)
{
	return functions_are_whole(s->debug.elf ? &s->debug : &s->main);
}
