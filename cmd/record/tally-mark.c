/*
 * tally-mark.c - marks of moments in a tally, for profiles of the time since;
 * and forgetting old data.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/model/account.h"
#include "tally-int.h"

enum { N_CLOCK = 5 };

_Static_assert(TALLY_CLOCK_PID == SHM_CLOCK_PERF + 1, "clocks are numbered");

static const char *const clock_name[N_CLOCK] = {
	[SHM_CLOCK_CPU] = "cpu",        [SHM_CLOCK_WALL] = "wall",
	[SHM_CLOCK_PERF] = "perf",      [TALLY_CLOCK_PID] = "perf-pid",
	[TALLY_CLOCK_ALL] = "perf-all",
};

/* Read a count that the program may have changed to any value: limit it, so
 * that sums do not overflow. */
static uint64_t
count_of(const _Atomic uint64_t *word)
{
	uint64_t n = atomic_load(word);

	return n < UINT64_C(1) << 48 ? n : 0;
}

static void
add_ticks(struct sampling *s, const struct shm_process *p, uint64_t *n_dear)
{
	s->ticks += count_of(&p->n_tick);
	s->signals += count_of(&p->n_signal);
	s->lost += count_of(&p->n_lost);
	s->truncated += count_of(&p->n_truncated);
	s->unwind_failed += count_of(&p->n_failed);
	s->untimed += count_of(&p->n_untimed);
	s->perf_signals += count_of(&p->n_perf);
	s->unread += count_of(&p->n_unread);
	s->merged += count_of(&p->n_merged);
	*n_dear += count_of(&p->n_dear);
	s->sample_us += (double)count_of(&p->dear_ns) / 1e3;
}

static void
add_count(struct sampling *s, const struct shm_count *count)
{
	s->ticks += count_of(&count->n_taken);
	s->lost += count_of(&count->n_lost);
	s->truncated += count_of(&count->n_truncated);
	s->unwind_failed += count_of(&count->n_failed);
	s->lost_bytes += count_of(&count->lost_bytes);
	s->signals = s->ticks;
}

/* Of the rows of what was not sampled, without what was lost. */
static uint64_t
missed_of(const struct tally_info *info, uint64_t lost)
{
	uint64_t ns = 0, ticks;

	for (size_t i = 0; i < info->n_share; i++)
		ns += info->share[i].ns;
	ticks = (ns + info->set->period_ns / 2) / info->set->period_ns;
	return ticks > lost ? ticks - lost : 0;
}

bool
tally_sampling(const struct tally_info *info, struct sampling *s)
{
	const struct shm *shm = info->shm;
	enum tally_kind kind = info->kind;
	int32_t pid = info->pid;
	size_t n = atomic_load(&shm->n_process);
	uint64_t n_dear = 0;

	*s = (struct sampling){ .clock = kind == TALLY_LOCK ? "lock" : "heap",
				.sampler = info->sampler };
	s->is_outside = info->sampler && !strncmp(info->sampler, "perf", 4);
	s->is_mixed = info->sampler && strstr(info->sampler, "+perf");
	if (kind == TALLY_CPU) {
		s->clock = clock_name[info->set->clock % N_CLOCK];
		s->asked_hz = 1e9 / (double)info->set->period_ns;
	}
	for (size_t i = 0; i <= n && i < SHM_N_PROCESS; i++) {
		const struct shm_process *p = &shm->process[i];

		if (pid && atomic_load(&p->pid) != (uint32_t)pid)
			continue;
		if (kind == TALLY_CPU)
			add_ticks(s, p, &n_dear);
		else
			add_count(s, kind == TALLY_LOCK ? &p->lock : &p->heap);
	}
	if (n_dear)
		s->sample_us /= (double)n_dear;
	if (kind == TALLY_CPU && !pid && info->used_ns &&
	    info->set->clock != SHM_CLOCK_WALL) {
		s->ticks += info->n_lost;
		s->lost += info->n_lost;
		s->used_s = (double)info->used_ns / 1e9;
		s->missed = missed_of(info, s->lost);
		s->chance_s = info->chance_s;
	}
	return !pid || n < SHM_N_PROCESS;
}

struct tally_mark *
tally_mark(const struct tally *t, const struct tally_info *info,
	   enum tally_kind kind)
{
	struct tally_mark *m = calloc(1, sizeof(*m));
	struct tally_info now = { .kind = kind,
				  .set = info->set,
				  .shm = info->shm };

	if (!m)
		return NULL;
	m->kind = kind;
	tally_sampling(&now, &m->sampling);
	if (kind == TALLY_CPU) {
		m->n_stack = t->n_stack;
		m->tick = calloc(t->n_stack + 1, sizeof(*m->tick));
		m->value =
			calloc(t->n_stack * t->n_column + 1, sizeof(*m->value));
	} else {
		m->n_event = t->n_event;
		m->event = calloc(t->n_event + 1, sizeof(*m->event));
	}
	if (kind == TALLY_CPU ? !m->tick || !m->value : !m->event) {
		tally_mark_free(m);
		return NULL;
	}
	for (size_t i = 0; i < m->n_stack; i++)
		m->tick[i] = (struct tick_mark){ t->stack[i].ticks,
						 t->stack[i].signals };
	for (size_t i = 0; i < m->n_stack * t->n_column; i++)
		m->value[i] = t->value[i];
	for (size_t i = 0; i < m->n_event; i++) {
		const struct event *e = &t->event[i];

		m->event[i] = (struct event_mark){ e->stack.ticks, e->live,
						   e->left, e->delay };
	}
	return m;
}

enum tally_kind
tally_mark_kind(const struct tally_mark *m)
{
	return m->kind;
}

void
tally_mark_free(struct tally_mark *m)
{
	if (!m)
		return;
	free(m->tick);
	free(m->value);
	free(m->event);
	free(m);
}

size_t
tally_size(const struct tally *t)
{
	return t->n_stack;
}

/* Places stay, as the amount of code is limited. */
void
tally_forget(struct tally *t)
{
	hashtab_release(&t->stacks);
	free(t->stack);
	free(t->frames.frame);
	free(t->value);
	t->stack = NULL;
	t->value = NULL;
	t->room_value = 0;
	t->n_stack = t->room_stack = 0;
	t->n_chance = 0;
	t->frames = (struct frames){ 0 };
}

bool
tally_processes(const struct tally *t, struct tally_process **out, size_t *n)
{
	bool *seen = calloc(t->n_process + 1, sizeof(*seen));
	struct tally_process *v = calloc(t->n_process + 1, sizeof(*v));

	*out = v;
	*n = 0;
	if (!seen || !v) {
		free(seen);
		free(v);
		return false;
	}
	for (size_t i = 0; i < t->n_stack; i++)
		if (t->stack[i].process != PROF_NONE)
			seen[t->stack[i].process] = true;
	for (size_t i = 0; i < t->n_event; i++)
		if (t->event[i].stack.process != PROF_NONE)
			seen[t->event[i].stack.process] = true;
	/* A process that replaced its program is still one. */
	for (size_t i = 0; i < t->n_process; i++) {
		const struct process *p = &t->process[i];
		size_t k = 0;

		while (k < *n && v[k].pid != p->pid)
			k++;
		if (seen[i])
			v[k] = (struct tally_process){
				p->pid, t->strings.str[p->name].s
			};
		*n += seen[i] && k == *n;
	}
	free(seen);
	return true;
}
