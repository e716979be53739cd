/* columns.c - see columns.h. */
#include "config.h"

#include "columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/units.h"

/* The columns of one profile, as indices into columns.strings. */
struct shape {
	struct column *column;
	size_t n;
};

void
columns_init(struct columns *c, enum columns_mode mode, struct strtab *strings)
{
	memset(c, 0, sizeof(*c));
	c->mode = mode;
	c->strings = strings;
}

void
columns_release(struct columns *c)
{
	for (size_t i = 0; i < c->n_shape; i++)
		free(c->shape[i].column);
	free(c->shape);
	free(c->column);
	free(c->dropped);
	memset(c, 0, sizeof(*c));
}

void
columns_plan_release(struct columns_plan *plan)
{
	free(plan->fresh);
	free(plan->old);
	memset(plan, 0, sizeof(*plan));
}

static const char *
text(const struct columns *c, uint32_t s)
{
	return c->strings->str[s].s;
}

/* --- units --- */

/*
 * The number of units `to` in one `from`: an integer from a coarse unit to a
 * finer one of its family, 1 for equal units, else 0.
 */
static int64_t
unit_ratio(const char *from, const char *to)
{
	int family_from, family_to;
	double f, t;

	if (!strcmp(from, to))
		return 1;
	f = units_factor(from, &family_from);
	t = units_factor(to, &family_to);
	if (f <= 0 || t <= 0 || family_from != family_to)
		return 0;
	return f / t < 0.5 ? 0 : llround(f / t);
}

/*
 * The common unit of two columns, and the factors to it. Of two spellings of
 * one unit the one that sorts first is used. Returns false if they don't
 * convert.
 */
static bool
unify_units(const struct columns *c, uint32_t old, uint32_t fresh,
	    uint32_t *unit, int64_t *old_factor, int64_t *fresh_factor)
{
	int64_t to_fresh, to_old;

	*unit = old;
	*old_factor = *fresh_factor = 1;
	if (old == fresh)
		return true;
	to_fresh = unit_ratio(text(c, old), text(c, fresh));
	to_old = unit_ratio(text(c, fresh), text(c, old));
	if (!to_fresh && !to_old)
		return false;
	if (to_fresh == 1 && to_old == 1) {
		if (strtab_cmp(c->strings, fresh, old) < 0)
			*unit = fresh;
	} else if (to_fresh) {
		*unit = fresh;
		*old_factor = to_fresh;
	} else {
		*fresh_factor = to_old;
	}
	return true;
}

/* --- names --- */

static bool
has_type(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->n_type; i++)
		if (!strcmp(profile_str(p, p->type[i].type), name))
			return true;
	return false;
}

static uint32_t
intern(struct columns *c, const struct profile *p, uint32_t s)
{
	const struct str *str = &p->strings.str[s];

	return strtab_add(c->strings, str->s, str->len);
}

/* Describe the columns of p. Returns -1 without memory. */
static int
describe(struct columns *c, const struct profile *p, struct column *column)
{
	for (size_t i = 0; i < p->n_type; i++) {
		const char *name = profile_str(p, p->type[i].type), *key = NULL;
		struct column col = { .type = intern(c, p, p->type[i].type),
				      .unit = intern(c, p, p->type[i].unit) };

		if (!strcmp(name, "objects"))
			key = "inuse_objects";
		else if (!strcmp(name, "space"))
			key = "inuse_space";
		col.key = key && !has_type(p, key)
				  ? strtab_addz(c->strings, key)
				  : col.type;
		if (col.type == STRTAB_NONE || col.unit == STRTAB_NONE ||
		    col.key == STRTAB_NONE)
			return -1;
		for (size_t k = 0; k < i; k++)
			col.nth += column[k].key == col.key;
		column[i] = col;
	}
	return 0;
}

static size_t
find_column(const struct column *column, size_t n, const struct column *what)
{
	size_t i = 0;

	while (i < n &&
	       (column[i].key != what->key || column[i].nth != what->nth))
		i++;
	return i;
}

void
columns_list(const struct columns *c, const struct column *column, size_t n,
	     char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s/%s",
					i ? " " : "", text(c, column[i].type),
					text(c, column[i].unit));
}

/* --- shapes --- */

static bool
same_shape(const struct shape *s, const struct column *column, size_t n)
{
	if (s->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s->column[i].key != column[i].key ||
		    s->column[i].nth != column[i].nth)
			return false;
	return true;
}

/* Remember a sequence of columns; takes the array. -1 without memory. */
static int
add_shape(struct columns *c, struct column *column, size_t n)
{
	struct shape *grown;

	for (size_t i = 0; i < c->n_shape; i++) {
		if (same_shape(&c->shape[i], column, n)) {
			free(column);
			return 0;
		}
	}
	grown = realloc(c->shape, (c->n_shape + 1) * sizeof(*grown));
	if (!grown) {
		free(column);
		return -1;
	}
	c->shape = grown;
	grown[c->n_shape++] = (struct shape){ column, n };
	return 0;
}

/* --- combining --- */

/* The new state that columns_add() builds and commits at its end. */
struct merged {
	struct column *column;
	struct column_source *fresh, *old;
	size_t n;
	struct column *dropped;
	size_t n_dropped;
};

static void
column_put(struct merged *to, struct column col, int32_t old,
	   int64_t old_factor, int32_t fresh, int64_t fresh_factor)
{
	to->column[to->n] = col;
	to->old[to->n] = (struct column_source){ old, old_factor };
	to->fresh[to->n] = (struct column_source){ fresh, fresh_factor };
	to->n++;
}

static void
drop(const struct columns *c, struct merged *to, const struct column *col)
{
	if (find_column(c->dropped, c->n_dropped, col) == c->n_dropped)
		to->dropped[to->n_dropped++] = *col;
}

/* The columns that c has already, matched with those of the profile. */
static enum prof_status
match_old(const struct columns *c, const struct column *fresh, size_t n_fresh,
	  struct merged *to, struct prof_err *err)
{
	for (size_t i = 0; i < c->n; i++) {
		struct column col = c->column[i];
		size_t k = find_column(fresh, n_fresh, &col);
		int64_t f_old, f_fresh;

		if (k == n_fresh) {
			if (c->mode == COLUMNS_UNION)
				column_put(to, col, (int32_t)i, 1, -1, 1);
			else
				drop(c, to, &col);
			continue;
		}
		if (!unify_units(c, col.unit, fresh[k].unit, &col.unit, &f_old,
				 &f_fresh))
			return prof_fail(err, PROF_EDIFFER,
					 "sample type %s is in '%s', before it "
					 "was in '%s'",
					 text(c, fresh[k].type),
					 text(c, fresh[k].unit),
					 text(c, col.unit));
		if (strtab_cmp(c->strings, fresh[k].type, col.type) < 0)
			col.type = fresh[k].type;
		column_put(to, col, (int32_t)i, f_old, (int32_t)k, f_fresh);
	}
	return PROF_OK;
}

static enum prof_status
match(const struct columns *c, const struct column *fresh, size_t n_fresh,
      struct merged *to, struct prof_err *err)
{
	enum prof_status st = match_old(c, fresh, n_fresh, to, err);
	bool is_first = c->n_profile == 0;
	char a[160], b[160];

	for (size_t k = 0; k < n_fresh && st == PROF_OK; k++) {
		if (find_column(c->column, c->n, &fresh[k]) < c->n)
			continue;
		if (is_first || c->mode == COLUMNS_UNION)
			column_put(to, fresh[k], -1, 1, (int32_t)k, 1);
		else
			drop(c, to, &fresh[k]);
	}
	if (st != PROF_OK || is_first)
		return st;
	columns_list(c, fresh, n_fresh, a, sizeof(a));
	columns_list(c, c->column, c->n, b, sizeof(b));
	if (c->mode == COLUMNS_STRICT && to->n_dropped)
		return prof_fail(err, PROF_EDIFFER,
				 "sample types %s differ from those before, %s",
				 a, b);
	if (to->n == 0 && c->n + n_fresh)
		return prof_fail(err, PROF_EDIFFER,
				 "no sample types in common: %s; and %s", a, b);
	return PROF_OK;
}

/* Type names are compatible if they are equal but for a plural s. */
static bool
same_kind(const struct columns *c, uint32_t a, uint32_t b)
{
	const struct str *x = &c->strings->str[a], *y = &c->strings->str[b];
	size_t n = x->len - (x->len && x->s[x->len - 1] == 's');

	return n == y->len - (y->len && y->s[y->len - 1] == 's') &&
	       !memcmp(x->s, y->s, n);
}

/* "cpu/nanoseconds", in room, or "none". */
static const char *
period_text(const struct columns *c, struct value_type v, char room[128])
{
	if (!v.type && !v.unit)
		return "none";
	snprintf(room, 128, "%s/%s", text(c, v.type), text(c, v.unit));
	return room;
}

static enum prof_status
match_period(struct columns *c, struct value_type fresh, struct value_type *out,
	     bool *is_mixed, struct columns_plan *plan, struct prof_err *err)
{
	struct value_type old = c->period_type;
	char a[128], b[128];

	plan->period_factor = plan->old_period_factor = 1;
	*is_mixed = c->has_mixed_periods;
	*out = fresh;
	if (c->n_profile == 0)
		return PROF_OK;
	*out = old;
	if (*is_mixed)
		return PROF_OK;
	if (same_kind(c, fresh.type, old.type) &&
	    unify_units(c, old.unit, fresh.unit, &out->unit,
			&plan->old_period_factor, &plan->period_factor)) {
		if (strtab_cmp(c->strings, fresh.type, old.type) < 0)
			out->type = fresh.type;
		return PROF_OK;
	}
	if (c->mode != COLUMNS_UNION)
		return prof_fail(err, PROF_EDIFFER,
				 "period type %s differs from %s before",
				 period_text(c, fresh, a),
				 period_text(c, old, b));
	*is_mixed = true;
	*out = (struct value_type){ 0, 0 };
	return PROF_OK;
}

static void
finish_plan(struct columns_plan *plan, size_t n_old, size_t n_fresh)
{
	plan->old_is_same = plan->n == n_old;
	plan->fresh_is_same = plan->n == n_fresh;
	for (size_t i = 0; i < plan->n; i++) {
		if (plan->old[i].from != (int32_t)i || plan->old[i].factor != 1)
			plan->old_is_same = false;
		if (plan->fresh[i].from != (int32_t)i ||
		    plan->fresh[i].factor != 1)
			plan->fresh_is_same = false;
	}
}

/* Replace the contents of c by those of to. */
static enum prof_status
commit(struct columns *c, struct merged *to, struct prof_err *err)
{
	size_t n = c->n_dropped + to->n_dropped;
	struct column *grown = c->dropped;

	if (to->n_dropped) {
		grown = realloc(grown, n * sizeof(*grown));
		if (!grown)
			return prof_nomem(err);
		memcpy(grown + c->n_dropped, to->dropped,
		       to->n_dropped * sizeof(*grown));
	}
	c->dropped = grown;
	c->n_dropped = n;
	free(c->column);
	c->column = to->column;
	c->n = to->n;
	to->column = NULL;
	c->n_profile++;
	return PROF_OK;
}

enum prof_status
columns_add(struct columns *c, const struct profile *p,
	    struct columns_plan *plan, struct prof_err *err)
{
	size_t n_fresh = p->n_type, max = c->n + n_fresh + 1, n_old = c->n;
	struct column *fresh = calloc(n_fresh + 1, sizeof(*fresh));
	struct value_type period = { intern(c, p, p->period_type.type),
				     intern(c, p, p->period_type.unit) };
	struct merged to = { calloc(max, sizeof(*to.column)),
			     calloc(max, sizeof(*to.fresh)),
			     calloc(max, sizeof(*to.old)),
			     0,
			     calloc(max, sizeof(*to.dropped)),
			     0 };
	enum prof_status st = PROF_OK;
	bool is_mixed;

	memset(plan, 0, sizeof(*plan));
	if (max > COLUMNS_MAX)
		st = prof_fail(err, PROF_ELIMIT, "more than %d sample types",
			       COLUMNS_MAX);
	else if (!fresh || !to.column || !to.fresh || !to.old || !to.dropped ||
		 period.type == STRTAB_NONE || period.unit == STRTAB_NONE ||
		 describe(c, p, fresh) < 0)
		st = prof_nomem(err);
	if (st == PROF_OK)
		st = match(c, fresh, n_fresh, &to, err);
	if (st == PROF_OK)
		st = match_period(c, period, &period, &is_mixed, plan, err);
	if (st == PROF_OK)
		st = add_shape(c, fresh, n_fresh) < 0 ? prof_nomem(err)
						      : PROF_OK;
	else
		free(fresh);
	if (st == PROF_OK)
		st = commit(c, &to, err);
	if (st == PROF_OK) {
		c->period_type = period;
		c->has_mixed_periods = is_mixed;
		plan->n = to.n;
		plan->fresh = to.fresh;
		plan->old = to.old;
		finish_plan(plan, n_old, n_fresh);
	} else {
		free(to.fresh);
		free(to.old);
	}
	free(to.column);
	free(to.dropped);
	return st;
}

/* --- order --- */

/* Compare two sequences: the longer first, then by name. */
static int
shape_cmp(const struct columns *c, const struct shape *a, const struct shape *b)
{
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	for (size_t i = 0; i < a->n; i++) {
		int r = strtab_cmp(c->strings, a->column[i].key,
				   b->column[i].key);

		if (r)
			return r;
		if (a->column[i].nth != b->column[i].nth)
			return a->column[i].nth < b->column[i].nth ? -1 : 1;
	}
	return 0;
}

/* The columns of s that are still in c, in the order of s. */
static size_t
project(const struct columns *c, const struct shape *s, struct column *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (find_column(c->column, c->n, &s->column[i]) < c->n)
			out[n++] = s->column[i];
	return n;
}

/* Append the columns of s to order, unless it has them. */
static size_t
append_shape(const struct columns *c, const struct shape *s, uint32_t *order,
	     size_t n)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t k =
			(uint32_t)find_column(c->column, c->n, &s->column[i]);
		size_t at = 0;

		while (at < n && order[at] != k)
			at++;
		if (at == n && k < c->n)
			order[n++] = k;
	}
	return n;
}

int
columns_order(const struct columns *c, uint32_t *order)
{
	struct column *best_columns = calloc(c->n + 1, sizeof(*best_columns));
	struct column *columns = calloc(c->n + 1, sizeof(*columns));
	bool *is_done = calloc(c->n_shape + 1, sizeof(*is_done));
	size_t n = 0;

	if (!best_columns || !columns || !is_done)
		goto out;
	/* If each profile has all columns, this is one round. */
	while (n < c->n) {
		struct shape best = { best_columns, 0 };
		size_t found = c->n_shape;

		for (size_t i = 0; i < c->n_shape; i++) {
			struct shape s = { columns, 0 };

			if (is_done[i])
				continue;
			s.n = project(c, &c->shape[i], columns);
			if (found < c->n_shape && shape_cmp(c, &s, &best) >= 0)
				continue;
			found = i;
			best.n = s.n;
			memcpy(best_columns, columns, s.n * sizeof(*columns));
		}
		if (found == c->n_shape)
			break;
		is_done[found] = true;
		n = append_shape(c, &best, order, n);
	}
out:
	free(best_columns);
	free(columns);
	free(is_done);
	return n == c->n ? 0 : -1;
}
