/*
 * tally-profile.c - a profile of the counts so far. The tally is not changed;
 * only what the profile needs is copied.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/model/account.h"
#include "lib/model/sampling.h"
#include "tally-int.h"

enum { MAX_LABELS = 32 /* of one sample */ };

static uint32_t *
array_of_none(size_t n)
{
	uint32_t *a = calloc(n + 1, sizeof(*a));

	for (size_t i = 0; a && i < n; i++)
		a[i] = PROF_NONE;
	return a;
}

/* Copy a string of the tally to the profile. */
static uint32_t
intern(struct build *b, uint32_t s)
{
	return profile_intern(b->p, b->t->strings.str[s].s);
}

/* The counts of stack i in the profile. */
static struct tick_mark
counts_of(const struct build *b, size_t i)
{
	const struct stack *s = &b->t->stack[i];
	const struct tally_mark *since = b->info->since;
	struct tick_mark before = { 0 };

	if (!build_is_of(b, s->process))
		return before;
	if (since && i < since->n_stack)
		before = since->tick[i];
	return (struct tick_mark){ s->ticks - before.ticks,
				   s->signals - before.signals };
}

/* The same of a column. */
static uint64_t
value_of(const struct build *b, size_t i, size_t column)
{
	const struct tally *t = b->t;
	const struct tally_mark *since = b->info->since;
	size_t at = i * t->n_column + column;

	if (!build_is_of(b, t->stack[i].process))
		return 0;
	return t->value[at] -
	       (since && i < since->n_stack ? since->value[at] : 0);
}

/* Does stack i have anything that the profile is about? */
static bool
is_counted(const struct build *b, size_t i)
{
	bool is = counts_of(b, i).ticks > 0;

	for (size_t k = 0; !is && k < b->t->n_column; k++)
		is = value_of(b, i, k) > 0;
	return is;
}

bool
build_is_of(const struct build *b, uint32_t process)
{
	int32_t pid = b->info->pid;

	return !pid ||
	       (process != PROF_NONE && b->t->process[process].pid == pid);
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

/* The location of a frame that is only a name; PROF_NONE without memory. */
static uint32_t
add_named(struct profile *p, const char *text)
{
	struct location l = { .mapping = PROF_NONE };
	uint32_t name = profile_intern(p, text);
	struct function f = { .name = name, .system_name = name };
	struct line line = { 0 };

	if (name == STRTAB_NONE)
		return PROF_NONE;
	line.function = profile_add_function(p, &f);
	return line.function == PROF_NONE
		       ? PROF_NONE
		       : profile_add_location(p, &l, &line, 1);
}

/* PROF_NONE only without memory. */
static uint32_t
location_of(struct build *b, uint32_t place)
{
	const struct place *at = &b->t->place[place];
	struct location l = { .address = at->address, .mapping = PROF_NONE };

	if (b->location[place] != PROF_NONE)
		return b->location[place];
	if (at->module == PLACE_GAP || at->module == PLACE_OWN) {
		b->location[place] = add_named(b->p, at->module == PLACE_GAP
							     ? UNWIND_GAP_NAME
							     : "[prof-record]");
		return b->location[place];
	}
	if (at->module == PLACE_CODE || at->module == PLACE_UNREAD) {
		b->location[place] = build_code(b, at);
		return b->location[place];
	}
	if (at->module != PROF_NONE) {
		l.mapping = mapping_of(b, at->module);
		if (l.mapping == PROF_NONE)
			return PROF_NONE;
	}
	b->location[place] = profile_add_location(b->p, &l, NULL, 0);
	return b->location[place];
}

/* Counts in memory that others write may decrease. */
static void
take_off(uint64_t *count, uint64_t before)
{
	*count -= *count < before ? *count : before;
}

bool
build_comment(struct build *b)
{
	const struct tally_mark *since = b->info->since;
	struct sampling s;

	if (!tally_sampling(b->info, &s))
		return true; /* better none than one of other processes */
	if (since) {
		take_off(&s.ticks, since->sampling.ticks);
		take_off(&s.signals, since->sampling.signals);
		take_off(&s.lost, since->sampling.lost);
		take_off(&s.truncated, since->sampling.truncated);
		take_off(&s.unwind_failed, since->sampling.unwind_failed);
		take_off(&s.untimed, since->sampling.untimed);
		take_off(&s.perf_signals, since->sampling.perf_signals);
		take_off(&s.unread, since->sampling.unread);
		take_off(&s.merged, since->sampling.merged);
		take_off(&s.lost_bytes, since->sampling.lost_bytes);
	}
	if (s.ticks)
		s.achieved_hz =
			s.asked_hz * (double)s.signals / (double)s.ticks;
	return sampling_add(b->p, &s) == 0;
}

/* What was not sampled is told by name. Is any of it another program's? */
static bool
has_other_shares(const struct build *b, uint32_t process)
{
	const struct tally_info *info = b->info;
	const struct tally *t = b->t;

	for (size_t i = 0; i < info->n_share && process != PROF_NONE; i++)
		if (strcmp(info->share[i].name,
			   t->strings.str[t->process[process].name].s) != 0)
			return true;
	return false;
}

/*
 * The process of all ticks, if there is one; *many if there are several, also
 * without ticks: samples need a label of their process only then. In a profile
 * of the machine which of them ran is chance, and all such profiles are to have
 * the same labels.
 */
static uint32_t
only_process(const struct build *b, bool *many)
{
	uint32_t process = PROF_NONE;
	bool is_any = false;

	*many = b->info->all;
	for (size_t i = 0; i < b->t->n_stack && !*many; i++) {
		if (!is_counted(b, i))
			continue;
		*many = is_any && b->t->stack[i].process != process;
		process = b->t->stack[i].process;
		is_any = true;
	}
	*many |= has_other_shares(b, process);
	return *many ? PROF_NONE : process;
}

/* Write the labels of a stack to label, which has room for MAX_LABELS. Returns
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

/* Of the whole recording, ticks have what they are worth on average. */
static int64_t
time_of(const struct build *b, size_t i, uint64_t ticks)
{
	const struct tally_info *info = b->info;
	double chances = (double)b->t->stack[i].chances;

	if (info->since || !info->worth)
		return tally_times(ticks, info->set->period_ns);
	return (int64_t)((double)info->set->period_ns *
			 (((double)ticks - chances) * info->worth +
			  chances * info->chance_worth));
}

static bool
add_ticks(struct build *b, bool of_process)
{
	const struct tally *t = b->t;

	for (size_t i = 0; i < t->n_stack; i++) {
		struct tick_mark count = counts_of(b, i);
		int64_t value[2 + TALLY_MAX_COLUMN] = {
			(int64_t)count.signals, time_of(b, i, count.ticks)
		};
		size_t n = t->no_ticks ? 0 : 2;

		for (size_t k = 0; k < t->n_column; k++)
			value[n++] = (int64_t)value_of(b, i, k);
		if (is_counted(b, i) &&
		    !build_sample(b, &t->frames, &t->stack[i], of_process,
				  value, NULL))
			return false;
	}
	return true;
}

/* What was not sampled: time without a count, so that totals are what the
 * kernel billed. */
static bool
add_shares(struct build *b)
{
	const struct tally_info *info = b->info;
	uint32_t location;

	if (!info->n_share || info->since || info->pid || b->t->no_ticks)
		return true;
	location = add_named(b->p, SAMPLING_NONE);
	if (location == PROF_NONE)
		return false;
	for (size_t i = 0; i < info->n_share; i++) {
		const struct account_share *share = &info->share[i];
		int64_t value[2 + TALLY_MAX_COLUMN] = { 0, (int64_t)share->ns };
		struct label label = { .key = b->process,
				       .str = profile_intern(b->p,
							     share->name) };

		if (label.str == STRTAB_NONE ||
		    profile_add_sample(b->p, &location, 1, value, &label, 1) ==
			    PROF_NONE)
			return false;
	}
	return true;
}

bool
build_program(struct build *b, const uint64_t *weight)
{
	const struct tally *t = b->t;
	uint32_t best = PROF_NONE;

	/* Without weight, the first program. */
	for (size_t i = 0; i < t->n_process; i++) {
		uint32_t m = t->process[i].program;

		if (m != PROF_NONE && build_is_of(b, (uint32_t)i) &&
		    (best == PROF_NONE || weight[m] > weight[best]))
			best = m;
	}
	return best == PROF_NONE || mapping_of(b, best) != PROF_NONE;
}

static bool
add_program(struct build *b)
{
	const struct tally *t = b->t;
	uint64_t *ticks = calloc(t->n_module + 1, sizeof(*ticks));
	bool done;

	if (!ticks)
		return false;
	for (size_t i = 0; i < t->n_stack; i++) {
		uint32_t process = t->stack[i].process;

		if (process != PROF_NONE &&
		    t->process[process].program != PROF_NONE)
			ticks[t->process[process].program] +=
				t->no_ticks ? value_of(b, i, 0)
					    : counts_of(b, i).ticks;
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
		found = b->p->location[i].mapping == PROF_NONE &&
			b->p->location[i].n_line == 0;
	if (!found || process == PROF_NONE)
		return true;
	snprintf(text, sizeof(text), "# pid: %d",
		 (int)b->t->process[process].pid);
	return profile_add_comment(b->p, text) != PROF_NONE;
}

static bool
add_types(struct build *b, const char *clock)
{
	const struct tally *t = b->t;

	if (!t->no_ticks &&
	    (profile_add_type(b->p, "samples", "count") == PROF_NONE ||
	     profile_add_type(b->p, clock, "nanoseconds") == PROF_NONE))
		return false;
	for (size_t k = 0; k < t->n_column; k++)
		if (profile_add_type(b->p, t->column[k].name,
				     t->column[k].unit) == PROF_NONE)
			return false;
	/* Readers take the last type if none is named. */
	if (!t->no_ticks && t->n_column)
		b->p->default_type = profile_intern(b->p, clock);
	return b->p->default_type != STRTAB_NONE;
}

static bool
build_ticks(struct build *b)
{
	const struct shm_settings *set = b->info->set;
	bool of_process;
	uint32_t process = only_process(b, &of_process);
	struct profile *p = b->p;
	const char *what = set->clock == SHM_CLOCK_WALL ? "wall" : "cpu";

	if (!add_types(b, what) || !add_program(b) ||
	    !add_ticks(b, of_process) || !add_shares(b) || !build_comment(b) ||
	    !build_pid(b, process))
		return false;
	p->period_type = p->type[b->t->no_ticks ? 0 : 1];
	p->period = b->t->no_ticks ? 1 : (int64_t)set->period_ns;
	return true;
}

static bool
fill_profile(struct build *b)
{
	struct profile *p = b->p;

	b->process = profile_intern(p, "process");
	b->pid = profile_intern(p, "pid");
	p->time_ns = b->info->time_ns;
	p->duration_ns = b->info->duration_ns;
	return b->process != STRTAB_NONE && b->pid != STRTAB_NONE &&
	       (b->info->kind == TALLY_CPU ? build_ticks(b) : build_events(b));
}

static bool
add_modules(struct build *b)
{
	for (size_t i = 0; i < b->t->n_module; i++)
		if (mapping_of(b, (uint32_t)i) == PROF_NONE)
			return false;
	return true;
}

static struct profile *
build_profile(const struct tally *t, const struct tally_info *info,
	      bool (*how)(struct build *b))
{
	struct build b = {
		.t = t,
		.info = info,
		.p = profile_new(),
		.mapping = array_of_none(t->n_module),
		.location = array_of_none(t->n_place),
		.function = array_of_none(t->n_code + 1),
	};

	for (int i = 0; i < INTERP_NUMBERS; i++)
		b.language[i] = PROF_NONE;

	if (t->failed || !b.p || !b.mapping || !b.location || !b.function ||
	    !how(&b)) {
		profile_free(b.p);
		b.p = NULL;
	}
	free(b.mapping);
	free(b.location);
	free(b.function);
	return b.p;
}

struct profile *
tally_profile(const struct tally *t, const struct tally_info *info)
{
	return build_profile(t, info, fill_profile);
}

struct profile *
tally_modules(const struct tally *t)
{
	return build_profile(t, NULL, add_modules);
}
