/* sections.c - see sections.h. */
#include "config.h"

#include "sections.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/frames.h"
#include "lib/report/graph.h"
#include "lib/report/report.h"
#include "lib/report/rowsum.h"

#define MARGIN 5  /* lines around a section */
#define FAR 20    /* lines without instructions that end a section */
#define BORROW 32 /* bytes back to an instruction that has a line */

/* An instruction at a line. */
struct filed {
	uint32_t file, function; /* strings of names */
	uint32_t place;          /* what it is a part of: see builder.place */
	int64_t line;
	const struct asm_insn *insn;
	size_t level;
	const struct asm_function *of;
	uint32_t row; /* of the line */
};

struct builder {
	struct report *r;
	struct profile *p;
	const struct sections_options *o;
	struct sections *s;
	struct strtab names; /* in the arena */
	uint32_t *shown;     /* of each of names: what the profile calls it, or
			      * 0: it is not asked for */
	size_t cap_shown;
	bool *marked; /* locations */
	struct filed *filed;
	size_t n_filed, cap_filed;
	/*
	 * Samples reach what is filed through places: an instruction of the
	 * assembly, or a location without code.
	 */
	uint32_t *first_place; /* of each function of the assembly */
	uint32_t n_place;
	char *path;
	size_t cap_path;
	struct prof_err *err;
};

/* --- selection --- */

static bool
wants(const struct builder *b, uint32_t string)
{
	const struct str *s = &b->p->strings.str[string];

	return b->o->wants(s->s, s->len, b->o->ctx);
}

/* A string of names: STRTAB_NONE without memory. */
static uint32_t
intern(struct builder *b, const char *s, size_t n)
{
	uint32_t i = strtab_add(&b->names, s, n);
	size_t had = b->cap_shown;

	if (i == STRTAB_NONE ||
	    array_reserve(&b->shown, &b->cap_shown, b->names.n_str,
			  sizeof(*b->shown)) < 0)
		return STRTAB_NONE;
	for (size_t k = had; k < b->cap_shown; k++)
		b->shown[k] = 0;
	return i;
}

/* The function of a frame is asked for, under both of its names. */
static bool
want_function(struct builder *b, const struct function *f)
{
	const struct str *name = &b->p->strings.str[f->name];
	const struct str *system = &b->p->strings.str[f->system_name];
	uint32_t i = intern(b, name->s, name->len);
	uint32_t k = intern(b, system->s, system->len);

	if (i == STRTAB_NONE || k == STRTAB_NONE)
		return false;
	if (k)
		b->shown[k] = i ? i : k;
	if (i)
		b->shown[i] = i;
	return true;
}

/* Mark location l if it is asked for. */
static bool
mark(struct builder *b, uint32_t l)
{
	const struct location *at = &b->p->location[l];
	const struct line *line = profile_line(b->p, at);
	bool in_file = false;

	if (at->mapping != PROF_NONE)
		in_file = wants(b, b->p->mapping[at->mapping].file);
	for (uint32_t i = 0; i < at->n_line; i++) {
		const struct function *f = &b->p->function[line[i].function];
		bool hit = b->o->has_address && i + 1 == at->n_line &&
			   at->address == b->o->address;

		if (!hit && !(i == 0 && in_file) && !wants(b, f->name) &&
		    !wants(b, f->system_name) && !wants(b, f->file))
			continue;
		b->marked[l] = true;
		if (!want_function(b, f))
			return false;
	}
	return true;
}

/* Has sample i a value in any column? Others do not survive pprof's merge. */
static bool
has_value(const struct profile *p, size_t i)
{
	for (size_t k = 0; k < p->n_type; k++)
		if (profile_value(p, i)[k])
			return true;
	return false;
}

/* Mark what is asked for, of the locations that samples with values have. */
static enum prof_status
mark_locations(struct builder *b)
{
	const struct profile *p = b->p;

	b->marked = calloc(p->n_location + 1, sizeof(*b->marked));
	if (!b->marked)
		return prof_nomem(b->err);
	for (size_t i = 0; i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];

		if (!has_value(p, i))
			continue;
		for (uint32_t k = 0; k < s->n_stack; k++)
			b->marked[profile_stack(p, s)[k]] = true;
	}
	for (uint32_t l = 0; l < p->n_location; l++) {
		bool used = b->marked[l];

		b->marked[l] = false;
		if (used && !mark(b, l))
			return prof_nomem(b->err);
	}
	return PROF_OK;
}

/* --- filing --- */

/* What the profile calls the function of frame f; 0: it is not asked for. */
static uint32_t
shown_as(const struct builder *b, const struct asm_frame *f)
{
	uint32_t i = strtab_find(&b->names, f->symbol, strlen(f->symbol));

	if (i != STRTAB_NONE && i && b->shown[i])
		return b->shown[i];
	i = strtab_find(&b->names, f->function, strlen(f->function));
	return i == STRTAB_NONE ? 0 : b->shown[i];
}

static bool
file_at(struct builder *b, const struct asm_function *of,
	const struct asm_insn *insn, uint32_t place)
{
	/* The prefixes that sandboxed builds put in front of paths. */
	static const struct frames_options clean = { .trim_path =
							     "/proc/self/cwd" };

	for (size_t level = 0; level < insn->n_frame; level++) {
		const struct asm_frame *f = &insn->frame[level];
		uint32_t function = shown_as(b, f), file;
		size_t n = strlen(f->file);

		if (!function)
			continue;
		if (array_reserve(&b->path, &b->cap_path, n + 1, 1) < 0 ||
		    array_reserve(&b->filed, &b->cap_filed, b->n_filed + 1,
				  sizeof(*b->filed)) < 0)
			return false;
		n = frames_path(&clean, f->file, n, b->path);
		file = intern(b, b->path, n);
		if (file == STRTAB_NONE)
			return false;
		b->filed[b->n_filed++] = (struct filed){ .file = file,
							 .function = function,
							 .place = place,
							 .line = f->line,
							 .insn = insn,
							 .level = level,
							 .of = of };
	}
	return true;
}

static bool
file_function(struct builder *b, struct asm_function *f, uint32_t place)
{
	const struct asm_insn *known = NULL;

	for (size_t i = 0; i < f->n_insn; i++, place++) {
		struct asm_insn *insn = &f->insn[i];

		/* Line 0: code made by the compiler goes with its neighbour. */
		if ((!insn->n_frame || !insn->frame[0].line) && known &&
		    insn->address - known->address <= BORROW) {
			insn->frame = known->frame;
			insn->n_frame = known->n_frame;
		} else if (insn->n_frame && insn->frame[0].line) {
			known = insn;
		}
		if (!file_at(b, f, insn, place))
			return false;
	}
	return true;
}

/* A location without code: the profile's own frames stand in for it. */
static bool
file_location(struct builder *b, uint32_t l, uint32_t place)
{
	const struct location *at = &b->p->location[l];
	const struct line *line = profile_line(b->p, at);
	const struct str *str = b->p->strings.str;
	const struct assembly *a = b->s->assembly;
	struct asm_insn *insn = arena_alloc(b->s->arena, sizeof(*insn));
	struct asm_frame *f;

	f = arena_array(b->s->arena, at->n_line, sizeof(*f));
	if (!insn || !f)
		return false;
	for (uint32_t i = 0; i < at->n_line; i++) {
		const struct function *fn = &b->p->function[line[i].function];

		f[i] = (struct asm_frame){ str[fn->name].s,
					   str[fn->system_name].s,
					   str[fn->file].s, line[i].line };
	}
	*insn = (struct asm_insn){ .address = at->address,
				   .size = 1,
				   .frame = f,
				   .n_frame = at->n_line };
	return file_at(b, &a->function[a->place[l].function], insn, place);
}

static bool
is_without_code(const struct builder *b, uint32_t l)
{
	const struct asm_place *at = &b->s->assembly->place[l];

	return b->marked[l] && at->function != ASM_NONE &&
	       b->s->assembly->function[at->function].missing;
}

static enum prof_status
file_all(struct builder *b)
{
	struct assembly *a = b->s->assembly;

	b->first_place = calloc(a->n_function + 1, sizeof(*b->first_place));
	if (!b->first_place)
		return prof_nomem(b->err);
	for (size_t i = 0; i < a->n_function; i++) {
		b->first_place[i] = b->n_place;
		if (!a->function[i].missing &&
		    !file_function(b, &a->function[i], b->n_place))
			return prof_nomem(b->err);
		b->n_place += (uint32_t)a->function[i].n_insn;
	}
	for (uint32_t l = 0; l < b->p->n_location; l++)
		if (is_without_code(b, l) &&
		    !file_location(b, l, b->n_place + l))
			return prof_nomem(b->err);
	return PROF_OK;
}

/* --- lines and sections --- */

static int
cmp_filed(const void *p, const void *q, void *ctx)
{
	const struct builder *b = ctx;
	const struct filed *x = p, *y = q;
	int r = strtab_cmp(&b->names, x->file, y->file);

	/* Without a file, each function has its own section. */
	if (!r && !x->file)
		r = strtab_cmp(&b->names, x->function, y->function);
	if (r)
		return r;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->insn->address != y->insn->address)
		return x->insn->address < y->insn->address ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* A line for each distinct one; steps are the instructions filed there. */
static void
make_lines(struct builder *b, size_t *n_line)
{
	struct sections *s = b->s;
	size_t n = 0;

	for (size_t i = 0; i < b->n_filed; i++) {
		struct filed *f = &b->filed[i];

		if (i == 0 || f->line != f[-1].line || f->file != f[-1].file ||
		    (!f->file && f->function != f[-1].function))
			s->line[n++] = (struct section_line){ .line = f->line,
							      .step = i };
		s->line[n - 1].n_step++;
		s->step[i] = (struct section_step){ f->of, f->insn, f->level };
		f->row = (uint32_t)n - 1;
	}
	*n_line = n;
}

/* Runs of lines of one function, as the first instruction of each has it. */
static void
make_sections(struct builder *b, size_t n_line)
{
	struct sections *s = b->s;
	uint32_t file = 0, function = 0;
	struct section *now = NULL;

	for (size_t i = 0; i < n_line; i++) {
		const struct section_line *line = &s->line[i];
		const struct filed *f = &b->filed[line->step];

		if (now && f->file == file && f->function == function &&
		    line->line - now->end < FAR) {
			now->end = line->line + 1;
			now->n_line++;
			continue;
		}
		file = f->file;
		function = f->function;
		now = &s->section[s->n_section++];
		*now = (struct section){ .function = b->names.str[function].s,
					 .file = b->names.str[file].s,
					 .build_id = f->of->build_id,
					 .begin = line->line,
					 .end = line->line + 1,
					 .line = i,
					 .n_line = 1 };
	}
}

/* Between two sections of a file, each gets half of the gap at most. */
static void
add_margins(struct sections *s)
{
	for (size_t i = 0; i < s->n_section; i++) {
		struct section *now = &s->section[i], *last = now - 1;
		bool first = i == 0 || strcmp(last->file, now->file) != 0;
		bool is_last = i + 1 == s->n_section ||
			       strcmp(now[1].file, now->file) != 0;
		int64_t gap;

		if (first) {
			if (now->begin > MARGIN)
				now->begin -= MARGIN;
			else if (now->begin > 1)
				now->begin = 1;
		} else {
			gap = (now->begin - last->end) / 2;
			gap = gap > MARGIN ? MARGIN : gap < 0 ? 0 : gap;
			last->end += gap;
			now->begin -= gap;
		}
		if (is_last)
			now->end += MARGIN;
	}
}

/* --- sums --- */

/* The rows that the samples at each location count for. */
static size_t
make_entries(const struct builder *b, const uint32_t *section_of, size_t n_line,
	     const size_t *filed_at, struct rowsum_entry *entry)
{
	const struct assembly *a = b->s->assembly;
	size_t n = 0;

	for (uint32_t l = 0; l < b->p->n_location; l++) {
		const struct asm_place *at = &a->place[l];
		uint32_t place;

		if (at->function == ASM_NONE)
			continue;
		if (a->function[at->function].missing)
			place = b->n_place + l;
		else if (at->insn == ASM_NONE)
			continue;
		else
			place = b->first_place[at->function] + at->insn;
		for (size_t i = filed_at[place]; i < filed_at[place + 1]; i++) {
			uint32_t row = b->filed[i].row;

			if (entry)
				entry[n] =
					(struct rowsum_entry){ l, row, true };
			n++;
			if (entry)
				entry[n] = (struct rowsum_entry){
					l, (uint32_t)n_line + section_of[row],
					true
				};
			n++;
		}
	}
	return n;
}

static int
cmp_place(const void *p, const void *q)
{
	const struct filed *x = p, *y = q;

	return (x->place > y->place) - (x->place < y->place);
}

static enum prof_status
add_up(struct builder *b, size_t n_line)
{
	struct graph_options o = b->r->o->graph;
	size_t n_place = b->n_place + b->p->n_location;
	uint32_t *section_of = calloc(n_line + 1, sizeof(*section_of));
	size_t *filed_at = calloc(n_place + 2, sizeof(*filed_at)), at = 0, n;
	struct rowsum *row = calloc(n_line + b->s->n_section + 1, sizeof(*row));
	struct rowsum_entry *entry = NULL;
	enum prof_status st = PROF_ENOMEM;

	if (!section_of || !filed_at || !row)
		goto out;
	o.column = b->r->column;
	o.mean = b->r->o->mean;
	for (uint32_t i = 0; i < b->s->n_section; i++)
		for (size_t k = 0; k < b->s->section[i].n_line; k++)
			section_of[b->s->section[i].line + k] = i;
	/* Steps are made: the order of lines is not needed any more. */
	if (b->n_filed)
		qsort(b->filed, b->n_filed, sizeof(*b->filed), cmp_place);
	for (size_t place = 0; place <= n_place; place++) {
		while (at < b->n_filed && b->filed[at].place < place)
			at++;
		filed_at[place] = at;
	}
	filed_at[n_place + 1] = b->n_filed;
	n = make_entries(b, section_of, n_line, filed_at, NULL);
	entry = reallocarray(NULL, n + 1, sizeof(*entry));
	if (!entry)
		goto out;
	make_entries(b, section_of, n_line, filed_at, entry);
	st = rowsum_run(b->p, &o, entry, n, row, n_line + b->s->n_section,
			b->err);
	for (size_t i = 0; st == PROF_OK && i < n_line; i++) {
		b->s->line[i].flat = graph_value(row[i].flat);
		b->s->line[i].cum = graph_value(row[i].cum);
	}
	for (size_t i = 0; st == PROF_OK && i < b->s->n_section; i++) {
		b->s->section[i].flat = graph_value(row[n_line + i].flat);
		b->s->section[i].cum = graph_value(row[n_line + i].cum);
	}
out:
	free(section_of);
	free(filed_at);
	free(row);
	free(entry);
	return st == PROF_ENOMEM ? prof_nomem(b->err) : st;
}

/* --- the page --- */

/* Leave out sections without samples, which also had a part of the gaps. */
static void
drop_empty(struct sections *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_section; i++)
		if (s->section[i].cum)
			s->section[n++] = s->section[i];
	s->n_section = n;
}

static enum prof_status
make(struct builder *b)
{
	struct sections *s = b->s;
	size_t n_line = 0, n = b->n_filed + 1;
	enum prof_status st;

	s->line = arena_array(s->arena, n, sizeof(*s->line));
	s->step = arena_array(s->arena, n, sizeof(*s->step));
	s->section = arena_array(s->arena, n, sizeof(*s->section));
	if (!s->line || !s->step || !s->section || n >= ASM_NONE / 2)
		return prof_nomem(b->err);
	qsort_r(b->filed, b->n_filed, sizeof(*b->filed), cmp_filed, b);
	make_lines(b, &n_line);
	make_sections(b, n_line);
	add_margins(s);
	st = add_up(b, n_line);
	if (st == PROF_OK)
		drop_empty(s);
	return st;
}

enum prof_status
sections_new(struct report *r, const struct sections_options *o,
	     struct sections **out, struct prof_err *err)
{
	struct builder b = { .r = r, .p = r->p, .o = o, .err = err };
	struct assembly_options code = o->code;
	struct arena *a = arena_new();
	enum prof_status st;

	*out = NULL;
	b.s = a ? arena_alloc(a, sizeof(*b.s)) : NULL;
	if (!b.s || strtab_init(&b.names, a) < 0) {
		arena_free(a);
		return prof_nomem(err);
	}
	*b.s = (struct sections){ .arena = a };
	st = mark_locations(&b);
	code.marked = b.marked;
	if (st == PROF_OK)
		st = assembly_new(r, &code, &b.s->assembly, err);
	if (st == PROF_OK)
		st = file_all(&b);
	if (st == PROF_OK && b.n_filed)
		st = make(&b);
	free(b.shown);
	free(b.marked);
	free(b.filed);
	free(b.first_place);
	free(b.path);
	if (st == PROF_OK)
		*out = b.s;
	else
		sections_free(b.s);
	return st;
}

void
sections_free(struct sections *s)
{
	if (!s)
		return;
	assembly_free(s->assembly);
	arena_free(s->arena);
}
