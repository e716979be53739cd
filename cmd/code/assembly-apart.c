/* assembly-apart.c - see assembly-apart.h. */
#include "config.h"

#include "assembly-apart.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/strtab.h"
#include "lib/model/profile.h"
#include "lib/report/report.h"
#include "symbols/code/disasm.h"
#include "symbols/elf/apart.h"
#include "symbols/names/demangle.h"
#include "symbols/resolve/group.h"
#include "symbols/resolve/resolve.h"

/*
 * An answer has several parts, which stay in a processor's cache. A part: the
 * head, some functions, their aliases (texts), instructions, numbers and frames
 * in this order, in the last part the places, then the texts of instructions
 * and those others that no part before had, each with its NUL. One of the
 * others is its number in all parts; NONE is NULL.
 */
#define NONE UINT32_MAX

enum {
	PART_INSNS = 2000,  /* or one function */
	MAX_BYTES = 1 << 30 /* of an answer */
};

struct head {
	uint64_t n_function, n_alias, n_insn, n_number, n_frame, n_place,
		n_text;
	uint64_t n_code; /* bytes of texts of instructions */
	uint64_t n_byte; /* ... of the others */
	uint64_t first;  /* function, of all parts */
	uint64_t is_cut, is_last;
};

struct packed_function {
	uint64_t start, end, base, n_alias, n_insn, of;
	int64_t flat, cum;
	uint32_t name, object, build_id, missing;
};

/* What an instruction has, its numbers in this order; or whose frames. */
enum {
	HAS_TARGET = 1,
	HAS_DATA = 2,
	HAS_VALUES = 4, /* flat and cum */
	HAS_TEXT = 8,
	SAME_FRAMES = 16, /* as the one before */
};

enum { MAX_SAME = 512 }; /* frames: as many as binary_run() gives */

struct packed_insn {
	uint64_t address;
	uint32_t size, flags : 5, n_frame : 27;
};

struct packed_frame {
	int64_t line;
	uint32_t function, symbol, file, unused;
};

/* --- there --- */

enum { N_KNOWN = 1024 };

struct packer {
	struct buf *out;
	struct strtab text; /* in an arena of its own */
	size_t n_told;      /* of text */
	struct {
		const char *text;
		uint32_t number;
	} known[N_KNOWN]; /* by address: names are mostly those of before */
	bool nomem;
};

/* Inline, as most are a few words. */
static inline void
pack(struct packer *k, const void *data, size_t n)
{
	struct buf *out = k->out;

	if (n > out->cap - out->n && buf_reserve(out, n) < 0) {
		k->nomem = true;
		return;
	}
	memcpy(out->data + out->n, data, n);
	out->n += n;
}

static uint32_t
add_text(struct packer *k, const char *text)
{
	uint32_t number = strtab_addz(&k->text, text);

	k->nomem |= number == STRTAB_NONE;
	return number;
}

static inline uint32_t
text_number(struct packer *k, const char *text)
{
	size_t at = (uintptr_t)text / 8 % N_KNOWN;

	if (!text)
		return NONE;
	if (k->known[at].text != text) {
		k->known[at].text = text;
		k->known[at].number = add_text(k, text);
	}
	return k->known[at].number;
}

static void
pack_function(struct packer *k, const struct asm_function *f)
{
	const struct packed_function p = {
		.start = f->start,
		.end = f->end,
		.base = f->base,
		.n_alias = f->n_alias,
		.n_insn = f->n_insn,
		.of = f->of,
		.flat = f->flat,
		.cum = f->cum,
		.name = text_number(k, f->name),
		.object = text_number(k, f->object),
		.build_id = text_number(k, f->build_id),
		.missing = text_number(k, f->missing),
	};

	pack(k, &p, sizeof(p));
}

/* Are the frames of instruction i those of the one before? */
static bool
has_same(const struct asm_function *f, size_t i)
{
	const struct asm_insn *n = &f->insn[i];

	return i && n->frame == n[-1].frame && n->n_frame == n[-1].n_frame &&
	       n->n_frame <= MAX_SAME;
}

static void
pack_insn(struct packer *k, const struct asm_insn *n, bool is_same)
{
	const struct packed_insn p = {
		.address = n->address,
		.size = n->size,
		.flags = (n->has_target ? HAS_TARGET : 0u) |
			 (n->data ? HAS_DATA : 0u) |
			 (n->flat || n->cum ? HAS_VALUES : 0u) |
			 (n->text ? HAS_TEXT : 0u) |
			 (is_same ? SAME_FRAMES : 0u),
		.n_frame = is_same ? 0 : (unsigned)n->n_frame
	};

	pack(k, &p, sizeof(p));
}

static size_t
pack_numbers(struct packer *k, const struct asm_insn *n)
{
	uint64_t number[4];
	size_t count = 0;

	if (n->has_target)
		number[count++] = n->target;
	if (n->data)
		number[count++] = n->data;
	if (n->flat || n->cum) {
		number[count++] = (uint64_t)n->flat;
		number[count++] = (uint64_t)n->cum;
	}
	pack(k, number, count * sizeof(*number));
	return count;
}

static void
pack_frame(struct packer *k, const struct asm_frame *f)
{
	const struct packed_frame p = { .line = f->line,
					.function = text_number(k, f->function),
					.symbol = text_number(k, f->symbol),
					.file = text_number(k, f->file) };

	pack(k, &p, sizeof(p));
}

/* What functions have, in the order of a part. */
static void
pack_functions(struct packer *k, const struct asm_function *first,
	       const struct asm_function *past, struct head *h)
{
	const struct asm_function *f;

	for (f = first; f < past; f++, h->n_function++)
		pack_function(k, f);
	for (f = first; f < past; f++)
		for (size_t i = 0; i < f->n_alias; i++, h->n_alias++)
			pack(k, &(uint32_t){ text_number(k, f->alias[i]) },
			     sizeof(uint32_t));
	for (f = first; f < past; f++)
		for (size_t i = 0; i < f->n_insn; i++, h->n_insn++)
			pack_insn(k, &f->insn[i], has_same(f, i));
	for (f = first; f < past; f++)
		for (size_t i = 0; i < f->n_insn; i++)
			h->n_number += pack_numbers(k, &f->insn[i]);
	for (f = first; f < past; f++)
		for (size_t i = 0; i < f->n_insn; i++)
			for (size_t j = 0;
			     j < f->insn[i].n_frame && !has_same(f, i);
			     j++, h->n_frame++)
				pack_frame(k, &f->insn[i].frame[j]);
}

static void
pack_code(struct packer *k, const struct asm_function *first,
	  const struct asm_function *past, struct head *h)
{
	for (const struct asm_function *f = first; f < past; f++)
		for (size_t i = 0; i < f->n_insn; i++)
			if (f->insn[i].text) {
				size_t n = strlen(f->insn[i].text) + 1;

				pack(k, f->insn[i].text, n);
				h->n_code += n;
			}
}

/* The texts that no part had. */
static void
pack_texts(struct packer *k, struct head *h)
{
	for (; k->n_told < k->text.n_str; k->n_told++, h->n_text++) {
		const struct str *text = &k->text.str[k->n_told];

		pack(k, text->s, text->len + 1u);
		h->n_byte += text->len + 1u;
	}
}

/* The part that begins with the function at *first, which becomes the one of
 * the next part; true: it was the last. */
static bool
pack_part(struct packer *k, const struct assembly *a, size_t n_place,
	  size_t *first)
{
	const struct asm_function *from = a->function + *first, *past = from;
	struct head h = { .first = *first, .is_cut = a->is_cut };
	size_t n_insn = 0;

	for (; *first < a->n_function && n_insn < PART_INSNS; ++*first)
		n_insn += past++->n_insn;
	h.n_place = *first < a->n_function ? 0 : n_place;
	h.is_last = *first == a->n_function;
	k->out->n = 0;
	pack(k, &h, sizeof(h));
	pack_functions(k, from, past, &h);
	pack(k, a->place, h.n_place * sizeof(*a->place));
	pack_code(k, from, past, &h);
	pack_texts(k, &h);
	if (!k->nomem)
		memcpy(k->out->data, &h, sizeof(h));
	return h.is_last;
}

int
assembly_pack(const struct assembly *a, size_t n_place,
	      void (*tell)(void *ctx, const void *part, size_t n), void *ctx)
{
	struct buf out = { 0 };
	struct packer k = { .out = &out };
	struct arena *arena = arena_new();
	size_t first = 0;
	bool is_last = false;

	k.nomem = !arena || strtab_init(&k.text, arena) < 0;
	while (!k.nomem && !is_last) {
		is_last = pack_part(&k, a, n_place, &first);
		if (!k.nomem)
			tell(ctx, out.data, out.n);
	}
	buf_release(&out);
	arena_free(arena);
	return k.nomem ? -1 : 0;
}

/* --- here --- */

/* What is not read yet of a part. */
struct unpacker {
	const char *at, *past;
	struct assembly_parts *to;
	struct assembly *a;
	struct asm_function *function; /* the first */
	const char *number;            /* of instructions; the next */
	const char *code, *past_code;  /* ... texts */
	struct head h;
	bool bad;
};

/* The next n bytes; NULL, and it is damaged: there are fewer. */
static const void *
unpack(struct unpacker *u, size_t n, size_t size)
{
	const char *at = u->at;

	u->bad |= n > (size_t)(u->past - u->at) / size;
	if (u->bad)
		return NULL;
	u->at += n * size;
	return at;
}

static const char *
text_of(struct unpacker *u, uint32_t i, bool may_miss)
{
	bool is_text = i < u->to->n_text;

	u->bad |= !is_text && (i != NONE || !may_miss);
	return is_text ? u->to->text[i] : NULL;
}

/* The texts, which are last. */
static void
unpack_texts(struct unpacker *u, const char *from)
{
	struct assembly_parts *to = u->to;
	const struct head *h = &u->h;
	uint64_t n = (uint64_t)(u->past - from);
	const char **text, *past;
	char *copy;

	u->bad |= h->n_code > n || h->n_byte != n - h->n_code ||
		  h->n_text > h->n_byte;
	if (u->bad)
		return;
	copy = arena_alloc(u->a->arena, n + 1);
	text = arena_grow(u->a->arena, to->text, &to->cap_text,
			  to->n_text + h->n_text + 1, sizeof(*text));
	u->bad |= !copy || !text;
	if (u->bad)
		return;
	memcpy(copy, from, n);
	past = copy + n;
	u->code = copy;
	u->past_code = copy += h->n_code;
	to->text = text;
	text += to->n_text;
	for (uint64_t i = 0; i < h->n_text && !u->bad; i++) {
		const char *at = copy;

		text[i] = apart_string(&at, past);
		u->bad = !text[i];
		copy += at - copy;
	}
	to->n_text += h->n_text;
	u->bad |= copy != past;
}

static void
unpack_functions(struct unpacker *u, const char *from)
{
	uint64_t n_alias = 0, n_insn = 0;

	for (size_t i = 0; i < u->h.n_function && !u->bad; i++) {
		struct packed_function p;

		memcpy(&p, from + i * sizeof(p), sizeof(p));
		u->bad = p.n_alias > u->h.n_alias - n_alias ||
			 p.n_insn > u->h.n_insn - n_insn;
		n_alias += p.n_alias;
		n_insn += p.n_insn;
		u->function[i] = (struct asm_function){
			.start = p.start,
			.end = p.end,
			.base = p.base,
			.n_alias = p.n_alias,
			.n_insn = p.n_insn,
			.of = p.of,
			.flat = p.flat,
			.cum = p.cum,
			.name = text_of(u, p.name, false),
			.object = text_of(u, p.object, false),
			.build_id = text_of(u, p.build_id, false),
			.missing = text_of(u, p.missing, true),
		};
	}
	u->bad |= n_alias != u->h.n_alias || n_insn != u->h.n_insn;
}

static void
unpack_aliases(struct unpacker *u, const char *from)
{
	const char **alias =
		arena_array(u->a->arena, u->h.n_alias + 1, sizeof(*alias));
	size_t n = 0;

	u->bad |= !alias;
	for (size_t i = 0; i < u->h.n_function && !u->bad; i++) {
		struct asm_function *f = &u->function[i];

		f->alias = alias + n;
		for (size_t k = 0; k < f->n_alias; k++) {
			uint32_t text;

			memcpy(&text, from + n * sizeof(text), sizeof(text));
			alias[n++] = text_of(u, text, false);
		}
	}
}

static void
unpack_frames(struct unpacker *u, struct asm_frame *frame, const char *from)
{
	for (size_t i = 0; i < u->h.n_frame && !u->bad; i++) {
		struct packed_frame p;

		memcpy(&p, from + i * sizeof(p), sizeof(p));
		frame[i] =
			(struct asm_frame){ text_of(u, p.function, false),
					    text_of(u, p.symbol, false),
					    text_of(u, p.file, false), p.line };
	}
}

static uint64_t
next_number(struct unpacker *u)
{
	uint64_t number = 0;

	u->bad |= !u->h.n_number;
	if (u->bad)
		return 0;
	memcpy(&number, u->number, sizeof(number));
	u->number += sizeof(number);
	u->h.n_number--;
	return number;
}

/* Whose frames are those of the one before are complete with it. */
static void
unpack_insn(struct unpacker *u, struct asm_insn *to,
	    const struct packed_insn *p)
{
	*to = (struct asm_insn){ .address = p->address,
				 .size = p->size,
				 .n_frame = p->n_frame };
	if (p->flags & HAS_TEXT) {
		to->text = apart_string(&u->code, u->past_code);
		u->bad |= !to->text;
	}
	to->has_target = p->flags & HAS_TARGET;
	if (to->has_target)
		to->target = next_number(u);
	if (p->flags & HAS_DATA)
		to->data = next_number(u);
	if (p->flags & HAS_VALUES) {
		to->flat = (int64_t)next_number(u);
		to->cum = (int64_t)next_number(u);
	}
}

static void
unpack_insns(struct unpacker *u, const char *from, const char *frames)
{
	struct arena *arena = u->a->arena;
	struct asm_insn *insn =
		arena_array(arena, u->h.n_insn + 1, sizeof(*insn));
	struct asm_frame *frame =
		arena_array(arena, u->h.n_frame + 1, sizeof(*frame));
	uint64_t n_frame = 0, n = 0;

	u->bad |= !insn || !frame;
	for (size_t i = 0; i < u->h.n_insn && !u->bad; i++) {
		struct packed_insn p;

		memcpy(&p, from + i * sizeof(p), sizeof(p));
		unpack_insn(u, &insn[i], &p);
		insn[i].frame = frame + n_frame;
		if (p.flags & SAME_FRAMES) {
			u->bad |= !i || p.n_frame ||
				  insn[i - 1].n_frame > MAX_SAME;
			if (u->bad)
				break;
			insn[i].frame = insn[i - 1].frame;
			insn[i].n_frame = insn[i - 1].n_frame;
		}
		u->bad |= p.n_frame > u->h.n_frame - n_frame;
		n_frame += p.n_frame;
	}
	u->bad |= n_frame != u->h.n_frame || u->h.n_number ||
		  u->code != u->past_code;
	unpack_frames(u, frame, frames);
	for (size_t i = 0; i < u->h.n_function && !u->bad; i++) {
		u->function[i].insn = insn + n;
		n += u->function[i].n_insn;
	}
}

/* Where each location is: in an instruction of a function, or nowhere. */
static void
unpack_places(struct unpacker *u, const char *from)
{
	struct assembly *a = u->a;

	a->place = arena_array(a->arena, u->h.n_place + 1, sizeof(*a->place));
	u->bad |= !a->place;
	if (u->bad)
		return;
	memcpy(a->place, from, u->h.n_place * sizeof(*a->place));
	for (size_t i = 0; i < u->h.n_place; i++) {
		const struct asm_place *at = &a->place[i];
		bool is_in = at->function < a->n_function;

		u->bad |=
			is_in ? at->insn != ASM_NONE &&
					at->insn >=
						a->function[at->function].n_insn
			      : at->function != ASM_NONE;
	}
}

static void
unpack_parts(struct unpacker *u)
{
	const struct head *h = &u->h;
	const void *function, *alias, *insn, *frame, *place;
	struct asm_function *grown;

	function = unpack(u, h->n_function, sizeof(struct packed_function));
	alias = unpack(u, h->n_alias, sizeof(uint32_t));
	insn = unpack(u, h->n_insn, sizeof(struct packed_insn));
	u->number = unpack(u, h->n_number, sizeof(uint64_t));
	frame = unpack(u, h->n_frame, sizeof(struct packed_frame));
	place = unpack(u, h->n_place, sizeof(struct asm_place));
	if (u->bad || h->n_function >= ASM_NONE - u->a->n_function ||
	    h->n_insn >= ASM_NONE) {
		u->bad = true;
		return;
	}
	unpack_texts(u, u->at);
	if (u->bad)
		return;
	grown = arena_grow(u->a->arena, u->a->function, &u->to->cap,
			   u->a->n_function + h->n_function + 1,
			   sizeof(*grown));
	u->bad |= !grown;
	if (u->bad)
		return;
	u->a->function = grown;
	u->function = grown + u->a->n_function;
	unpack_functions(u, function);
	unpack_aliases(u, alias);
	unpack_insns(u, insn, frame);
	u->a->n_function += h->n_function;
	u->a->is_cut = h->is_cut;
	if (h->is_last)
		unpack_places(u, place);
}

static void
answer_begin(struct assembly_parts *to)
{
	struct arena *arena = arena_new();

	assembly_free(to->a); /* of a process that was ended later */
	*to = (struct assembly_parts){ .n_place = to->n_place };
	to->a = arena ? arena_alloc(arena, sizeof(*to->a)) : NULL;
	if (to->a)
		*to->a = (struct assembly){ .arena = arena };
	else
		arena_free(arena);
}

bool
assembly_parts_take(struct assembly_parts *to, const void *part, size_t n)
{
	struct unpacker u = { .at = part, .past = (const char *)part + n };
	const void *head = unpack(&u, 1, sizeof(u.h));

	if (!head)
		return false;
	memcpy(&u.h, head, sizeof(u.h));
	if (!u.h.first)
		answer_begin(to);
	to->n_byte += n;
	if (!to->a || to->is_whole || u.h.first != to->a->n_function ||
	    u.h.n_place != (u.h.is_last ? to->n_place : 0) ||
	    to->n_byte > MAX_BYTES)
		return false;
	u.to = to;
	u.a = to->a;
	unpack_parts(&u);
	to->is_whole = u.h.is_last && !u.bad;
	return !u.bad;
}

/* --- the job --- */

struct job {
	struct report *r;
	const struct assembly_options *o;
	enum prof_status (*make)(struct report *r,
				 const struct assembly_options *o,
				 struct assembly **out, struct prof_err *err);
	struct assembly_parts answer;
};

enum { ASSEMBLY = APART_ANSWER };

static void
tell_part(void *ctx, const void *part, size_t n)
{
	apart_tell(ctx, ASSEMBLY, 0, "", 0, part, n);
}

static enum prof_status
work(void *ctx, struct apart *to, bool is_careful, struct prof_err *err)
{
	const struct job *job = ctx;
	struct resolve_options resolve = *job->o->resolve;
	struct assembly_options o = *job->o;
	struct assembly *a;
	enum prof_status st;

	(void)is_careful; /* it always is */
	demangle_confined();
	o.resolve = &resolve;
	resolve.warn = apart_warn;
	if (resolve.find)
		resolve.find = apart_find;
	st = job->make(job->r, &o, &a, err);
	if (st == PROF_OK &&
	    assembly_pack(a, job->r->p->n_location, tell_part, to) < 0)
		st = prof_nomem(err);
	return st;
}

static bool
answer_take(void *ctx, uint32_t kind, uint32_t number, const char *at, size_t n)
{
	struct job *job = ctx;

	(void)number;
	return kind == ASSEMBLY && assembly_parts_take(&job->answer, at, n);
}

enum prof_status
assembly_apart(struct report *r, const struct assembly_options *o,
	       enum prof_status (*make)(struct report *,
					const struct assembly_options *,
					struct assembly **, struct prof_err *),
	       struct assembly **out, struct prof_err *err)
{
	struct job job = {
		.r = r, .o = o, .make = make, .answer.n_place = r->p->n_location
	};
	const struct apart_job apart = { .ctx = &job,
					 .work = work,
					 .take = answer_take,
					 .list = o->resolve->kallsyms,
					 .find = o->resolve->find,
					 .find_ctx = o->resolve->find_ctx,
					 .warn = o->resolve->warn,
					 .n_bytes = group_n_bytes(r->p) };
	enum prof_status st;

	*out = NULL;
	disasm_load(); /* there, no library can be loaded */
	st = apart_run(&apart, err);
	if (st == PROF_OK && !job.answer.is_whole)
		st = prof_fail(err, PROF_EIO, "no code could be read");
	if (st != PROF_OK)
		assembly_free(job.answer.a);
	else
		*out = job.answer.a;
	return st;
}
