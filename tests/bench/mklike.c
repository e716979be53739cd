/*
 * mklike.c - profiles like one that was measured, for the bench and the tests
 * of a fleet:
 *
 *	mklike FILE SAMPLES SEED > profile.pb.gz
 *	mklike FILE SAMPLES SEED N FOLDER
 *
 * Stacks are walks over FILE's, root first: the next frame is one that FILE has
 * after these two. So profiles of different seeds share the common stacks, and
 * each has some others. Tables are in the order of first use, as Go's runtime
 * writes them. With N and FOLDER, N profiles, of seeds from SEED on and a
 * minute apart, go to FOLDER/SEED.pb.gz. The same on every machine.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/hashtab.h"
#include "lib/model/profile.h"
#include "lib/stream/stream.h"

enum { DEPTH_MAX = 200 };

/* FILE has a stack in which c follows a and b, root first; PROF_NONE: its end.
 */
struct step {
	uint32_t a, b, c;
};

struct chain {
	const struct profile *from;
	struct step *step; /* sorted, repeated as often as FILE has them */
	size_t n;
	uint64_t rng;
};

/* splitmix64 */
static uint64_t
mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t
draw(struct chain *ch, size_t n)
{
	ch->rng += 0x9e3779b97f4a7c15u;
	return (size_t)(((mix(ch->rng) >> 32) * n) >> 32);
}

static int
step_cmp(const void *x, const void *y)
{
	const struct step *s = x, *t = y;

	if (s->a != t->a)
		return s->a < t->a ? -1 : 1;
	if (s->b != t->b)
		return s->b < t->b ? -1 : 1;
	return s->c < t->c ? -1 : s->c > t->c;
}

static void
chain_init(struct chain *ch, const struct profile *p)
{
	ch->from = p;
	ch->n = 0;
	ch->step = calloc(p->n_stack + p->n_sample + 1, sizeof(*ch->step));
	for (size_t i = 0; ch->step && i < p->n_sample; i++) {
		const struct sample *s = &p->sample[i];
		const uint32_t *stack = profile_stack(p, s);
		uint32_t a = PROF_NONE, b = PROF_NONE;

		for (uint32_t k = s->n_stack + 1; k-- > 0;) {
			uint32_t c = k ? stack[k - 1] : PROF_NONE;

			ch->step[ch->n++] = (struct step){ a, b, c };
			a = b;
			b = c;
		}
	}
	if (ch->step)
		qsort(ch->step, ch->n, sizeof(*ch->step), step_cmp);
}

/* The first step that is not before (a, b). */
static size_t
lower_bound(const struct chain *ch, uint32_t a, uint32_t b)
{
	struct step key = { a, b, 0 };
	size_t from = 0, to = ch->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (step_cmp(&ch->step[mid], &key) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* What follows a and b, by chance. */
static uint32_t
next_frame(struct chain *ch, uint32_t a, uint32_t b)
{
	size_t from = lower_bound(ch, a, b), to = from, width = 1;

	/* Galloping: most pairs have few steps, some have thousands. */
	while (to + width < ch->n && ch->step[to + width].a == a &&
	       ch->step[to + width].b == b) {
		to += width;
		width *= 2;
	}
	for (; width; width /= 2)
		if (to + width < ch->n && ch->step[to + width].a == a &&
		    ch->step[to + width].b == b)
			to += width;
	return ch->step[from + draw(ch, to - from + 1)].c;
}

/* Copies the tables as they are used. */
struct copy {
	struct profile *out;
	uint32_t *location, *function;
	struct hashtab stacks;
};

static uint32_t
copy_string(struct copy *c, const struct profile *from, uint32_t s)
{
	return profile_intern(c->out, profile_str(from, s));
}

static uint32_t
copy_function(struct copy *c, const struct profile *from, uint32_t i)
{
	struct function f = from->function[i];

	if (c->function[i] == PROF_NONE) {
		f.id = 0;
		f.name = copy_string(c, from, f.name);
		f.system_name = copy_string(c, from, f.system_name);
		f.file = copy_string(c, from, f.file);
		c->function[i] = profile_add_function(c->out, &f);
	}
	return c->function[i];
}

static uint32_t
copy_location(struct copy *c, const struct profile *from, uint32_t i)
{
	struct location l = from->location[i];
	struct line line[64];

	if (c->location[i] == PROF_NONE) {
		if (l.n_line > 64)
			l.n_line = 64;
		for (uint32_t k = 0; k < l.n_line; k++) {
			line[k] = profile_line(from, &l)[k];
			line[k].function =
				copy_function(c, from, line[k].function);
		}
		l.id = 0;
		c->location[i] =
			profile_add_location(c->out, &l, line, l.n_line);
	}
	return c->location[i];
}

static void
copy_header(struct copy *c, const struct profile *from)
{
	struct profile *p = c->out;

	for (size_t k = 0; k < from->n_type; k++)
		profile_add_type(p, profile_str(from, from->type[k].type),
				 profile_str(from, from->type[k].unit));
	p->period_type.type = copy_string(c, from, from->period_type.type);
	p->period_type.unit = copy_string(c, from, from->period_type.unit);
	p->period = from->period;
	for (size_t k = 0; k < from->n_mapping; k++) {
		struct mapping m = from->mapping[k];

		m.file = copy_string(c, from, m.file);
		m.build_id = copy_string(c, from, m.build_id);
		profile_add_mapping(p, &m);
	}
}

struct stack {
	const uint32_t *frame;
	size_t n;
};

static bool
same_stack(const void *profile, uint32_t i, const void *key)
{
	const struct profile *p = profile;
	const struct stack *s = key;

	return p->sample[i].n_stack == s->n &&
	       !memcmp(profile_stack(p, &p->sample[i]), s->frame,
		       s->n * sizeof(*s->frame));
}

/* A stack that was there before counts once more. */
static void
add_stack(struct copy *c, const struct profile *from, struct stack s)
{
	struct profile *p = c->out;
	int64_t value[8] = { 0 };
	uint64_t hash = s.n;
	uint32_t i;

	for (size_t k = 0; k < from->n_type; k++)
		value[k] = k + 1 < from->n_type ? 1 : from->period;
	for (size_t k = 0; k < s.n; k++)
		hash = mix(hash + s.frame[k]);
	i = hashtab_intern(&c->stacks, hash, same_stack, p, &s, p->n_sample);
	if (i == p->n_sample)
		profile_add_sample(p, s.frame, s.n, value, NULL, 0);
	else
		for (size_t k = 0; k < from->n_type; k++)
			profile_value(p, i)[k] += value[k];
}

static void
add_samples(struct copy *c, struct chain *ch, size_t n)
{
	const struct profile *from = ch->from;
	uint32_t walk[DEPTH_MAX], stack[DEPTH_MAX];

	for (size_t i = 0; i < n; i++) {
		uint32_t a = PROF_NONE, b = PROF_NONE, next;
		size_t depth = 0;

		while (depth < DEPTH_MAX &&
		       (next = next_frame(ch, a, b)) != PROF_NONE) {
			walk[depth++] = next;
			a = b;
			b = next;
		}
		for (size_t k = 0; k < depth; k++)
			stack[k] = copy_location(c, from, walk[depth - 1 - k]);
		add_stack(c, from, (struct stack){ stack, depth });
	}
}

static int
make(struct chain *ch, size_t n_sample, uint64_t seed, int fd)
{
	const struct profile *from = ch->from;
	struct copy c = { .out = profile_new() };
	struct prof_err err;
	int r = -1;

	ch->rng = mix(seed + 1);
	c.location = malloc((from->n_location + 1) * sizeof(*c.location));
	c.function = malloc((from->n_function + 1) * sizeof(*c.function));
	if (c.out && c.location && c.function) {
		memset(c.location, 0xff, from->n_location * sizeof(uint32_t));
		memset(c.function, 0xff, from->n_function * sizeof(uint32_t));
		copy_header(&c, from);
		add_samples(&c, ch, n_sample);
		c.out->time_ns = (int64_t)(1700000000 + seed * 60) * 1000000000;
		c.out->duration_ns = 60000000000;
		if (profile_write(fd, c.out,
				  (struct stream_format){ .level = 6 },
				  &err) == PROF_OK)
			r = 0;
		else
			fprintf(stderr, "mklike: %s\n", err.msg);
	}
	free(c.location);
	free(c.function);
	hashtab_release(&c.stacks);
	profile_free(c.out);
	return r;
}

static int
make_folder(struct chain *ch, size_t n_sample, uint64_t seed, uint64_t n,
	    const char *folder)
{
	char name[4096];
	int r = 0;

	for (uint64_t i = seed; i < seed + n && r == 0; i++) {
		int fd;

		snprintf(name, sizeof(name), "%s/%" PRIu64 ".pb.gz", folder, i);
		fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd < 0) {
			perror(name);
			return -1;
		}
		r = make(ch, n_sample, i, fd);
		close(fd);
	}
	return r;
}

int
main(int argc, char **argv)
{
	struct chain ch = { 0 };
	struct prof_err err;
	struct profile *p = NULL;
	size_t n_sample;
	uint64_t seed;
	int fd, r;

	if (argc != 4 && argc != 6) {
		fprintf(stderr, "usage: mklike FILE SAMPLES SEED [N FOLDER]\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0) {
		perror(argv[1]);
		return 2;
	}
	if (profile_read(fd, 1u << 30, &p, &err) != PROF_OK) {
		fprintf(stderr, "mklike: %s: %s\n", argv[1], err.msg);
		return 2;
	}
	close(fd);
	chain_init(&ch, p);
	n_sample = ch.n && p->n_type <= 8 ? strtoul(argv[2], NULL, 10) : 0;
	seed = strtoull(argv[3], NULL, 10);
	r = argc == 6 ? make_folder(&ch, n_sample, seed,
				    strtoull(argv[4], NULL, 10), argv[5])
		      : make(&ch, n_sample, seed, STDOUT_FILENO);
	free(ch.step);
	profile_free(p);
	return r < 0 ? 2 : 0;
}
