/*
 * arch.h - the machine whose stacks are walked: the one that libsample is
 * compiled for, or with UNWIND_FOREIGN (cmd/unwind/foreign.c) the other one.
 * Each has one file, which defines what x86_64.h does; what needs the machine
 * itself is left out elsewhere. impl.h includes it, after the types it needs.
 */
#ifndef UNWIND_ARCH_H
#define UNWIND_ARCH_H

#if defined(__x86_64__) != defined(UNWIND_FOREIGN)
#include "x86_64.h"
#elif defined(__aarch64__) != defined(UNWIND_FOREIGN)
#include "aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "riscv64.h"
#else
#include "other.h"
#endif

/* Can a function be called on another stack? */
#ifndef ARCH_HAS_CALL_ON
#define ARCH_HAS_CALL_ON 0
#endif

#if !defined(UNWIND_FOREIGN) && !ARCH_HAS_CALL_ON
/* Call f(arg), on this stack. */
static inline void
arch_call_on(void *top, void (*f)(void *), void *arg)
{
	(void)top;
	f(arg);
}
#endif

#endif
