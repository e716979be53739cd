/*
 * mkperf.c - a recording of perf as a pipe has it, of any size, for
 * measurements: samples with call chains of several CPUs, in rounds.
 *
 *	mkperf MEGABYTES STACKS >FILE
 *
 * STACKS distinct chains of 10 to 40 frames in a program and its kernel, some
 * much more frequent than others.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CPU = 4, PER_ROUND = 1000, MAX_FRAME = 40 };

struct record {
	uint8_t byte[1024];
	size_t n;
};

static uint64_t seed = 42;

static uint32_t
any(void)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 32);
}

static void
put(struct record *r, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->byte[r->n++] = (uint8_t)(v >> 8 * i);
}

static void
put_text(struct record *r, const char *s)
{
	size_t n = (strlen(s) + 8) & ~(size_t)7;

	memset(r->byte + r->n, 0, n);
	memcpy(r->byte + r->n, s, strlen(s));
	r->n += n;
}

static void
begin(struct record *r, uint32_t type, uint16_t misc)
{
	r->n = 0;
	put(r, type, 4);
	put(r, misc, 2);
	put(r, 0, 2);
}

static size_t
end(struct record *r)
{
	r->byte[6] = (uint8_t)r->n;
	r->byte[7] = (uint8_t)(r->n >> 8);
	fwrite(r->byte, 1, r->n, stdout);
	return r->n;
}

/* Magic, a cpu-clock event, the program and its mapping. */
static void
put_head(struct record *r)
{
	r->n = 0;
	put(r, UINT64_C(0x32454c4946524550), 8);
	put(r, 16, 8);
	fwrite(r->byte, 1, r->n, stdout);
	begin(r, 64, 0); /* HEADER_ATTR */
	put(r, 1, 4);
	put(r, 128, 4);
	put(r, 0, 8);
	put(r, 1000, 8);
	put(r, 0x1 | 0x2 | 0x4 | 0x20 | 0x80 | 0x100, 8); /* sample_type */
	put(r, 4, 8);
	put(r, 1 << 10 | 1 << 18, 8); /* freq, sample_id_all */
	memset(r->byte + r->n, 0, 80);
	r->n += 80;
	put(r, 7, 8);
	end(r);
	begin(r, 1, 1); /* MMAP of the kernel, then of the program */
	put(r, UINT64_C(0xffffffff), 4);
	put(r, 0, 4);
	put(r, UINT64_C(0xffffffff81000000), 8);
	put(r, 0x1000000, 8);
	put(r, UINT64_C(0xffffffff81000000), 8);
	put_text(r, "[kernel.kallsyms]_text");
	put(r, 0, 8);
	put(r, 0, 8);
	put(r, 0, 8);
	end(r);
	begin(r, 1, 2);
	put(r, 10, 4);
	put(r, 10, 4);
	put(r, 0x400000, 8);
	put(r, 0x4000000, 8);
	put(r, 0, 8);
	put_text(r, "/bin/app");
	put(r, (uint64_t)10 << 32 | 10, 8);
	put(r, 0, 8);
	put(r, 0, 8);
	end(r);
}

/* The chain of that number: always the same frames. */
static size_t
put_sample(struct record *r, uint64_t number, uint64_t time, unsigned cpu)
{
	uint64_t x = number * UINT64_C(0x9e3779b97f4a7c15) + 1, ip[MAX_FRAME];
	unsigned n = 10 + (unsigned)(x >> 40) % 31;

	for (unsigned i = 0; i < n; i++) {
		x = x * UINT64_C(6364136223846793005) + number;
		/* Towards the root stacks are alike. */
		ip[i] = 0x400000 + 16 * (i + 8 < n ? (x >> 40) % 20000
						   : number % 7 * 64 + n - i);
	}
	begin(r, 9, 2);
	put(r, ip[0], 8);
	put(r, 10, 4);
	put(r, 10 + cpu, 4);
	put(r, time, 8);
	put(r, cpu, 8);
	put(r, 1000000, 8);
	put(r, n + 1, 8);
	put(r, (uint64_t)-512, 8);
	for (unsigned i = 0; i < n; i++)
		put(r, ip[i], 8);
	return end(r);
}

int
main(int argc, char **argv)
{
	uint64_t left, n_stack, time = 1000;
	struct record r;

	if (argc != 3)
		return 2;
	left = strtoull(argv[1], NULL, 10) * 1000000;
	n_stack = strtoull(argv[2], NULL, 10);
	put_head(&r);
	while (left) {
		for (unsigned cpu = 0; cpu < N_CPU; cpu++)
			for (unsigned i = 0; i < PER_ROUND && left; i++) {
				/* The product of two: small ones are often. */
				uint64_t a = any() % n_stack;
				uint64_t s = a * (any() % n_stack) / n_stack;
				size_t n = put_sample(
					&r, s, time + 100 * i + cpu, cpu);

				left = n < left ? left - n : 0;
			}
		begin(&r, 68, 0); /* FINISHED_ROUND */
		end(&r);
		time += 100 * PER_ROUND;
	}
	return fflush(stdout) ? 2 : 0;
}
