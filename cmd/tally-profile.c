/*
 * tally-profile.c - a profile of what a tally has counted so far. The tally
 * stays as it is, and has more to tell later; so only what the profile needs is
 * copied into it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/sampling.h"
#include "tally-int.h"

enum { MAX_LABELS = 32 /* of one sample */ };

static uint32_t *
array_of_none(size_t n)
{
	uint32_t *a = calloc(n + 1, sizeof *a);

	for (size_t i = 0; a && i < n; i++)
		a[i] = PROF_NONE;
	return a;
}

/* A string of the tally in the profile. */
static uint32_t
intern(struct build *b, uint32_t s)
{
	return profile_intern(b->p, b->t->strings.str[s].s);
}

static uint32_t
mapping_of(struct build *b, uint32_t module)
{
	const struct module *m = &b->t->module[module];
	struct mapping mapping = {
		.start = m->start,
		.limit = m->start + m->size,
		.offset = m->offset,
		.file = intern(b, m->file),
		.build_id = intern(b, m->build_id),
	};

	if (b->mapping[module] == PROF_NONE && mapping.file != STRTAB_NONE &&
	    mapping.build_id != STRTAB_NONE)
		b->mapping[module] = profile_add_mapping(b->p, &mapping);
	return b->mapping[module];
}

/* PROF_NONE only without memory. */
static uint32_t
location_of(struct build *b, uint32_t place)
{
	const struct place *at = &b->t->place[place];
	struct location l = { .address = at->address, .mapping = PROF_NONE };

	if (b->location[place] != PROF_NONE)
		return b->location[place];
	if (at->module != PROF_NONE) {
		l.mapping = mapping_of(b, at->module);
		if (l.mapping == PROF_NONE)
			return PROF_NONE;
	}
	b->location[place] = profile_add_location(b->p, &l, NULL, 0);
	return b->location[place];
}

enum { N_CLOCK = 3 };

static const char *const clock_name[N_CLOCK] = {
	[SHM_CLOCK_CPU] = "cpu",
	[SHM_CLOCK_WALL] = "wall",
	[SHM_CLOCK_PERF] = "perf",
};

static bool
add_comment(struct build *b)
{
	const struct shm *shm = b->info->shm;
	struct sampling s = {
		.clock = clock_name[shm->clock % N_CLOCK],
		.asked_hz = 1e9 / (double)shm->period_ns,
		.ticks = atomic_load(&shm->n_tick),
		.signals = atomic_load(&shm->n_signal),
		.lost = atomic_load(&shm->n_lost),
		.truncated = atomic_load(&shm->n_truncated),
		.unwind_failed = atomic_load(&shm->n_failed),
		.untimed = atomic_load(&shm->n_untimed),
		.perf_signals = atomic_load(&shm->n_perf),
	};

	if (s.ticks)
		s.achieved_hz =
			s.asked_hz * (double)s.signals / (double)s.ticks;
	return sampling_add(b->p, &s) == 0;
}

/* Whose samples they are need only be said when it is not obvious. */
static bool
many_processes(const struct tally *t)
{
	for (size_t i = 1; i < t->n_stack; i++)
		if (t->stack[i].process != t->stack[0].process)
			return true;
	return false;
}

/* The labels of a stack into label, which has room for MAX_LABELS. Returns
 * false without memory. */
static bool
labels_of(struct build *b, const struct stack *s, bool of_process,
	  struct label *label, size_t *n)
{
	const struct tally *t = b->t;

	*n = 0;
	if (of_process && s->process != PROF_NONE) {
		const struct process *process = &t->process[s->process];

		label[(*n)++] = (struct label){
			.key = b->process,
			.str = intern(b, process->name),
		};
		label[(*n)++] =
			(struct label){ .key = b->pid, .num = process->pid };
	}
	if (s->labels) {
		const struct labels *set = &t->labels[s->labels - 1];

		for (size_t i = 0; i < set->n && *n < MAX_LABELS; i++) {
			const struct label *from = &t->label[set->at + i];

			label[(*n)++] = (struct label){
				.key = intern(b, from->key),
				.str = intern(b, from->str),
			};
		}
	}
	for (size_t i = 0; i < *n; i++)
		if (label[i].key == STRTAB_NONE || label[i].str == STRTAB_NONE)
			return false;
	return true;
}

bool
build_sample(struct build *b, const struct frames *pool, const struct stack *s,
	     bool of_process, const int64_t *value, const struct label *more)
{
	uint32_t stack[SHM_DEPTH];
	struct label label[MAX_LABELS + 1];
	size_t n;

	for (uint32_t i = 0; i < s->n; i++) {
		stack[i] = location_of(b, pool->frame[s->at + i]);
		if (stack[i] == PROF_NONE)
			return false;
	}
	if (!labels_of(b, s, of_process, label, &n))
		return false;
	if (more)
		label[n++] = *more;
	return profile_add_sample(b->p, stack, s->n, value, label, n) !=
	       PROF_NONE;
}

static bool
add_ticks(struct build *b)
{
	uint64_t period = b->info->shm->period_ns;
	const struct tally *t = b->t;
	bool of_process = many_processes(t);

	for (size_t i = 0; i < t->n_stack; i++) {
		const struct stack *s = &t->stack[i];
		int64_t value[2] = { (int64_t)s->ticks,
				     (int64_t)(s->ticks * period) };

		if (!build_sample(b, &t->frames, s, of_process, value, NULL))
			return false;
	}
	return true;
}

bool
build_program(struct build *b, const uint64_t *weight)
{
	const struct tally *t = b->t;
	uint32_t best = PROF_NONE;

	/* Without weight, the first that ran. */
	for (size_t i = 0; i < t->n_process; i++) {
		uint32_t m = t->process[i].program;

		if (m != PROF_NONE &&
		    (best == PROF_NONE || weight[m] > weight[best]))
			best = m;
	}
	return best == PROF_NONE || mapping_of(b, best) != PROF_NONE;
}

static bool
add_program(struct build *b)
{
	const struct tally *t = b->t;
	uint64_t *ticks = calloc(t->n_module + 1, sizeof *ticks);
	bool done;

	if (!ticks)
		return false;
	for (size_t i = 0; i < t->n_stack; i++) {
		uint32_t process = t->stack[i].process;

		if (process != PROF_NONE &&
		    t->process[process].program != PROF_NONE)
			ticks[t->process[process].program] += t->stack[i].ticks;
	}
	done = build_program(b, ticks);
	free(ticks);
	return done;
}

bool
build_pid(struct build *b, uint32_t process)
{
	bool found = false;
	char text[32];

	for (size_t i = 0; i < b->p->n_location && !found; i++)
		found = b->p->location[i].mapping == PROF_NONE;
	if (!found || process == PROF_NONE)
		return true;
	snprintf(text, sizeof text, "# pid: %d",
		 (int)b->t->process[process].pid);
	return profile_add_comment(b->p, text) != PROF_NONE;
}

static bool
build_ticks(struct build *b)
{
	const struct shm *shm = b->info->shm;
	bool is_one = b->t->n_stack && !many_processes(b->t);
	struct profile *p = b->p;
	const char *what = shm->clock == SHM_CLOCK_WALL ? "wall" : "cpu";

	if (profile_add_type(p, "samples", "count") == PROF_NONE ||
	    profile_add_type(p, what, "nanoseconds") == PROF_NONE ||
	    !add_program(b) || !add_ticks(b) || !add_comment(b) ||
	    !build_pid(b, is_one ? b->t->stack[0].process : PROF_NONE))
		return false;
	p->period_type = p->type[1];
	p->period = (int64_t)shm->period_ns;
	return true;
}

static bool
fill(struct build *b)
{
	struct profile *p = b->p;

	b->process = profile_intern(p, "process");
	b->pid = profile_intern(p, "pid");
	p->time_ns = b->info->time_ns;
	p->duration_ns = b->info->duration_ns;
	return b->process != STRTAB_NONE && b->pid != STRTAB_NONE &&
	       (b->info->kind == TALLY_CPU ? build_ticks(b) : build_events(b));
}

struct profile *
tally_profile(const struct tally *t, const struct tally_info *info)
{
	struct build b = {
		.t = t,
		.info = info,
		.p = profile_new(),
		.mapping = array_of_none(t->n_module),
		.location = array_of_none(t->n_place),
	};

	if (t->failed || !b.p || !b.mapping || !b.location || !fill(&b)) {
		profile_free(b.p);
		b.p = NULL;
	}
	free(b.mapping);
	free(b.location);
	return b.p;
}
