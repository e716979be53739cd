/* changes.c - see changes.h. */
#include "config.h"

#include "changes.h"

#include <math.h>

#include "lib/base/escape.h"
#include "lib/report/text-print.h"

static const struct str *
key_of(const struct series *x, size_t bucket)
{
	return names_str(&x->keys, x->bucket[bucket].key);
}

/* "+10.1% (+6.2 to +14.0)", relative to the share before. */
static void
put_interval(double change, double low, double high, FILE *out)
{
	fprintf(out, "%+.1f%% (%+.1f to %+.1f)", 100 * change, 100 * low,
		100 * high);
}

/* "on web1, web2 and 4 more hosts (2026-10-09T00:11:00Z)" */
static void
put_arrival(const struct series *x, const struct build_test *t, FILE *out)
{
	size_t n = t->n_host < SHIFTS_MAX_HOST ? t->n_host : SHIFTS_MAX_HOST;
	char first[SERIES_TIME];

	series_time(t->first_ns, false, first);
	fprintf(out, "build ");
	text_put_str(out, names_str(&x->words, t->build));
	fputs(" arrived", out);
	for (size_t i = 0; i < n && t->host[i]; i++) {
		fputs(!i ? " on " : i + 1 < t->n_host ? ", " : " and ", out);
		text_put_str(out, names_str(&x->words, t->host[i]));
	}
	if (t->n_host > n)
		fprintf(out, " and %zu more hosts", t->n_host - n);
	fprintf(out, " (%s)", first);
}

static void
put_build(const struct series *x, const struct build_test *t, FILE *out)
{
	static const char *const which[] = { " when both ran", " of the day",
					     " of one or the other" };

	put_arrival(x, t, out);
	if (isfinite(t->change)) {
		fputs(" and differs by ", out);
		put_interval(t->change, t->low, t->high, out);
		fputs(" from ", out);
	} else {
		fputs(" and has it, unlike ", out);
	}
	text_put_str(out, names_str(&x->words, t->before));
	fprintf(out, " in %zu hours%s, p %.2g", t->n, which[t->hours], t->p);
}

/* A change that no build explains. */
static void
put_host(const struct series *x, const struct shifts_one *one, FILE *out)
{
	const struct shifts_host *h = &one->host;

	if (one->arrived.build) {
		put_arrival(x, &one->arrived, out);
		fputs(one->arrived.n ? ", but does not differ from "
				     : ", but ran too few hours to be compared "
				       "with ",
		      out);
		text_put_str(out, names_str(&x->words, one->arrived.before));
	} else if (x->n_build) {
		fputs("no build arrived then", out);
	} else {
		fputs("the profiles do not say their build; prof-merge "
		      "--label=build=VERSION labels them",
		      out);
	}
	if (h->n > 1) {
		fprintf(out, "; of %zu hosts ", h->n);
		text_put_str(out, names_str(&x->words, h->host));
		if (isnan(h->before))
			fprintf(out, " is new: %.3f%%", 100 * h->after);
		else if (isnan(h->after))
			fprintf(out, " is gone: %.3f%%", 100 * h->before);
		else
			fprintf(out, " moved most: %.3f%% to %.3f%%",
				100 * h->before, 100 * h->after);
		fprintf(out, ", %.0f%% of it", 100 * h->part);
	}
}

/* One sentence: which function, when, before and after, why, and how sure. */
static void
put_change(const struct series *x, const struct series_fn *f,
	   const struct shifts_one *one, size_t n_test, FILE *out)
{
	const struct shift *c = &one->shift;

	fputs("change: ", out);
	text_put_str(out, names_str(&x->functions, f->name));
	fputs(" from ", out);
	text_put_str(out, key_of(x, c->at));
	if (c->first != c->last) {
		fputs(" (between ", out);
		text_put_str(out, key_of(x, c->first));
		fputs(" and ", out);
		text_put_str(out, key_of(x, c->last));
		putc(')', out);
	}
	fprintf(out, " on: share %.3f%% to %.3f%%", 100 * c->before,
		100 * c->after);
	if (c->before > 0) {
		fputs(", ", out);
		put_interval((c->after - c->before) / c->before,
			     c->low / c->before, c->high / c->before, out);
	}
	fprintf(out, ", p %.2g", c->p);
	if (n_test > 1)
		fprintf(out, " of %zu tested", n_test);
	for (size_t i = 0; i < one->n_build; i++) {
		fputs("; ", out);
		put_build(x, &one->build[i], out);
	}
	if (!one->n_build) {
		fputs("; ", out);
		put_host(x, one, out);
	}
	putc('\n', out);
}

void
changes_text(const struct series *x, const struct series_fn *f,
	     const struct shifts *s, FILE *out)
{
	if (s->n_bucket < s->n_needed)
		fprintf(out, "change: too few rows, %zu of %zu\n", s->n_bucket,
			s->n_needed);
	else if (!s->n)
		fprintf(out, "change: none; p %.2g at best\n", s->best_p);
	for (size_t i = 0; i < s->n; i++)
		put_change(x, f, &s->one[i], s->n_test, out);
}

const char changes_tsv_titles[] =
	"function\tat\tfirst\tlast\tbefore\tafter\tlow\thigh\tp\tbuild\tagainst"
	"\n";

void
changes_tsv(const struct series *x, const struct series_fn *f,
	    const struct shifts *s, FILE *out)
{
	const struct str *name = names_str(&x->functions, f->name);

	for (size_t i = 0; i < s->n; i++) {
		const struct shifts_one *one = &s->one[i];
		const struct shift *c = &one->shift;
		const struct str *key[] = { name, key_of(x, c->at),
					    key_of(x, c->first),
					    key_of(x, c->last) };

		for (int k = 0; k < 4; k++) {
			escape_put(out, ESCAPE_TSV, key[k]->s, key[k]->len);
			putc('\t', out);
		}
		fprintf(out, "%.6g\t%.6g\t%.6g\t%.6g\t%.3g\t", c->before,
			c->after, c->low, c->high, c->p);
		if (one->n_build) {
			const struct build_test *t = &one->build[0];
			const struct str *a = names_str(&x->words, t->build);
			const struct str *b = names_str(&x->words, t->before);

			escape_put(out, ESCAPE_TSV, a->s, a->len);
			putc('\t', out);
			escape_put(out, ESCAPE_TSV, b->s, b->len);
		} else {
			putc('\t', out);
		}
		putc('\n', out);
	}
}

static void
put_number(const char *key, double v, FILE *out)
{
	if (isfinite(v))
		fprintf(out, ", \"%s\": %.9g", key, v);
	else
		fprintf(out, ", \"%s\": null", key);
}

static void
put_json_build(const struct series *x, const struct build_test *t, FILE *out)
{
	char first[SERIES_TIME];

	series_time(t->first_ns, false, first);
	fputs("{\"build\": ", out);
	json_put_str(out, names_str(&x->words, t->build));
	fputs(", \"against\": ", out);
	json_put_str(out, names_str(&x->words, t->before));
	fprintf(out, ", \"first\": \"%s\", \"hours\": %zu, \"same_hours\": %s",
		first, t->n, t->hours == BUILD_BOTH_RAN ? "true" : "false");
	put_number("change", t->change, out);
	put_number("low", t->low, out);
	put_number("high", t->high, out);
	put_number("p", t->p, out);
	putc('}', out);
}

static void
put_json_host(const struct series *x, const struct shifts_host *h, FILE *out)
{
	fputs(", \"host\": {\"host\": ", out);
	json_put_str(out, names_str(&x->words, h->host));
	fprintf(out, ", \"of\": %zu", h->n);
	put_number("before", h->before, out);
	put_number("after", h->after, out);
	put_number("part", h->part, out);
	putc('}', out);
}

void
changes_json(const struct series *x, const struct shifts *s, FILE *out)
{
	fprintf(out, ",\n   \"tested\": %zu, \"rows\": %zu, \"needed\": %zu",
		s->n_test, s->n_bucket, s->n_needed);
	put_number("best_p", s->best_p, out);
	fputs(", \"changes\": [", out);
	for (size_t i = 0; i < s->n; i++) {
		const struct shifts_one *one = &s->one[i];
		const struct shift *c = &one->shift;

		fputs(i ? ",\n    {\"at\": " : "\n    {\"at\": ", out);
		json_put_str(out, key_of(x, c->at));
		fputs(", \"first\": ", out);
		json_put_str(out, key_of(x, c->first));
		fputs(", \"last\": ", out);
		json_put_str(out, key_of(x, c->last));
		put_number("before", c->before, out);
		put_number("after", c->after, out);
		put_number("low", c->low, out);
		put_number("high", c->high, out);
		put_number("p", c->p, out);
		fputs(", \"builds\": [", out);
		for (size_t k = 0; k < one->n_build; k++) {
			fputs(k ? ", " : "", out);
			put_json_build(x, &one->build[k], out);
		}
		putc(']', out);
		if (one->host.n > 1)
			put_json_host(x, &one->host, out);
		putc('}', out);
	}
	putc(']', out);
}
