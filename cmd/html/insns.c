/* insns.c - see insns.h; the instructions are code/assembly.h's. */
#include "config.h"

#include "insns.h"

#include "lib/model/profile.h"

#if HAVE_LIBELF
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/assembly.h"
#include "code/objects.h"
#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/base/escape.h"
#include "lib/base/strtab.h"
#include "lib/report/frames.h"
#include "lib/report/report.h"
#include "pack.h"

enum {
	NEAR = 40,         /* instructions around one with samples */
	TEXT_MAX = 524288, /* bytes of all, before compression */
	AROUND = 24        /* of these for an instruction beside its text */
};

struct writer {
	FILE *f;
	const struct report *r;
	const struct pack *k;
	const struct assembly *a;
	struct arena *arena;
	struct strtab symbols;     /* names and system names of functions */
	const struct str **called; /* of each: what the profile calls it */
	struct strtab texts;       /* names and files, in the order written */
	struct strtab chains;      /* frames of an instruction, as bytes */
	struct buf chain;          /* scratch */
	char *path;                /* scratch */
	size_t cap_path;
	/* Of each function, for each instruction, its number + 1 where it is
	 * written; NULL: there was no room for the function. */
	uint32_t **number;
	size_t n_left, n_light;
	bool nomem;
};

/* A frame of a chain: texts and a line. */
struct link {
	uint32_t name, file;
	int64_t line;
};

static bool
wants(const char *name, size_t n, void *chosen)
{
	return chosen_has(chosen, name, n);
}

static void
no_warning(const char *fmt, ...)
{
	/* The page itself says which binary was not found, and why. */
	(void)fmt;
}

/* --- names --- */

static bool
list_symbol(struct writer *w, uint32_t string, const struct str *called)
{
	const struct str *s = &w->r->p->strings.str[string];
	uint32_t i = strtab_add(&w->symbols, s->s, s->len);

	if (i != STRTAB_NONE && !w->called[i])
		w->called[i] = called;
	return i != STRTAB_NONE;
}

/* The debug information names functions in its own way: find the profile's. */
static bool
list_symbols(struct writer *w)
{
	const struct profile *p = w->r->p;

	w->called = arena_array(w->arena, 2 * p->n_function + 2,
				sizeof(*w->called));
	if (!w->called || strtab_init(&w->symbols, w->arena) < 0 ||
	    strtab_init(&w->texts, w->arena) < 0 ||
	    strtab_init(&w->chains, w->arena) < 0)
		return false;
	for (size_t i = 0; i < 2 * p->n_function + 2; i++)
		w->called[i] = NULL;
	for (size_t i = 0; i < p->n_function; i++) {
		const struct function *f = &p->function[i];
		const struct str *name = &p->strings.str[f->name];

		if (name->len && (!list_symbol(w, f->system_name, name) ||
				  !list_symbol(w, f->name, name)))
			return false;
	}
	return true;
}

static uint32_t
text(struct writer *w, const char *s, size_t n)
{
	uint32_t i = strtab_add(&w->texts, s, n);

	if (i == STRTAB_NONE)
		w->nomem = true;
	return i;
}

static uint32_t
name_of(struct writer *w, const struct asm_frame *f)
{
	uint32_t i = strtab_find(&w->symbols, f->symbol, strlen(f->symbol));

	if (i == STRTAB_NONE || !i)
		i = strtab_find(&w->symbols, f->function, strlen(f->function));
	if (i == STRTAB_NONE || !i)
		return text(w, f->function, strlen(f->function));
	return text(w, w->called[i]->s, w->called[i]->len);
}

static uint32_t
file_of(struct writer *w, const struct asm_frame *f)
{
	size_t n = strlen(f->file);

	if (array_reserve(&w->path, &w->cap_path, n + 1, 1) < 0) {
		w->nomem = true;
		return 0;
	}
	n = frames_path(&w->r->o->frames, f->file, n, w->path);
	return text(w, w->path, n);
}

/* The chain of an instruction; equal ones are one. */
static uint32_t
chain_of(struct writer *w, const struct asm_insn *insn)
{
	uint32_t i;

	w->chain.n = 0;
	for (size_t l = 0; l < insn->n_frame; l++) {
		const struct asm_frame *f = &insn->frame[l];
		struct link link = { name_of(w, f), file_of(w, f), f->line };

		if (buf_add(&w->chain, &link, sizeof(link)) < 0)
			w->nomem = true;
	}
	i = strtab_add(&w->chains, w->chain.n ? (char *)w->chain.data : "",
		       w->chain.n);
	if (i == STRTAB_NONE)
		w->nomem = true;
	return i;
}

/* --- writing --- */

static void
put_text(struct writer *w, const char *s, size_t n)
{
	putc('"', w->f);
	escape_put(w->f, ESCAPE_JSON, s, n);
	putc('"', w->f);
}

/* Which instructions of function i are written: for each, its number + 1. */
static uint32_t *
number_insns(struct writer *w, uint32_t i)
{
	const struct asm_function *f = &w->a->function[i];
	uint32_t *number = calloc(f->n_insn + 1, sizeof(*number)), n = 0;
	bool is_all = f->n_insn <= INSNS_MAX;

	for (size_t l = 0; number && l < w->r->p->n_location; l++) {
		const struct asm_place *at = &w->a->place[l];
		size_t from, to;

		if (is_all || at->function != i || at->insn == ASM_NONE)
			continue;
		from = at->insn > NEAR ? at->insn - NEAR : 0;
		to = at->insn + NEAR < f->n_insn ? at->insn + NEAR : f->n_insn;
		for (; from < to; from++)
			number[from] = 1;
	}
	for (size_t m = 0; number && m < f->n_insn; m++)
		number[m] = (is_all || number[m]) && n < INSNS_MAX ? ++n : 0;
	w->n_left += f->n_insn - n;
	return number;
}

/* About as many bytes as the instructions take. */
static size_t
text_size(const struct asm_function *f, const uint32_t *number)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_insn; i++)
		if (number[i] && f->insn[i].text)
			n += strlen(f->insn[i].text) + AROUND;
	return n;
}

struct ranked {
	uint32_t rank, function;
};

static int
heavier(const void *p, const void *q)
{
	const struct ranked *a = p, *b = q;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* Number the instructions of all functions for which there is room: the
 * heaviest, and all that were asked for. */
static bool
number_all(struct writer *w, const struct chosen *h)
{
	size_t n = w->a->n_function, room = TEXT_MAX;
	struct ranked *order = calloc(n + 1, sizeof(*order));

	w->number = calloc(n + 1, sizeof(*w->number));
	for (uint32_t i = 0; order && i < n; i++) {
		const char *name = w->a->function[i].name;
		bool is_asked = h->code->has_address ||
				chosen_is_asked(h, name, strlen(name));

		order[i].function = i;
		order[i].rank =
			is_asked ? 0 : chosen_rank(h, name, strlen(name));
	}
	if (order)
		qsort(order, n, sizeof(*order), heavier);
	w->nomem = !order || !w->number;
	for (size_t i = 0; i < n && !w->nomem; i++) {
		uint32_t at = order[i].function, *number = number_insns(w, at);
		size_t size =
			number ? text_size(&w->a->function[at], number) : 0;

		w->nomem = !number;
		w->number[at] = number;
		if (!order[i].rank || w->nomem)
			continue;
		if (size > room) {
			free(number);
			w->number[at] = NULL;
			w->n_light++;
		} else {
			room -= size;
		}
	}
	free(order);
	return !w->nomem;
}

static void
put_code(struct writer *w, const struct asm_function *f, const uint32_t *number)
{
	bool is_first = true;

	for (size_t i = 0; i < f->n_insn; i++) {
		const struct asm_insn *insn = &f->insn[i];
		const char *s = insn->text ? insn->text : "";

		if (!number[i])
			continue;
		fprintf(w->f, is_first ? "[%" PRIu64 "," : ",\n[%" PRIu64 ",",
			insn->address - f->start);
		put_text(w, s, strlen(s));
		fprintf(w->f, ",%" PRIu32 "]", chain_of(w, insn));
		is_first = false;
	}
}

/* Where samples are: instruction and frame of the page. */
static void
put_places(struct writer *w, uint32_t i, const uint32_t *number)
{
	bool is_first = true;

	for (size_t l = 0; l < w->r->p->n_location; l++) {
		const struct asm_place *at = &w->a->place[l];

		if (at->function != i || at->insn == ASM_NONE ||
		    !number[at->insn])
			continue;
		fprintf(w->f,
			is_first ? "[%" PRIu32 ",%" PRIu32 "]"
				 : ",[%" PRIu32 ",%" PRIu32 "]",
			number[at->insn] - 1, w->k->frame_of[l]);
		is_first = false;
	}
}

static void
put_function(struct writer *w, uint32_t i)
{
	const struct asm_function *f = &w->a->function[i];
	const uint32_t *number = w->number[i];
	const char *why = f->missing ? f->missing
			  : number   ? ""
				   : "no room was left: --source=REGEX has it";

	fputs(i ? ",\n{\"name\":" : "{\"name\":", w->f);
	put_text(w, f->name, strlen(f->name));
	fputs(",\"object\":", w->f);
	put_text(w, f->object, strlen(f->object));
	fprintf(w->f, ",\"start\":\"%" PRIx64 "\",\"why\":", f->start);
	put_text(w, why, strlen(why));
	fputs(",\"code\":[", w->f);
	if (!*why)
		put_code(w, f, number);
	fputs("],\"at\":[", w->f);
	if (!*why)
		put_places(w, i, number);
	fputs("]}", w->f);
}

static void
put_chains(struct writer *w)
{
	for (size_t i = 0; i < w->chains.n_str; i++) {
		const struct str *s = &w->chains.str[i];
		struct link link;

		fputs(i ? ",\n[" : "[", w->f);
		for (size_t at = 0; at < s->len; at += sizeof(link)) {
			memcpy(&link, s->s + at, sizeof(link));
			fprintf(w->f, "%s%" PRIu32 ",%" PRIu32 ",%" PRId64,
				at ? "," : "", link.name, link.file, link.line);
		}
		putc(']', w->f);
	}
}

static void
put_all(struct writer *w)
{
	fputs("{\"functions\":[", w->f);
	for (uint32_t i = 0; i < w->a->n_function; i++)
		put_function(w, i);
	fputs("],\n\"chains\":[", w->f);
	put_chains(w);
	fputs("],\n\"texts\":[", w->f);
	for (size_t i = 0; i < w->texts.n_str; i++) {
		fputs(i ? ",\n" : "", w->f);
		put_text(w, w->texts.str[i].s, w->texts.str[i].len);
	}
	fputs("]}\n", w->f);
}

static enum prof_status
write_json(const struct report *r, const struct pack *k,
	   const struct assembly *a, const struct chosen *h, struct buf *out,
	   struct insns_told *told, struct prof_err *err)
{
	struct writer w = { .r = r, .k = k, .a = a, .arena = arena_new() };

	w.f = buf_stream(out);
	w.nomem = !w.arena || !w.f || !list_symbols(&w) || !number_all(&w, h);
	if (!w.nomem)
		put_all(&w);
	if (w.f && buf_stream_close(w.f) < 0)
		w.nomem = true;
	told->n_left = w.n_left;
	told->n_light = w.n_light;
	for (size_t i = 0; w.number && i < a->n_function; i++)
		free(w.number[i]);
	free(w.number);
	free(w.path);
	buf_release(&w.chain);
	arena_free(w.arena);
	return w.nomem ? prof_nomem(err) : PROF_OK;
}

/* The names under which the profile has what is at the address. */
static enum prof_status
find_names(const struct assembly *a, const struct profile *p,
	   struct page_code *code, struct prof_err *err)
{
	code->is_at = calloc(p->strings.n_str + 1, sizeof(*code->is_at));
	if (!code->is_at)
		return prof_nomem(err);
	for (size_t l = 0; l < p->n_location; l++) {
		const struct location *at = &p->location[l];
		const struct line *line = profile_line(p, at);

		if (a->place[l].function != ASM_NONE && at->n_line)
			code->is_at[p->function[line[at->n_line - 1].function]
					    .name] = true;
	}
	return PROF_OK;
}

enum prof_status
insns_add(struct report *r, const struct pack *k, struct page_code *code,
	  struct buf *out, struct insns_told *told, struct prof_err *err)
{
	struct assembly_options o = { .wants = wants,
				      .intel = code->intel,
				      .has_address = code->has_address,
				      .address = code->address,
				      .object = code->object };
	struct binaries binaries;
	struct chosen chosen = { 0 };
	struct assembly *a = NULL;
	bool has_code = false;
	enum prof_status st;

	*told = (struct insns_told){ 0 };
	if (!code->n_asm && !chosen_asks(code))
		return PROF_OK;
	if (binaries_init(&binaries, code->search_path, code->servers) < 0)
		return prof_nomem(err);
	if (!code->sources)
		binaries.resolve.warn = no_warning;
	o.resolve = &binaries.resolve;
	o.ctx = &chosen;
	st = chosen_init(&chosen, r, code, k, false, err);
	if (st == PROF_OK)
		st = assembly_new(r, &o, &a, err);
	told->is_cut = a && a->is_cut;
	for (size_t i = 0; a && i < a->n_function; i++) {
		const char *name = a->function[i].name;

		has_code = has_code || !a->function[i].missing;
		told->n_asked += code->has_address ||
				 chosen_is_asked(&chosen, name, strlen(name));
	}
	if (st == PROF_OK && code->has_address)
		st = find_names(a, r->p, code, err);
	if (st == PROF_OK && (has_code || told->n_asked))
		st = write_json(r, k, a, &chosen, out, told, err);
	assembly_free(a);
	chosen_release(&chosen);
	binaries_release(&binaries);
	return st;
}
#else
enum prof_status
insns_add(struct report *r, const struct pack *k, struct page_code *code,
	  struct buf *out, struct insns_told *told, struct prof_err *err)
{
	(void)r;
	(void)k;
	(void)out;
	*told = (struct insns_told){ 0 };
	return code->n_asm || chosen_asks(code)
		       ? prof_fail(err, PROF_ENOTSUP,
				   "this build has no elfutils")
		       : PROF_OK;
}
#endif
