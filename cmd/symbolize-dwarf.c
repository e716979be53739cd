/*
 * symbolize-dwarf.c - functions, inlined functions and lines of many addresses
 * in one pass over the units that hold them; see symbolize.h.
 *
 * libdw says where units are and what attributes mean. It is not asked to walk
 * the tree of entries, for which symbolize-die.h has a faster way; only
 * functions with code are shown to it.
 */
#include "config.h"

#include "symbolize-dwarf.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize-die.h"

#define NONE UINT32_MAX
#define MAX_DEPTH 1024 /* of entries in each other */
#define MAX_FRAMES 512 /* of functions inlined in each other */

/* --- one run --- */

/* A function, or an inlined copy of one, with code at a wanted address. */
struct node {
	uint8_t *die;
	uint32_t parent; /* the function that it is in, or NONE */
	bool is_inlined;
	bool is_read; /* what follows is known */
	const char *name;
	int64_t start_line;
	const char *call_file; /* where it was inlined */
	int64_t call_line, call_column;
};

/* A relative file name of a unit, and what it is joined with its directory. */
struct joined {
	const char *name; /* libdw's: same file, same pointer */
	char *path;
};

struct scan {
	const uint64_t *addr;
	size_t n;
	const struct code_map *code;
	symbolize_fn *fn;
	void *ctx;
	uint64_t work; /* things that may still be looked at */

	uint32_t *unit; /* of each address: the unit that has it, or NONE */
	uint32_t *node; /* ... the innermost function, or NONE */
	size_t *mine;   /* the addresses of this unit */
	size_t n_mine;
	bool take_all;      /* the unit does not say where its code is: it has
			     * what its functions have */
	struct node *nodes; /* of this unit */
	size_t n_node, cap_node;
	const char *dir;    /* this unit was compiled there, or NULL */
	bool dir_is_joined; /* with names that have no other directory */
	struct joined *joined;
	size_t n_joined, cap_joined;
	struct abbrevs abbrevs;
	bool damaged; /* something was skipped */
	bool nomem;
};

/* Account for n things. false when there were too many of them. */
static bool
spend(struct scan *s, uint64_t n)
{
	bool ok = work_spend(&s->work, n);

	s->damaged |= !ok;
	return ok;
}

/* The first address that is not below a. */
static size_t
lower_bound(const struct scan *s, uint64_t a)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->addr[mid] < a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* --- functions --- */

/* Address i is of this unit. */
static void
take(struct scan *s, uint32_t unit, size_t i)
{
	s->unit[i] = unit;
	s->mine[s->n_mine++] = i;
}

/*
 * Make a node of the function at die if it has code at one of this unit's
 * addresses, and give it those. Inner functions come later and take theirs
 * over. Returns the node, or NONE.
 */
static uint32_t
add_function(struct scan *s, uint32_t unit, uint8_t *die_addr, uint32_t tag,
	     uint32_t parent)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	uint32_t id = NONE;
	Dwarf_Die die;

	if (!dwarf_die_addr_die(s->abbrevs.dw, die_addr, &die))
		return NONE;
	while ((offset = dwarf_ranges(&die, offset, &base, &start, &end)) > 0) {
		size_t i = lower_bound(s, start);

		if (!spend(s, 1))
			return id;
		if (i == s->n || s->addr[i] >= end || !code_end(s->code, start))
			continue;
		for (; i < s->n && s->addr[i] < end; i++) {
			if (!spend(s, 1))
				return id;
			if (s->unit[i] == NONE && s->take_all)
				take(s, unit, i);
			if (s->unit[i] != unit)
				continue;
			if (id == NONE) {
				if (s->n_node >= NONE - 1 ||
				    array_grow(&s->nodes, &s->cap_node,
					       s->n_node,
					       sizeof(*s->nodes)) < 0) {
					s->nomem = true;
					return NONE;
				}
				id = (uint32_t)s->n_node++;
				s->nodes[id] = (struct node){
					.die = die_addr,
					.parent = parent,
					.is_inlined = tag ==
						      DW_TAG_inlined_subroutine,
				};
			}
			s->node[i] = id;
		}
	}
	return id;
}

/* Where the walk is inside of. */
struct level {
	uint32_t node; /* the nearest function, or NONE */
	bool skip;     /* in a function without wanted addresses */
};

/*
 * Walk the entries of a unit from first on, and find its functions. Whatever
 * is wrong ends the walk, and what was found stays.
 */
static void
walk(struct scan *s, uint32_t unit, uint8_t *first, size_t size)
{
	const uint8_t *p = first, *end = first + size;
	struct level level[MAX_DEPTH] = { { NONE, false } };
	size_t depth = 0;

	do {
		uint8_t *die = first + (p - first);
		struct level in = level[depth];
		const struct abbrev *ab;

		if (!abbrevs_step(&s->abbrevs, &p, end, &ab) || !spend(s, 1))
			goto damaged;
		if (!ab) {
			if (depth == 0)
				return;
			depth--;
			continue;
		}
		/* Copies inlined into a function lie inside its ranges. */
		if (ab->has_code &&
		    !(in.skip && ab->tag == DW_TAG_inlined_subroutine)) {
			uint32_t id =
				add_function(s, unit, die, ab->tag, in.node);

			if (s->nomem)
				return;
			in.skip = id == NONE;
			if (id != NONE)
				in.node = id;
		}
		if (ab->has_children) {
			if (++depth == MAX_DEPTH)
				goto damaged;
			level[depth] = in;
		}
	} while (depth && p < end);
	return;
damaged:
	s->damaged = true;
}

/* --- what is known of a function --- */

static const char *
string_attr(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attr));
}

static int64_t
number_attr(Dwarf_Attribute *attr)
{
	Dwarf_Word v;

	if (!attr || dwarf_formudata(attr, &v) != 0 || v > INT32_MAX)
		return 0;
	return (int64_t)v;
}

/*
 * The path of a file of this unit. libdw joins names with directories that are
 * absolute, but distributions map the build directory to ".", and then leaves
 * out which of many it was.
 */
static const char *
file_path(struct scan *s, const char *name)
{
	size_t n_dir;
	char *path;

	if (!name || *name == '/' || !s->dir || !*s->dir)
		return name ? name : "";
	n_dir = strlen(s->dir);
	if (s->dir_is_joined && !strncmp(name, s->dir, n_dir) &&
	    name[n_dir] == '/')
		return name;
	/* The last one is asked for again and again. */
	for (size_t i = s->n_joined; i-- > 0;)
		if (s->joined[i].name == name)
			return s->joined[i].path;
	if (array_grow(&s->joined, &s->cap_joined, s->n_joined,
		       sizeof(*s->joined)) < 0 ||
	    asprintf(&path, "%s/%s", s->dir, name) < 0) {
		s->nomem = true;
		return name;
	}
	s->joined[s->n_joined++] = (struct joined){ name, path };
	return path;
}

static void
forget_paths(struct scan *s)
{
	while (s->n_joined)
		free(s->joined[--s->n_joined].path);
}

static void
read_node(struct scan *s, struct node *node, Dwarf_Files *files)
{
	Dwarf_Attribute attr;
	const char *name;
	Dwarf_Die die;

	node->is_read = true;
	node->name = node->call_file = "";
	if (!dwarf_die_addr_die(s->abbrevs.dw, node->die, &die))
		return;
	name = string_attr(&die, DW_AT_linkage_name);
	if (!name)
		name = string_attr(&die, DW_AT_MIPS_linkage_name);
	if (!name)
		name = string_attr(&die, DW_AT_name);
	if (name)
		node->name = name;
	node->start_line =
		number_attr(dwarf_attr_integrate(&die, DW_AT_decl_line, &attr));
	if (!node->is_inlined)
		return;
	node->call_line = number_attr(dwarf_attr(&die, DW_AT_call_line, &attr));
	node->call_column =
		number_attr(dwarf_attr(&die, DW_AT_call_column, &attr));
	if (files && dwarf_attr(&die, DW_AT_call_file, &attr)) {
		Dwarf_Word i;

		name = dwarf_formudata(&attr, &i) == 0
			       ? dwarf_filesrc(files, i, NULL, NULL)
			       : NULL;
		node->call_file = file_path(s, name);
	}
}

/* The line of the table's row that covers a; zeros if there is none. */
static void
find_line(struct scan *s, Dwarf_Lines *lines, size_t n, uint64_t a,
	  struct symbolize_frame *f)
{
	size_t lo = 0, hi = n;
	Dwarf_Addr at;
	int line = 0, column = 0;
	Dwarf_Line *row;
	bool is_end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		row = dwarf_onesrcline(lines, mid);
		if (dwarf_lineaddr(row, &at) == 0 && at <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return;
	row = dwarf_onesrcline(lines, lo - 1);
	if (dwarf_lineendsequence(row, &is_end) != 0 || is_end)
		return;
	f->file = file_path(s, dwarf_linesrc(row, NULL, NULL));
	if (dwarf_lineno(row, &line) == 0 && line > 0)
		f->line = line;
	if (dwarf_linecol(row, &column) == 0 && column > 0)
		f->column = column;
}

/* Tell what is at address i: its line, and the functions around it. */
static void
emit(struct scan *s, size_t i, Dwarf_Lines *lines, size_t n_line,
     Dwarf_Files *files)
{
	struct symbolize_frame frame[MAX_FRAMES];
	uint32_t id = s->node[i];
	size_t n = 1;

	frame[0] = (struct symbolize_frame){ .name = "", .file = "" };
	if (n_line)
		find_line(s, lines, n_line, s->addr[i], &frame[0]);
	while (id != NONE) {
		struct node *node = &s->nodes[id];

		if (!node->is_read)
			read_node(s, node, files);
		frame[n - 1].name = node->name;
		frame[n - 1].start_line = node->start_line;
		if (!node->is_inlined || n == MAX_FRAMES)
			break;
		frame[n++] = (struct symbolize_frame){
			.name = "",
			.file = node->call_file,
			.line = node->call_line,
			.column = node->call_column,
		};
		id = node->parent;
	}
	if (n > 1 || *frame[0].name || *frame[0].file || frame[0].line)
		s->fn(s->ctx, i, frame, n);
}

/* --- units --- */

/*
 * Take the addresses in [start, end) that no unit has yet. With -1 the whole
 * run is at its end.
 */
static int
claim(struct scan *s, uint32_t unit, uint64_t start, uint64_t end)
{
	size_t i = lower_bound(s, start);

	if (!spend(s, 1))
		return -1;
	if (i == s->n || s->addr[i] >= end || !code_end(s->code, start))
		return 0;
	for (; i < s->n && s->addr[i] < end; i++) {
		if (!spend(s, 1))
			return -1;
		if (s->unit[i] == NONE)
			take(s, unit, i);
	}
	return 0;
}

/* The bytes from a unit's first entry to its end. */
static size_t
unit_size(Dwarf_Die *cudie)
{
	Dwarf_Off at = dwarf_dieoffset(cudie), next;
	Dwarf_Off start = at - dwarf_cuoffset(cudie);

	if (dwarf_next_unit(dwarf_cu_getdwarf(cudie->cu), start, &next, NULL,
			    NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    next < at)
		return 0;
	return (size_t)(next - at);
}

/*
 * One unit. cudie is its entry in the file that was linked, with its ranges
 * and lines; tree is where its functions are: the same, or in a .dwo file.
 */
static void
scan_unit(struct scan *s, uint32_t unit, Dwarf_Die *cudie, Dwarf_Die *tree)
{
	size_t size = unit_size(tree), n_line = 0, n_file;
	Dwarf_Addr base, start, end;
	Dwarf_Lines *lines = NULL;
	Dwarf_Files *files = NULL;
	ptrdiff_t offset = 0;

	s->n_mine = s->n_node = 0;
	s->take_all = true;
	while ((offset = dwarf_ranges(cudie, offset, &base, &start, &end)) >
	       0) {
		s->take_all &= start >= end;
		if (claim(s, unit, start, end) < 0)
			return;
	}
	if (!s->take_all && s->n_mine == 0)
		return;
	switch (abbrevs_read(&s->abbrevs, tree, &s->work)) {
	case PROF_OK:
		walk(s, unit, tree->addr, size);
		break;
	case PROF_ENOMEM:
		s->nomem = true;
		break;
	default:
		s->damaged = true;
	}
	if (s->n_mine == 0 || s->nomem)
		return;
	if (dwarf_getsrclines(cudie, &lines, &n_line) != 0)
		n_line = 0;
	if (dwarf_getsrcfiles(tree, &files, &n_file) != 0)
		files = NULL;
	s->dir = string_attr(cudie, DW_AT_comp_dir);
	s->dir_is_joined = s->abbrevs.version < 5;
	for (size_t k = 0; k < s->n_mine; k++)
		emit(s, s->mine[k], lines, n_line, files);
	forget_paths(s);
}

static void
scan_units(struct scan *s, Dwarf *dw)
{
	Dwarf_CU *cu = NULL, *next;
	Dwarf_Die cudie, split;
	uint32_t unit = 0;
	uint8_t type;
	int r;

	while ((r = dwarf_get_units(dw, cu, &next, NULL, &type, &cudie,
				    &split)) == 0) {
		cu = next;
		if (s->work == 0 || s->nomem)
			return;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		scan_unit(s, unit++, &cudie, split.addr ? &split : &cudie);
	}
	if (r < 0)
		s->damaged = true;
}

enum prof_status
symbolize_dwarf(Dwarf *dw, const struct code_map *code, const uint64_t *addr,
		size_t n, uint64_t work, symbolize_fn *fn, void *ctx,
		struct prof_err *err)
{
	struct scan s = {
		.addr = addr,
		.n = n,
		.code = code,
		.fn = fn,
		.ctx = ctx,
		.work = work,
	};
	enum prof_status st = PROF_OK;

	if (n == 0)
		return PROF_OK;
	s.unit = reallocarray(NULL, n, sizeof(*s.unit));
	s.node = reallocarray(NULL, n, sizeof(*s.node));
	s.mine = reallocarray(NULL, n, sizeof(*s.mine));
	if (s.unit && s.node && s.mine) {
		memset(s.unit, 0xff, n * sizeof(*s.unit)); /* NONE */
		memset(s.node, 0xff, n * sizeof(*s.node));
		scan_units(&s, dw);
	} else {
		s.nomem = true;
	}
	if (s.nomem)
		st = prof_nomem(err);
	else if (s.damaged)
		st = prof_fail(err, PROF_EFORMAT, "damaged DWARF");
	free(s.unit);
	free(s.node);
	free(s.mine);
	free(s.nodes);
	free(s.joined);
	abbrevs_release(&s.abbrevs);
	return st;
}
