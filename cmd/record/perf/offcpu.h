/*
 * offcpu.h - time that threads were on no CPU, by the stack on which they left
 * it.
 */
#ifndef PERF_OFFCPU_H
#define PERF_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct labeler;
struct offcpu;
struct spaces;
struct tally;

/* The time goes to that column of the tally. NULL without memory. */
struct offcpu *offcpu_new(struct tally *t, struct labeler *l, size_t column);
void offcpu_free(struct offcpu *o);

/* The stack on which thread tid leaves its CPU next: n addresses of the space
 * with that number. False without memory: its wait is then not counted. */
bool offcpu_stack(struct offcpu *o, int32_t pid, int32_t tid, uint32_t space,
		  const uint64_t *pc, size_t n);

/* Is anything known of it? */
bool offcpu_knows(struct offcpu *o, int32_t tid);

/* It leaves it, at time ns of a clock; preempted: it could go on. */
void offcpu_out(struct offcpu *o, int32_t tid, uint32_t cpu, uint64_t time_ns,
		bool preempted);

/* It is back, or it has ended. */
void offcpu_in(struct offcpu *o, int32_t tid, uint64_t time_ns);
void offcpu_exit(struct offcpu *o, int32_t tid);

/* Count the waits that last, until then; they go on from there. */
void offcpu_until(struct offcpu *o, uint64_t time_ns);

/* Continue with another tally, which has other numbers of spaces; and forget
 * threads that have ended, though the kernel's record of that was lost. */
void offcpu_turn(struct offcpu *o, struct tally *t, struct spaces *spaces);

#endif
