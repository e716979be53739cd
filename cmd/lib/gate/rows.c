/*
 * rows.c - sum profiles by function, and keep the distinct stacks, the input of
 * all later stages; see gate.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"
#include "lib/base/array.h"
#include "lib/model/profile.h"
#include "lib/model/sampling.h"

void *
gate_zeros(struct arena *a, size_t n, size_t size)
{
	void *p = arena_array(a, n + 1, size); /* never empty */

	return p ? memset(p, 0, (n + 1) * size) : NULL;
}

enum prof_status
gate_new(const struct gate_options *o, struct gate **out, struct prof_err *err)
{
	struct arena *a = arena_new();
	struct gate *g = a ? arena_alloc(a, sizeof(*g)) : NULL;

	*out = NULL;
	if (!g) {
		arena_free(a);
		return prof_nomem(err);
	}
	*g = (struct gate){ .arena = a, .o = *o };
	if (strtab_init(&g->names, a) < 0 || strtab_init(&g->places, a) < 0 ||
	    strtab_init(&g->frames, a) < 0 || strtab_init(&g->stacks, a) < 0) {
		arena_free(a);
		return prof_nomem(err);
	}
	*out = g;
	return PROF_OK;
}

void
gate_free(struct gate *g)
{
	if (g)
		arena_free(g->arena);
}

const char *
gate_verdict_name(enum gate_verdict v)
{
	static const char *const name[] = { "unchanged", "improved",
					    "inconclusive", "suspect",
					    "regressed" };

	return name[v];
}

/* The row of a name, added if it is new; PROF_NONE without memory. */
static uint32_t
row_of(struct gate *g, const struct str *name)
{
	uint32_t s = strtab_add_str(&g->names, name);
	size_t old = g->cap_row_of;
	uint32_t *map;
	struct gate_row *row;

	if (s == STRTAB_NONE)
		return PROF_NONE;
	map = arena_grow(g->arena, g->row_of, &g->cap_row_of, (size_t)s + 1,
			 sizeof(*map));
	if (!map)
		return PROF_NONE;
	g->row_of = map;
	memset(map + old, 0xff, (g->cap_row_of - old) * sizeof(*map));
	if (map[s] != PROF_NONE)
		return map[s];
	row = arena_grow(g->arena, g->row, &g->cap_row, g->n_row + 1,
			 sizeof(*row));
	if (!row)
		return PROF_NONE;
	g->row = row;
	row[g->n_row] = (struct gate_row){ .name = s,
					   .to = (uint32_t)g->n_row,
					   .is_wanted = true };
	return map[s] = (uint32_t)g->n_row++;
}

/* --- the frames of one profile --- */

/* A node of the frames of a profile, with the gate's indices. */
struct node {
	uint32_t frame, row;
};

/* The state of adding one profile. */
struct adding {
	struct gate *g;
	struct gate_run *run;
	const struct profile *p;
	const struct gate_measure *m;
	struct frames *f, *lines; /* lines: NULL if rows are lines or files */
	uint32_t *row;            /* of the keys of f */
	uint32_t *file;           /* of the strings of lines: in g->names */
	struct node *node;        /* parallel to the nodes of f */
	uint32_t *stack, *rows;   /* current sample: frames, rows */
	size_t n_stack, cap_stack, cap_rows;
};

/* The rows of the keys of f. */
static enum prof_status
map_rows(struct adding *a, struct prof_err *err)
{
	struct gate *g = a->g;

	a->row = calloc(a->f->n_key + 1, sizeof(*a->row));
	if (!a->row)
		return prof_nomem(err);
	for (uint32_t k = 0; k < a->f->n_key; k++) {
		const struct str *text = frames_text(a->f, k);
		size_t n = g->n_row;
		enum prof_status st = PROF_OK;

		a->row[k] = row_of(g, text);
		if (a->row[k] == PROF_NONE)
			return prof_nomem(err);
		if (g->n_row > n && g->o.wants)
			st = g->o.wants(g->o.wants_ctx, text,
					&g->row[n].is_wanted, err);
		if (st != PROF_OK)
			return st;
	}
	return PROF_OK;
}

/* The place that key k of a->lines means; STRTAB_NONE without memory. */
static uint32_t
place_of(const struct adding *a, uint32_t k)
{
	const struct frame_key *key = &a->lines->key[k];
	uint32_t *file = &a->file[key->file];
	struct gate_place place = {
		.line = key->line > 0 && key->line < INT32_MAX
				? (int32_t)key->line
				: 0,
	};

	if (!*file)
		*file = strtab_add_str(&a->g->names,
				       &a->lines->strings.str[key->file]);
	place.file = *file;
	if (place.file == STRTAB_NONE || place.file == 0)
		return place.file;
	return strtab_add(&a->g->places, (const char *)&place, sizeof(place));
}

/* The index of a frame; STRTAB_NONE without memory. */
static uint32_t
add_frame(struct gate *g, const struct gate_frame *frame)
{
	uint32_t i =
		strtab_add(&g->frames, (const char *)frame, sizeof(*frame));
	struct gate_frame *grown;

	if (i == STRTAB_NONE)
		return i;
	grown = arena_grow(g->arena, g->frame, &g->cap_frame, (size_t)i + 1,
			   sizeof(*grown));
	if (!grown)
		return STRTAB_NONE;
	g->frame = grown;
	grown[i] = *frame;
	return i;
}

/* The frames of all nodes of f, which are parallel to those of lines. */
static enum prof_status
map_frames(struct adding *a, struct prof_err *err)
{
	const struct frames *f = a->f;
	size_t n_node = f->first[a->p->n_location];

	a->node = calloc(n_node + 1, sizeof(*a->node));
	if (a->lines)
		a->file = calloc(a->lines->strings.n_str, sizeof(*a->file));
	if (!a->node || (a->lines && !a->file))
		return prof_nomem(err);
	for (size_t l = 0; l < a->p->n_location; l++) {
		uint32_t end = f->first[l + 1];

		for (uint32_t at = f->first[l]; at < end; at++) {
			struct gate_frame frame = {
				.row = a->row[f->node[at]],
				.is_inlined = at + 1 < end,
			};

			if (a->lines)
				frame.place = place_of(a, a->lines->node[at]);
			a->node[at].frame = add_frame(a->g, &frame);
			a->node[at].row = frame.row;
			if (frame.place == STRTAB_NONE ||
			    a->node[at].frame == STRTAB_NONE)
				return prof_nomem(err);
		}
	}
	return PROF_OK;
}

static enum prof_status
map_profile(struct adding *a, struct prof_err *err)
{
	struct frames_options o = a->g->o.frames;
	enum prof_status st = frames_new(a->p, &o, &a->f, err);

	if (st == PROF_OK)
		st = map_rows(a, err);
	if (st == PROF_OK && (o.granularity == BY_FUNCTION ||
			      o.granularity == BY_FILE_FUNCTION)) {
		o.granularity = BY_LINE;
		st = frames_new(a->p, &o, &a->lines, err);
	}
	return st == PROF_OK ? map_frames(a, err) : st;
}

/* --- its samples --- */

/* Add a sample with the current stack to the sums of its rows. */
static void
add_to_rows(struct adding *a, uint32_t stamp, const struct gate_sample *s,
	    uint64_t hash)
{
	struct gate_sum *sum = &a->run->sum[GATE_FLAT][a->rows[0]];
	size_t k = 0;

	sum->value += s->value;
	sum->square += s->square;
	sum->set += hash;
	for (; k < a->n_stack; k++) {
		sum = &a->run->sum[GATE_CUM][a->rows[k]];
		if (sum->stamp == stamp)
			continue;
		sum->stamp = stamp;
		sum->value += s->value;
		sum->square += s->square;
		sum->set += hash;
	}
}

/* Make the frames of sample s the current stack. */
static int
take_stack(struct adding *a, const struct sample *s)
{
	const uint32_t *location = profile_stack(a->p, s), *first = a->f->first;
	size_t n = 0;

	for (uint32_t k = 0; k < s->n_stack; k++)
		n += first[location[k] + 1] - first[location[k]];
	if (array_reserve(&a->stack, &a->cap_stack, n, sizeof(*a->stack)) < 0 ||
	    array_reserve(&a->rows, &a->cap_rows, n, sizeof(*a->rows)) < 0)
		return -1;
	a->n_stack = 0;
	for (uint32_t k = 0; k < s->n_stack; k++)
		for (uint32_t at = first[location[k]];
		     at < first[location[k] + 1]; at++) {
			a->stack[a->n_stack] = a->node[at].frame;
			a->rows[a->n_stack++] = a->node[at].row;
		}
	return 0;
}

static int
add_sample(struct adding *a, size_t i)
{
	const int64_t *raw = profile_value(a->p, i);
	double events = gate_events(a->m, raw);
	struct gate_sample s = { .value = gate_value(a->m, raw) };
	struct strtab *stacks = &a->g->stacks;
	size_t old = stacks->n_str;

	if (!a->p->sample[i].n_stack || s.value <= 0 ||
	    sampling_is_none(a->p, i))
		return 0;
	s.square = events > 0 ? s.value * s.value / events : 0;
	if (take_stack(a, &a->p->sample[i]) < 0)
		return -1;
	s.stack = strtab_add(stacks, (const char *)a->stack,
			     a->n_stack * sizeof(*a->stack));
	if (s.stack == STRTAB_NONE)
		return -1;
	a->run->sample[a->run->n_sample++] = s;
	/* The sum of the hashes of its stacks identifies a set of them. */
	add_to_rows(a, (uint32_t)i + 1, &s,
		    stacks->n_str > old
			    ? gate_mix((s.stack + UINT64_C(1)) * GATE_STEP)
			    : 0);
	return 0;
}

static enum prof_status
add_samples(struct adding *a, struct prof_err *err)
{
	struct gate_run *r = a->run;
	size_t n = a->g->n_row;

	r->n_row = n;
	r->sample = arena_array(a->g->arena, a->p->n_sample + 1,
				sizeof(*r->sample));
	for (int k = 0; k < 2; k++) {
		r->sum[k] = gate_zeros(a->g->arena, n, sizeof(*r->sum[k]));
		if (!r->sample || !r->sum[k])
			return prof_nomem(err);
	}
	for (size_t i = 0; i < a->p->n_sample; i++)
		if (add_sample(a, i) < 0)
			return prof_nomem(err);
	return PROF_OK;
}

/* --- a profile --- */

static const char *
keep_string(struct gate *g, const char *s, uint32_t *index)
{
	*index = strtab_addz(&g->names, s);
	return *index == STRTAB_NONE ? NULL : g->names.str[*index].s;
}

/* Check and set the type and unit of the values: the same in all runs. */
static enum prof_status
check_type(struct gate *g, const struct gate_measure *m, struct gate_run *run,
	   struct prof_err *err)
{
	uint32_t type, unit, instead;

	if (g->n_run == GATE_MAX_PROFILE)
		return prof_fail(err, PROF_ELIMIT, "more than %d profiles",
				 GATE_MAX_PROFILE);
	if (g->n_run && (strcmp(m->type, g->type) || strcmp(m->unit, g->unit)))
		return prof_fail(err, PROF_EDIFFER,
				 "measures '%s/%s', those before '%s/%s'",
				 m->type, m->unit, g->type, g->unit);
	g->type = keep_string(g, m->type, &type);
	g->unit = keep_string(g, m->unit, &unit);
	g->needs_period = m->needs_period;
	if (m->instead && !(g->instead = keep_string(g, m->instead, &instead)))
		return prof_nomem(err);
	run->period = m->period;
	if (!g->type || !g->unit ||
	    !keep_string(g, m->period_type, &run->period_type) ||
	    !keep_string(g, m->period_unit, &run->period_unit))
		return prof_nomem(err);
	return PROF_OK;
}

enum prof_status
gate_add(struct gate *g, enum gate_side side, const struct profile *p,
	 const struct gate_measure *m, const struct gate_total *total,
	 double exposure, struct prof_err *err)
{
	struct gate_run run = { .side = side,
				.column = g->n_run,
				.total = *total,
				.exposure = exposure,
				.span = gate_span_of(p) };
	struct adding a = { .g = g, .run = &run, .p = p, .m = m };
	struct gate_run *grown;
	enum prof_status st = check_type(g, m, &run, err);

	if (st == PROF_OK)
		st = map_profile(&a, err);
	if (st == PROF_OK)
		st = add_samples(&a, err);
	free(a.stack);
	free(a.rows);
	free(a.node);
	free(a.file);
	free(a.row);
	frames_free(a.lines);
	frames_free(a.f);
	if (st != PROF_OK)
		return st;
	grown = arena_grow(g->arena, g->run, &g->cap_run, g->n_run + 1,
			   sizeof(*grown));
	if (!grown)
		return prof_nomem(err);
	g->run = grown;
	grown[g->n_run++] = run;
	g->n_side[side]++;
	g->n_profile[side]++;
	return PROF_OK;
}

/* --- groups --- */

void
gate_sum_flats(const struct gate *g, const unsigned char *in, double *value,
	       double *square)
{
	memset(value, 0, g->n_run * sizeof(*value));
	memset(square, 0, g->n_run * sizeof(*square));
	for (uint32_t r = 0; r < g->n_row; r++) {
		const double *v = gate_sums(g, g->value, r, GATE_FLAT);
		const double *q = gate_sums(g, g->square, r, GATE_FLAT);

		for (size_t i = 0; in[r] && i < g->n_run; i++) {
			value[i] += v[i];
			square[i] += q[i];
		}
	}
}

static bool
is_on(const struct gate *g, const unsigned char *in, uint32_t stack)
{
	size_t n;
	const uint32_t *frame = gate_stack_at(g, stack, &n);

	while (n > 0)
		if (in[gate_frame_row(g, frame[--n])])
			return true;
	return false;
}

void
gate_sum_stacks(const struct gate *g, const unsigned char *in, double *value,
		double *square)
{
	memset(value, 0, g->n_run * sizeof(*value));
	memset(square, 0, g->n_run * sizeof(*square));
	for (size_t i = 0; i < gate_n_profile(g); i++) {
		const struct gate_run *run = &g->run[i];
		double f = run->factor;

		for (size_t k = 0; k < run->n_sample; k++)
			if (is_on(g, in, run->sample[k].stack)) {
				value[run->column] += run->sample[k].value * f;
				square[run->column] +=
					run->sample[k].square * f * f;
			}
	}
}
