/*
 * disasm.h - disassembly. The only user of capstone; without it disasm_new()
 * fails.
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
	/* NUL-terminated. operands lacks the target, which would come last. */
	const char *mnemonic;
	const char *operands;
	uint64_t target; /* of a direct call or jump */
	uint64_t data;   /* of an operand: relative to %rip, or that may be an
			  * address of code that is not relocated; 0: none */
	bool has_target;
	bool is_absolute; /* data is not relative to %rip */
};

/* A machine, as in the header of an ELF file: EM_*, class and byte order. */
struct disasm_machine {
	unsigned machine;
	bool is_64, is_big_endian;
};

/*
 * A decoder; intel selects Intel's syntax for x86, instead of AT&T's. *out is
 * the caller's, for disasm_free(). PROF_EINVALID: unknown machine;
 * PROF_ENOTSUP: this build lacks capstone; PROF_ENOMEM.
 */
enum prof_status disasm_new(const struct disasm_machine *m, bool intel,
			    struct disasm **out, struct prof_err *err) MUST_USE;
void disasm_free(struct disasm *d); /* NULL is allowed */

/* Load the library now: disasm_new() can't where no file may be opened. */
void disasm_load(void);

/*
 * Decode the n bytes at code, which are at this address, and call fn for each
 * instruction, valid only during the call. Invalid bytes are passed one by one,
 * or in units of the shortest instruction, so all n bytes are covered. Stops
 * when fn returns false.
 */
void disasm_run(struct disasm *d, const uint8_t *code, size_t n,
		uint64_t address,
		bool (*fn)(void *ctx, const struct disasm_insn *insn),
		void *ctx);

#endif
