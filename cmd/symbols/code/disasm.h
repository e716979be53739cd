/*
 * disasm.h - bytes to instructions. The only user of capstone; a build without
 * it has no instructions, and says so.
 */
#ifndef DISASM_H
#define DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct disasm;

/* One instruction, or bytes that are none (".byte"). */
struct disasm_insn {
	uint64_t address;
	uint32_t size;
	/* Both end with NUL. operands lacks a target, which comes last. */
	const char *mnemonic;
	const char *operands;
	uint64_t target; /* of a direct call or jump */
	bool has_target;
	bool is_call;
};

/* Machines are those of ELF: EM_*, and what its header says. */
struct disasm_machine {
	unsigned machine;
	bool is_64, is_big_endian;
};

/*
 * A decoder; intel is for x86, which has AT&T's syntax otherwise. *out is the
 * caller's, for disasm_free(). PROF_EINVALID: not for this machine;
 * PROF_ENOTSUP: not in this build; PROF_ENOMEM.
 */
enum prof_status disasm_new(const struct disasm_machine *m, bool intel,
			    struct disasm **out, struct prof_err *err) MUST_USE;
void disasm_free(struct disasm *d); /* NULL is allowed */

/*
 * Decode the n bytes at code, which are at this address, and call fn for each
 * instruction, which is valid only during the call. Bytes that are no
 * instruction are passed one by one (or in an instruction's least size), so
 * that all n bytes are covered. Stops when fn returns false.
 */
void disasm_run(struct disasm *d, const uint8_t *code, size_t n,
		uint64_t address,
		bool (*fn)(void *ctx, const struct disasm_insn *insn),
		void *ctx);

#endif
