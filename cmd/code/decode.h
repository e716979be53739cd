/*
 * decode.h - code to struct asm_insn: decoded, with the names of what is
 * called and the lines that it came from; for assembly.c.
 */
#ifndef CODE_DECODE_H
#define CODE_DECODE_H

#include <stddef.h>

#include "assembly.h"
#include "lib/base/status.h"
#include "symbols/elf/section.h"

struct arena;
struct binary;
struct disasm;

/*
 * Fill in the instructions of the n functions of b, ascending, whose start, end
 * and name are set, in a: those in the n_window windows, ascending. flat and
 * cum stay 0. A function whose code the file lacks gets missing. PROF_ENOMEM;
 * PROF_EIO if code could not be read.
 */
enum prof_status decode_functions(struct arena *a, struct binary *b,
				  struct disasm *d,
				  struct asm_function *const *function,
				  size_t n, const struct code_range *window,
				  size_t n_window,
				  struct prof_err *err) MUST_USE;

#endif
