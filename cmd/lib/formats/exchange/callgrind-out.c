/* callgrind-out.c - writing; see callgrind.h. */
#include "config.h"

#include "callgrind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/ascii.h"
#include "lib/base/escape.h"
#include "lib/base/hashtab.h"
#include "lib/model/profile.h"
#include "lib/model/units.h"
#include "named.h"

/* Costs of a frame by itself (callee: PROF_NONE), or of its calls to another.
 */
struct cost {
	uint32_t frame, callee;
	size_t value;   /* index of the first of n_type in costs */
	uint64_t stamp; /* of the last sample that was added */
};

struct writer {
	FILE *out;
	const struct profile *p;
	struct named *names;
	struct hashtab table;
	struct cost *cost;
	size_t n_cost, cap_cost;
	int64_t *value;
	size_t cap_value;
	uint32_t *function; /* of each frame: see named_functions() */
	uint32_t *frame;    /* the stack in work */
	size_t cap_frame;
	size_t count; /* the column of samples, or n_type */
	/* Numbers of names: of objects, files, functions; 0: not yet used. */
	uint32_t *number[3];
	uint32_t n_number[3];
};

/* --- sums --- */

static struct cost *
find_cost(struct writer *w, uint32_t frame, uint32_t callee)
{
	struct hashtab *t = &w->table;
	uint32_t hash = (uint32_t)hashtab_mix(t, frame, callee), i;
	size_t at = hashtab_start(t, hash), n = w->p->n_type;

	while ((i = hashtab_next(t, hash, &at)) != HASHTAB_NONE)
		if (w->cost[i].frame == frame && w->cost[i].callee == callee)
			return &w->cost[i];
	if (array_reserve(&w->cost, &w->cap_cost, w->n_cost + 1,
			  sizeof(*w->cost)) < 0 ||
	    array_reserve(&w->value, &w->cap_value, (w->n_cost + 1) * n + 1,
			  sizeof(*w->value)) < 0 ||
	    hashtab_add(t, hash, (uint32_t)w->n_cost) < 0)
		return NULL;
	memset(w->value + w->n_cost * n, 0, n * sizeof(*w->value));
	w->cost[w->n_cost] = (struct cost){ frame, callee, w->n_cost * n, 0 };
	return &w->cost[w->n_cost++];
}

static bool
add_cost(struct writer *w, size_t sample, uint32_t frame, uint32_t callee)
{
	struct cost *c = find_cost(w, frame, callee);
	const int64_t *v = profile_value(w->p, sample);

	if (!c)
		return false;
	/* A call that is on the stack twice costs once. */
	if (c->stamp == sample + 1)
		return true;
	c->stamp = sample + 1;
	for (size_t i = 0; i < w->p->n_type; i++) {
		int64_t *sum = &w->value[c->value + i];

		*sum = units_add(*sum, v[i]);
	}
	return true;
}

static bool
add_sample(struct writer *w, size_t i)
{
	size_t n = named_stack(w->names, i, &w->frame, &w->cap_frame);

	if (n == SIZE_MAX)
		return false;
	if (n && !add_cost(w, i, w->frame[n - 1], PROF_NONE))
		return false;
	/* The cost of a recursive function is its own, and counts once. */
	for (size_t k = 0; k + 1 < n; k++)
		if (w->function[w->frame[k]] != w->function[w->frame[k + 1]] &&
		    !add_cost(w, i, w->frame[k], w->function[w->frame[k + 1]]))
			return false;
	return true;
}

/* --- lines --- */

enum { OBJECT, FILE_NAME, FUNCTION };

/* "fn=(3) main", and "fn=(3)" from then on. */
static void
put_name(struct writer *w, const char *key, int space, uint32_t s)
{
	uint32_t *number = &w->number[space][s];
	const struct str *str = named_str(w->names, s);

	if (*number) {
		fprintf(w->out, "%s=(%" PRIu32 ")\n", key, *number);
		return;
	}
	*number = ++w->n_number[space];
	fprintf(w->out, "%s=(%" PRIu32 ") ", key, *number);
	if (str->len)
		escape_put(w->out, ESCAPE_TEXT, str->s, str->len);
	else
		fputs("???", w->out);
	putc('\n', w->out);
}

static void
put_costs(struct writer *w, const struct cost *c)
{
	for (size_t i = 0; i < w->p->n_type; i++)
		fprintf(w->out, " %" PRId64, w->value[c->value + i]);
	putc('\n', w->out);
}

static int64_t
line_of(const struct named_frame *f)
{
	return f->line > 0 ? f->line : f->start_line > 0 ? f->start_line : 0;
}

static void
put_cost(struct writer *w, const struct cost *c)
{
	const struct named_frame *f = &w->names->frame[c->frame], *callee;

	if (c->callee != PROF_NONE) {
		callee = &w->names->frame[c->callee];
		put_name(w, "cob", OBJECT, callee->object);
		put_name(w, "cfi", FILE_NAME, callee->file);
		put_name(w, "cfn", FUNCTION, callee->name);
		fprintf(w->out, "calls=%" PRIu64 " %" PRId64 "\n",
			w->count < w->p->n_type ? w->value[c->value + w->count]
						: 1,
			callee->start_line > 0 ? callee->start_line : 0);
	}
	fprintf(w->out, "%" PRId64, line_of(f));
	put_costs(w, c);
}

static int
by_function(const void *a, const void *b, void *ctx)
{
	const struct writer *w = ctx;
	const struct cost *x = a, *y = b;
	uint32_t f = w->function[x->frame], g = w->function[y->frame];

	if (f != g)
		return f < g ? -1 : 1;
	if ((x->callee == PROF_NONE) != (y->callee == PROF_NONE))
		return x->callee == PROF_NONE ? -1 : 1;
	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* An event's name: letters and digits, a letter first. */
static void
name_event(const struct writer *w, size_t column, char *text, size_t size)
{
	const char *type = profile_str(w->p, w->p->type[column].type);
	size_t n = 0;

	for (; *type && n < size - 1; type++) {
		char c = *type;

		if (is_letter(c) || (n && is_digit(c)))
			text[n++] = c;
	}
	text[n] = '\0';
	if (!n)
		snprintf(text, size, "event%zu", column);
}

/* The columns as long names of the events; and these, with which the header
 * ends for callgrind_annotate. */
static void
put_events(struct writer *w)
{
	char name[64];

	for (size_t i = 0; i < w->p->n_type; i++) {
		const struct value_type *t = &w->p->type[i];
		const struct str *type = &w->p->strings.str[t->type];
		const struct str *unit = &w->p->strings.str[t->unit];

		name_event(w, i, name, sizeof(name));
		fprintf(w->out, "event: %s : ", name);
		escape_put(w->out, ESCAPE_TEXT, type->s, type->len);
		putc('/', w->out);
		escape_put(w->out, ESCAPE_TEXT, unit->s, unit->len);
		putc('\n', w->out);
	}
	fputs("events:", w->out);
	for (size_t i = 0; i < w->p->n_type; i++) {
		name_event(w, i, name, sizeof(name));
		fprintf(w->out, " %s", name);
	}
}

static void
put_header(struct writer *w)
{
	int64_t sum;

	fputs("# callgrind format\nversion: 1\ncreator: "
	      "profpipe-" PACKAGE_VERSION "\npositions: line\n",
	      w->out);
	put_events(w);
	fputs("\nsummary:", w->out);
	for (size_t i = 0; i < w->p->n_type; i++) {
		sum = 0;
		for (size_t k = 0; k < w->n_cost; k++)
			if (w->cost[k].callee == PROF_NONE)
				sum = units_add(sum,
						w->value[w->cost[k].value + i]);
		fprintf(w->out, " %" PRId64, sum);
	}
	fputs("\n", w->out);
}

static void
put_all(struct writer *w)
{
	uint32_t last = PROF_NONE;

	if (w->n_cost)
		qsort_r(w->cost, w->n_cost, sizeof(*w->cost), by_function, w);
	put_header(w);
	for (size_t i = 0; i < w->n_cost; i++) {
		const struct cost *c = &w->cost[i];
		const struct named_frame *f =
			&w->names->frame[w->function[c->frame]];

		if (w->function[c->frame] != last) {
			putc('\n', w->out);
			put_name(w, "ob", OBJECT, f->object);
			put_name(w, "fl", FILE_NAME, f->file);
			put_name(w, "fn", FUNCTION, f->name);
			last = w->function[c->frame];
		}
		put_cost(w, c);
	}
}

static enum prof_status
collect(struct writer *w, struct prof_err *err)
{
	bool ok = (w->function = named_functions(w->names));

	for (int i = 0; ok && i < 3; i++) {
		w->number[i] =
			calloc(w->names->strings.n_str, sizeof(*w->number[i]));
		ok = w->number[i];
	}
	w->count = w->p->n_type;
	for (size_t i = w->p->n_type; i--;)
		if (!strcmp(profile_str(w->p, w->p->type[i].type), "samples"))
			w->count = i;
	for (size_t i = 0; ok && i < w->p->n_sample; i++)
		ok = add_sample(w, i);
	return ok ? PROF_OK : prof_nomem(err);
}

enum prof_status
callgrind_write(FILE *out, const struct profile *p, struct prof_err *err)
{
	struct writer w = { .out = out, .p = p };
	enum prof_status st = PROF_OK;

	for (size_t c = 0; st == PROF_OK && c < p->n_type; c++)
		st = named_refuse_negative(p, c, "callgrind", err);
	if (st != PROF_OK)
		return st;
	if (hashtab_init(&w.table) < 0)
		return prof_nomem(err);
	st = named_new(p, NAMED_LINES | NAMED_OBJECTS, &w.names, err);
	if (st == PROF_OK)
		st = collect(&w, err);
	if (st == PROF_OK)
		put_all(&w);
	hashtab_release(&w.table);
	named_free(w.names);
	for (int i = 0; i < 3; i++)
		free(w.number[i]);
	free(w.cost);
	free(w.value);
	free(w.function);
	free(w.frame);
	return st;
}
