/*
 * rename.c - one function under two names: doc/gate.md, "Explanation". A
 * function that is gone and a new one are a pair if the last components of
 * their names are equal (another namespace), or if these are alike and the two
 * have neighbours with equal ones. The old row then becomes part of the new
 * one, so that a slowdown is found in spite of the renaming.
 */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"

#define ALIKE 0.6     /* Dice coefficient of the pairs of letters */
#define RIVAL 0.1     /* a rival may be less alike by this */
#define MIN_KIN 0.005 /* of a profile: smaller ones need equal names */
#define MIN_EVENTS 5  /* in all runs: fewer come and go by chance */
#define MAX_GONE 500  /* candidates on each side: the largest functions */

/* A function without its counterpart. */
struct orphan {
	uint32_t row;
	double size;
	const char *own; /* the last component of its name */
	size_t n_own;
	uint16_t *letters; /* pairs of them, ascending, each once */
	size_t n_letters;
};

struct candidate {
	bool same; /* equal last components */
	double alike, ratio;
	uint32_t gone, born; /* indices of orphans */
};

struct renaming {
	struct gate *g;
	struct gate_links links;
	struct orphan *gone, *born;
	size_t n_gone, n_born;
	unsigned char *together; /* n_gone * n_born: in one stack */
	struct candidate *c;
	size_t n, cap;
};

/* Is a component that begins here only a suffix of the one before it? */
static bool
is_anonymous(const char *s, size_t n)
{
	static const char *const word[] = { "func", "gowrap", "operator()" };

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++) {
		size_t len = strlen(word[i]);

		if (n >= len && !memcmp(s, word[i], len) &&
		    (n == len || !isalnum((unsigned char)s[len])))
			return true;
	}
	return n && (*s == '{' || *s == '$');
}

/*
 * The last component of a name, after "::", '.' or '/' outside of brackets, up
 * to its '(' or '<': Method of "pkg.(*T).Method", drop of "<T as Drop>::drop".
 */
static const char *
own_name(const struct str *name, size_t *len)
{
	const char *s = name->s;
	size_t n = name->len, from = 0, end;
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		bool ends = s[i] == '.' || s[i] == '/' ||
			    (s[i] == ':' && i > 0 && s[i - 1] == ':');

		if (s[i] == '(' || s[i] == '<')
			depth++;
		else if ((s[i] == ')' || s[i] == '>') && depth > 0)
			depth--;
		else if (ends && !depth && !is_anonymous(s + i + 1, n - i - 1))
			from = i + 1;
	}
	/* A placeholder for an unknown name: a file, perhaps with a version. */
	if (n > 2 && s[0] == '[' && s[n - 1] == ']') {
		*len = 1;
		return s;
	}
	for (end = from; end < n && s[end] != '(' && s[end] != '<';)
		end++;
	*len = end - from;
	return s + from;
}

static int
cmp_letters(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static int
init_orphan(const struct gate *g, struct orphan *o)
{
	size_t n = 0;

	o->own = own_name(gate_name(g, g->row[o->row].name), &o->n_own);
	o->letters = gate_zeros(g->arena, o->n_own, sizeof(*o->letters));
	if (!o->letters)
		return -1;
	for (size_t i = 0; i + 1 < o->n_own; i++)
		o->letters[i] = (uint16_t)((unsigned char)o->own[i] << 8 |
					   (unsigned char)o->own[i + 1]);
	if (o->n_own > 1)
		qsort(o->letters, o->n_own - 1, sizeof(*o->letters),
		      cmp_letters);
	for (size_t i = 0; i + 1 < o->n_own; i++)
		if (!n || o->letters[n - 1] != o->letters[i])
			o->letters[n++] = o->letters[i];
	o->n_letters = n;
	return 0;
}

static double
dice(const struct orphan *a, const struct orphan *b)
{
	size_t i = 0, k = 0, both = 0, n = a->n_letters + b->n_letters;

	while (i < a->n_letters && k < b->n_letters) {
		uint16_t x = a->letters[i], y = b->letters[k];

		both += x == y;
		i += x <= y;
		k += y <= x;
	}
	return n ? 2 * (double)both / (double)n : 0;
}

static bool
equal_names(const char *a, size_t na, const char *b, size_t nb)
{
	return na == nb && !memcmp(a, b, na);
}

/* Do two links lead to functions with equal last components? */
static bool
equal_links(const struct gate *g, const struct gate_link *a,
	    const struct gate_link *b)
{
	const char *x, *y;
	size_t nx, ny;

	if (a->other == b->other || !a->other || !b->other)
		return a->other == b->other;
	x = own_name(gate_name(g, g->row[a->other - 1].name), &nx);
	y = own_name(gate_name(g, g->row[b->other - 1].name), &ny);
	return equal_names(x, nx, y, ny);
}

static bool
have_equal_links(const struct renaming *x, uint32_t a, uint32_t b)
{
	for (int kind = LINK_CALLER; kind <= LINK_CALLEE; kind++) {
		size_t n, m;
		const struct gate_link *p =
			gate_links_of(&x->links, a, kind, &n);
		const struct gate_link *q =
			gate_links_of(&x->links, b, kind, &m);

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < m; k++)
				if (equal_links(x->g, &p[i], &q[k]))
					return true;
	}
	return false;
}

static int
cmp_orphans(const void *a, const void *b)
{
	const struct orphan *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The functions that are gone, or new, the largest first. */
static int
list_orphans(const struct gate *g, bool (*is)(const struct gate *, uint32_t),
	     struct orphan **out, size_t *n)
{
	*out = gate_zeros(g->arena, g->n_row, sizeof(**out));
	*n = 0;
	if (!*out)
		return -1;
	for (uint32_t r = 0; r < g->n_row; r++) {
		struct gate_pair p = gate_means(g, r, GATE_CUM);
		double events = (p.before + p.after) * (double)g->n_run / 2 *
				g->all[0] / g->all_square[0];

		/* What was seen once is missing by chance. */
		if (is(g, r) && events >= MIN_EVENTS)
			(*out)[(*n)++] =
				(struct orphan){ .row = r,
						 .size = p.before + p.after };
	}
	qsort(*out, *n, sizeof(**out), cmp_orphans);
	if (*n > MAX_GONE)
		*n = MAX_GONE;
	for (size_t i = 0; i < *n; i++)
		if (init_orphan(g, &(*out)[i]) < 0)
			return -1;
	return 0;
}

/* Find pairs that occur in one stack: those are two functions. */
static int
find_together(struct renaming *x)
{
	const struct gate *g = x->g;
	size_t cells = x->n_gone * x->n_born;
	uint32_t *gone = gate_zeros(g->arena, 2 * g->n_row, sizeof(*gone));
	uint32_t *born = gone + g->n_row;

	x->together = gate_zeros(g->arena, cells, 1);
	if (!gone || !x->together)
		return -1;
	for (uint32_t i = 0; i < x->n_gone; i++)
		gone[x->gone[i].row] = i + 1;
	for (uint32_t k = 0; k < x->n_born; k++)
		born[x->born[k].row] = k + 1;
	for (size_t s = 1; s < g->stacks.n_str; s++) {
		size_t n;
		const uint32_t *frame = gate_stack_at(g, s, &n);

		for (size_t a = 0; a < n; a++) {
			uint32_t i = gone[gate_frame_at(g, frame[a])->row];

			for (size_t b = 0; i && b < n; b++) {
				uint32_t row = gate_frame_at(g, frame[b])->row;

				if (born[row])
					x->together[(i - 1) * x->n_born +
						    born[row] - 1] = 1;
			}
		}
	}
	return 0;
}

/* List the pairs whose names are equal or alike; small functions need equal
 * names. */
static int
list_candidates(struct renaming *x)
{
	struct candidate *grown;
	double least = 0;

	for (size_t i = 0; i < x->g->n_run; i++)
		least += MIN_KIN * x->g->all[i] / (double)x->g->n_run;
	for (uint32_t i = 0; i < x->n_gone; i++)
		for (uint32_t k = 0; k < x->n_born; k++) {
			const struct orphan *a = &x->gone[i], *b = &x->born[k];
			struct candidate c = {
				.same = a->n_own &&
					equal_names(a->own, a->n_own, b->own,
						    b->n_own),
				.ratio = fabs(log(a->size / b->size)),
				.gone = i,
				.born = k,
			};

			if (!c.same && (a->size < least || b->size < least))
				continue;
			c.alike = dice(a, b);
			if (!c.same && c.alike < ALIKE)
				continue;
			grown = arena_grow(x->g->arena, x->c, &x->cap, x->n + 1,
					   sizeof(*grown));
			if (!grown)
				return -1;
			x->c = grown;
			x->c[x->n++] = c;
		}
	return 0;
}

/*
 * Drop pairs that occur in one stack, or have alike names but no neighbours in
 * common. These two passes over all stacks are slow for huge profiles, so names
 * are compared first.
 */
static enum prof_status
check_candidates(struct renaming *x, unsigned char *marked,
		 struct prof_err *err)
{
	const struct gate *g = x->g;
	size_t kept = 0;
	bool any = false;
	enum prof_status st = PROF_OK;

	for (size_t i = 0; i < x->n; i++)
		if (!x->c[i].same) {
			marked[x->gone[x->c[i].gone].row] = any = true;
			marked[x->born[x->c[i].born].row] = true;
		}
	if (any)
		st = gate_links_build(&x->links, g, marked,
				      1u << LINK_CALLER | 1u << LINK_CALLEE,
				      err);
	if (st != PROF_OK)
		return st;
	if (find_together(x) < 0)
		return prof_nomem(err);
	for (size_t i = 0; i < x->n; i++) {
		const struct candidate *c = &x->c[i];

		if (!x->together[c->gone * x->n_born + c->born] &&
		    (c->same || have_equal_links(x, x->gone[c->gone].row,
						 x->born[c->born].row)))
			x->c[kept++] = *c;
	}
	x->n = kept;
	return PROF_OK;
}

static int
cmp_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->same != y->same)
		return x->same ? -1 : 1;
	if (x->alike != y->alike)
		return x->alike < y->alike ? 1 : -1;
	if (x->ratio != y->ratio)
		return x->ratio < y->ratio ? -1 : 1;
	if (x->gone != y->gone)
		return x->gone < y->gone ? -1 : 1;
	return x->born < y->born ? -1 : x->born > y->born;
}

/* Is there an equally good candidate with one of the two? Then it is a split or
 * a merge. */
static bool
has_rival(const struct renaming *x, const struct candidate *c)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct candidate *r = &x->c[i];

		if ((r->gone == c->gone) != (r->born == c->born) &&
		    r->same == c->same && fabs(r->alike - c->alike) < RIVAL)
			return true;
	}
	return false;
}

/* The samples of row `from` become those of row `to`. */
static void
join_rows(struct gate *g, uint32_t from, uint32_t to)
{
	struct gate_row *old = &g->row[from], *now = &g->row[to];

	for (int k = 0; k < 2; k++) {
		double *of[2] = { g->value, g->square };

		for (int i = 0; i < 2; i++) {
			double *a = gate_sums(g, of[i], from, k);
			double *b = gate_sums(g, of[i], to, k);

			for (size_t run = 0; run < g->n_run; run++) {
				b[run] += a[run];
				a[run] = 0;
			}
		}
		now->set[k] += old->set[k];
		old->set[k] = 0;
	}
	old->to = to;
	now->was = old->name;
	now->is_wanted |= old->is_wanted;
	old->is_wanted = now->is_wanted;
	g->n_renamed++;
}

/* Take the candidates in order, each function once. */
static void
take_candidates(struct renaming *x)
{
	if (x->n)
		qsort(x->c, x->n, sizeof(*x->c), cmp_candidates);
	for (size_t i = 0; i < x->n; i++) {
		uint32_t from = x->gone[x->c[i].gone].row;
		uint32_t to = x->born[x->c[i].born].row;

		if (x->g->row[from].to == from && !x->g->row[to].was &&
		    !has_rival(x, &x->c[i]))
			join_rows(x->g, from, to);
	}
}

enum prof_status
gate_rename(struct gate *g, struct prof_err *err)
{
	struct renaming x = { .g = g };
	unsigned char *marked = gate_zeros(g->arena, g->n_row, 1);
	enum prof_status st;

	if (!marked || list_orphans(g, gate_is_gone, &x.gone, &x.n_gone) < 0 ||
	    list_orphans(g, gate_is_new, &x.born, &x.n_born) < 0 ||
	    list_candidates(&x) < 0)
		return prof_nomem(err);
	if (!x.n)
		return PROF_OK;
	st = check_candidates(&x, marked, err);
	if (st == PROF_OK)
		take_candidates(&x);
	return st;
}
