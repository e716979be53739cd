/*
 * sample.h - interpret the records of a perf ring: samples become stacks in the
 * tally, others change address spaces.
 */
#ifndef PERF_SAMPLE_H
#define PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_config;
struct perf_kernel;
struct perf_kind;
struct perf_sampler;
struct shm_process;
struct spaces;
struct tally;
struct walk_stack;

/* kernel: its address range, or NULL if its frames are not recorded. labels:
 * enum perf_label, or-ed. Counts go to *count. NULL without memory. */
struct perf_sampler *perf_sampler_new(struct tally *t,
				      struct shm_process *count,
				      const struct perf_kernel *kernel,
				      unsigned labels);
void perf_sampler_free(struct perf_sampler *s);

/*
 * The samples are of these kinds, of which perf_kind_clock needs not be one;
 * the tally gets their columns. A sample of kind i is one of period[i] events;
 * 0: the sample has their number. approx: a thread's last sample of the clock
 * is the stack of its waits, as the kernel sends none. Once, before the first
 * record; without it there is only the clock. False without memory.
 */
bool perf_sampler_kinds(struct perf_sampler *s,
			const struct perf_kind *const *kind,
			const uint64_t *period, size_t n, bool approx);

/* Leave out all but config->family, which the records keep up to date, and what
 * libsample samples of it. config lives as long. */
void perf_sampler_family(struct perf_sampler *s, struct perf_config *config);

/* How many events the samples of a kind stood for; how many records of its
 * rings were lost, as far as the rings say. */
uint64_t perf_sampler_total(const struct perf_sampler *s, size_t kind);
uint64_t perf_sampler_lost(const struct perf_sampler *s, size_t kind);

/* How many of its records were samples, of strangers and between ticks, too.
 */
uint64_t perf_sampler_came(const struct perf_sampler *s, size_t kind);

/* Are samples of that kind ticks? They are the clock's, if there is one. */
bool perf_sampler_is_rate(const struct perf_sampler *s, size_t kind);

/* The thread waits, since that time or before, on that stack; only of
 * perf_kind_offcpu, and only if no record of it was taken yet. false: as for
 * perf_sampler_take(). */
bool perf_sampler_waits(struct perf_sampler *s, int32_t pid, int32_t tid,
			const struct walk_stack *stack, uint64_t time_ns);

/* Count the waits that last, until then: all earlier records were taken. */
void perf_sampler_until(struct perf_sampler *s, uint64_t time_ns);

/* Continue with another tally, which is empty. Totals and *count go on. False
 * without memory, and nothing has changed. */
bool perf_sampler_turn(struct perf_sampler *s, struct tally *t);

struct spaces *perf_sampler_spaces(struct perf_sampler *s);

/*
 * Take in a record of an event of that kind, an index; they must come in the
 * order of their times. false: it is to be taken again, before later ones, as
 * its stack needs what is being read from a file; see files_ready().
 */
bool perf_sampler_take(struct perf_sampler *s, size_t kind,
		       const struct perf_event_header *h);

/* The time of a record. */
uint64_t perf_record_time(const struct perf_event_header *h);

#endif
