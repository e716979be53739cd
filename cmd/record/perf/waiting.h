/*
 * waiting.h - threads that wait already when recording begins, and perhaps
 * until its end: the kernel reports nothing of them, but /proc has their stack
 * pointer, program counter and memory. Nothing is stopped for that.
 */
#ifndef PERF_WAITING_H
#define PERF_WAITING_H

#include <stddef.h>
#include <stdint.h>

struct perf_sampler;

/*
 * Add the threads of a process that wait to the sampler, each with at most
 * stack_bytes of its stack. Its mappings are known, and its events are open.
 * wait() is called, again and again, while rows are being read. Returns how
 * many wait on stacks that we may not read.
 */
size_t waiting_add(struct perf_sampler *s, int32_t pid, uint32_t stack_bytes,
		   void (*wait)(void *ctx), void *ctx);

#endif
