/*
 * arch.h - the machine that libsample is compiled for. Each has one file, which
 * defines what x86_64.h does. impl.h includes it, after the types it needs.
 */
#ifndef UNWIND_ARCH_H
#define UNWIND_ARCH_H

#if defined(__x86_64__)
#include "x86_64.h"
#elif defined(__aarch64__)
#include "aarch64.h"
#else
#include "other.h"
#endif

#endif
