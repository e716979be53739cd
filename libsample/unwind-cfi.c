/*
 * unwind-cfi.c - from .eh_frame to rows: run the call frame instructions of
 * every function once and write down what holds from which address on, as
 * far as the walk needs it: the CFA, rsp, rbp, rbx and the return address.
 *
 * The format is the Linux Standard Base's .eh_frame over DWARF 5 section
 * 6.4. rbx is followed for the sake of the dynamic linker, which counts the
 * CFA from it while it resolves a PLT entry. r12 to r15 are not: the walk
 * would slow down for a handful of functions of hand-written assembly.
 *
 * Nothing outside of image->segment is read, whatever the bytes say.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "unwind-int.h"

/* Pointer encodings of .eh_frame. */
enum {
	PE_absptr = 0x00,
	PE_uleb128 = 0x01,
	PE_udata2 = 0x02,
	PE_udata4 = 0x03,
	PE_udata8 = 0x04,
	PE_sleb128 = 0x09,
	PE_sdata2 = 0x0a,
	PE_sdata4 = 0x0b,
	PE_sdata8 = 0x0c,
	PE_form = 0x0f,
	PE_pcrel = 0x10,
	PE_datarel = 0x30,
	PE_base = 0x70,
	PE_indirect = 0x80,
	PE_omit = 0xff,
};

enum {
	CFA_nop = 0x00,
	CFA_set_loc = 0x01,
	CFA_advance_loc1 = 0x02,
	CFA_advance_loc2 = 0x03,
	CFA_advance_loc4 = 0x04,
	CFA_offset_extended = 0x05,
	CFA_restore_extended = 0x06,
	CFA_undefined = 0x07,
	CFA_same_value = 0x08,
	CFA_register = 0x09,
	CFA_remember_state = 0x0a,
	CFA_restore_state = 0x0b,
	CFA_def_cfa = 0x0c,
	CFA_def_cfa_register = 0x0d,
	CFA_def_cfa_offset = 0x0e,
	CFA_def_cfa_expression = 0x0f,
	CFA_expression = 0x10,
	CFA_offset_extended_sf = 0x11,
	CFA_def_cfa_sf = 0x12,
	CFA_def_cfa_offset_sf = 0x13,
	CFA_val_offset = 0x14,
	CFA_val_offset_sf = 0x15,
	CFA_val_expression = 0x16,
	CFA_GNU_args_size = 0x2e,
	CFA_GNU_negative_offset_extended = 0x2f,
	CFA_advance_loc = 0x40,
	CFA_offset = 0x80,
	CFA_restore = 0xc0,
};

/* Bytes not yet read. A read past the end sets bad and gives 0. */
struct in {
	const uint8_t *p, *end;
	bool bad;
};

/* What is tracked; kinds as in struct unwind_rule. */
struct state {
	struct unwind_loc cfa, rsp, rbp, rbx, ra;
};

struct cie {
	uintptr_t addr; /* 0: none */
	bool good, signal;
	bool has_augmentation;
	uint8_t fde_encoding;
	uint64_t code_align;
	int64_t data_align;
	struct state initial;
};

#define N_CIE 16 /* in a cache by address; big objects have a handful */
#define N_REMEMBER 16

struct compiler {
	const struct cfi_image *image;
	struct unwind_pool *pool;
	struct cfi_rows *rows;
	size_t cap;
	bool no_memory;
	struct cie cie[N_CIE];
};

/* One function: where its code is, and the instructions for it. */
struct fde {
	uintptr_t lo, hi;
	const struct cie *cie;
	struct in in;
};

void *
unwind_map(size_t n_bytes)
{
	void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint8_t
in_byte(struct in *in)
{
	if (in->p >= in->end) {
		in->bad = true;
		return 0;
	}
	return *in->p++;
}

static uint64_t
in_fixed(struct in *in, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(in->end - in->p) < n) {
		in->bad = true;
		in->p = in->end;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)in->p[i] << (8 * i);
	in->p += n;
	return v;
}

static uint64_t
in_uleb(struct in *in)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = in_byte(in);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

static int64_t
in_sleb(struct in *in)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = in_byte(in);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (byte & 0x40 && shift < 64)
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

/* A field of encoding enc; datarel is what PE_datarel counts from. */
static uintptr_t
in_encoded(struct in *in, uint8_t enc, uintptr_t datarel)
{
	uintptr_t at = (uintptr_t)in->p;
	uint64_t v;

	switch (enc & PE_form) {
	case PE_absptr:
	case PE_udata8:
	case PE_sdata8:
		v = in_fixed(in, 8);
		break;
	case PE_uleb128:
		v = in_uleb(in);
		break;
	case PE_sleb128:
		v = (uint64_t)in_sleb(in);
		break;
	case PE_udata2:
		v = in_fixed(in, 2);
		break;
	case PE_sdata2:
		v = (uint64_t)(int16_t)in_fixed(in, 2);
		break;
	case PE_udata4:
		v = in_fixed(in, 4);
		break;
	case PE_sdata4:
		v = (uint64_t)(int32_t)in_fixed(in, 4);
		break;
	default:
		in->bad = true;
		return 0;
	}
	switch (enc & PE_base) {
	case PE_absptr:
		break;
	case PE_pcrel:
		v += at;
		break;
	case PE_datarel:
		v += datarel;
		break;
	default:
		in->bad = true;
		return 0;
	}
	return (uintptr_t)v;
}

static void
in_skip(struct in *in, uint64_t n)
{
	if (n > (uint64_t)(in->end - in->p)) {
		in->bad = true;
		in->p = in->end;
	} else {
		in->p += n;
	}
}

/* All of the segment from addr on; bad when addr is in no segment. */
static struct in
in_open(const struct cfi_image *image, uintptr_t addr)
{
	for (size_t i = 0; i < image->n_segment; i++) {
		const struct unwind_bounds *s = &image->segment[i];

		if (addr >= s->lo && addr < s->hi)
			return (struct in){ (const uint8_t *)addr,
					    (const uint8_t *)s->hi, false };
	}
	return (struct in){ NULL, NULL, true };
}

/*
 * Open the entry, a CIE or FDE, at addr: limit *in to it, past the length.
 * Returns the address of what follows it, 0 at the end of the section or
 * when it does not fit its segment.
 */
static uintptr_t
in_entry(const struct cfi_image *image, uintptr_t addr, struct in *in)
{
	uint64_t n;

	*in = in_open(image, addr);
	n = in_fixed(in, 4);
	if (n == 0xffffffff)
		n = in_fixed(in, 8);
	if (in->bad || n == 0 || n > (uint64_t)(in->end - in->p)) {
		in->bad = true;
		return 0;
	}
	in->end = in->p + n;
	return (uintptr_t)in->end;
}

/* Index of rule in the pool, added when it is new; 0 when the pool is full. */
static uint32_t
pool_rule(struct unwind_pool *pool, const struct unwind_rule *rule)
{
	const size_t n_hash = sizeof(pool->hash) / sizeof(pool->hash[0]);
	uint64_t h = 0, word;
	size_t slot;

	for (size_t i = 0; i < sizeof(*rule); i += 4) {
		word = 0;
		memcpy(&word, (const char *)rule + i, 4);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (slot = h % n_hash; pool->hash[slot]; slot = (slot + 1) % n_hash)
		if (!memcmp(&pool->rule[pool->hash[slot]], rule, sizeof(*rule)))
			return pool->hash[slot];
	if (pool->n_rule == 0)
		pool->n_rule = 1;
	if (pool->n_rule >= POOL_N_RULE)
		return 0;
	/* In this order a fork in between leaves the child a sound pool. */
	pool->rule[pool->n_rule] = *rule;
	pool->hash[slot] = (uint16_t)pool->n_rule;
	return pool->n_rule++;
}

/* Where the pool holds these bytes, added when new; -1 when it is full. */
static int32_t
pool_expr(struct unwind_pool *pool, const uint8_t *e, size_t n)
{
	const uint8_t *at = memmem(pool->expr, pool->n_expr, e, n);

	if (at)
		return (int32_t)(at - pool->expr);
	if (n > POOL_N_EXPR - pool->n_expr)
		return -1;
	memcpy(pool->expr + pool->n_expr, e, n);
	pool->n_expr += (uint32_t)n;
	return (int32_t)(pool->n_expr - n);
}

/* The caller's rsp out of a kernel's signal frame: *(rsp + 160). */
static bool
is_kernel_frame(const struct unwind_pool *pool, const struct unwind_loc *cfa)
{
	static const uint8_t saved_rsp[] = { 0x77, 0xa0, 0x01, 0x06 };

	return cfa->kind == LOC_EXPR_VAL && cfa->n_expr == sizeof(saved_rsp) &&
	       !memcmp(pool->expr + cfa->off, saved_rsp, sizeof(saved_rsp));
}

/* Can l be a slot in a packed word? Which? */
static bool
pack_slot(const struct unwind_loc *l, uint32_t *slot)
{
	*slot = 0;
	if (l->kind == LOC_DEFAULT)
		return true;
	if (l->kind != LOC_CFA_MEM || l->off >= 0 || l->off % 8 ||
	    l->off < -8 * WORD_SLOT_MAX)
		return false;
	*slot = (uint32_t)-l->off / 8;
	return true;
}

/* Pack s into a word; WORD_NONE when it says nothing or is out of reach. */
static uint32_t
pack(struct unwind_pool *pool, const struct state *s, bool signal)
{
	struct unwind_rule rule;
	uint32_t rbp, rbx, i;

	if (s->cfa.kind == LOC_REG && !signal && s->cfa.off >= 8 &&
	    s->cfa.off / 8 <= WORD_CFA_MAX && s->cfa.off % 8 == 0 &&
	    (s->cfa.reg == DW_RSP || s->cfa.reg == DW_RBP) &&
	    s->rsp.kind == LOC_DEFAULT && s->ra.kind == LOC_CFA_MEM &&
	    s->ra.off == -8 && pack_slot(&s->rbp, &rbp) &&
	    pack_slot(&s->rbx, &rbx))
		return WORD_PACKED | (s->cfa.reg == DW_RBP ? WORD_RBP : 0) |
		       rbp << WORD_RBP_SHIFT | rbx << WORD_RBX_SHIFT |
		       (uint32_t)(s->cfa.off / 8) << WORD_CFA_SHIFT;
	if (s->cfa.kind == LOC_DEFAULT && s->ra.kind != LOC_UNDEFINED)
		return WORD_NONE;
	memset(&rule, 0, sizeof(rule));
	rule.cfa = s->cfa;
	rule.rsp = s->rsp;
	rule.rbp = s->rbp;
	rule.rbx = s->rbx;
	rule.ra = s->ra;
	if (signal)
		rule.signal = is_kernel_frame(pool, &s->cfa) ? SIGNAL_KERNEL
							     : SIGNAL_OTHER;
	i = pool_rule(pool, &rule);
	return i ? i << 1 : WORD_NONE;
}

static bool
rows_grow(struct compiler *c)
{
	size_t n_bytes = c->rows->n_bytes ? 2 * c->rows->n_bytes : 65536;
	void *p;

	if (c->rows->row)
		p = mremap(c->rows->row, c->rows->n_bytes, n_bytes,
			   MREMAP_MAYMOVE);
	else
		p = unwind_map(n_bytes);
	if (!p || p == MAP_FAILED) {
		c->no_memory = true;
		return false;
	}
	c->rows->row = p;
	c->rows->n_bytes = n_bytes;
	c->cap = n_bytes / sizeof(struct unwind_row);
	return true;
}

/*
 * From pc on, word holds. Functions come in the order of their addresses;
 * where one begins before the last one ends, it wins.
 */
static void
emit(struct compiler *c, uintptr_t pc, uint32_t word)
{
	uint32_t off = (uint32_t)(pc - c->image->text_lo);
	struct unwind_row *row = c->rows->row;
	size_t n = c->rows->n_row;

	while (n > 0 && row[n - 1].off >= off)
		n--;
	c->rows->n_row = n;
	if (n > 0 && row[n - 1].word == word)
		return;
	if (n == c->cap && !rows_grow(c))
		return;
	c->rows->row[n] = (struct unwind_row){ off, word };
	c->rows->n_row = n + 1;
}

static struct unwind_loc *
tracked(struct state *s, uint64_t reg)
{
	switch (reg) {
	case DW_RBX:
		return &s->rbx;
	case DW_RBP:
		return &s->rbp;
	case DW_RSP:
		return &s->rsp;
	case DW_RIP:
		return &s->ra;
	}
	return NULL;
}

static void
set_loc(struct in *in, struct state *s, uint64_t reg, enum unwind_loc_kind kind,
	int64_t off)
{
	struct unwind_loc *l = tracked(s, reg);

	if (!l)
		return;
	if (off < INT32_MIN || off > INT32_MAX)
		in->bad = true;
	*l = (struct unwind_loc){ .kind = (uint8_t)kind, .off = (int32_t)off };
}

static void
set_reg(struct in *in, struct unwind_loc *l, uint64_t reg, int64_t off)
{
	if (reg >= DW_N_REG || off < INT32_MIN || off > INT32_MAX)
		in->bad = true;
	else
		*l = (struct unwind_loc){ .kind = LOC_REG,
					  .reg = (uint8_t)reg,
					  .off = (int32_t)off };
}

/* Take a block, length first, as the expression of l; l NULL skips it. */
static void
set_expr(struct compiler *c, struct in *in, struct unwind_loc *l,
	 enum unwind_loc_kind kind)
{
	uint64_t n = in_uleb(in);
	const uint8_t *e = in->p;
	int32_t at;

	in_skip(in, n);
	if (in->bad || !l)
		return;
	at = n <= UINT16_MAX && unwind_expr_check(e, n)
		     ? pool_expr(c->pool, e, n)
		     : -1;
	if (at < 0)
		in->bad = true;
	*l = (struct unwind_loc){ .kind = (uint8_t)kind,
				  .n_expr = (uint16_t)n,
				  .off = at };
}

/* The instructions that set where a register is; false: not one of them. */
static bool
run_register(struct compiler *c, const struct cie *cie, struct in *in,
	     struct state *s, uint8_t op)
{
	const uint64_t scale = (uint64_t)cie->data_align;
	struct unwind_loc *l;
	uint64_t reg, n;

	switch (op) {
	case CFA_offset_extended:
		reg = in_uleb(in);
		n = in_uleb(in);
		set_loc(in, s, reg, LOC_CFA_MEM, (int64_t)(n * scale));
		return true;
	case CFA_offset_extended_sf:
		reg = in_uleb(in);
		n = (uint64_t)in_sleb(in);
		set_loc(in, s, reg, LOC_CFA_MEM, (int64_t)(n * scale));
		return true;
	case CFA_GNU_negative_offset_extended:
		reg = in_uleb(in);
		n = in_uleb(in);
		set_loc(in, s, reg, LOC_CFA_MEM, (int64_t)(-n * scale));
		return true;
	case CFA_val_offset:
		reg = in_uleb(in);
		n = in_uleb(in);
		set_loc(in, s, reg, LOC_CFA_VAL, (int64_t)(n * scale));
		return true;
	case CFA_val_offset_sf:
		reg = in_uleb(in);
		n = (uint64_t)in_sleb(in);
		set_loc(in, s, reg, LOC_CFA_VAL, (int64_t)(n * scale));
		return true;
	case CFA_restore_extended:
		reg = in_uleb(in);
		l = tracked(s, reg);
		if (l) {
			struct state initial = cie->initial;

			*l = *tracked(&initial, reg);
		}
		return true;
	case CFA_undefined:
		set_loc(in, s, in_uleb(in), LOC_UNDEFINED, 0);
		return true;
	case CFA_same_value:
		reg = in_uleb(in);
		l = tracked(s, reg);
		if (l)
			set_reg(in, l, reg, 0);
		return true;
	case CFA_register:
		l = tracked(s, in_uleb(in));
		n = in_uleb(in);
		if (l)
			set_reg(in, l, n, 0);
		return true;
	case CFA_expression:
		l = tracked(s, in_uleb(in));
		set_expr(c, in, l, LOC_EXPR_MEM);
		return true;
	case CFA_val_expression:
		l = tracked(s, in_uleb(in));
		set_expr(c, in, l, LOC_EXPR_VAL);
		return true;
	}
	return false;
}

/* The instructions that say how the CFA is computed, and the rest. */
static void
run_cfa(struct compiler *c, const struct cie *cie, struct in *in,
	struct state *s, uint8_t op)
{
	const uint64_t scale = (uint64_t)cie->data_align;
	uint64_t reg, n;

	switch (op) {
	case CFA_def_cfa:
		reg = in_uleb(in);
		n = in_uleb(in);
		set_reg(in, &s->cfa, reg, (int64_t)n);
		return;
	case CFA_def_cfa_sf:
		reg = in_uleb(in);
		n = (uint64_t)in_sleb(in);
		set_reg(in, &s->cfa, reg, (int64_t)(n * scale));
		return;
	case CFA_def_cfa_register:
		reg = in_uleb(in);
		if (s->cfa.kind == LOC_REG)
			set_reg(in, &s->cfa, reg, s->cfa.off);
		else
			in->bad = true;
		return;
	case CFA_def_cfa_offset:
	case CFA_def_cfa_offset_sf:
		n = op == CFA_def_cfa_offset ? in_uleb(in)
					     : (uint64_t)in_sleb(in) * scale;
		if (s->cfa.kind == LOC_REG)
			set_reg(in, &s->cfa, s->cfa.reg, (int64_t)n);
		else
			in->bad = true;
		return;
	case CFA_def_cfa_expression:
		set_expr(c, in, &s->cfa, LOC_EXPR_VAL);
		return;
	case CFA_GNU_args_size:
		in_uleb(in);
		return;
	case CFA_nop:
		return;
	}
	in->bad = true;
}

/* How far an advance instruction goes; false: it is not one. */
static bool
run_advance(const struct cie *cie, struct in *in, uint8_t op, uintptr_t pc,
	    uintptr_t *next)
{
	uint64_t n;

	switch (op) {
	case CFA_advance_loc1:
		n = in_fixed(in, 1);
		break;
	case CFA_advance_loc2:
		n = in_fixed(in, 2);
		break;
	case CFA_advance_loc4:
		n = in_fixed(in, 4);
		break;
	case CFA_set_loc:
		*next = in_encoded(in, cie->fde_encoding, 0);
		return true;
	default:
		if ((op & 0xc0) != CFA_advance_loc)
			return false;
		n = op & 0x3f;
	}
	*next = pc + n * cie->code_align;
	return true;
}

/*
 * Run the instructions in. With an fde, emit its rows; without, they are the
 * CIE's own and only change *s.
 */
static void
run(struct compiler *c, const struct cie *cie, struct in *in, struct state *s,
    const struct fde *fde)
{
	struct state saved[N_REMEMBER];
	unsigned n_saved = 0;
	uintptr_t pc = fde ? fde->lo : 0, next;

	while (in->p < in->end && !in->bad) {
		uint8_t op = *in->p++;

		if (op >= CFA_offset && op < CFA_restore) {
			uint64_t n = in_uleb(in);

			set_loc(in, s, op & 0x3f, LOC_CFA_MEM,
				(int64_t)(n * (uint64_t)cie->data_align));
		} else if (op >= CFA_restore) {
			struct state initial = cie->initial;
			struct unwind_loc *l = tracked(s, op & 0x3f);

			if (l)
				*l = *tracked(&initial, op & 0x3f);
		} else if (op == CFA_remember_state && n_saved < N_REMEMBER) {
			saved[n_saved++] = *s;
		} else if (op == CFA_restore_state && n_saved > 0) {
			*s = saved[--n_saved];
		} else if (run_advance(cie, in, op, pc, &next)) {
			if (!fde || next < pc || next > fde->hi) {
				in->bad = true;
				break;
			}
			if (next > pc)
				emit(c, pc, pack(c->pool, s, cie->signal));
			pc = next;
		} else if (!run_register(c, cie, in, s, op)) {
			run_cfa(c, cie, in, s, op);
		}
	}
	if (!fde)
		return;
	/* What follows an instruction that is not understood is unknown. */
	if (pc < fde->hi)
		emit(c, pc,
		     in->bad ? WORD_NONE : pack(c->pool, s, cie->signal));
	emit(c, fde->hi, WORD_NONE);
	c->rows->n_refused += in->bad;
}

/* The augmentation string and its data, in step. */
static void
parse_augmentation(struct in *in, const char *aug, struct cie *cie)
{
	struct in data;
	uint64_t n;

	cie->fde_encoding = PE_absptr;
	if (aug[0] != 'z') {
		in->bad |= aug[0] != '\0';
		return;
	}
	cie->has_augmentation = true;
	n = in_uleb(in);
	data = *in;
	in_skip(in, n);
	data.end = in->p;
	for (aug++; *aug; aug++) {
		switch (*aug) {
		case 'R':
			cie->fde_encoding = in_byte(&data);
			break;
		case 'P':
			in_encoded(&data, in_byte(&data) & PE_form, 0);
			break;
		case 'L':
			in_byte(&data);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* aarch64: the other key signs return addresses */
			break;
		default:
			/* Its data is skipped by length; what it means is not
			 * known. */
			in->bad = true;
		}
	}
	in->bad |= data.bad || cie->fde_encoding & PE_indirect;
}

static void
parse_cie(struct compiler *c, uintptr_t addr, struct cie *cie)
{
	struct in in;
	const char *aug;
	uint8_t version;

	*cie = (struct cie){ .addr = addr };
	in_entry(c->image, addr, &in);
	if (in_fixed(&in, 4) != 0)
		in.bad = true;
	version = in_byte(&in);
	aug = (const char *)in.p;
	while (in_byte(&in) != 0)
		;
	if (in.bad || (version != 1 && version != 3 && version != 4))
		return;
	if (version == 4 && (in_byte(&in) != 8 || in_byte(&in) != 0))
		return;
	cie->code_align = in_uleb(&in);
	cie->data_align = in_sleb(&in);
	if ((version == 1 ? in_byte(&in) : in_uleb(&in)) != DW_RIP || in.bad)
		return;
	parse_augmentation(&in, aug, cie);
	if (!in.bad)
		run(c, cie, &in, &cie->initial, NULL);
	cie->good = !in.bad;
}

static const struct cie *
get_cie(struct compiler *c, uintptr_t addr)
{
	struct cie *cie = &c->cie[(addr >> 3) % N_CIE];

	if (cie->addr != addr)
		parse_cie(c, addr, cie);
	return cie->good ? cie : NULL;
}

/* Read the head of the FDE at addr. False: it is none, or not understood. */
static bool
parse_fde(struct compiler *c, uintptr_t addr, struct fde *fde)
{
	const struct cfi_image *image = c->image;
	struct in *in = &fde->in;
	uintptr_t at, n;
	uint64_t delta;

	in_entry(image, addr, in);
	at = (uintptr_t)in->p;
	delta = in_fixed(in, 4);
	if (in->bad || delta == 0 || delta > at)
		return false;
	fde->cie = get_cie(c, at - delta);
	if (!fde->cie)
		return false;
	fde->lo = in_encoded(in, fde->cie->fde_encoding, 0);
	n = in_encoded(in, fde->cie->fde_encoding & PE_form, 0);
	if (fde->cie->has_augmentation)
		in_skip(in, in_uleb(in));
	fde->hi = fde->lo + n;
	return !in->bad && n > 0 && fde->hi > fde->lo &&
	       fde->lo >= image->text_lo && fde->hi <= image->text_hi;
}

static void
compile_fde(struct compiler *c, uintptr_t addr)
{
	struct state s;
	struct fde fde;

	if (!parse_fde(c, addr, &fde)) {
		c->rows->n_refused++;
		return;
	}
	s = fde.cie->initial;
	run(c, fde.cie, &fde.in, &s, &fde);
}

/* The sorted table that linkers put behind .eh_frame_hdr. */
struct search_table {
	const uint8_t *entry; /* n of {int32 code, int32 FDE}, from hdr */
	size_t n;
};

static int32_t
table_get(const struct search_table *t, size_t i, bool want_fde)
{
	int32_t v;

	memcpy(&v, t->entry + 8 * i + (want_fde ? 4 : 0), 4);
	return v;
}

/*
 * Read .eh_frame_hdr: returns the address of .eh_frame, or 0. *t is empty
 * when there is no table in the form that all linkers write, or not sorted.
 */
static uintptr_t
parse_hdr(const struct cfi_image *image, struct search_table *t)
{
	struct in in = in_open(image, image->hdr);
	uint8_t version, eh_enc, count_enc, table_enc;
	uintptr_t eh_frame, n;

	*t = (struct search_table){ NULL, 0 };
	if (!in.bad && image->hdr_bytes < (size_t)(in.end - in.p))
		in.end = in.p + image->hdr_bytes;
	version = in_byte(&in);
	eh_enc = in_byte(&in);
	count_enc = in_byte(&in);
	table_enc = in_byte(&in);
	if (in.bad || version != 1 || eh_enc == PE_omit || eh_enc & PE_indirect)
		return 0;
	eh_frame = in_encoded(&in, eh_enc, image->hdr);
	if (in.bad)
		return 0;
	if (count_enc == PE_omit || table_enc != (PE_datarel | PE_sdata4))
		return eh_frame;
	n = in_encoded(&in, count_enc, image->hdr);
	if (in.bad || n > (size_t)(in.end - in.p) / 8)
		return eh_frame;
	*t = (struct search_table){ in.p, n };
	for (size_t i = 1; i < n; i++)
		if (table_get(t, i - 1, false) > table_get(t, i, false)) {
			*t = (struct search_table){ NULL, 0 };
			break;
		}
	return eh_frame;
}

/* A function found by walking .eh_frame. */
struct found {
	uintptr_t lo, fde;
};

static void
sift_down(struct found *a, size_t i, size_t n)
{
	struct found v = a[i];

	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && a[k + 1].lo > a[k].lo)
			k++;
		if (a[k].lo <= v.lo)
			break;
		a[i] = a[k];
	}
	a[i] = v;
}

/* Heapsort: libc's qsort may call malloc. */
static void
sort_found(struct found *a, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(a, i, n);
	while (n > 1) {
		struct found last = a[--n];

		a[n] = a[0];
		a[0] = last;
		sift_down(a, 0, n);
	}
}

/* Without a search table: list the functions, sort them, compile each. */
static int
compile_section(struct compiler *c, uintptr_t eh_frame)
{
	struct found *found;
	struct in in, id;
	size_t n = 0, i = 0;

	for (uintptr_t at = eh_frame, next;
	     (next = in_entry(c->image, at, &in)) != 0; at = next)
		n += in_fixed(&in, 4) != 0;
	if (n == 0)
		return 0;
	found = unwind_map(n * sizeof(*found));
	if (!found)
		return ENOMEM;
	for (uintptr_t at = eh_frame, next;
	     i < n && (next = in_entry(c->image, at, &in)) != 0; at = next) {
		struct fde fde;

		id = in;
		if (in_fixed(&id, 4) == 0)
			continue;
		if (parse_fde(c, at, &fde))
			found[i++] = (struct found){ fde.lo, at };
		else
			c->rows->n_refused++;
	}
	sort_found(found, i);
	for (size_t k = 0; k < i && !c->no_memory; k++)
		compile_fde(c, found[k].fde);
	munmap(found, n * sizeof(*found));
	return 0;
}

int
unwind_cfi_compile(const struct cfi_image *image, struct unwind_pool *pool,
		   struct cfi_rows *rows)
{
	struct compiler c = { .image = image, .pool = pool, .rows = rows };
	struct search_table t;
	uintptr_t eh_frame;
	int err = 0;

	*rows = (struct cfi_rows){ NULL, 0, 0, 0 };
	eh_frame = parse_hdr(image, &t);
	if (t.n)
		for (size_t i = 0; i < t.n && !c.no_memory; i++)
			compile_fde(&c,
				    image->hdr + (uintptr_t)(intptr_t)table_get(
							 &t, i, true));
	else if (eh_frame)
		err = compile_section(&c, eh_frame);
	if (c.no_memory)
		err = ENOMEM;
	if (err && rows->row) {
		munmap(rows->row, rows->n_bytes);
		*rows = (struct cfi_rows){ NULL, 0, 0, 0 };
	}
	return err;
}
