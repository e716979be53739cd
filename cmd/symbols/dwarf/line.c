/* line.c - see line.h. */
#include "config.h"

#include "line.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/search.h"
#include "symbols/elf/symtab.h"

/* --- the header --- */

static bool
grow_rows(struct dwarf_lines *l, void *array, size_t *cap, size_t n,
	  size_t size)
{
	if (array_reserve(array, cap, n + 1, size) < 0)
		l->nomem = true;
	return !l->nomem;
}

static bool
add_dir(struct dwarf_lines *l, const char *name)
{
	if (!grow_rows(l, &l->dir, &l->cap_dir, l->n_dir, sizeof(*l->dir)))
		return false;
	l->dir[l->n_dir++] = name;
	return true;
}

static bool
add_file(struct dwarf_lines *l, const char *name, uint64_t dir)
{
	if (!grow_rows(l, &l->file, &l->cap_file, l->n_file, sizeof(*l->file)))
		return false;
	l->file[l->n_file++] = (struct line_file){ .name = name, .dir = dir };
	return true;
}

/* Add a file of a table up to DWARF 4; c is after its name. */
static bool
add_old_file(struct dwarf_lines *l, struct cursor *c, const char *name)
{
	uint64_t dir = cursor_uleb(c);

	cursor_uleb(c); /* time */
	cursor_uleb(c); /* size */
	return add_file(l, name, dir);
}

/*
 * Read directories and files up to DWARF 4. They are numbered from 1; entry 0
 * is added here, so that indices are the same in all versions.
 */
static bool
read_old_names(struct dwarf_lines *l, struct cursor *c)
{
	const char *name;

	if (!add_dir(l, "") || !add_file(l, NULL, 0))
		return false;
	while (!c->bad && *(name = cursor_string(c)))
		if (!add_dir(l, name))
			return false;
	while (!c->bad && *(name = cursor_string(c)))
		if (!add_old_file(l, c, name))
			return false;
	return !c->bad;
}

/* Read one list of DWARF 5: the format of the entries, and the entries. */
static bool
read_names(struct dwarf_lines *l, struct cursor *c, bool is_dirs,
	   struct dwarf_budget *budget)
{
	struct cursor format;
	unsigned n_format = cursor_u8(c);
	uint64_t n;

	format = *c;
	for (unsigned i = 0; i < 2 * n_format; i++)
		cursor_uleb(c);
	n = cursor_uleb(c);
	/* An entry of no bytes could be repeated forever, and has 255 parts. */
	if (n > cursor_left(c) || !budget_spend(budget, n * (1 + n_format)))
		return false;
	while (n-- && !c->bad) {
		struct cursor f = format;
		const char *name = NULL;
		uint64_t dir = 0;

		for (unsigned i = 0; i < n_format; i++) {
			uint64_t what = cursor_uleb(&f);
			uint64_t form = cursor_uleb(&f);
			struct dwarf_value v = form_read(&l->sizes, c, form, 0);

			if (what == DW_LNCT_path)
				name = unit_string(l->unit, &v);
			else if (what == DW_LNCT_directory_index)
				dir = v.u;
		}
		if (is_dirs ? !add_dir(l, name ? name : "")
			    : !add_file(l, name, dir))
			return false;
	}
	return !c->bad;
}

bool
lines_init(struct dwarf_lines *l, const struct dwarf_unit *u,
	   struct dwarf_budget *budget)
{
	struct cursor c = dwarf_at(u->file, DWARF_LINE, u->lines);
	uint64_t length, header;
	uint16_t version;

	*l = (struct dwarf_lines){ .unit = u, .max_ops = 1 };
	if (!u->has_lines)
		return false;
	length = cursor_length(&c, &l->sizes.offset);
	if (length > cursor_left(&c) || !budget_spend(budget, length))
		return false;
	c.end = c.p + length;
	version = cursor_u16(&c);
	if (version < 2 || version > 5)
		return false;
	l->sizes.version = (uint8_t)version;
	l->sizes.addr = u->sizes.addr;
	if (l->sizes.version == 5) {
		l->sizes.addr = cursor_u8(&c);
		cursor_u8(&c); /* of a segment selector */
	}
	header = cursor_number(&c, l->sizes.offset);
	if (header > cursor_left(&c))
		return false;
	l->program = c;
	cursor_skip(&l->program, header);
	c.end = l->program.p;
	l->min_length = cursor_u8(&c);
	if (l->sizes.version >= 4)
		l->max_ops = cursor_u8(&c);
	cursor_u8(&c); /* is_stmt: not used */
	l->line_base = (int8_t)cursor_u8(&c);
	l->line_range = cursor_u8(&c);
	l->opcode_base = cursor_u8(&c);
	for (unsigned i = 1; i < l->opcode_base; i++)
		l->n_operand[i] = cursor_u8(&c);
	if (c.bad || !l->line_range || !l->max_ops || !l->opcode_base ||
	    l->sizes.addr < 1 || l->sizes.addr > 8)
		return false;
	if (l->sizes.version < 5)
		return read_old_names(l, &c);
	return read_names(l, &c, true, budget) &&
	       read_names(l, &c, false, budget);
}

void
lines_release(struct dwarf_lines *l)
{
	for (size_t i = 0; i < l->n_file; i++)
		free(l->file[i].path);
	free(l->file);
	free(l->dir);
	*l = (struct dwarf_lines){ 0 };
}

static const char *
slash(const char *dir)
{
	size_t n = strlen(dir);

	return n && dir[n - 1] != '/' ? "/" : "";
}

/*
 * A relative name is below its directory, and a relative directory below the
 * one where the unit was compiled. Distributions map the latter to "."; the
 * directory then still distinguishes files.
 */
const char *
lines_path(struct dwarf_lines *l, uint64_t index)
{
	const char *base = l->unit->dir, *dir;
	struct line_file *f;

	if (index >= l->n_file || !l->file[index].name)
		return "";
	f = &l->file[index];
	/*
	 * No such path exists. Many names may be parts of one long string, or
	 * be in one long directory.
	 */
	if (strnlen(f->name, PATH_MAX) == PATH_MAX)
		return "";
	if (*f->name == '/')
		return f->name;
	if (f->path)
		return f->path;
	dir = f->dir < l->n_dir ? l->dir[f->dir] : "";
	/* From DWARF 5 on, directory 0 is where the unit was compiled. */
	if (!base || *dir == '/' || (l->sizes.version >= 5 && f->dir == 0))
		base = "";
	if (strlen(base) + strlen(dir) + strlen(f->name) >= PATH_MAX)
		return f->name;
	if (asprintf(&f->path, "%s%s%s%s%s", base, slash(base), dir, slash(dir),
		     f->name) < 0) {
		f->path = NULL;
		l->nomem = true;
		return f->name;
	}
	return f->path;
}

/* --- the program --- */

/* The registers in use (DWARF 5, 6.2.2). */
struct line_state {
	uint64_t addr;
	uint64_t op_index; /* within a bundle of instructions */
	uint32_t file, line, column;
};

struct line_run {
	const struct dwarf_lines *l;
	const struct code_map *code;
	const uint64_t *addr;
	size_t n;
	struct line_row *row;
	struct line_state at;
	struct line_state last; /* the row before; in a sequence only */
	bool in_sequence;
	size_t next;       /* the first address not below last */
	uint64_t wanted;   /* that one, or UINT64_MAX */
	uint8_t step[256]; /* of each special opcode: its operation advance */
};

/* Move to the first wanted address from a on; none if a is not in code. */
static void
seek(struct line_run *r, uint64_t a)
{
	size_t lo = search_from(r->addr, r->n, sizeof(*r->addr), 0, a);

	if (lo < r->n && !code_end(r->code, a))
		lo = r->n;
	r->next = lo;
	r->wanted = lo < r->n ? r->addr[lo] : UINT64_MAX;
}

/* The last row answers the wanted addresses before end. The first sequence
 * wins. */
static void
answer(struct line_run *r, uint64_t end)
{
	while (r->next < r->n && r->addr[r->next] < end) {
		struct line_row *row = &r->row[r->next++];

		if (!row->is_known)
			*row = (struct line_row){ true, r->last.file,
						  r->last.line,
						  r->last.column };
	}
	r->wanted = r->next < r->n ? r->addr[r->next] : UINT64_MAX;
}

static inline void
add_row(struct line_run *r)
{
	if (!r->in_sequence || r->at.addr < r->last.addr)
		seek(r, r->at.addr);
	else if (r->at.addr > r->wanted)
		answer(r, r->at.addr);
	r->last = r->at;
	r->in_sequence = true;
}

static void
begin_sequence(struct line_run *r)
{
	r->in_sequence = false;
	r->at = (struct line_state){ .file = 1, .line = 1 };
}

static void
end_sequence(struct line_run *r)
{
	if (r->in_sequence && r->at.addr > r->wanted)
		answer(r, r->at.addr);
	begin_sequence(r);
}

/* Advance by so many operations (6.2.5.1). */
static void
advance(struct line_run *r, uint64_t n)
{
	const struct dwarf_lines *l = r->l;

	if (l->max_ops == 1) {
		r->at.addr += n * l->min_length;
		return;
	}
	n += r->at.op_index;
	r->at.addr += n / l->max_ops * l->min_length;
	r->at.op_index = n % l->max_ops;
}

static void
extended(struct line_run *r, struct cursor *c, struct dwarf_lines *l)
{
	uint64_t n = cursor_uleb(c);
	struct cursor in = *c;
	const char *name;

	cursor_skip(c, n);
	if (c->bad || n == 0)
		return;
	in.end = c->p;
	switch (cursor_u8(&in)) {
	case DW_LNE_end_sequence:
		end_sequence(r);
		break;
	case DW_LNE_set_address:
		/* Its size is the rest, whatever the header says. */
		if (n - 1 >= 1 && n - 1 <= 8)
			r->at.addr = cursor_number(&in, (unsigned)(n - 1));
		r->at.op_index = 0;
		break;
	case DW_LNE_define_file:
		name = cursor_string(&in);
		if (!in.bad && l->sizes.version < 5)
			add_old_file(l, &in, name);
		break;
	}
}

static void
standard(struct line_run *r, uint8_t op, struct cursor *c)
{
	const struct dwarf_lines *l = r->l;

	switch (op) {
	case DW_LNS_copy:
		add_row(r);
		break;
	case DW_LNS_advance_pc:
		advance(r, cursor_uleb(c));
		break;
	case DW_LNS_advance_line:
		r->at.line += (uint32_t)cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		r->at.file = (uint32_t)cursor_uleb(c);
		break;
	case DW_LNS_set_column:
		r->at.column = (uint32_t)cursor_uleb(c);
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	case DW_LNS_const_add_pc:
		advance(r, (255u - l->opcode_base) / l->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		r->at.addr += cursor_u16(c);
		r->at.op_index = 0;
		break;
	default:
		for (unsigned i = 0; i < l->n_operand[op]; i++)
			cursor_uleb(c);
	}
}

bool
lines_find(struct dwarf_lines *l, const struct code_map *code,
	   const uint64_t *addr, size_t n, struct line_row *row)
{
	struct line_run r = {
		.l = l, .code = code, .addr = addr, .n = n, .row = row
	};
	struct cursor c = l->program;
	/* Almost all opcodes are special ones, and divisions are slow. */
	int16_t lines[256];

	for (unsigned op = l->opcode_base; op < 256; op++) {
		unsigned k = op - l->opcode_base;

		r.step[op] = (uint8_t)(k / l->line_range);
		lines[op] = (int16_t)(l->line_base + (int)(k % l->line_range));
	}
	begin_sequence(&r);
	while (c.p < c.end && !l->nomem) {
		uint8_t op = *c.p++;

		if (op >= l->opcode_base) {
			advance(&r, r.step[op]);
			r.at.line += (uint32_t)lines[op];
			add_row(&r);
		} else if (op == 0) {
			extended(&r, &c, l);
		} else {
			standard(&r, op, &c);
		}
	}
	return !c.bad;
}
