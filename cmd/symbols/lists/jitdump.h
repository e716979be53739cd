/*
 * jitdump.h - jit-PID.dump, a JIT compiler's log of the code that it made and
 * moved, with the lines of its source. The format is that of the kernel's
 * tools/perf/Documentation/jitdump-specification.txt, version 1.
 */
#ifndef JITDUMP_H
#define JITDUMP_H

#include <stdbool.h>

#include "symlist.h"

/* Do the n bytes begin like a jitdump, of either byte order? */
bool jitdump_is(const void *data, size_t n);

/*
 * Append to l the functions in the log of n bytes at data. A last record that
 * is incomplete, as in the log of a process that runs or was killed, is left
 * out. PROF_EFORMAT for an invalid record; functions before it are appended.
 * PROF_ENOMEM.
 */
enum prof_status jitdump_read(struct symlist *l, const void *data, size_t n,
			      struct prof_err *err) MUST_USE;

#endif
