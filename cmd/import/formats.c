/* import/formats.c - see formats.h. */
#include "config.h"

#include "formats.h"

#include "lib/formats/exchange/jfr.h"
#include "lib/formats/exchange/script.h"
#include "lib/model/profile.h"
#include "lib/ops/merge.h"
#include "perf.h"

typedef enum prof_status read_fn(const void *data, size_t n,
				 const struct import_options *o,
				 struct profile **out, struct prof_err *err);

static enum prof_status
read_perf(const void *data, size_t n, const struct import_options *o,
	  struct profile **out, struct prof_err *err)
{
	return import_perf_bytes(data, n, &o->perf, out, err);
}

/* Messages of OTLP: many in one file, in either form. */
struct messages {
	const void *data;
	size_t n, at;
	bool is_json;
	struct buf json; /* a message, converted */
};

/* The next message: *message is NULL after the last. */
static enum prof_status
next_message(struct messages *m, const void **message, size_t *n,
	     struct prof_err *err)
{
	*message = NULL;
#if HAVE_JANSSON
	if (m->is_json) {
		enum prof_status st;

		if (m->at == m->n)
			return PROF_OK;
		m->json.n = 0;
		st = otlp_json_convert(m->data, m->n, &m->at, &m->json, err);
		*message = m->json.n ? (const void *)m->json.data : "";
		*n = m->json.n;
		return st;
	}
#endif
	if (!otlp_next(m->data, m->n, &m->at, message, n))
		*message = NULL;
	return PROF_OK;
}

/* Columns that only some messages have are kept. */
static enum prof_status
add_message(struct merge **sum, struct profile *p, struct profile *more,
	    struct prof_err *err)
{
	enum prof_status st = PROF_OK;

	if (!*sum) {
		*sum = merge_new(COLUMNS_UNION);
		st = *sum ? merge_add(*sum, p, 1, err) : prof_nomem(err);
	}
	return st == PROF_OK ? merge_add(*sum, more, 1, err) : st;
}

static enum prof_status
read_messages(struct messages *m, const struct import_options *o,
	      struct profile **out, struct prof_err *err)
{
	struct otlp_losses losses = { 0 };
	struct profile *p = NULL, *more;
	struct merge *sum = NULL;
	enum prof_status st;
	const void *message;
	size_t n;

	while ((st = next_message(m, &message, &n, err)) == PROF_OK &&
	       message) {
		st = otlp_parse(message, n, &o->otlp, &more, &losses, err);
		if (st != PROF_OK)
			break;
		if (p) {
			st = add_message(&sum, p, more, err);
			profile_free(more);
			if (st != PROF_OK)
				break;
		} else {
			p = more;
		}
	}
	if (st == PROF_OK && !p)
		st = prof_fail(err, PROF_EFORMAT, "otlp: no message");
	if (st == PROF_OK && sum) {
		profile_free(p);
		st = merge_result(sum, &p, NULL, err);
	}
	merge_free(sum);
	if (st == PROF_OK)
		st = otlp_tell_losses(&losses, p, err);
	if (st == PROF_OK)
		*out = p;
	else
		profile_free(p);
	return st;
}

static enum prof_status
read_otlp(const void *data, size_t n, const struct import_options *o,
	  struct profile **out, struct prof_err *err)
{
	struct messages m = { .data = data, .n = n };

	return read_messages(&m, o, out, err);
}

static enum prof_status
read_jfr(const void *data, size_t n, const struct import_options *o,
	 struct profile **out, struct prof_err *err)
{
	(void)o;
	return jfr_parse(data, n, out, err);
}

static enum prof_status
read_script(const void *data, size_t n, const struct import_options *o,
	    struct profile **out, struct prof_err *err)
{
	(void)o;
	return script_parse(data, n, out, err);
}

static enum prof_status
read_folded(const void *data, size_t n, const struct import_options *o,
	    struct profile **out, struct prof_err *err)
{
	return folded_parse(data, n, &o->folded, out, err);
}

#if HAVE_JANSSON
static enum prof_status
read_speedscope(const void *data, size_t n, const struct import_options *o,
		struct profile **out, struct prof_err *err)
{
	return speedscope_parse(data, n, &o->speedscope, out, err);
}

static enum prof_status
read_firefox(const void *data, size_t n, const struct import_options *o,
	     struct profile **out, struct prof_err *err)
{
	(void)o;
	return firefox_parse(data, n, out, err);
}

static enum prof_status
read_chrome_trace(const void *data, size_t n, const struct import_options *o,
		  struct profile **out, struct prof_err *err)
{
	return chrome_trace_parse(data, n, o->idle, out, err);
}

static enum prof_status
read_heapprofile(const void *data, size_t n, const struct import_options *o,
		 struct profile **out, struct prof_err *err)
{
	(void)o;
	return heapprofile_parse(data, n, out, err);
}

static enum prof_status
read_cpuprofile(const void *data, size_t n, const struct import_options *o,
		struct profile **out, struct prof_err *err)
{
	return cpuprofile_parse(data, n, o->idle, out, err);
}

static enum prof_status
read_otlp_json(const void *data, size_t n, const struct import_options *o,
	       struct profile **out, struct prof_err *err)
{
	struct messages m = { .data = data, .n = n, .is_json = true };
	enum prof_status st = read_messages(&m, o, out, err);

	buf_release(&m.json);
	return st;
}
#endif

static read_fn *const readers[FOREIGN_KINDS] = {
	[FOREIGN_PERF] = read_perf,
	[FOREIGN_JFR] = read_jfr,
	[FOREIGN_OTLP] = read_otlp,
#if HAVE_JANSSON
	[FOREIGN_SPEEDSCOPE] = read_speedscope,
	[FOREIGN_FIREFOX] = read_firefox,
	[FOREIGN_CHROME_TRACE] = read_chrome_trace,
	[FOREIGN_HEAPPROFILE] = read_heapprofile,
	[FOREIGN_CPUPROFILE] = read_cpuprofile,
	[FOREIGN_OTLP_JSON] = read_otlp_json,
#endif
	[FOREIGN_SCRIPT] = read_script,
	[FOREIGN_FOLDED] = read_folded,
};

/* Values of JSON in memory take 9 to 14 times as much as their text (measured).
 */
#define JSON_TIMES 16

enum prof_status
import_parse(enum foreign_kind kind, const void *data, size_t n,
	     const struct import_options *o, struct profile **out,
	     struct prof_err *err)
{
	*out = NULL;
	if (!readers[kind])
		return prof_fail(err, PROF_ENOTSUP,
				 "JSON: this build has no jansson to read it");
	if (foreign_is_json(kind) && n > o->max_size / JSON_TIMES)
		return prof_fail(err, PROF_ELIMIT,
				 "%zu bytes of JSON take up to %d times as "
				 "much memory, more than the limit; "
				 "--max-size=%zuG raises it",
				 n, JSON_TIMES,
				 n / (((size_t)1 << 30) / JSON_TIMES) + 1);
	return readers[kind](data, n, o, out, err);
}
