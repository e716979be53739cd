/*
 * jitdump.h - jit-PID.dump, in which a JIT compiler logs the code that it made
 * and moved, and the lines of its source. The format is that of the kernel's
 * tools/perf/Documentation/jitdump-specification.txt, version 1.
 */
#ifndef JITDUMP_H
#define JITDUMP_H

#include <stdbool.h>

#include "symlist.h"

/* Do the n bytes begin like a jitdump, of either byte order? */
bool jitdump_is(const void *data, size_t n);

/*
 * Append the functions that the n bytes at data log to l. The log of a process
 * that still runs, or was killed, ends inside a record: that one is left out.
 * PROF_EFORMAT for a record that makes no sense: what came before it is there.
 * PROF_ENOMEM.
 */
enum prof_status jitdump_read(struct symlist *l, const void *data, size_t n,
			      struct prof_err *err) MUST_USE;

#endif
