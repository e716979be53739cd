/*
 * expr.c - DWARF expressions in unwind information: of PLT entries, realigned
 * stacks, signal frames, hand-written assembly. Operations that need debug
 * information, or another address space than the stack, are not supported; a
 * rule with one is refused.
 */
#include "config.h"

#include "impl.h"
#include "read.h"

#define EXPR_MAX_DEPTH 8
#define EXPR_MAX_STEPS 128

enum {
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08,
	DW_OP_const1s = 0x09,
	DW_OP_const2u = 0x0a,
	DW_OP_const2s = 0x0b,
	DW_OP_const4u = 0x0c,
	DW_OP_const4s = 0x0d,
	DW_OP_const8u = 0x0e,
	DW_OP_const8s = 0x0f,
	DW_OP_constu = 0x10,
	DW_OP_consts = 0x11,
	DW_OP_dup = 0x12,
	DW_OP_drop = 0x13,
	DW_OP_over = 0x14,
	DW_OP_pick = 0x15,
	DW_OP_swap = 0x16,
	DW_OP_rot = 0x17,
	DW_OP_xderef = 0x18, /* not supported */
	DW_OP_abs = 0x19,
	DW_OP_and = 0x1a,
	DW_OP_div = 0x1b,
	DW_OP_minus = 0x1c,
	DW_OP_mod = 0x1d,
	DW_OP_mul = 0x1e,
	DW_OP_neg = 0x1f,
	DW_OP_not = 0x20,
	DW_OP_or = 0x21,
	DW_OP_plus = 0x22,
	DW_OP_plus_uconst = 0x23,
	DW_OP_shl = 0x24,
	DW_OP_shr = 0x25,
	DW_OP_shra = 0x26,
	DW_OP_xor = 0x27,
	DW_OP_bra = 0x28,
	DW_OP_eq = 0x29,
	DW_OP_ge = 0x2a,
	DW_OP_gt = 0x2b,
	DW_OP_le = 0x2c,
	DW_OP_lt = 0x2d,
	DW_OP_ne = 0x2e,
	DW_OP_skip = 0x2f,
	DW_OP_lit0 = 0x30,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg16 = 0x80,
	DW_OP_bregx = 0x92,
	DW_OP_nop = 0x96,
};

struct op {
	uint8_t code;
	uint64_t reg;    /* DW_OP_bregx */
	int64_t operand; /* constant, offset, index, or branch distance */
};

/* Decode one operation; false if it is truncated or not supported. */
static bool
read_op(struct in *in, struct op *op)
{
	*op = (struct op){ .code = in_byte(in) };
	if (op->code >= DW_OP_const1u && op->code <= DW_OP_const8s) {
		unsigned i = op->code - DW_OP_const1u;

		op->operand = (int64_t)in_fixed(in, (size_t)1 << i / 2);
		if (i & 1 && i < 6) { /* the signed ones of less than 8 bytes */
			unsigned shift = 64 - (8u << i / 2);

			op->operand =
				(int64_t)((uint64_t)op->operand << shift) >>
				shift;
		}
	} else if (op->code == DW_OP_constu || op->code == DW_OP_plus_uconst) {
		op->operand = (int64_t)in_uleb(in);
	} else if (op->code == DW_OP_consts) {
		op->operand = in_sleb(in);
	} else if (op->code == DW_OP_pick) {
		op->operand = in_byte(in);
	} else if (op->code == DW_OP_skip || op->code == DW_OP_bra) {
		op->operand = (int16_t)in_fixed(in, 2);
	} else if (op->code >= DW_OP_breg0 && op->code <= DW_OP_breg16) {
		op->reg = op->code - DW_OP_breg0;
		op->code = DW_OP_bregx;
		op->operand = in_sleb(in);
	} else if (op->code == DW_OP_bregx) {
		op->reg = in_uleb(in);
		op->operand = in_sleb(in);
		return !in->bad && op->reg < DW_N_REG;
	} else {
		return op->code == DW_OP_deref || op->code == DW_OP_nop ||
		       (op->code >= DW_OP_dup && op->code <= DW_OP_lit31 &&
			op->code != DW_OP_xderef);
	}
	return !in->bad;
}

/* Branch from the end of the operation; false: out of the expression. */
static bool
jump(struct in *in, const uint8_t *e, int64_t distance)
{
	if (distance < e - in->p || distance > in->end - in->p)
		return false;
	in->p += distance;
	return true;
}

bool
unwind_expr_check(const uint8_t *e, size_t n)
{
	struct in in = { e, e + n, false }, target;
	struct op op;

	while (in.p < in.end) {
		if (!read_op(&in, &op))
			return false;
		target = in;
		if ((op.code == DW_OP_skip || op.code == DW_OP_bra) &&
		    !jump(&target, e, op.operand))
			return false;
	}
	return n > 0;
}

/* a OP b. Arithmetic wraps; comparison and division are signed. */
static bool
binary(uint8_t code, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (code) {
	case DW_OP_and:
		*out = a & b;
		return true;
	case DW_OP_div:
		if (sb == 0 || (sa == INT64_MIN && sb == -1))
			return false;
		*out = (uint64_t)(sa / sb);
		return true;
	case DW_OP_minus:
		*out = a - b;
		return true;
	case DW_OP_mod:
		if (b == 0)
			return false;
		*out = a % b;
		return true;
	case DW_OP_mul:
		*out = a * b;
		return true;
	case DW_OP_or:
		*out = a | b;
		return true;
	case DW_OP_plus:
		*out = a + b;
		return true;
	case DW_OP_shl:
		*out = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*out = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*out = (uint64_t)(sa >> (b < 63 ? b : 63));
		return true;
	case DW_OP_xor:
		*out = a ^ b;
		return true;
	case DW_OP_eq:
		*out = a == b;
		return true;
	case DW_OP_ge:
		*out = sa >= sb;
		return true;
	case DW_OP_gt:
		*out = sa > sb;
		return true;
	case DW_OP_le:
		*out = sa <= sb;
		return true;
	case DW_OP_lt:
		*out = sa < sb;
		return true;
	case DW_OP_ne:
		*out = a != b;
		return true;
	}
	return false;
}

/* Rearrange or replace words on the stack s of *n words. */
static bool
shuffle(uint8_t code, uint64_t *s, size_t *n)
{
	size_t need = code == DW_OP_rot                          ? 3
		      : code == DW_OP_over || code == DW_OP_swap ? 2
								 : 1;
	uint64_t top;

	if (*n < need)
		return false;
	top = s[*n - 1];
	switch (code) {
	case DW_OP_dup:
		s[(*n)++] = top;
		return true;
	case DW_OP_drop:
		(*n)--;
		return true;
	case DW_OP_over:
		s[*n] = s[*n - 2];
		(*n)++;
		return true;
	case DW_OP_swap:
		s[*n - 1] = s[*n - 2];
		s[*n - 2] = top;
		return true;
	case DW_OP_rot:
		s[*n - 1] = s[*n - 2];
		s[*n - 2] = s[*n - 3];
		s[*n - 3] = top;
		return true;
	case DW_OP_abs:
		if ((int64_t)top < 0)
			s[*n - 1] = -top;
		return true;
	case DW_OP_neg:
		s[*n - 1] = -top;
		return true;
	case DW_OP_not:
		s[*n - 1] = ~top;
		return true;
	}
	return false;
}

/* Run one operation other than a branch; there is room for one more word. */
static bool
run_op(const struct op *op, const struct unwind_frame *f,
       const struct unwind_bounds *b, uint64_t *s, size_t *n)
{
	uintptr_t v;

	if (op->code >= DW_OP_lit0 && op->code <= DW_OP_lit31) {
		s[(*n)++] = op->code - DW_OP_lit0;
		return true;
	}
	if (op->code >= DW_OP_const1u && op->code <= DW_OP_consts) {
		s[(*n)++] = (uint64_t)op->operand;
		return true;
	}
	switch (op->code) {
	case DW_OP_nop:
		return true;
	case DW_OP_bregx:
		if (!unwind_reg(f, (unsigned)op->reg, &v))
			return false;
		s[(*n)++] = v + (uint64_t)op->operand;
		return true;
	case DW_OP_deref:
		if (*n < 1 || !unwind_load(b, (uintptr_t)s[*n - 1], &v))
			return false;
		s[*n - 1] = v;
		return true;
	case DW_OP_plus_uconst:
		if (*n < 1)
			return false;
		s[*n - 1] += (uint64_t)op->operand;
		return true;
	case DW_OP_pick:
		if ((uint64_t)op->operand >= *n)
			return false;
		s[*n] = s[*n - 1 - (size_t)op->operand];
		(*n)++;
		return true;
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_swap:
	case DW_OP_rot:
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
		return shuffle(op->code, s, n);
	}
	if (*n < 2 || !binary(op->code, s[*n - 2], s[*n - 1], &s[*n - 2]))
		return false;
	(*n)--;
	return true;
}

bool
unwind_expr_eval(const uint8_t *e, size_t n, const struct unwind_frame *f,
		 const struct unwind_bounds *b, const uintptr_t *cfa,
		 uintptr_t *value)
{
	struct in in = { e, e + n, false };
	uint64_t s[EXPR_MAX_DEPTH + 1];
	size_t depth = 0;
	struct op op;

	if (cfa)
		s[depth++] = *cfa;
	for (int step = 0; in.p < in.end; step++) {
		if (step >= EXPR_MAX_STEPS || depth >= EXPR_MAX_DEPTH ||
		    !read_op(&in, &op))
			return false;
		if (op.code == DW_OP_skip) {
			if (!jump(&in, e, op.operand))
				return false;
		} else if (op.code == DW_OP_bra) {
			if (depth == 0)
				return false;
			if (s[--depth] != 0 && !jump(&in, e, op.operand))
				return false;
		} else if (!run_op(&op, f, b, s, &depth)) {
			return false;
		}
	}
	if (depth == 0)
		return false;
	*value = (uintptr_t)s[depth - 1];
	return true;
}
