/* random.c - see random.h. */
#include "config.h"

#include "tests/lib/random.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/model/profile.h"

/* splitmix64 */
uint32_t
rng_draw(struct rng *r, uint32_t n)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return (uint32_t)(((z >> 32) * n) >> 32);
}

static uint32_t
word(struct profile *p, const char *prefix, uint32_t i)
{
	char text[40];

	snprintf(text, sizeof(text), "%s%u", prefix, i);
	return profile_intern(p, text);
}

static void
add_types(struct profile *p, struct rng *r, unsigned flags)
{
	static const char *const units[] = { "nanoseconds", "ns", "us", "ms" };
	static const char *const types[] = { "samples", "cpu", "wall" };
	uint32_t first = flags & RANDOM_COLUMNS ? rng_draw(r, 3) : 0;
	uint32_t n = flags & RANDOM_COLUMNS ? 2 + rng_draw(r, 2) : 3;
	uint32_t unit = flags & RANDOM_UNITS ? rng_draw(r, 4) : 0;

	/* Of three columns two are always common to two profiles, or one. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = (first + i) % 3;

		profile_add_type(p, types[k], k ? units[unit] : "count");
	}
	p->period_type.type = profile_intern(p, "cpu");
	p->period_type.unit = profile_intern(p, units[unit]);
	p->period = 1 + rng_draw(r, 1000);
}

static void
add_mappings(struct profile *p, struct rng *r, unsigned flags)
{
	uint32_t n = 1 + rng_draw(r, 3);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t kind = rng_draw(r, 4);
		struct mapping m = {
			.start = 0x400000 + 0x1000000ull * kind,
			.offset = 0x1000 * (kind % 2),
			.has = rng_draw(r, 16),
			.file = word(p, "/bin/app", kind),
		};

		if (flags & RANDOM_MOVED)
			m.start += 0x1000 * rng_draw(r, 100);
		m.limit = m.start + 0x10000 - rng_draw(r, 0x1000);
		if (kind > 1) {
			m.build_id = word(p, "beef", kind);
			if (!(flags & RANDOM_PLAIN) && rng_draw(r, 2))
				m.file = word(p, "/other", rng_draw(r, 3));
		}
		profile_add_mapping(p, &m);
	}
}

static void
add_locations(struct profile *p, struct rng *r, unsigned flags)
{
	for (uint32_t i = 0; i < 12; i++) {
		uint32_t k = rng_draw(r, 10);
		struct function f = { .start_line = k % 3 ? k : 0,
				      .name = word(p, "f", k),
				      .system_name = word(p, "_Z", k),
				      .file = word(p, "src", k % 4) };

		profile_add_function(p, &f);
	}
	for (uint32_t i = 0; i < 16; i++) {
		struct location l = { .mapping = rng_draw(
					      r, (uint32_t)p->n_mapping + 1),
				      .address = 16 * rng_draw(r, 20),
				      .is_folded = rng_draw(r, 8) == 0 };
		struct line line[3];
		uint32_t n = rng_draw(r, 4);

		if (l.mapping == p->n_mapping)
			l.mapping = PROF_NONE;
		else
			l.address += p->mapping[l.mapping].start;
		for (uint32_t k = 0; k < n; k++)
			line[k] = (struct line){
				.function =
					rng_draw(r, (uint32_t)p->n_function),
				.line = rng_draw(r, 4),
				.column = flags & RANDOM_PLAIN ? 0
							       : rng_draw(r, 2),
			};
		profile_add_location(p, &l, line, n);
	}
}

static void
add_sample(struct profile *p, struct rng *r, unsigned flags)
{
	uint32_t stack[6], n = rng_draw(r, 6), n_label = rng_draw(r, 4);
	struct label label[4];
	int64_t value[3];

	for (uint32_t k = 0; k < n; k++)
		stack[k] = rng_draw(r, (uint32_t)p->n_location);
	for (size_t k = 0; k < p->n_type; k++) {
		value[k] = rng_draw(r, 4) ? rng_draw(r, 50) : 0;
		if (flags & RANDOM_SIGNED)
			value[k] -= 10;
	}
	for (uint32_t k = 0; k < n_label; k++) {
		label[k] =
			(struct label){ .key = word(p, "k", rng_draw(r, 3)) };
		if (rng_draw(r, 2))
			label[k].str = word(p, "v", rng_draw(r, 3));
		else
			label[k].num = (int64_t)rng_draw(r, 3) - 1;
		if (!label[k].str && rng_draw(r, 2))
			label[k].unit = profile_intern(p, "bytes");
	}
	profile_add_sample(p, stack, n, value, label, n_label);
}

struct profile *
random_profile(uint64_t seed, unsigned flags)
{
	struct rng r = { seed };
	struct profile *p = profile_new();
	uint32_t n;

	if (!p)
		abort();
	/* Strings in another order from profile to profile. */
	word(p, "v", rng_draw(&r, 3));
	word(p, "f", rng_draw(&r, 10));
	add_types(p, &r, flags);
	add_mappings(p, &r, flags);
	add_locations(p, &r, flags);
	n = rng_draw(&r, 60);
	for (uint32_t i = 0; i < n; i++)
		add_sample(p, &r, flags);
	p->time_ns = 100 * rng_draw(&r, 4);
	p->duration_ns = rng_draw(&r, 1000);
	for (n = rng_draw(&r, 3); n; n--)
		profile_add_comment(
			p, profile_str(p, word(p, "comment", rng_draw(&r, 4))));
	if (rng_draw(&r, 2))
		p->drop_frames = word(p, "drop", rng_draw(&r, 3));
	if (rng_draw(&r, 2))
		p->keep_frames = word(p, "keep", rng_draw(&r, 3));
	if (rng_draw(&r, 2))
		p->doc_url = word(p, "http://doc/", rng_draw(&r, 3));
	return p;
}
