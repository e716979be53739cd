/*
 * judge.c - the order of a comparison: check that the sides compare, join
 * renamed functions, test rows with different stacks as one family, and explain
 * regressions. doc/gate.md.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "lib/base/arena.h"

#define GONE 0.1   /* fraction of its cum that is left, at most */
#define DEAD 0.2   /* of a median: a run died, or sides differ */
#define LARGE 0.01 /* of the total: the noise of smaller rows is sampling */
#define LOST 0.5   /* of base in functions that are gone, at most */

/* --- scales and sums --- */

static double
mean_exposure(const struct gate *g)
{
	double sum = 0;

	for (size_t i = 0; i < g->n_side[0]; i++)
		sum += g->run[i].exposure;
	return sum / (double)g->n_side[0];
}

/*
 * Numbers of samples measure time if all periods are equal. Else each is
 * multiplied by its period, if all periods have one type and unit, unless the
 * profiles have that product: a signal may stand for several periods.
 */
static enum prof_status
set_factors(struct gate *g, struct prof_err *err)
{
	const struct gate_run *first = &g->run[0];
	double mean = mean_exposure(g);
	bool differ = false, comparable = true;

	for (size_t i = 0; i < g->n_run; i++) {
		struct gate_run *r = &g->run[i];
		bool has = r->period > 0;
		bool like = r->period_type == first->period_type &&
			    r->period_unit == first->period_unit;

		r->factor = mean / r->exposure;
		differ |= r->period != first->period || (has && !like);
		comparable &= has && like;
	}
	if (!g->needs_period || !differ)
		return PROF_OK;
	if (g->instead)
		return prof_fail(err, PROF_EUSAGE,
				 "not comparable: numbers of samples whose "
				 "periods differ; --sample-index=%s compares",
				 g->instead);
	if (!comparable)
		return prof_fail(err, PROF_EUSAGE,
				 "not comparable: numbers of samples whose "
				 "periods differ or are unknown");
	for (size_t i = 0; i < g->n_run; i++)
		g->run[i].factor *= g->run[i].period;
	g->type = gate_name(g, first->period_type)->s;
	g->unit = gate_name(g, first->period_unit)->s;
	return PROF_OK;
}

static enum prof_status
set_totals(struct gate *g, struct prof_err *err)
{
	g->all = gate_zeros(g->arena, 2 * g->n_run, sizeof(*g->all));
	if (!g->all)
		return prof_nomem(err);
	g->all_square = g->all + g->n_run;
	for (size_t i = 0; i < gate_n_profile(g); i++) {
		const struct gate_run *r = &g->run[i];

		g->all[r->column] += r->total.value * r->factor;
		g->all_square[r->column] +=
			r->total.square * r->factor * r->factor;
	}
	return PROF_OK;
}

/* The matrices of sums, and the mean of each stack. */
static enum prof_status
set_sums(struct gate *g, struct prof_err *err)
{
	size_t n = 2 * g->n_row * g->n_run, n_stack = g->stacks.n_str;

	g->value = gate_zeros(g->arena, n, sizeof(*g->value));
	g->square = gate_zeros(g->arena, n, sizeof(*g->square));
	g->stack_mean = gate_zeros(g->arena, n_stack, sizeof(*g->stack_mean));
	if (!g->value || !g->square || !g->stack_mean)
		return prof_nomem(err);
	for (size_t i = 0; i < gate_n_profile(g); i++) {
		const struct gate_run *r = &g->run[i];
		double side = (double)g->n_side[r->side], f = r->factor;

		for (uint32_t row = 0; row < r->n_row; row++)
			for (int k = 0; k < 2; k++) {
				const struct gate_sum *s = &r->sum[k][row];

				gate_sums(g, g->value, row, k)[r->column] +=
					s->value * f;
				gate_sums(g, g->square, row, k)[r->column] +=
					s->square * f * f;
				g->row[row].set[k] += s->set;
			}
		for (size_t k = 0; k < r->n_sample; k++) {
			const struct gate_sample *s = &r->sample[k];

			g->stack_mean[s->stack][r->side] += s->value * f / side;
		}
	}
	return PROF_OK;
}

struct gate_pair
gate_means(const struct gate *g, uint32_t row, enum gate_kind kind)
{
	const double *v = gate_sums(g, g->value, row, kind);
	struct gate_pair p = { 0 };

	for (size_t i = 0; i < g->n_side[0]; i++)
		p.before += v[i] / (double)g->n_side[0];
	for (size_t i = g->n_side[0]; i < g->n_run; i++)
		p.after += v[i] / (double)g->n_side[1];
	return p;
}

bool
gate_is_gone(const struct gate *g, uint32_t row)
{
	struct gate_pair p = gate_means(g, row, GATE_CUM);

	return p.before > 0 && p.after <= GONE * p.before;
}

bool
gate_is_new(const struct gate *g, uint32_t row)
{
	struct gate_pair p = gate_means(g, row, GATE_CUM);

	return p.after > 0 && p.before <= GONE * p.after;
}

/* --- guards --- */

static const char *const side_name[] = { "base", "new" };

static double
median_total(const struct gate *g, enum gate_side side, double *scratch)
{
	size_t n = g->n_side[side];

	memcpy(scratch, g->all + (side ? g->n_side[0] : 0),
	       n * sizeof(*scratch));
	return gate_median(scratch, n);
}

/* Did every run do its work, and did both sides do about the same? */
static enum prof_status
check_totals(const struct gate *g, double *scratch, struct prof_err *err)
{
	double median[2];

	for (int s = 0; s < 2; s++)
		median[s] = median_total(g, s, scratch);
	for (size_t i = 0; i < g->n_run; i++) {
		int side = i >= g->n_side[0];
		size_t at = side ? i - g->n_side[0] : i;

		if (g->all[i] < DEAD * median[side])
			return prof_fail(
				err, PROF_EUSAGE,
				"%s profile %zu has %.2g%% of the "
				"median of its side: did the benchmark "
				"run? (--allow-unequal)",
				side_name[side], at + 1,
				100 * g->all[i] / median[side]);
	}
	if (median[1] < DEAD * median[0] || median[1] * DEAD > median[0])
		return prof_fail(err, PROF_EUSAGE,
				 "the total is %.3g times that of base: did "
				 "both do the same work? (--allow-unequal, "
				 "--scale)",
				 median[1] / median[0]);
	return PROF_OK;
}

static enum prof_status
check_sides(struct gate *g, struct prof_err *err)
{
	double *scratch = gate_zeros(g->arena, g->n_run, sizeof(*scratch));

	for (size_t i = 0; i < g->n_run; i++)
		g->events[g->run[i].side] += g->run[i].total.events;
	for (int s = 0; s < 2; s++) {
		if (!g->n_side[s])
			return prof_fail(err, PROF_EUSAGE, "no %s profile",
					 side_name[s]);
		if (g->events[s] < (double)g->o.min_events)
			return prof_fail(err, PROF_EUSAGE,
					 "%s has %.0f sample%s in all, of at "
					 "least %zu (--min-samples)",
					 side_name[s], g->events[s],
					 round(g->events[s]) == 1 ? "" : "s",
					 g->o.min_events);
	}
	if (g->o.allow_unequal)
		return PROF_OK;
	return scratch ? check_totals(g, scratch, err) : prof_nomem(err);
}

static enum prof_status
check_rows(const struct gate *g, struct prof_err *err)
{
	if (g->stacks.n_str <= 1)
		return prof_fail(err, PROF_EUSAGE,
				 "nothing is left of the profiles: the filters "
				 "match nothing");
	for (size_t r = 0; r < g->n_row; r++)
		if (g->row[r].is_wanted)
			return PROF_OK;
	return prof_fail(err, PROF_EUSAGE,
			 "--function matches none of %zu functions%s", g->n_row,
			 g->o.exact_names ? ""
					  : " (their names are without numbers "
					    "of closures: --exact-names)");
}

/* Refuse if too much of base is in functions that are gone. Renamed ones are
 * not. */
static enum prof_status
check_lost(const struct gate *g, struct prof_err *err)
{
	double lost = 0;

	if (g->total.verdict >= GATE_SUSPECT || g->o.allow_unequal)
		return PROF_OK;
	for (uint32_t r = 0; r < g->n_row; r++)
		if (gate_is_gone(g, r))
			lost += gate_means(g, r, GATE_FLAT).before;
	lost /= g->total.cell[0]->mean[0];
	if (lost <= LOST)
		return PROF_OK;
	return prof_fail(err, PROF_EUSAGE,
			 "nothing to compare: functions with %.0f%% of base "
			 "are gone; is it the same program, with "
			 "symbols? (--allow-unequal)",
			 100 * lost);
}

/* --- the family --- */

/* A row and kind on its way into the table. */
struct entry {
	uint64_t set;
	uint32_t row;
	enum gate_kind kind;
};

static int
cmp_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Does it have all samples? Compares sums, as filters do not change totals. */
static bool
is_all(const struct gate *g, const struct entry *e)
{
	const double *v = gate_sums(g, g->value, e->row, e->kind);

	for (size_t i = 0; i < g->n_run; i++)
		if (fabs(v[i] - g->all[i]) > 1e-9 * g->all[i])
			return false;
	return true;
}

/* All rows and kinds with samples, equal sets beside each other. */
static size_t
list_entries(const struct gate *g, struct entry *entry)
{
	size_t n = 0;

	for (uint32_t r = 0; r < g->n_row; r++)
		for (int k = 0; k < 2; k++)
			if (g->row[r].to == r && g->row[r].set[k])
				entry[n++] = (struct entry){ g->row[r].set[k],
							     r, k };
	qsort(entry, n, sizeof(*entry), cmp_entries);
	return n;
}

/* Rows of equal sets share a row of the table and a cell. Returns the number of
 * distinct ones. */
static size_t
fill_table(struct gate *g, const struct entry *entry, size_t n_entry,
	   struct gate_series *series, struct gate_cell *cell)
{
	size_t n = 1, at = 0;

	for (size_t i = 0; i < n_entry; i++) {
		const struct entry *e = &entry[i];

		if (!i || e->set != e[-1].set) {
			at = is_all(g, e) ? 0 : n++;
			if (at)
				series[at] = (struct gate_series){
					.value = gate_sums(g, g->value, e->row,
							   e->kind),
					.square = gate_sums(g, g->square,
							    e->row, e->kind),
					.is_flat = e->kind == GATE_FLAT,
				};
		}
		series[at].is_test |= g->row[e->row].is_wanted;
		g->row[e->row].cell[e->kind] = &cell[at];
	}
	return n;
}

/* The leaves of a row, with the shares of it that end in them. */
static enum prof_status
set_parts(const struct gate *g, const struct gate_links *links,
	  const struct gate_row *row, const struct gate_cell *cell,
	  struct gate_series *series, struct prof_err *err)
{
	size_t at = (size_t)(row->cell[GATE_CUM] - cell), n;
	const struct gate_link *l =
		gate_links_of(links, (uint32_t)(row - g->row), LINK_LEAF, &n);
	struct gate_part *part;
	double sum = 0;

	/* A leaf has the same stacks as its flat row. The total has no share to
	 * vary. */
	if (!n || !at || series[at].is_flat)
		return PROF_OK;
	part = arena_array(g->arena, n, sizeof(*part));
	if (!part)
		return prof_nomem(err);
	for (size_t i = 0; i < n; i++)
		sum += l[i].value[0] + l[i].value[1];
	for (size_t i = 0; i < n; i++) {
		const struct gate_row *leaf = &g->row[l[i].other - 1];
		double share = (l[i].value[0] + l[i].value[1]) / sum;

		part[i] = (struct gate_part){
			(size_t)(leaf->cell[GATE_FLAT] - cell), share * share
		};
	}
	series[at].part = part;
	series[at].n_part = n;
	return PROF_OK;
}

static enum prof_status
find_parts(const struct gate *g, const struct gate_cell *cell,
	   struct gate_series *series, struct prof_err *err)
{
	unsigned char *marked = gate_zeros(g->arena, g->n_row, 1);
	struct gate_links links;
	enum prof_status st;

	if (!marked)
		return prof_nomem(err);
	for (uint32_t r = 0; r < g->n_row; r++) {
		struct gate_pair y = gate_means(g, r, GATE_CUM);

		marked[r] = g->row[r].to == r && g->row[r].set[GATE_CUM] &&
			    fmax(y.before, y.after) > LARGE * g->all[0];
	}
	st = gate_links_build(&links, g, marked, 1u << LINK_LEAF, err);
	for (uint32_t r = 0; st == PROF_OK && r < g->n_row; r++)
		if (marked[r])
			st = set_parts(g, &links, &g->row[r], cell, series,
				       err);
	return st;
}

static enum prof_status
test_rows(struct gate *g, struct prof_err *err)
{
	static const struct gate_cell nothing = { .p_slower = 1,
						  .p_faster = 1,
						  .adjusted = 1,
						  .adjusted_faster = 1 };
	size_t n = 2 * g->n_row + 1;
	struct gate_series *series = gate_zeros(g->arena, n, sizeof(*series));
	struct entry *entry = gate_zeros(g->arena, n, sizeof(*entry));
	struct gate_table *t = gate_zeros(g->arena, 1, sizeof(*t));
	struct gate_cell *cell = gate_zeros(g->arena, n, sizeof(*cell));
	double *scale = gate_zeros(g->arena, g->n_run, sizeof(*scale));
	uint32_t total = strtab_addz(&g->names, "total");
	enum prof_status st;

	if (!series || !entry || !t || !cell || !scale || total == STRTAB_NONE)
		return prof_nomem(err);
	g->table = t;
	series[0] = (struct gate_series){ .value = g->all,
					  .square = g->all_square,
					  .is_test = !g->o.wants };
	for (size_t r = 0; r < g->n_row; r++)
		g->row[r].cell[0] = g->row[r].cell[1] = &nothing;
	n = fill_table(g, entry, list_entries(g, entry), series, cell);
	*t = (struct gate_table){
		n,        g->n_run,  { g->n_side[0], g->n_side[1] },
		series,   scale,     &g->o,
		g->arena, &g->model, cell
	};
	st = find_parts(g, cell, series, err);
	if (st == PROF_OK)
		st = gate_test(t, err);
	if (st == PROF_OK)
		st = gate_guard(t, err);
	g->total = (struct gate_row){ .name = total,
				      .is_wanted = true,
				      .cell = { cell, cell },
				      .verdict = cell->verdict,
				      .kind = GATE_CUM };
	return st;
}

/* --- rows --- */

static double
size_of_change(const struct gate_row *r)
{
	const struct gate_cell *c = gate_deciding(r);

	return fabs(c->after - c->before);
}

/* The worse of flat and cum; where both regressed, the one that grew more. */
static void
settle_row(struct gate_row *r)
{
	const struct gate_cell *flat = r->cell[GATE_FLAT];
	const struct gate_cell *cum = r->cell[GATE_CUM];

	r->kind = GATE_CUM;
	if (flat->verdict > cum->verdict ||
	    (flat->verdict == cum->verdict && flat->verdict >= GATE_SUSPECT &&
	     flat->after - flat->before >= cum->after - cum->before))
		r->kind = GATE_FLAT;
	r->verdict = r->cell[r->kind]->verdict;
}

static int
cmp_rows(const void *a, const void *b, void *ctx)
{
	const struct gate *g = ctx;
	const struct gate_row *x = &g->row[*(const uint32_t *)a];
	const struct gate_row *y = &g->row[*(const uint32_t *)b];

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? 1 : -1;
	if (x->is_moved != y->is_moved)
		return x->is_moved ? 1 : -1;
	if (!x->carried != !y->carried)
		return x->carried ? 1 : -1;
	if (size_of_change(x) != size_of_change(y))
		return size_of_change(x) < size_of_change(y) ? 1 : -1;
	return strtab_cmp(&g->names, x->name, y->name);
}

static enum prof_status
order_rows(struct gate *g, struct prof_err *err)
{
	g->order = arena_array(g->arena, g->n_row + 1, sizeof(*g->order));
	if (!g->order)
		return prof_nomem(err);
	for (uint32_t r = 0; r < g->n_row; r++) {
		if (!g->row[r].is_wanted || g->row[r].to != r)
			continue;
		g->n_verdict[g->row[r].verdict]++;
		g->order[g->n_order++] = r;
	}
	qsort_r(g->order, g->n_order, sizeof(*g->order), cmp_rows, g);
	return PROF_OK;
}

enum prof_status
gate_judge(struct gate *g, struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	g->is_single = g->n_run == 2;
	if (g->n_side[0] && g->n_side[1])
		st = set_factors(g, err);
	if (st == PROF_OK && g->n_run)
		st = set_totals(g, err);
	if (st == PROF_OK)
		st = check_sides(g, err);
	if (st == PROF_OK)
		st = gate_join_sessions(g, err);
	if (st == PROF_OK && g->is_joined)
		st = set_totals(g, err);
	if (st == PROF_OK)
		st = set_sums(g, err);
	if (st == PROF_OK && !g->o.exact_names)
		st = gate_rename(g, err);
	if (st == PROF_OK)
		st = check_rows(g, err);
	if (st == PROF_OK)
		st = test_rows(g, err);
	if (st == PROF_OK)
		st = check_lost(g, err);
	if (st != PROF_OK)
		return st;
	for (size_t r = 0; r < g->n_row; r++)
		settle_row(&g->row[r]);
	st = gate_explain(g, err);
	return st == PROF_OK ? order_rows(g, err) : st;
}
