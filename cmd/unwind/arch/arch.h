/*
 * arch.h - the machine whose stack copies are walked, as in
 * libsample/unwind/arch/arch.h. Each has one file, which defines what x86_64.h
 * does.
 */
#ifndef WALK_ARCH_H
#define WALK_ARCH_H

#if defined(__x86_64__) != defined(UNWIND_FOREIGN)
#include "unwind/arch/x86_64.h"
#elif defined(__aarch64__) != defined(UNWIND_FOREIGN)
#include "unwind/arch/aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "unwind/arch/riscv64.h"
#else
#include "unwind/arch/other.h"
#endif

#endif
