/*
 * mkbig.c - writes a large profile, the same on every machine, for the bench:
 *
 *	mkbig SAMPLES LOCATIONS FUNCTIONS [SEED [SECONDS]] > profile.pb.gz
 *
 * SECONDS since the epoch are its time.
 *
 * Stacks have 20 to 60 frames, drawn evenly from all locations: the worst case
 * for caches and for call graphs. Every eighth location has an inlined frame.
 * Two labels a sample, one a string and one a number.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/model/profile.h"
#include "lib/stream/stream.h"

struct rng {
	uint64_t state;
};

/* splitmix64: small, and the same everywhere. */
static uint32_t
draw(struct rng *r, uint32_t n)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return (uint32_t)(((z >> 32) * n) >> 32);
}

static void
add_functions(struct profile *p, uint32_t n)
{
	char text[160];

	for (uint32_t i = 0; i < n; i++) {
		struct function f = { .start_line = i % 900 + 1 };

		snprintf(text, sizeof(text),
			 "example.com/fleet/service%" PRIu32 "/pkg%" PRIu32
			 ".(*Type%" PRIu32 ").Method%" PRIu32,
			 i % 17, i % 211, i % 1009, i);
		f.name = f.system_name = profile_intern(p, text);
		snprintf(text, sizeof(text),
			 "/src/example.com/fleet/service%" PRIu32 "/pkg%" PRIu32
			 "/file%" PRIu32 ".go",
			 i % 17, i % 211, i % 2003);
		f.file = profile_intern(p, text);
		profile_add_function(p, &f);
	}
}

static void
add_locations(struct profile *p, struct rng *r, uint32_t n, uint32_t n_function)
{
	struct mapping m = { .start = 0x400000,
			     .limit = 0x4000000,
			     .has = MAPPING_FUNCTIONS | MAPPING_FILENAMES |
				    MAPPING_LINE_NUMBERS |
				    MAPPING_INLINE_FRAMES };

	m.file = profile_intern(p, "/usr/bin/fleetd");
	m.build_id = profile_intern(p, "0123456789abcdef");
	profile_add_mapping(p, &m);
	for (uint32_t i = 0; i < n; i++) {
		struct location l = { .address = 0x400000 + i * 64ull };
		struct line line[2];

		for (int k = 0; k < 2; k++)
			line[k] =
				(struct line){ .function = draw(r, n_function),
					       .line = draw(r, 1000) + 1 };
		profile_add_location(p, &l, line, i % 8 ? 1 : 2);
	}
}

static void
add_samples(struct profile *p, struct rng *r, uint32_t n, uint32_t n_location)
{
	uint32_t endpoint = profile_intern(p, "endpoint");
	uint32_t bytes = profile_intern(p, "bytes");
	uint32_t stack[60], path[64];
	char text[40];

	for (uint32_t i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "/api/v1/object%" PRIu32, i);
		path[i] = profile_intern(p, text);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct label label[2] = {
			{ .key = endpoint, .str = path[draw(r, 64)] },
			{ .key = bytes,
			  .num = 16 << draw(r, 12),
			  .unit = bytes },
		};
		uint32_t depth = 20 + draw(r, 41);
		int64_t count = 1 + draw(r, 5);

		for (uint32_t k = 0; k < depth; k++)
			stack[k] = draw(r, n_location);
		profile_add_sample(p, stack, depth,
				   (int64_t[]){ count, count * 10000000 },
				   label, 2);
	}
}

int
main(int argc, char **argv)
{
	struct profile *p = profile_new();
	struct prof_err err;
	uint32_t n[3];
	struct rng r;

	if (argc < 4 || !p) {
		fprintf(stderr, "usage: mkbig SAMPLES LOCATIONS FUNCTIONS "
				"[SEED [SECONDS]] > profile.pb.gz\n");
		return 2;
	}
	for (int i = 0; i < 3; i++)
		n[i] = (uint32_t)strtoul(argv[i + 1], NULL, 10);
	r.state = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;

	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	p->period_type = p->type[1];
	p->period = 10000000;
	p->time_ns = argc > 5 ? strtoll(argv[5], NULL, 10) : 1700000000;
	p->time_ns *= 1000000000;
	p->duration_ns = 60000000000;
	add_functions(p, n[2]);
	add_locations(p, &r, n[1], n[2]);
	add_samples(p, &r, n[0], n[1]);
	if (profile_write(STDOUT_FILENO, p,
			  (struct stream_format){ .level = 6 },
			  &err) != PROF_OK) {
		fprintf(stderr, "mkbig: %s\n", err.msg);
		return 2;
	}
	profile_free(p);
	return 0;
}
