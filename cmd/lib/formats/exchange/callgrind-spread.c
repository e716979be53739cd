/*
 * callgrind-spread.c - stacks for a call graph; see callgrind.h. Contexts are a
 * tree: a function, called at one place of its parent's. A context has an
 * amount of the first event, its share of the function's inclusive costs. Only
 * the ratios of amounts count in the end: each function's own costs are divided
 * among its contexts, so nothing is lost to calls that are not followed.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind-impl.h"
#include "lib/base/array.h"

#define MAX_DEPTH 1000
#define MAX_CONTEXT ((size_t)1 << 20)
#define MAX_FRAME ((size_t)1 << 26)

struct context {
	uint32_t function, parent;
	uint32_t
		call; /* the cost of the parent's function; PROF_NONE: a root */
	uint32_t depth;
	uint32_t next; /* of the same function */
	double amount;
};

/* What is known of a function. Its costs are at first to first + n_own, then
 * its calls to end. */
struct node {
	size_t first, n_own, end;
	double inclusive, called;
	double amount;                    /* of all its contexts */
	uint32_t context, last;           /* a list of these, oldest first */
	enum { UNSEEN, OPEN, DONE } walk; /* of find_cycles() */
};

/* A place in a walk: a function or a context, and the next of its calls. */
struct step {
	uint32_t at;
	size_t next;
};

struct spread {
	struct callgraph *g;
	struct prof_err *err;
	struct node *node;
	struct context *context;
	size_t n_context, cap_context;
	struct step *step;
	uint32_t *location; /* of each cost; PROF_NONE: not yet made */
	bool *back;         /* calls of a function that is on the stack */
	double total;
	size_t n_frame; /* of all samples */
};

static int64_t
first_event(const struct spread *s, const struct cg_cost *c)
{
	return s->g->value[c->value];
}

static int
by_function(const void *a, const void *b)
{
	const struct cg_cost *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if ((x->callee == PROF_NONE) != (y->callee == PROF_NONE))
		return x->callee == PROF_NONE ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static void
find_places(struct spread *s)
{
	struct callgraph *g = s->g;

	if (g->n_cost)
		qsort(g->cost, g->n_cost, sizeof(*g->cost), by_function);
	for (size_t i = 0; i < g->n_cost; i++) {
		struct node *n = &s->node[g->cost[i].function];

		if (!n->end)
			n->first = i;
		n->end = i + 1;
		n->n_own += g->cost[i].callee == PROF_NONE;
		if (g->cost[i].callee != PROF_NONE)
			s->node[g->cost[i].callee].called = 1;
	}
}

/* Mark the calls below one function that close a cycle. */
static void
walk_from(struct spread *s, uint32_t function, struct step *step)
{
	size_t depth = 1;

	s->node[function].walk = OPEN;
	step[0] = (struct step){ function, 0 };
	while (depth) {
		struct step *at = &step[depth - 1];
		struct node *n = &s->node[at->at], *callee;
		size_t k = n->first + n->n_own + at->next++;

		if (k >= n->end) {
			n->walk = DONE;
			depth--;
			continue;
		}
		callee = &s->node[s->g->cost[k].callee];
		s->back[k] = callee->walk == OPEN;
		if (callee->walk != UNSEEN)
			continue;
		callee->walk = OPEN;
		step[depth++] = (struct step){ s->g->cost[k].callee, 0 };
	}
}

/*
 * Recursion, also of several functions: such calls are not followed, and do not
 * count, as what they cost is in the first call. Functions that nobody calls
 * are the best places to begin.
 */
static bool
find_cycles(struct spread *s)
{
	size_t n = s->g->n_function;
	struct step *step = malloc((n + 1) * sizeof(*step));

	for (uint32_t i = 0; step && i < n; i++)
		if (!(s->node[i].called > 0))
			walk_from(s, i, step);
	for (uint32_t i = 0; step && i < n; i++)
		if (s->node[i].walk == UNSEEN)
			walk_from(s, i, step);
	free(step);
	return step;
}

static void
add_up(struct spread *s)
{
	struct callgraph *g = s->g;

	for (size_t i = 0; i < g->n_function; i++)
		s->node[i].called = 0;
	for (size_t i = 0; i < g->n_cost; i++) {
		const struct cg_cost *c = &g->cost[i];
		double v = (double)first_event(s, c);

		if (s->back[i])
			continue;
		s->node[c->function].inclusive += v;
		if (c->callee == PROF_NONE)
			s->total += v;
		else
			s->node[c->callee].called += v;
	}
}

/* --- contexts --- */

static bool
add_context(struct spread *s, uint32_t function, uint32_t parent, uint32_t call,
	    double amount)
{
	struct node *n = &s->node[function];
	struct context c = {
		.function = function,
		.parent = parent,
		.call = call,
		.depth = 1,
		.next = PROF_NONE,
		.amount = amount,
	};
	uint32_t i = (uint32_t)s->n_context;

	if (array_reserve(&s->context, &s->cap_context, s->n_context + 1,
			  sizeof(*s->context)) < 0)
		return false;
	if (parent != PROF_NONE)
		c.depth = s->context[parent].depth + 1;
	if (n->context == PROF_NONE)
		n->context = i;
	else
		s->context[n->last].next = i;
	n->last = i;
	n->amount += amount;
	s->n_frame += (size_t)c.depth * n->n_own;
	s->context[s->n_context++] = c;
	return true;
}

/* May the walk go on? Else the contexts are too many, and it is done again
 * with a higher limit. */
static bool
has_room(const struct spread *s)
{
	return s->n_context < MAX_CONTEXT && s->n_frame < MAX_FRAME;
}

/* Follow the calls below the newest context, a root, to amounts of least. */
static bool
follow(struct spread *s, double least)
{
	size_t depth = 1;

	s->step[0] = (struct step){ (uint32_t)s->n_context - 1, 0 };
	while (depth && has_room(s)) {
		struct step *at = &s->step[depth - 1];
		const struct context *c = &s->context[at->at];
		const struct node *n = &s->node[c->function];
		size_t k = n->first + n->n_own + at->next++;
		double amount;

		if (k >= n->end) {
			depth--;
			continue;
		}
		amount = c->amount * (double)first_event(s, &s->g->cost[k]) /
			 n->inclusive;
		if (s->back[k] || !(amount >= least) || depth == MAX_DEPTH)
			continue;
		if (!add_context(s, s->g->cost[k].callee, at->at, (uint32_t)k,
				 amount))
			return false;
		s->step[depth++] =
			(struct step){ (uint32_t)s->n_context - 1, 0 };
	}
	return true;
}

static void
forget_contexts(struct spread *s)
{
	s->n_context = s->n_frame = 0;
	for (size_t i = 0; i < s->g->n_function; i++) {
		s->node[i].context = PROF_NONE;
		s->node[i].amount = 0;
	}
}

/* A function that the walk did not reach is at the root. */
static bool
add_rest(struct spread *s)
{
	for (uint32_t i = 0; i < s->g->n_function; i++)
		if (s->node[i].n_own && s->node[i].context == PROF_NONE &&
		    !add_context(s, i, PROF_NONE, PROF_NONE, 1))
			return false;
	return true;
}

static bool
find_contexts(struct spread *s, bool flat)
{
	double part = flat ? 2 : 1e-6;

	for (;; part *= 10) {
		double least = s->total * part;

		forget_contexts(s);
		for (uint32_t i = 0; i < s->g->n_function && has_room(s); i++) {
			double own = s->node[i].inclusive - s->node[i].called;

			if (!(own > 0) || own < least)
				continue;
			if (!add_context(s, i, PROF_NONE, PROF_NONE, own) ||
			    !follow(s, least))
				return false;
		}
		if (has_room(s) || part > 1)
			return add_rest(s);
	}
}

/* --- samples --- */

static uint32_t
mapping(struct spread *s, uint32_t object, uint64_t address)
{
	struct profile *p = s->g->b.p;
	uint32_t m;

	if (!object)
		return PROF_NONE;
	m = byname_mapping(&s->g->b, object);
	if (m != PROF_NONE && address && address < UINT64_MAX &&
	    p->mapping[m].limit <= address)
		p->mapping[m].limit = address + 1;
	return m;
}

/* The location of a cost; code from another file is inlined there. */
static uint32_t
location(struct spread *s, uint32_t i)
{
	const struct cg_cost *c = &s->g->cost[i];
	const struct cg_function *f = &s->g->function[c->function];
	struct byname *b = &s->g->b;
	struct line line[2] = { { .line = (int64_t)c->line } };
	size_t n = 1;

	if (s->location[i] != PROF_NONE)
		return s->location[i];
	line[0].function = byname_function(b, f->name, c->file, 0);
	if (c->file != f->file) {
		line[1].function = byname_function(b, f->name, f->file, 0);
		n = 2;
	}
	if (line[0].function == PROF_NONE || line[n - 1].function == PROF_NONE)
		return PROF_NONE;
	return s->location[i] =
		       byname_location(b, mapping(s, f->object, c->address),
				       c->address, line, n);
}

static bool
add_sample(struct spread *s, const struct context *c, uint32_t cost,
	   const int64_t *value)
{
	struct byname *b = &s->g->b;

	if (byname_push(b, location(s, cost)) < 0)
		return false;
	for (; c->parent != PROF_NONE; c = &s->context[c->parent])
		if (byname_push(b, location(s, c->call)) < 0)
			return false;
	return byname_sample(b, value, NULL, 0) == 0;
}

/*
 * Divide a cost among the contexts of its function: each gets the difference
 * of two rounded sums, so all together get all of it.
 */
static bool
divide(struct spread *s, uint32_t cost)
{
	const struct cg_cost *c = &s->g->cost[cost];
	const int64_t *v = s->g->value + c->value;
	const struct node *n = &s->node[c->function];
	int64_t part[CALLGRIND_MAX_EVENTS], given[CALLGRIND_MAX_EVENTS] = { 0 };
	double amount = 0;

	for (uint32_t i = n->context; i != PROF_NONE; i = s->context[i].next) {
		const struct context *at = &s->context[i];
		bool is_last = at->next == PROF_NONE, any = false;

		amount += at->amount;
		for (size_t e = 0; e < s->g->n_event; e++) {
			long double upto =
				(long double)v[e] * (amount / n->amount);
			int64_t sum = upto >= (long double)v[e]
					      ? v[e]
					      : (int64_t)roundl(upto);

			if (is_last)
				sum = v[e];
			part[e] = sum - given[e];
			given[e] = sum;
			any |= part[e] != 0;
		}
		if (any && !add_sample(s, at, cost, part))
			return false;
	}
	return true;
}

/* The program's object is the first mapping. */
static bool
add_program(struct spread *s)
{
	const char *name = profile_str(s->g->b.p, s->g->program);
	const char *slash = strrchr(name, '/');
	size_t n;

	name = slash ? slash + 1 : name;
	n = strlen(name);
	for (size_t i = 0; n && i < s->g->n_function; i++) {
		uint32_t o = s->g->function[i].object;
		const struct str *path = &s->g->b.p->strings.str[o];

		if (o && path->len > n && path->s[path->len - n - 1] == '/' &&
		    !strcmp(path->s + path->len - n, name))
			return byname_mapping(&s->g->b, o) != PROF_NONE;
	}
	return true;
}

static bool
spread(struct spread *s, bool flat)
{
	struct callgraph *g = s->g;

	s->node = calloc(g->n_function + 1, sizeof(*s->node));
	s->step = malloc(MAX_DEPTH * sizeof(*s->step));
	s->location = malloc((g->n_cost + 1) * sizeof(*s->location));
	s->back = calloc(g->n_cost + 1, sizeof(*s->back));
	if (!s->node || !s->step || !s->location || !s->back)
		return false;
	memset(s->location, 0xff, (g->n_cost + 1) * sizeof(*s->location));
	find_places(s);
	if (!find_cycles(s))
		return false;
	add_up(s);
	if (!find_contexts(s, flat) || !add_program(s))
		return false;
	for (uint32_t i = 0; i < g->n_cost; i++)
		if (g->cost[i].callee == PROF_NONE && !divide(s, i))
			return false;
	return flat ||
	       profile_add_comment(
		       g->b.p, "# import: format=callgrind stacks=estimated") !=
		       PROF_NONE;
}

enum prof_status
callgrind_spread(struct callgraph *g, const struct callgrind_options *how,
		 struct prof_err *err)
{
	struct spread s = { .g = g, .err = err };
	bool ok = spread(&s, how->flat);

	free(s.node);
	free(s.context);
	free(s.step);
	free(s.location);
	free(s.back);
	return ok ? PROF_OK : prof_nomem(err);
}
