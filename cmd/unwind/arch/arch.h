/*
 * arch.h - the machine of which this machine's stack copies are unwound. Each
 * has one file, which defines what x86_64.h does.
 */
#ifndef WALK_ARCH_H
#define WALK_ARCH_H

#if defined(__aarch64__)
#include "unwind/arch/aarch64.h"
#else
#include "unwind/arch/x86_64.h"
#endif

#endif
