/* gonames.c - see impl.h. */
#include "config.h"

#include "impl.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/read.h"
#include "symbols/elf/section.h"

enum {
	MAGIC_118 = 0xfffffff0,
	MAGIC_120 = 0xfffffff1,
	HEAD_BYTES = 72,
	/* Offsets in a _func. */
	FUNC_NAME = 4,
	FUNC_FILE = 20,
	FUNC_LINE = 24,
	FUNC_UNIT = 32,
	FUNC_START_120 = 36,
	FUNC_N_DATA_118 = 39,
	FUNC_N_DATA_120 = 43,
	PC_INLINED = 2,   /* index of a table by pc */
	DATA_INLINED = 3, /* index of a table of the function */
	/* The offset of go.func.* in runtime.moduledata. */
	MODULE_TEXT = 176,
	MODULE_FUNC_118 = 304,
	MODULE_FUNC_120 = 320,
	MAX_INLINED = 64,
	BEHIND = -2,  /* the value of a table that ends before the pc */
	STEPS = 4096, /* in tables by pc, for one address on average */
};

struct gotable {
	const struct object *o;
	struct section_bytes all;
	bool is_120;
	uint8_t quantum;
	uint64_t n_func, text, names, units, files, pcs, funcs;
	struct section_bytes tree; /* the section of inlined functions ... */
	uint64_t tree_at;          /* ... and its address, ... */
	uint64_t tree_base;        /* ... to which their offsets are added */
	uint64_t n_left;           /* steps */
	bool is_damaged;
};

/* A function of the table, and the offset of its _func. */
struct gofunc {
	uint64_t entry, end, at;
	uint32_t n_pc;
	unsigned n_data;
};

static struct cursor
cursor_of(const struct section_bytes *b, uint64_t at)
{
	struct cursor c = { b->data, b->data + b->n, false, false };

	if (at > b->n)
		cursor_fail(&c);
	else
		c.p += at;
	return c;
}

/* The 32 bits at offset at; 0 and damage if that is outside. */
static uint32_t
word_at(struct gotable *t, const struct section_bytes *b, uint64_t at)
{
	struct cursor c = cursor_of(b, at);
	uint32_t word = (uint32_t)cursor_number(&c, 4);

	t->is_damaged |= c.bad;
	return word;
}

/* The string at an offset; "" if it does not end in the table. */
static const char *
string_at(struct gotable *t, uint64_t base, uint32_t at)
{
	struct cursor c = cursor_of(&t->all, base);
	const char *s;

	cursor_skip(&c, at);
	s = cursor_string(&c);
	t->is_damaged |= c.bad;
	return c.bad ? "" : s;
}

static bool
read_head(struct gotable *t)
{
	struct cursor c = cursor_of(&t->all, 0);
	uint32_t magic = (uint32_t)cursor_number(&c, 4);

	cursor_skip(&c, 2);
	t->quantum = cursor_u8(&c);
	if ((magic != MAGIC_118 && magic != MAGIC_120) || cursor_u8(&c) != 8)
		return false;
	t->is_120 = magic == MAGIC_120;
	t->n_func = cursor_number(&c, 8);
	cursor_number(&c, 8);
	t->text = cursor_number(&c, 8);
	t->names = cursor_number(&c, 8);
	t->units = cursor_number(&c, 8);
	t->files = cursor_number(&c, 8);
	t->pcs = cursor_number(&c, 8);
	t->funcs = cursor_number(&c, 8);
	return !c.bad && t->text && t->n_func < t->all.n / 8;
}

/* Read the section with address a into *out. */
static bool
read_section_at(struct gotable *t, uint64_t a, struct section_bytes *out,
		uint64_t *start)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(t->o->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_PROGBITS &&
		    sh.sh_flags & SHF_ALLOC && a >= sh.sh_addr &&
		    a - sh.sh_addr < sh.sh_size) {
			*start = sh.sh_addr;
			return section_read(t->o->elf, scn, &sh, false,
					    t->o->budget, out);
		}
	return false;
}

/*
 * Find runtime.moduledata, which has no symbol in a stripped program: its first
 * words are the address of this table and of the names in it. Returns the
 * address of go.func.*, or 0.
 */
static uint64_t
find_base(struct gotable *t, const char *name, uint64_t table)
{
	const uint64_t first[2] = { table, table + t->names };
	unsigned at = t->is_120 ? MODULE_FUNC_120 : MODULE_FUNC_118;
	struct section_bytes b = { 0 };
	uint64_t base = 0, text;
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(t->o->elf, name, 0, &sh);

	if (!scn || sh.sh_type != SHT_PROGBITS ||
	    !section_read(t->o->elf, scn, &sh, false, t->o->budget, &b))
		return 0;
	for (size_t i = 0; !base && b.n >= at + 8 && i <= b.n - at - 8;
	     i += 8) {
		memcpy(&text, b.data + i + MODULE_TEXT, 8);
		if (!memcmp(b.data + i, first, sizeof(first)) &&
		    text == t->text)
			memcpy(&base, b.data + i + at, 8);
	}
	free(b.owned);
	return base;
}

static bool
gotable_open(struct gotable *t, const struct object *o)
{
	static const char *const data[] = { ".noptrdata", ".data",
					    ".go.module" };
	GElf_Shdr sh;
	Elf_Scn *scn = section_find(o->elf, ".gopclntab", 0, &sh);

	*t = (struct gotable){ .o = o };
	if (!scn)
		scn = section_find(o->elf, ".data.rel.ro.gopclntab", 0, &sh);
	if (!scn || sh.sh_type != SHT_PROGBITS ||
	    !section_read(o->elf, scn, &sh, false, o->budget, &t->all) ||
	    !read_head(t))
		return false;
	for (size_t i = 0; !t->tree_base && i < sizeof(data) / sizeof(*data);
	     i++)
		t->tree_base = find_base(t, data[i], sh.sh_addr);
	if (t->tree_base &&
	    !read_section_at(t, t->tree_base, &t->tree, &t->tree_at))
		t->tree_base = 0;
	return true;
}

static void
gotable_close(struct gotable *t)
{
	free(t->all.owned);
	free(t->tree.owned);
}

/* The entry of function i of the list, which ends with the end of the last. */
static uint64_t
entry_at(struct gotable *t, uint64_t i)
{
	return t->text + word_at(t, &t->all, t->funcs + 8 * i);
}

static bool
find_func(struct gotable *t, uint64_t addr, struct gofunc *f)
{
	uint64_t lo = 0, hi = t->n_func;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (entry_at(t, mid) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || addr >= entry_at(t, lo))
		return false;
	f->entry = entry_at(t, lo - 1);
	f->end = entry_at(t, lo);
	f->at = t->funcs + word_at(t, &t->all, t->funcs + 8 * (lo - 1) + 4);
	f->n_pc = word_at(t, &t->all, f->at + 28);
	f->n_data = word_at(t, &t->all,
			    f->at +
				    (t->is_120 ? FUNC_N_DATA_120
					       : FUNC_N_DATA_118) -
				    3) >>
		    24;
	return !t->is_damaged && f->entry <= addr;
}

/*
 * The value at pc in the table of f at offset table; -1: none. BEHIND: pc is in
 * the padding between f and the next function.
 */
static int32_t
value_at(struct gotable *t, const struct gofunc *f, uint32_t table, uint64_t pc)
{
	struct cursor c = cursor_of(&t->all, t->pcs + table);
	uint64_t at = f->entry;
	int64_t value = -1;

	if (table == 0)
		return -1;
	for (bool first = true; at < f->end && t->n_left; first = false) {
		uint64_t delta = cursor_uleb(&c);

		t->n_left--;
		if (c.bad)
			break;
		if (delta == 0 && !first)
			return BEHIND;
		value += delta & 1 ? (int64_t) ~(delta >> 1)
				   : (int64_t)(delta >> 1);
		at += cursor_uleb(&c) * t->quantum;
		if (!c.bad && pc < at)
			return value < INT32_MAX && value >= -1 ? (int32_t)value
								: -1;
	}
	t->is_damaged = true;
	return -1;
}

/* Offset of the first word behind the fixed part of f's _func. */
static uint64_t
behind(const struct gotable *t, const struct gofunc *f)
{
	return f->at + (t->is_120 ? FUNC_N_DATA_120 : FUNC_N_DATA_118) + 1;
}

/* false: pc is behind f. */
static bool
set_line(struct gotable *t, const struct gofunc *f, uint64_t pc,
	 struct symbol_frame *frame)
{
	const struct section_bytes *b = &t->all;
	int32_t file = value_at(t, f, word_at(t, b, f->at + FUNC_FILE), pc);
	int32_t line = value_at(t, f, word_at(t, b, f->at + FUNC_LINE), pc);
	uint32_t unit = word_at(t, b, f->at + FUNC_UNIT), name;

	if (file < 0 || line < 0)
		return line != BEHIND;
	name = word_at(t, b, t->units + 4 * ((uint64_t)unit + (uint32_t)file));
	if (name != UINT32_MAX) {
		frame->file = string_at(t, t->files, name);
		frame->line = line;
	}
	return true;
}

/*
 * The function that is inlined at *pc: set frame, and *pc to the place that it
 * is inlined at. False: none.
 */
static bool
next_inlined(struct gotable *t, const struct gofunc *f, uint64_t *pc,
	     struct symbol_frame *frame)
{
	unsigned size = t->is_120 ? 16 : 20;
	uint32_t table, data;
	uint64_t at;
	int32_t i;

	if (f->n_pc <= PC_INLINED || f->n_data <= DATA_INLINED)
		return false;
	table = word_at(t, &t->all, behind(t, f) + 4 * PC_INLINED);
	i = value_at(t, f, table, *pc);
	data = word_at(t, &t->all,
		       behind(t, f) + 4 * ((uint64_t)f->n_pc + DATA_INLINED));
	if (i < 0 || data == UINT32_MAX)
		return false;
	if (!t->tree_base) { /* the line is of a function that is not known */
		*frame = (struct symbol_frame){ .name = "", .file = "" };
		return false;
	}
	at = t->tree_base - t->tree_at + data + (uint64_t)size * (uint32_t)i;
	frame->name = string_at(
		t, t->names, word_at(t, &t->tree, at + (t->is_120 ? 4 : 12)));
	*pc = f->entry + word_at(t, &t->tree, at + (t->is_120 ? 8 : 16));
	if (t->is_120)
		frame->start_line = word_at(t, &t->tree, at + 12);
	return !t->is_damaged && *pc < f->end;
}

/* The frames at addr, innermost first; 0: damage, or no function. */
static size_t
frames_at(struct gotable *t, uint64_t addr, struct symbol_frame *frame)
{
	struct gofunc f;
	size_t n = 0;
	bool more;

	if (!find_func(t, addr, &f))
		return 0;
	do {
		uint64_t pc = addr;

		frame[n] = (struct symbol_frame){ .name = "", .file = "" };
		if (!set_line(t, &f, pc, &frame[n]))
			return 0;
		more = n < MAX_INLINED && next_inlined(t, &f, &addr, &frame[n]);
		n++;
	} while (more);
	frame[n - 1].name =
		string_at(t, t->names, word_at(t, &t->all, f.at + FUNC_NAME));
	if (t->is_120)
		frame[n - 1].start_line =
			word_at(t, &t->all, f.at + FUNC_START_120);
	return t->is_damaged || !*frame[n - 1].name ? 0 : n;
}

enum prof_status
gonames_run(const struct object *o, const uint64_t *addr, size_t n,
	    const bool *done, symbol_fn *fn, void *ctx, struct prof_err *err)
{
	struct symbol_frame frame[MAX_INLINED + 1];
	struct gotable t;
	bool is_damaged = false;

	if (gotable_open(&t, o)) {
		t.n_left = (uint64_t)n * STEPS + t.all.n;
		for (size_t i = 0; i < n; i++) {
			size_t k = done[i] ? 0 : frames_at(&t, addr[i], frame);

			if (k)
				fn(ctx, i, frame, k);
			is_damaged |= t.is_damaged;
			t.is_damaged = false;
		}
	}
	gotable_close(&t);
	return is_damaged ? prof_fail(err, PROF_EFORMAT,
				      "the table of Go's functions is damaged")
			  : PROF_OK;
}
