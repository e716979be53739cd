/*
 * json.c - functions over time for programs, see json.h. The schema is
 * profpipe.history/1, in prof-history(1).
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "changes.h"
#include "json.h"
#include "lib/base/escape.h"

static void
put_bucket(const struct series *x, const struct bucket *b, FILE *out)
{
	char first[SERIES_TIME], last[SERIES_TIME];

	series_time(b->first_ns, false, first);
	series_time(b->last_ns, false, last);
	fputs("{\"key\": ", out);
	json_put_str(out, names_str(&x->keys, b->key));
	fprintf(out,
		", \"first\": \"%s\", \"last\": \"%s\", \"build\": ", first,
		last);
	json_put_str(out, names_str(&x->words, b->build));
	fprintf(out,
		", \"builds\": %" PRIu64 ", \"hosts\": %" PRIu64
		", \"profiles\": %" PRIu64 ", \"samples\": %" PRId64
		", \"total\": %" PRId64 "}",
		b->n_build, b->n_host, b->n, b->samples, b->total);
}

static void
put_values(const char *key, const int64_t *v, size_t n, FILE *out)
{
	fprintf(out, ", \"%s\": [", key);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRId64, i ? ", " : "", v[i]);
	putc(']', out);
}

static void
put_build(const struct series *x, const struct series_build *b, FILE *out)
{
	char first[SERIES_TIME], last[SERIES_TIME];

	series_time(b->first_ns, false, first);
	series_time(b->last_ns, false, last);
	fputs("{\"build\": ", out);
	json_put_str(out, names_str(&x->words, b->name));
	fprintf(out,
		", \"first\": \"%s\", \"last\": \"%s\", "
		"\"profiles\": %" PRIu64 "}",
		first, last, b->n);
}

void
json_series(const struct series *x, const struct history_settings *s,
	    const struct shifts *shifts, FILE *out)
{
	fputs("{\"schema\": \"profpipe.history/1\", \"type\": ", out);
	json_put(out, x->type, strlen(x->type));
	fputs(", \"unit\": ", out);
	json_put(out, x->unit, strlen(x->unit));
	fputs(", \"by\": ", out);
	json_put(out, series_by_name(&s->q), strlen(series_by_name(&s->q)));
	fputs(",\n \"buckets\": [", out);
	for (size_t i = 0; i < x->n_bucket; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		put_bucket(x, &x->bucket[i], out);
	}
	fputs("],\n \"builds\": [", out);
	for (size_t i = 0; i < x->n_build; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		put_build(x, &x->build[i], out);
	}
	fputs("],\n \"functions\": [", out);
	for (size_t k = 0; k < x->n_fn; k++) {
		fputs(k ? ",\n  {\"name\": " : "\n  {\"name\": ", out);
		json_put_str(out, names_str(&x->functions, x->fn[k].name));
		put_values("flat", x->fn[k].flat, x->n_bucket, out);
		put_values("cum", x->fn[k].cum, x->n_bucket, out);
		if (shifts)
			changes_json(x, &shifts[k], out);
		putc('}', out);
	}
	fputs("]}\n", out);
}
