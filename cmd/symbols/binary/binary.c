/*
 * binary.c - see binary.h. object.c opens ELF files, debug.c finds split-off
 * debug files, functions.c reads DWARF and tables.c symbol tables.
 */
#include "config.h"

#include "binary.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "impl.h"
#include "lib/base/array.h"
#include "lib/base/buf.h"
#include "symbols/dwarf/cfi.h"
#include "symbols/elf/note.h"
#include "symbols/elf/object.h"
#include "symbols/elf/symtab.h"
#include "tables.h"

struct binary {
	struct object main;
	struct object debug; /* split off from main, or closed */
	struct object sup;   /* the common file of dwz, or closed */
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

/* Find the ranges of code: from sections, or from segments if those are
 * stripped. */
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
			continue; /* its address is unknown */
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
	qsort(s->code.range, s->code.n, sizeof(*s->code.range),
	      code_range_compare);
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

/* Open *out: the image if there is one, else the file. */
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
	object_close(&s->sup);
	free(s->segment);
	free(s->code.range);
	free(s);
}

void
binary_set_threads(struct binary *s, unsigned n)
{
	s->n_thread = n;
}

bool
binary_has_id(const struct binary *s, const char *id)
{
	return !strcasecmp(s->main.build_id, id) ||
	       !strcasecmp(s->main.loaded_id, id);
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

	/* Its code sections have only headers. */
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

/* The object with the DWARF, if any has it. */
static const struct object *
dwarf_object(const struct binary *s)
{
	return s->debug.elf ? &s->debug : &s->main;
}

bool
binary_lacks(const struct binary *s, char id[BUILD_ID_TEXT])
{
	*id = '\0';
	if (!binary_has_dwarf(s))
		memcpy(id, s->main.build_id, sizeof(s->main.build_id));
	else if (!s->sup.elf)
		note_altlink(dwarf_object(s)->elf, id);
	return *id;
}

bool
binary_use_debug(struct binary *s, struct binary *debug)
{
	struct object *to = binary_has_dwarf(s) ? &s->sup : &s->debug;
	char id[BUILD_ID_TEXT];
	bool is_used = to == &s->debug ? object_has_dwarf(&debug->main)
				       : binary_lacks(s, id) &&
						 binary_has_id(debug, id);

	if (is_used) {
		*to = debug->main;
		debug->main = (struct object){ .fd = -1 };
	}
	binary_close(debug);
	return is_used;
}

enum prof_status
binary_find_debug(struct binary *s, const char *const *dir, size_t n,
		  struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	if (!binary_has_dwarf(s))
		st = debug_find(&s->main, dir, n, &s->debug, err);
	return st == PROF_OK && binary_has_dwarf(s) && !s->sup.elf
		       ? debug_find_sup(dwarf_object(s), dir, n, &s->sup, err)
		       : st;
}

/* --- symbols --- */

bool
binary_symbol(struct binary *s, const char *name, uint64_t *value)
{
	struct symtab t;

	return symtab_open(s->main.elf, SHT_SYMTAB, &t) &&
	       symtab_value(&t, name, value);
}

/*
 * Names for addresses: functions of DWARF get the names of their symbols;
 * addresses that DWARF does not know have those of Go's own table, or only the
 * symbols.
 */
struct run {
	struct tables tables;
	struct symbol_frame *frame;
	size_t cap;
	bool *done; /* by address */
	bool nomem;
	symbol_fn *fn;
	void *ctx;
};

/* A symbol_fn: pass on the frames of DWARF, with the name of the symbol. */
static void
take_dwarf(void *ctx, size_t i, const struct symbol_frame *frame, size_t n)
{
	struct run *r = ctx;
	struct symbol_frame symbol, *outer;

	r->done[i] = true;
	if (!tables_outermost(&r->tables, i, frame[n - 1].name, &symbol)) {
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
	if (!binary_has_dwarf(s))
		return PROF_OK;
	return functions_run(dwarf_object(s), &s->sup, &s->code, addr, n,
			     s->n_thread, take_dwarf, r, err);
}

enum prof_status
binary_run(struct binary *s, const uint64_t *addr, size_t n, bool dwarf,
	   symbol_fn *fn, void *ctx, struct prof_err *err)
{
	struct run r = { .fn = fn, .ctx = ctx };
	enum prof_status st = PROF_OK;

	r.done = calloc(n + 1, sizeof(*r.done));
	if (!r.done || tables_open(&r.tables, &s->main, &s->debug, &s->code,
				   addr, n) < 0) {
		st = prof_nomem(err);
		goto out;
	}
	if (dwarf)
		st = run_dwarf(s, addr, n, &r, err);
	if (dwarf && st == PROF_OK)
		st = gonames_run(&s->main, addr, n, r.done, take_dwarf, &r,
				 err);
	for (size_t i = 0; i < n; i++) {
		struct symbol_frame f;

		if (!r.done[i] && tables_frame(&r.tables, i, addr[i], &f))
			fn(ctx, i, &f, 1);
	}
	if (r.nomem)
		st = prof_nomem(err);
	else if (s->main.budget && s->main.budget->lack)
		st = prof_fail(err, PROF_ENOMEM, "%s: %s", s->main.path,
			       strerror(s->main.budget->lack));
out:
	tables_release(&r.tables);
	free(r.frame);
	free(r.done);
	return st;
}

enum prof_status
binary_ranges(const struct binary *s, const uint64_t *addr, size_t n,
	      void (*fn)(void *ctx, size_t i, uint64_t start), void *ctx,
	      struct prof_err *err)
{
	struct cfi_table t;
	bool ok = cfi_read(&t, &s->main) == 0;

	for (size_t i = 0; ok && i < n; i++) {
		const struct code_range *r = cfi_at(&t, addr[i]);

		if (r)
			fn(ctx, i, r->start);
	}
	cfi_release(&t);
	return ok ? PROF_OK : prof_nomem(err);
}

/* --- the key of answers --- */

static bool
add_identity(const struct object *o, struct buf *b)
{
	return !o->elf || object_add_identity(o, b) == 0;
}

char *
binary_key(const struct binary *s, bool dwarf)
{
	static const char all[] = PACKAGE_VERSION " lines",
			  names[] = PACKAGE_VERSION " table";
	struct buf b = { 0 };

	if (buf_add(&b, dwarf ? all : names, strlen(all)) == 0 &&
	    add_identity(&s->main, &b) && add_identity(&s->debug, &b) &&
	    add_identity(&s->sup, &b) && buf_add(&b, "", 1) == 0)
		return (char *)b.data;
	buf_release(&b);
	return NULL;
}

bool
binary_is_whole(const struct binary *s)
{
	return functions_are_whole(dwarf_object(s));
}
