/*
 * sampling.h - the quality of the sampling: a comment that prof-record writes
 * into a profile. Merging keeps it; reports do not show it.
 *
 *	# sampling: clock=cpu asked_hz=1000 achieved_hz=250 ticks=7996
 *	signals=1999 lost=0 truncated=3 unwind_failed=0 untimed_threads=0
 *
 * (one line), and perf_signals=7996 after clock=perf. If the CPU time is known,
 * cpu_used=8.12 gives it in seconds, missed=124 the number of ticks that
 * never came, and chance=0.4 how many seconds may be missed by chance.
 * lost_bytes=4096 estimates allocations without a sample, if there
 * are any; unread=3 counts stacks with frames of an interpreter that could not
 * be read; merged=812 counts ticks that waited for the next sample, as the one
 * before took sample_us=412 of CPU time, on average. sampler= names the
 * sampler, and why it was chosen. Rates are per second of the clock and thread;
 * counts are those of struct sampling. Readers skip unknown words.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/*
 * The only frame of samples with a time and a count of 0: CPU time that the
 * kernel billed to the program in their label `process`, and that is in no
 * other sample. It is no function.
 */
#define SAMPLING_NONE "[not sampled]"

struct sampling {
	const char *clock; /* "cpu", "perf", "wall"; only for sampling_add() */
	const char
		*sampler; /* a word, and why in brackets; the same; or NULL */
	bool is_outside;  /* the kernel sampled it */
	bool is_mixed;    /* ... or only what libsample did not */
	double asked_hz;
	double achieved_hz;     /* signals, where ticks came at asked_hz */
	uint64_t ticks;         /* periods that elapsed, with lost ones */
	uint64_t signals;       /* ... stacks that were taken for them */
	uint64_t lost;          /* ticks that are in no sample */
	uint64_t truncated;     /* ... whose stack was cut at a limit */
	uint64_t unwind_failed; /* ... whose stack's root was not found */
	uint64_t untimed;       /* threads that were not sampled */
	uint64_t unread;        /* ticks with frames of an interpreter that were
				   not read */
	uint64_t merged;        /* ticks that the next sample counts */
	double sample_us;       /* ... CPU time of a sample that made them wait;
				   of several, the most */
	uint64_t perf_signals;  /* signals that came from perf clocks */
	double used_s;          /* CPU time of the processes; 0: not known */
	double chance_s;        /* of it, what may be missed by chance */
	uint64_t missed;     /* ticks that never came: SAMPLING_NONE has these
				and the lost ones */
	uint64_t lost_bytes; /* of the heap, that lost samples represent */
};

/* Is sample i of p time in SAMPLING_NONE? */
bool sampling_is_none(const struct profile *p, size_t i);

/* Add the comment to p. Returns -1 without memory. */
int sampling_add(struct profile *p, const struct sampling *s);

/*
 * The sum of all such comments of p; rates are means, weighted by ticks.
 * Returns false when there is none.
 */
bool sampling_sum(const struct profile *p, struct sampling *s);

/* The part of the ticks that were lost, 0 to 1. */
double sampling_loss(const struct sampling *s);

/*
 * Write the clock of p to text: "several" if its comments differ, "" if there
 * is none.
 */
void sampling_clock(const struct profile *p, char *text, size_t size);

#endif
