/* decode.c - see decode.h. */
#include "config.h"

#include "decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/hashtab.h"
#include "lib/base/search.h"
#include "lib/base/strtab.h"
#include "symbols/binary/binary.h"
#include "symbols/code/bytes.h"
#include "symbols/code/disasm.h"
#include "symbols/code/extent.h"
#include "symbols/elf/object.h"
#include "symbols/elf/plt.h"
#include "symbols/names/demangle.h"

/*
 * What is decoded before a window that is far from the last one: enough for
 * instructions of x86, whose lengths differ, to fall into step, as they do
 * after a few, and a multiple of the length of those that have one.
 */
enum { LEAD = 4096 };

struct decoder {
	struct arena *arena;
	struct binary *b;
	struct asm_function *const *function;
	size_t n_function;
	const struct code_range *window;
	size_t n_window, at_window;
	struct asm_function *now;    /* being decoded */
	size_t cap;                  /* of now->insn */
	uint64_t resume;             /* where what is decoded next begins */
	struct asm_insn **insn;      /* of all functions, ascending */
	struct asm_function **owner; /* of each of them */
	size_t n_insn;
	struct strtab names; /* in the arena: mangled ones */
	struct plt plt;      /* of b */
	const char **pretty; /* of each of them; NULL: not made yet */
	size_t cap_pretty;
	const struct asm_frame *last; /* of the instruction before */
	size_t n_last;
	bool nomem;
};

/* --- names --- */

/*
 * What the compiler appends to the name of a part or a copy of a function of
 * C++: ".cold", ".constprop.0". Without it a jump to the cold part would read
 * as one to the function itself. (".llvm.123" is a module of Rust.)
 */
static const char *
clone_suffix(const char *mangled)
{
	const char *dot =
		strncmp(mangled, "_Z", 2) ? NULL : strchr(mangled, '.');

	return dot && strncmp(dot, ".llvm.", 6) != 0 ? dot : "";
}

/* The demangled form of name, which lives in the arena. */
static const char *
pretty_name(struct decoder *d, const char *name)
{
	uint32_t i = strtab_addz(&d->names, name);
	size_t had = d->cap_pretty;
	const char **grown;
	char *text;

	if (i == STRTAB_NONE)
		goto nomem;
	grown = arena_grow(d->arena, d->pretty, &d->cap_pretty, d->names.n_str,
			   sizeof(*grown));
	if (!grown)
		goto nomem;
	d->pretty = grown;
	for (size_t k = had; k < d->cap_pretty; k++)
		grown[k] = NULL;
	if (grown[i])
		return grown[i];
	grown[i] = d->names.str[i].s;
	text = demangle_name(name, DEMANGLE_DEFAULT);
	if (text) {
		const char *part = clone_suffix(name);
		size_t n = strlen(text) + strlen(part) + 1;
		char *copy = arena_alloc(d->arena, n);

		if (copy) {
			snprintf(copy, n, "%s%s", text, part);
			grown[i] = copy;
		}
		free(text);
	}
	return grown[i];
nomem:
	d->nomem = true;
	return "";
}

static const char *
keep_name(struct decoder *d, const char *name)
{
	uint32_t i = strtab_addz(&d->names, name);

	if (i == STRTAB_NONE) {
		d->nomem = true;
		return "";
	}
	return d->names.str[i].s;
}

/* --- instructions --- */

/* Is address a in a window? They are passed in ascending order. */
static bool
is_shown(struct decoder *d, uint64_t a, uint32_t size)
{
	while (d->at_window < d->n_window && d->window[d->at_window].end <= a)
		d->at_window++;
	return d->at_window < d->n_window &&
	       d->window[d->at_window].start < a + size;
}

/* Is the next window so far from address a that decoding resumes before it? */
static bool
leap(struct decoder *d, uint64_t a)
{
	const struct code_range *w = &d->window[d->at_window];

	if (d->at_window == d->n_window || w->start >= d->now->end)
		return true; /* there is none in this function */
	if (w->start - a < 2 * LEAD)
		return false;
	d->resume = a + (w->start - a - LEAD) / LEAD * LEAD;
	return true;
}

/* A callback of disasm_run(). */
static bool
take_insn(void *ctx, const struct disasm_insn *in)
{
	struct decoder *d = ctx;
	struct asm_function *f = d->now;
	struct asm_insn *insn;
	size_t n = strlen(in->mnemonic), m = strlen(in->operands);
	/* A number of code that may be anywhere is no address. */
	bool has_data =
		!in->is_absolute || binary_layout(d->b)->type == LOAD_EXEC;
	char *text;

	if (!is_shown(d, in->address, in->size))
		return !leap(d, in->address);
	insn = arena_grow(d->arena, f->insn, &d->cap, f->n_insn + 1,
			  sizeof(*insn));
	text = arena_alloc(d->arena, n + m + 2);
	if (!insn || !text) {
		d->nomem = true;
		return false;
	}
	memcpy(text, in->mnemonic, n);
	text[n] = ' ';
	memcpy(text + n + 1, in->operands, m + 1);
	if (!m && !in->has_target)
		text[n] = '\0';
	f->insn = insn;
	insn[f->n_insn++] = (struct asm_insn){ .address = in->address,
					       .target = in->target,
					       .data = has_data ? in->data : 0,
					       .has_target = in->has_target,
					       .is_absolute = in->is_absolute,
					       .size = in->size,
					       .text = text };
	return true;
}

static enum prof_status
decode(struct decoder *d, struct disasm *disasm, struct asm_function *f,
       struct prof_err *err)
{
	const uint8_t *code;
	size_t n;
	enum prof_status st = bytes_at(d->b, f->start, &code, &n, err);

	if (st != PROF_OK)
		return st;
	if (!code) {
		f->missing = "the file has no code there";
		return PROF_OK;
	}
	if (n > f->end - f->start)
		n = (size_t)(f->end - f->start);
	d->now = f;
	d->cap = 0;
	for (uint64_t at = 0; at < n; at = d->resume - f->start) {
		d->resume = f->end;
		disasm_run(disasm, code + at, n - at, f->start + at, take_insn,
			   d);
	}
	return d->nomem ? prof_nomem(err) : PROF_OK;
}

/* List all instructions in one array, for look-ups in bulk. */
static bool
gather_insns(struct decoder *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_function; i++)
		n += d->function[i]->n_insn;
	d->insn = reallocarray(NULL, n + 1, sizeof(struct asm_insn *));
	d->owner = reallocarray(NULL, n + 1, sizeof(struct asm_function *));
	if (!d->insn || !d->owner)
		return false;
	for (size_t i = 0; i < d->n_function; i++)
		for (size_t k = 0; k < d->function[i]->n_insn; k++) {
			d->owner[d->n_insn] = d->function[i];
			d->insn[d->n_insn++] = &d->function[i]->insn[k];
		}
	return true;
}

/* --- jump targets --- */

/* List what jumps that leave their function, and operands, refer to. */
static size_t
list_targets(const struct decoder *d, struct code_range *range)
{
	const struct code_map *code = binary_code(d->b);
	size_t n = 0, distinct = 0;

	for (size_t i = 0; i < d->n_function; i++) {
		const struct asm_function *f = d->function[i];

		for (size_t k = 0; k < f->n_insn; k++) {
			uint64_t t = f->insn[k].target;

			if (!f->insn[k].has_target)
				t = f->insn[k].data;
			else if (t > f->start && t < f->end)
				continue;
			if (code_end(code, t) > t)
				range[n++] = (struct code_range){ t, t + 1 };
		}
	}
	qsort(range, n, sizeof(*range), code_range_compare);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || range[i].start != range[distinct - 1].start)
			range[distinct++] = range[i];
	return distinct;
}

/* Append to the text: before, and what is at address t, by name if known. */
static void
append_place(struct decoder *d, struct asm_insn *insn, const char *before,
	     uint64_t t, const char *name, uint64_t off)
{
	char number[32], offset[32] = "";
	char *text;
	size_t n;

	snprintf(number, sizeof(number), "0x%" PRIx64, t);
	if (off)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, off);
	n = strlen(insn->text) + strlen(before) + strlen(number) +
	    strlen(name) + strlen(offset) + 4;
	text = arena_alloc(d->arena, n);
	if (!text) {
		d->nomem = true;
		return;
	}
	snprintf(text, n, *name ? "%s%s%s <%s%s>" : "%s%s%s", insn->text,
		 before, number, name, offset);
	insn->text = text;
}

/* Append the name of a function that is called; false: t is in none. */
static bool
append_call(struct decoder *d, struct asm_insn *insn, const char *name,
	    const char *suffix)
{
	size_t n = strlen(insn->text) + strlen(name) + strlen(suffix) + 1;
	char *text = arena_alloc(d->arena, n);

	if (!text) {
		d->nomem = true;
		return false;
	}
	snprintf(text, n, "%s%s%s", insn->text, name, suffix);
	insn->text = text;
	return true;
}

/*
 * Append the target: the name of a function, or an address in one, as
 * "0x40115a <main+0x2a>". The cold part of a function is such a place.
 */
static void
name_target(struct decoder *d, const struct asm_function *f,
	    struct asm_insn *insn, const struct extents *e)
{
	const struct extent *to = extents_at(e, insn->target);
	uint64_t t = insn->target;
	const char *stub;

	if (t > f->start && t < f->end)
		append_place(d, insn, "", t, pretty_name(d, f->name),
			     t - f->start);
	else if ((stub = plt_name(&d->plt, t)))
		append_call(d, insn, stub, PLT_SUFFIX);
	else if (!to || !to->n_name)
		append_place(d, insn, "", t, "", 0);
	else if (t == to->start && !strstr(to->name[0], ".cold"))
		append_call(d, insn, pretty_name(d, to->name[0]), "");
	else
		append_place(d, insn, "", t, pretty_name(d, to->name[0]),
			     t - to->start);
}

/* Append the variable or function that an operand refers to. A number is said
 * only if it is in a variable, or begins a function. */
static void
name_data(struct decoder *d, struct asm_insn *insn, const struct extents *e,
	  const struct variable *v)
{
	const struct extent *to = extents_at(e, insn->data);
	const char *name = "";
	uint64_t start = insn->data;

	if (*v->name) {
		name = pretty_name(d, v->name);
		start = v->start;
	} else if (to && to->n_name &&
		   (!insn->is_absolute || to->start == insn->data)) {
		name = pretty_name(d, to->name[0]);
		start = to->start;
	}
	if (!insn->is_absolute || *name)
		append_place(d, insn, "  # ", insn->data, name,
			     insn->data - start);
}

static int
cmp_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Name what the operands of the code refer to. */
static enum prof_status
name_variables(struct decoder *d, const struct extents *e, struct prof_err *err)
{
	uint64_t *addr = calloc(d->n_insn + 1, sizeof(*addr));
	struct variable *v = calloc(d->n_insn + 1, sizeof(*v));
	enum prof_status st = PROF_OK;
	size_t n = 0;

	for (size_t i = 0; addr && i < d->n_insn; i++)
		if (d->insn[i]->data)
			addr[n++] = d->insn[i]->data;
	if (!addr || !v) {
		st = prof_nomem(err);
	} else {
		qsort(addr, n, sizeof(*addr), cmp_address);
		st = variables_find(d->b, addr, n, d->arena, v, err);
	}
	for (size_t i = 0; st == PROF_OK && i < d->n_insn; i++)
		if (d->insn[i]->data)
			name_data(d, d->insn[i], e,
				  &v[search_from(addr, n, sizeof(*addr), 0,
						 d->insn[i]->data)]);
	free(addr);
	free(v);
	return st;
}

static enum prof_status
name_targets(struct decoder *d, struct prof_err *err)
{
	struct code_range *range = calloc(d->n_insn + 1, sizeof(*range));
	struct extents e = { 0 };
	enum prof_status st;
	size_t n;

	if (!range)
		return prof_nomem(err);
	n = list_targets(d, range);
	st = extents_find(d->b, range, n, &e, err);
	for (size_t i = 0; st == PROF_OK && i < d->n_insn; i++)
		if (d->insn[i]->has_target)
			name_target(d, d->owner[i], d->insn[i], &e);
	if (st == PROF_OK)
		st = name_variables(d, &e, err);
	extents_release(&e);
	free(range);
	return st;
}

/* --- source lines --- */

/* Are they those of the instruction before, as of most? */
static bool
is_last(const struct decoder *d, const struct symbol_frame *frame, size_t n)
{
	bool is_same = n == d->n_last && *frame[n - 1].name;

	for (size_t k = 0; k < n && is_same; k++)
		is_same = frame[k].line == d->last[k].line &&
			  !strcmp(frame[k].name, d->last[k].symbol) &&
			  !strcmp(frame[k].file, d->last[k].file);
	return is_same;
}

/* A symbol_fn. */
static void
take_frames(void *ctx, size_t i, const struct symbol_frame *frame, size_t n)
{
	struct decoder *d = ctx;
	struct asm_frame *f;

	if (is_last(d, frame, n)) {
		d->insn[i]->frame = d->last;
		d->insn[i]->n_frame = n;
		return;
	}
	f = arena_array(d->arena, n, sizeof(*f));
	if (!f) {
		d->nomem = true;
		return;
	}
	for (size_t k = 0; k < n; k++)
		f[k] = (struct asm_frame){ pretty_name(d, frame[k].name),
					   keep_name(d, frame[k].name),
					   keep_name(d, frame[k].file),
					   frame[k].line };
	/* Padding is in the line table, but in no function. */
	if (!*f[n - 1].function)
		f[n - 1].function = pretty_name(d, d->owner[i]->name);
	d->insn[i]->frame = d->last = f;
	d->insn[i]->n_frame = d->n_last = n;
}

static enum prof_status
find_frames(struct decoder *d, struct prof_err *err)
{
	uint64_t *addr = calloc(d->n_insn + 1, sizeof(*addr));
	enum prof_status st;

	if (!addr)
		return prof_nomem(err);
	for (size_t i = 0; i < d->n_insn; i++)
		addr[i] = d->insn[i]->address;
	st = binary_run(d->b, addr, d->n_insn, true, take_frames, d, err);
	free(addr);
	/* Damaged DWARF only loses some lines. */
	return st == PROF_ENOMEM ? st : PROF_OK;
}

enum prof_status
decode_functions(struct arena *a, struct binary *b, struct disasm *disasm,
		 struct asm_function *const *function, size_t n,
		 const struct code_range *window, size_t n_window,
		 struct prof_err *err)
{
	struct decoder d = { .arena = a,
			     .b = b,
			     .function = function,
			     .n_function = n,
			     .window = window,
			     .n_window = n_window };
	enum prof_status st = PROF_OK;

	if (plt_open(&d.plt, binary_object(b)->elf) < 0 ||
	    strtab_init(&d.names, a) < 0) {
		plt_release(&d.plt);
		return prof_nomem(err);
	}
	for (size_t i = 0; i < n && st == PROF_OK; i++)
		st = decode(&d, disasm, function[i], err);
	if (st == PROF_OK)
		st = gather_insns(&d) ? name_targets(&d, err) : prof_nomem(err);
	if (st == PROF_OK && d.n_insn)
		st = find_frames(&d, err);
	plt_release(&d.plt);
	free(d.insn);
	free(d.owner);
	return d.nomem ? prof_nomem(err) : st;
}
