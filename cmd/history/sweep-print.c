/*
 * sweep-print.c - lists of functions as text, TSV and JSON (profpipe.movers/1),
 * see sweep.h.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/base/escape.h"
#include "sweep.h"

static const char *const task_name[] = {
	[HISTORY_CHANGES] = "changes",
	[HISTORY_MOVERS] = "movers",
	[HISTORY_NEW] = "new",
	[HISTORY_VANISHED] = "vanished",
};

/* The relative change of a row; infinite if the share was 0. */
static double
relative(double before, double after)
{
	return before != 0  ? (after - before) / fabs(before)
	       : after == 0 ? 0
			    : INFINITY;
}

/* "+10.1%", or "new". */
static void
put_relative(double v, FILE *out)
{
	if (isfinite(v))
		fprintf(out, " %+9.1f%%", 100 * v);
	else
		fprintf(out, " %10s", "new");
}

static void
put_day(int64_t t_ns, FILE *out)
{
	char text[SERIES_TIME];

	series_time(t_ns, true, text);
	fputs(text, out);
}

/* --- text --- */

static void
put_side(const struct sweep_side *s, FILE *out)
{
	if (!s->n) {
		fputs("no profiles", out);
		return;
	}
	put_day(s->first_ns, out);
	fputs(" to ", out);
	put_day(s->last_ns, out);
	fprintf(out, " (%" PRIu64 " profiles, %" PRId64 " samples)", s->n,
		s->samples);
}

static void
put_head(const struct sweep *w, const struct series *x, bool is_flat, FILE *out)
{
	escape_put(out, ESCAPE_TEXT, x->type, strlen(x->type));
	fprintf(out, ", %s: ", is_flat ? "flat" : "cum");
	if (w->task == HISTORY_CHANGES) {
		fprintf(out,
			"%zu of %zu functions changed in %zu days, the surest "
			"first; * p < %g\n",
			w->n_found, w->n_test, x->n_bucket, SWEEP_MARK);
		fputs("   day             before      after     change       "
		      "   p  function\n",
		      out);
		return;
	}
	put_side(&w->side[1], out);
	fputs(" after ", out);
	put_side(&w->side[0], out);
	fputs(w->task == HISTORY_MOVERS
		      ? "\n    before      after      moved     change  "
			"function\n"
	      : w->task == HISTORY_NEW ? "\n     share  first day   function\n"
				       : "\n     share  last day    function\n",
	      out);
}

static void
put_text_row(const struct sweep *w, const struct series *x,
	     const struct sweep_row *r, FILE *out)
{
	const struct str *name = names_str(&x->functions, r->fn->name);
	const struct shift *c = &r->shift;
	bool is_new = w->task == HISTORY_NEW;

	switch (w->task) {
	case HISTORY_CHANGES:
		fputs(r->is_marked ? " * " : "   ", out);
		put_day(x->bucket[c->at].first_ns, out);
		fprintf(out, " %9.3f%% %9.3f%%", 100 * c->before,
			100 * c->after);
		put_relative(relative(c->before, c->after), out);
		fprintf(out, " %9.2g  ", c->p);
		break;
	case HISTORY_MOVERS:
		fprintf(out, "%9.3f%% %9.3f%% %+9.3f%%", 100 * r->share[0],
			100 * r->share[1], 100 * (r->share[1] - r->share[0]));
		put_relative(relative(r->share[0], r->share[1]), out);
		fputs("  ", out);
		break;
	default:
		fprintf(out, "%9.3f%%  ", 100 * r->share[is_new]);
		put_day(is_new ? r->first_ns : r->last_ns, out);
		fputs("  ", out);
		break;
	}
	escape_put(out, ESCAPE_TEXT, name->s, name->len);
	putc('\n', out);
}

static void
put_text(const struct sweep *w, const struct series *x,
	 const struct history_settings *s, FILE *out)
{
	put_head(w, x, s->is_flat, out);
	for (size_t i = 0; i < w->n; i++)
		put_text_row(w, x, &w->row[i], out);
	if (w->n < w->n_found)
		fprintf(out, "%zu more; see --nodecount\n", w->n_found - w->n);
	if (w->n_hidden)
		fprintf(out,
			"%zu more are so rare that they may have been missed "
			"before or after\n",
			w->n_hidden);
}

/* --- TSV --- */

static void
put_tsv(const struct sweep *w, const struct series *x, FILE *out)
{
	fputs("function\tbefore\tafter\ttotal_before\ttotal_after\tfirst\tlast"
	      "\tat\tp\n",
	      out);
	for (size_t i = 0; i < w->n; i++) {
		const struct sweep_row *r = &w->row[i];
		const struct str *name = names_str(&x->functions, r->fn->name);

		escape_put(out, ESCAPE_TSV, name->s, name->len);
		fprintf(out,
			"\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64
			"\t",
			r->before, r->after, r->total[0], r->total[1]);
		put_day(r->first_ns, out);
		putc('\t', out);
		put_day(r->last_ns, out);
		putc('\t', out);
		if (w->task == HISTORY_CHANGES) {
			put_day(x->bucket[r->shift.at].first_ns, out);
			fprintf(out, "\t%.3g\n", r->shift.p);
		} else {
			fputs("\t\n", out);
		}
	}
}

/* --- JSON --- */

static void
put_json_side(const char *key, const struct sweep_side *s, FILE *out)
{
	char first[SERIES_TIME] = "", last[SERIES_TIME] = "";

	if (s->n) {
		series_time(s->first_ns, false, first);
		series_time(s->last_ns, false, last);
	}
	fprintf(out,
		",\n \"%s\": {\"first\": \"%s\", \"last\": \"%s\", "
		"\"profiles\": %" PRIu64 ", \"samples\": %" PRId64
		", \"total\": %" PRId64 "}",
		key, first, last, s->n, s->samples, s->total);
}

static void
put_json_row(const struct sweep *w, const struct series *x,
	     const struct sweep_row *r, FILE *out)
{
	char first[SERIES_TIME], last[SERIES_TIME], at[SERIES_TIME];
	const struct shift *c = &r->shift;

	series_time(r->first_ns, true, first);
	series_time(r->last_ns, true, last);
	fputs("{\"name\": ", out);
	json_put_str(out, names_str(&x->functions, r->fn->name));
	fprintf(out,
		", \"before\": %" PRId64 ", \"after\": %" PRId64
		", \"total_before\": %" PRId64 ", \"total_after\": %" PRId64
		", \"first\": \"%s\", \"last\": \"%s\"",
		r->before, r->after, r->total[0], r->total[1], first, last);
	if (w->task == HISTORY_CHANGES) {
		series_time(x->bucket[c->at].first_ns, true, at);
		fprintf(out,
			", \"at\": \"%s\", \"share_before\": %.9g, "
			"\"share_after\": %.9g, \"p\": %.9g, \"marked\": %s",
			at, c->before, c->after, c->p,
			r->is_marked ? "true" : "false");
	}
	putc('}', out);
}

static void
put_json(const struct sweep *w, const struct series *x,
	 const struct history_settings *s, FILE *out)
{
	fprintf(out, "{\"schema\": \"profpipe.movers/1\", \"list\": \"%s\"",
		task_name[w->task]);
	fputs(", \"type\": ", out);
	json_put(out, x->type, strlen(x->type));
	fputs(", \"unit\": ", out);
	json_put(out, x->unit, strlen(x->unit));
	fprintf(out,
		", \"by\": \"%s\", \"days\": %zu, \"found\": %zu, "
		"\"hidden\": %zu, \"tested\": %zu",
		s->is_flat ? "flat" : "cum", x->n_bucket, w->n_found,
		w->n_hidden, w->n_test);
	if (w->task != HISTORY_CHANGES) {
		put_json_side("before", &w->side[0], out);
		put_json_side("after", &w->side[1], out);
	}
	fputs(",\n \"functions\": [", out);
	for (size_t i = 0; i < w->n; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		put_json_row(w, x, &w->row[i], out);
	}
	fputs("]}\n", out);
}

void
sweep_print(const struct sweep *w, const struct series *x,
	    const struct history_settings *s, FILE *out)
{
	if (s->format == HISTORY_TSV)
		put_tsv(w, x, out);
	else if (s->format == HISTORY_JSON)
		put_json(w, x, s, out);
	else
		put_text(w, x, s, out);
}
