/* bytes.h - the bytes of a binary's instructions. */
#ifndef CODE_BYTES_H
#define CODE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "disasm.h"
#include "lib/base/status.h"

struct binary;

/* The machine of b. */
struct disasm_machine binary_machine(const struct binary *b);

/*
 * *code: the bytes of b at address a, with the number of those contiguous in
 * the file in *n, at least one. They are b's. NULL if the file has none there:
 * its code was stripped, or a is not one of its addresses. PROF_EIO if they
 * could not be read, also for want of memory.
 */
enum prof_status bytes_at(const struct binary *b, uint64_t a,
			  const uint8_t **code, size_t *n,
			  struct prof_err *err);

#endif
