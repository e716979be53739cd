/* bytes.h - the bytes of a binary's instructions. */
#ifndef CODE_BYTES_H
#define CODE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "disasm.h"
#include "lib/base/status.h"

struct binary;

/* The machine that b is for. */
struct disasm_machine binary_machine(const struct binary *b);

/*
 * The bytes at address a of b: at least one, at most what lies together in the
 * file; in *n how many. They are b's. NULL if the file has none there: it was
 * stripped of its code, or a is no address of it.
 */
const uint8_t *bytes_at(const struct binary *b, uint64_t a, size_t *n);

#endif
