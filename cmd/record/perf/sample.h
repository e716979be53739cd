/*
 * sample.h - interpret the records of a perf ring: samples become stacks in the
 * tally, others change address spaces.
 */
#ifndef PERF_SAMPLE_H
#define PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stdint.h>

struct perf_kernel;
struct perf_sampler;
struct shm_process;
struct spaces;
struct tally;

/* kernel: its address range, or NULL if its frames are not recorded. labels:
 * enum perf_label, or-ed. Counts go to *count. NULL without memory. */
struct perf_sampler *perf_sampler_new(struct tally *t,
				      struct shm_process *count,
				      const struct perf_kernel *kernel,
				      unsigned labels);
void perf_sampler_free(struct perf_sampler *s);

struct spaces *perf_sampler_spaces(struct perf_sampler *s);

/* Process a record; call it in the order of their times. */
void perf_sampler_take(struct perf_sampler *s,
		       const struct perf_event_header *h);

/* The time of a record. */
uint64_t perf_record_time(const struct perf_event_header *h);

#endif
