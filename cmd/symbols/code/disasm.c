/* disasm.c - see disasm.h. */
#include "config.h"

#include "disasm.h"

#if HAVE_CAPSTONE
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstone-load.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

struct disasm {
	struct capstone_calls cs;
	csh handle;
	cs_insn *insn;
	uint32_t step; /* bytes of the shortest instruction */
	bool is_x86;
};

static bool
choose_arch(const struct disasm_machine *m, cs_arch *arch, unsigned *mode)
{
	*mode = m->is_big_endian ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN;
	switch (m->machine) {
	case EM_X86_64:
	case EM_386:
		*arch = CS_ARCH_X86;
		*mode = m->machine == EM_386 ? CS_MODE_32 : CS_MODE_64;
		return true;
	case EM_AARCH64:
		*arch = CS_ARCH_ARM64;
		return true;
	case EM_ARM:
		*arch = CS_ARCH_ARM;
		return true;
	case EM_PPC:
	case EM_PPC64:
		*arch = CS_ARCH_PPC;
		*mode |= m->is_64 ? CS_MODE_64 : CS_MODE_32;
		return true;
	case EM_S390:
		*arch = CS_ARCH_SYSZ;
		*mode = CS_MODE_BIG_ENDIAN;
		return true;
	case EM_MIPS:
		*arch = CS_ARCH_MIPS;
		*mode |= m->is_64 ? CS_MODE_MIPS64 : CS_MODE_MIPS32;
		return true;
#if CS_API_MAJOR >= 5
	case EM_RISCV:
		*arch = CS_ARCH_RISCV;
		*mode = (m->is_64 ? CS_MODE_RISCV64 : CS_MODE_RISCV32) |
			CS_MODE_RISCVC;
		return true;
#endif
	default:
		return false;
	}
}

void
disasm_load(void)
{
	struct capstone_calls calls;

	(void)!capstone_load(&calls, NULL);
}

enum prof_status
disasm_new(const struct disasm_machine *m, bool intel, struct disasm **out,
	   struct prof_err *err)
{
	struct disasm *d = calloc(1, sizeof(*d));
	enum prof_status st;
	cs_arch arch;
	unsigned mode;

	*out = NULL;
	if (!d)
		return prof_nomem(err);
	st = capstone_load(&d->cs, err);
	if (st != PROF_OK) {
		free(d);
		return st;
	}
	errno = 0;
	if (!choose_arch(m, &arch, &mode) ||
	    d->cs.open(arch, (cs_mode)mode, &d->handle) != CS_ERR_OK) {
		free(d);
		if (errno == ENOMEM)
			return prof_nomem(err);
		return prof_fail(err, PROF_EINVALID,
				 "no disassembler for ELF machine %u",
				 m->machine);
	}
	d->is_x86 = arch == CS_ARCH_X86;
	d->step = d->is_x86 ? 1 : arch == CS_ARCH_SYSZ ? 2 : 4;
	if (d->is_x86 && !intel)
		d->cs.option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->cs.option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = d->cs.malloc(d->handle);
	if (!d->insn) {
		disasm_free(d);
		return prof_nomem(err);
	}
	*out = d;
	return PROF_OK;
}

void
disasm_free(struct disasm *d)
{
	if (!d)
		return;
	if (d->insn)
		d->cs.free(d->insn, 1);
	d->cs.close(&d->handle);
	free(d);
}

/*
 * The target of a direct jump is the last operand, a number that capstone
 * prints as an address on all machines. Cut it off text.
 */
static void
take_target(const struct disasm *d, struct disasm_insn *out, char *text)
{
	const cs_insn *insn = d->insn;
	char *last = strrchr(text, ' '), *end;

	if (!d->cs.insn_group(d->handle, insn, CS_GRP_CALL) &&
	    !d->cs.insn_group(d->handle, insn, CS_GRP_JUMP))
		return;
	last = last ? last + 1 : text;
	if (*last == '#')
		last++;
	if (strncmp(last, "0x", 2) != 0)
		return;
	out->target = strtoull(last, &end, 16);
	out->has_target = !*end;
	if (!out->has_target)
		return;
	if (last > text && last[-1] == '#')
		last--;
	*last = '\0';
}

/* Does the instruction take an address as a number, as for a call? */
static bool
takes_address(const cs_insn *insn)
{
	return insn->id == X86_INS_MOV || insn->id == X86_INS_MOVABS ||
	       insn->id == X86_INS_PUSH;
}

/* The address of an operand in memory that is relative to %rip, or of one that
 * has no base, or of a number. */
static void
take_data(const struct disasm *d, struct disasm_insn *out, uint64_t next)
{
	const cs_x86 *x86;

	if (!d->is_x86 || !d->insn->detail)
		return;
	x86 = &d->insn->detail->x86;
	for (uint8_t i = 0; i < x86->op_count && !out->data; i++) {
		const cs_x86_op *op = &x86->operands[i];
		bool is_mem = op->type == X86_OP_MEM;

		out->is_absolute = !is_mem || op->mem.base != X86_REG_RIP;
		if (!out->is_absolute)
			out->data = next + (uint64_t)op->mem.disp;
		else if (is_mem && op->mem.base == X86_REG_INVALID &&
			 op->mem.segment == X86_REG_INVALID)
			out->data = (uint64_t)op->mem.disp;
	}
	for (uint8_t i = 0; i < x86->op_count && !out->data; i++)
		if (x86->operands[i].type == X86_OP_IMM &&
		    takes_address(d->insn))
			out->data = (uint64_t)x86->operands[i].imm;
}

/* Pass on bytes that are no instruction. */
static bool
pass_bytes(const uint8_t *code, uint32_t n, uint64_t address,
	   bool (*fn)(void *ctx, const struct disasm_insn *insn), void *ctx)
{
	struct disasm_insn insn = { .address = address,
				    .size = n,
				    .mnemonic = ".byte" };
	char text[4 * 8];
	size_t at = 0;

	for (uint32_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       i ? ", 0x%02x" : "0x%02x", code[i]);
	insn.operands = text;
	return fn(ctx, &insn);
}

void
disasm_run(struct disasm *d, const uint8_t *code, size_t n, uint64_t address,
	   bool (*fn)(void *ctx, const struct disasm_insn *insn), void *ctx)
{
	char text[sizeof(d->insn->op_str)];

	while (n) {
		struct disasm_insn insn = { .address = address };
		const uint8_t *from = code;

		if (!d->cs.disasm_iter(d->handle, &code, &n, &address,
				       d->insn)) {
			uint32_t skip = n < d->step ? (uint32_t)n : d->step;

			if (!pass_bytes(code, skip, address, fn, ctx))
				return;
			code += skip;
			n -= skip;
			address += skip;
			continue;
		}
		insn.size = (uint32_t)(code - from);
		insn.mnemonic = d->insn->mnemonic;
		memcpy(text, d->insn->op_str, sizeof(text));
		insn.operands = text;
		take_target(d, &insn, text);
		take_data(d, &insn, address);
		if (!fn(ctx, &insn))
			return;
	}
}
#else
void
disasm_load(void)
{
}

enum prof_status
disasm_new(const struct disasm_machine *m, bool intel, struct disasm **out,
	   struct prof_err *err)
{
	(void)m;
	(void)intel;
	*out = NULL;
	return prof_fail(err, PROF_ENOTSUP, "this build has no capstone");
}

void
disasm_free(struct disasm *d)
{
	(void)d;
}

void
disasm_run(struct disasm *d, const uint8_t *code, size_t n, uint64_t address,
	   bool (*fn)(void *ctx, const struct disasm_insn *insn), void *ctx)
{
	(void)d;
	(void)code;
	(void)n;
	(void)address;
	(void)fn;
	(void)ctx;
}
#endif
